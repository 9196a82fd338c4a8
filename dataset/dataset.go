package dataset

import (
	"errors"
	"fmt"
	"iter"

	"github.com/tfparse/tfparse/ragged"
)

// ErrArgument is wrapped by the error of an operation with invalid arguments, such as a batch of no
// elements.
var ErrArgument = errors.New("dataset: invalid argument")

// An Error is the error of an operation at one element.
type Error struct {
	Op        string // name of the operation, such as "batch"
	Element   int    // ordinal of the element that the operation reads, from 0; -1 if the error is not about an element
	Component string // name of the component; "" if the error is not about a component, or the element is a tensor
	Err       error  // what is wrong
}

// Error returns the operation, the element, the component and what is wrong.
func (e *Error) Error() string {
	where := "dataset: " + e.Op
	if e.Element >= 0 {
		where += fmt.Sprintf(": element %d", e.Element)
	}
	if e.Component != "" {
		where += fmt.Sprintf(": component %q", e.Component)
	}
	return where + ": " + e.Err.Error()
}

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

// A Dataset is a sequence of elements that are made when the program asks for them. The zero value
// is empty. A Dataset is immutable: its methods return new datasets.
type Dataset[E any] struct {
	seq        iter.Seq2[E, error] // the elements; ends at its first error
	components []Component[E]      // components of the elements; may be empty
}

// From makes a dataset of a sequence, such as the records of a file or the results of a function; a
// pair with an error ends it. If the sequence can be ranged over only once, so can the dataset.
// TensorFlow calls it from_generator.
func From[E any](seq iter.Seq2[E, error]) Dataset[E] {
	return Dataset[E]{seq: untilError(seq)}
}

// WithComponents describes the elements, for Batch and Unbatch. From and Map return datasets
// without components.
func (d Dataset[E]) WithComponents(components ...Component[E]) Dataset[E] {
	return Dataset[E]{seq: d.seq, components: components}
}

// untilError ends a sequence at its first error.
func untilError[E any](seq iter.Seq2[E, error]) iter.Seq2[E, error] {
	return func(yield func(E, error) bool) {
		for e, err := range seq {
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
}

// failWith yields an error and nothing else.
func failWith[E any](op string, err error) iter.Seq2[E, error] {
	return func(yield func(E, error) bool) {
		var none E
		yield(none, &Error{Op: op, Element: -1, Err: err})
	}
}

// argumentError returns an error about an argument.
func argumentError(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrArgument, fmt.Sprintf(format, args...))
}

// All yields the elements. The last pair has the error, if there is one, with a zero element. Every
// call reads the source again.
func (d Dataset[E]) All() iter.Seq2[E, error] {
	if d.seq == nil {
		return func(func(E, error) bool) {}
	}
	return d.seq
}

// Components returns the components of the elements with their specs: TensorFlow's element_spec.
// The slice is shared.
func (d Dataset[E]) Components() []Component[E] { return d.components }

// Collect returns all elements in a new slice, and the error that ended them.
func (d Dataset[E]) Collect() ([]E, error) {
	var out []E
	for e, err := range d.All() {
		if err != nil {
			return out, err
		}
		out = append(out, e)
	}
	return out, nil
}

// sameComponents returns a dataset of other elements with the same components.
func (d Dataset[E]) sameComponents(seq iter.Seq2[E, error]) Dataset[E] {
	return Dataset[E]{seq: seq, components: d.components}
}

// Map calls f for every element. The result has no components, also if B is A: see WithComponents.
// An error of f ends the dataset, with the ordinal of the element. TensorFlow calls it map.
func Map[A, B any](d Dataset[A], f func(A) (B, error)) Dataset[B] {
	return Dataset[B]{seq: func(yield func(B, error) bool) {
		i := 0
		for a, err := range d.All() {
			var b B
			if err == nil {
				if b, err = f(a); err != nil {
					var none B
					b, err = none, &Error{Op: "map", Element: i, Err: err}
				}
			}
			if !yield(b, err) || err != nil {
				return
			}
			i++
		}
	}}
}

// Filter keeps the elements for which keep returns true. An error of keep ends the dataset, with
// the ordinal of the element. TensorFlow calls it filter.
func (d Dataset[E]) Filter(keep func(E) (bool, error)) Dataset[E] {
	return d.sameComponents(func(yield func(E, error) bool) {
		i := 0
		for e, err := range d.All() {
			wanted := true
			if err == nil {
				if wanted, err = keep(e); err != nil {
					var none E
					e, err = none, &Error{Op: "filter", Element: i, Err: err}
				}
			}
			if (wanted || err != nil) && !yield(e, err) || err != nil {
				return
			}
			i++
		}
	})
}

// Take keeps the first n elements and reads no more elements; a negative n keeps all. TensorFlow
// calls it take.
func (d Dataset[E]) Take(n int) Dataset[E] {
	if n < 0 {
		return d
	}
	return d.sameComponents(func(yield func(E, error) bool) {
		if n == 0 {
			return
		}
		left := n
		for e, err := range d.All() {
			if left--; !yield(e, err) || err != nil || left == 0 {
				return
			}
		}
	})
}

// Skip leaves out the first n elements; a negative n leaves out all elements. An error stays.
// TensorFlow calls it skip.
func (d Dataset[E]) Skip(n int) Dataset[E] {
	return d.sameComponents(func(yield func(E, error) bool) {
		left := n
		for e, err := range d.All() {
			switch {
			case err == nil && left > 0:
				left--
			case err == nil && left < 0:
			case !yield(e, err) || err != nil:
				return
			}
		}
	})
}

// Shard keeps every n-th element, beginning with element index: every element is in exactly one of
// the shards 0 to n-1. TensorFlow calls it shard.
func (d Dataset[E]) Shard(n, index int) Dataset[E] {
	if n < 1 || index < 0 || index >= n {
		return d.sameComponents(failWith[E]("shard", argumentError("want an index below the number of shards, got index %d of %d", index, n)))
	}
	return d.sameComponents(func(yield func(E, error) bool) {
		i := 0
		for e, err := range d.All() {
			if (i == index || err != nil) && !yield(e, err) || err != nil {
				return
			}
			if i++; i == n {
				i = 0
			}
		}
	})
}

// Repeat yields the elements n times, or without end if n is negative and there are elements. It
// fails if there are elements the first time and none later, as from a source that can be ranged
// over only once. TensorFlow calls it repeat.
func (d Dataset[E]) Repeat(n int) Dataset[E] {
	return d.sameComponents(func(yield func(E, error) bool) {
		for epoch := 0; n < 0 || epoch < n; epoch++ {
			empty := true
			for e, err := range d.All() {
				if empty = false; !yield(e, err) || err != nil {
					return
				}
			}
			if empty && epoch > 0 {
				failWith[E]("repeat", errors.New("the source has no elements when it is read again"))(yield)
			}
			if empty {
				return
			}
		}
	})
}

// Slices returns the rows of a tensor, as views. The rows of a tensor with one partition are dense;
// batching them gives a ragged tensor again. A scalar is an error. TensorFlow calls it
// from_tensor_slices.
func Slices[T any](t ragged.Tensor[T]) Dataset[ragged.Tensor[T]] {
	return SlicesOf(t, Element[T](Spec{}))
}

// SlicesOf returns the slices of all components of a structure: element i has row i of every
// component. The specs are those of the tensors. Components of different lengths are an error.
// Fields that are not components stay zero. TensorFlow calls it from_tensor_slices.
func SlicesOf[E any](whole E, components ...Component[E]) Dataset[E] {
	sliced := make([]Component[E], len(components))
	for i, c := range components {
		sliced[i] = c.withSpecOf(&whole).ofSlices()
	}
	return Dataset[E]{components: sliced, seq: func(yield func(E, error) bool) {
		for e, err := range eachSlice(whole, components) {
			if err != nil {
				yield(e, &Error{Op: "slices", Element: -1, Component: err.component, Err: err.error})
				return
			}
			if !yield(e, nil) {
				return
			}
		}
	}}
}

// Unbatch divides every element into the slices of its components, which are views. TensorFlow
// calls it unbatch.
func (d Dataset[E]) Unbatch() Dataset[E] {
	sliced := make([]Component[E], len(d.components))
	for i, c := range d.components {
		if spec := c.Spec(); spec.known() && len(spec.Shape()) == 0 {
			return d.sameComponents(failWith[E]("unbatch", argumentError("component %q is a scalar in every element", c.Name())))
		}
		sliced[i] = c.ofSlices()
	}
	return Dataset[E]{components: sliced, seq: func(yield func(E, error) bool) {
		var none E
		i := 0
		for whole, err := range d.All() {
			if err != nil {
				yield(none, err)
				return
			}
			for e, err := range eachSlice(whole, d.components) {
				if err != nil {
					yield(none, &Error{Op: "unbatch", Element: i, Component: err.component, Err: err.error})
					return
				}
				if !yield(e, nil) {
					return
				}
			}
			i++
		}
	}}
}

// componentError is the error of a component that cannot be sliced.
type componentError struct {
	component string
	error
}

// eachSlice yields the slices of an element, or only an error.
func eachSlice[E any](whole E, components []Component[E]) iter.Seq2[E, *componentError] {
	return func(yield func(E, *componentError) bool) {
		var none E
		if len(components) == 0 {
			yield(none, &componentError{"", argumentError("want at least 1 component, got 0")})
			return
		}
		take, rows := make([]func(*E), len(components)), 0
		for i, c := range components {
			n, f, err := c.newSlicer(&whole)
			if err == nil && i > 0 && n != rows {
				err = fmt.Errorf("%w: want %d slices as %q has, got %d", ragged.ErrShape, rows, components[0].Name(), n)
			}
			if err != nil {
				yield(none, &componentError{c.Name(), err})
				return
			}
			take[i], rows = f, n
		}
		for range rows {
			var e E
			for _, f := range take {
				f(&e)
			}
			if !yield(e, nil) {
				return
			}
		}
	}
}
