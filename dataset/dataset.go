package dataset

import (
	"errors"
	"fmt"
	"iter"
)

// ErrArgument is wrapped by the error of an operation whose arguments make no sense,
// such as a batch of no elements.
var ErrArgument = errors.New("dataset: invalid argument")

// An Error says which operation failed, and at which element.
type Error struct {
	Op        string // such as "batch"
	Element   int    // of what the operation reads, from 0; -1 if none is to blame
	Component string // "" if none is to blame, or the element is a tensor
	Err       error
}

// Error gives the operation, the element, the component and what is wrong.
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

// Unwrap returns what is wrong.
func (e *Error) Unwrap() error { return e.Err }

// A Dataset is a sequence of elements, which are made when they are asked for. The
// zero value is empty. A Dataset never changes: its methods return others.
type Dataset[E any] struct {
	seq        iter.Seq2[E, error]
	components []Component[E]
}

// From makes a dataset of any sequence, such as the records of a file or what a
// function yields; a pair with an error ends it. A sequence that can be
// ranged over only once makes such a dataset. TensorFlow calls it from_generator.
func From[E any](seq iter.Seq2[E, error]) Dataset[E] {
	return Dataset[E]{seq: untilError(seq)}
}

// WithComponents returns the dataset with a description of its elements, which Batch and Unbatch need after From and Map: they know
// nothing of the elements.
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

// failing yields an error and nothing else.
func failing[E any](op string, err error) iter.Seq2[E, error] {
	return func(yield func(E, error) bool) {
		var none E
		yield(none, &Error{Op: op, Element: -1, Err: err})
	}
}

// argumentf is an error of an argument.
func argumentf(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrArgument, fmt.Sprintf(format, args...))
}

// All yields the elements. The last pair carries the error, if there is one; the
// element beside it is a zero one. Every call goes through the source again.
func (d Dataset[E]) All() iter.Seq2[E, error] {
	if d.seq == nil {
		return func(func(E, error) bool) {}
	}
	return d.seq
}

// Components returns what the elements consist of, with their specs: TensorFlow's
// element_spec. The slice is shared.
func (d Dataset[E]) Components() []Component[E] { return d.components }

// Collect returns all elements in a new slice, and the error after which there are no
// more.
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

// with is a dataset of other elements of the same form.
func (d Dataset[E]) with(seq iter.Seq2[E, error]) Dataset[E] {
	return Dataset[E]{seq: seq, components: d.components}
}

// Map calls f for every element. The result has no components, not even if B is A: see WithComponents. An error of f ends
// the dataset, with the ordinal of the element. TensorFlow calls it map.
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

// Filter keeps the elements for which a function returns true. An error of it ends the
// dataset, with the ordinal of the element. TensorFlow calls it filter.
func (d Dataset[E]) Filter(keep func(E) (bool, error)) Dataset[E] {
	return d.with(func(yield func(E, error) bool) {
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

// Take keeps the first n elements and asks for no more; a negative n keeps all.
// TensorFlow calls it take.
func (d Dataset[E]) Take(n int) Dataset[E] {
	if n < 0 {
		return d
	}
	return d.with(func(yield func(E, error) bool) {
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

// Skip leaves out the first n elements; a negative n leaves out all, but not an
// error. TensorFlow calls it skip.
func (d Dataset[E]) Skip(n int) Dataset[E] {
	return d.with(func(yield func(E, error) bool) {
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

// Shard keeps every n-th element, beginning with the one at index: the parts for index
// 0 to n-1 have every element once. TensorFlow calls it shard.
func (d Dataset[E]) Shard(n, index int) Dataset[E] {
	if n < 1 || index < 0 || index >= n {
		return d.with(failing[E]("shard", argumentf("want a shard from 0 to %d of at least 1, got %d of %d", n-1, index, n)))
	}
	return d.with(func(yield func(E, error) bool) {
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

// Repeat goes through the dataset n times, or without end if n is negative, unless it
// is empty. It fails if there are elements the first time and none later, as from a
// source that can be ranged over only once. TensorFlow calls it repeat.
func (d Dataset[E]) Repeat(n int) Dataset[E] {
	return d.with(func(yield func(E, error) bool) {
		for pass := 0; n < 0 || pass < n; pass++ {
			empty := true
			for e, err := range d.All() {
				if empty = false; !yield(e, err) || err != nil {
					return
				}
			}
			if empty && pass > 0 {
				failing[E]("repeat", errors.New("there are no elements a second time"))(yield)
			}
			if empty {
				return
			}
		}
	})
}
