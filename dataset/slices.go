package dataset

import (
	"fmt"
	"iter"

	"github.com/tfparse/tfparse/ragged"
)

// Slices is the rows of a tensor, one after another. Those of a tensor with one
// partition are dense, and batch into a ragged tensor again. They are views. A scalar
// is an error. TensorFlow calls it from_tensor_slices.
func Slices[T any](t ragged.Tensor[T]) Dataset[ragged.Tensor[T]] {
	return SlicesOf(t, Element[T](Spec{}))
}

// SlicesOf is the slices of all components of a structure: element i has row i of
// each. The specs are those of the tensors. Components of different lengths are an
// error. What is no component stays zero. TensorFlow calls it from_tensor_slices.
func SlicesOf[E any](whole E, components ...Component[E]) Dataset[E] {
	of := make([]Component[E], len(components))
	for i, c := range components {
		of[i] = c.like(&whole).unbatched()
	}
	return Dataset[E]{components: of, seq: func(yield func(E, error) bool) {
		for e, err := range slicesOf(whole, components) {
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

// Unbatch takes every element apart into the slices of its components. They are
// views. TensorFlow calls it unbatch.
func (d Dataset[E]) Unbatch() Dataset[E] {
	of := make([]Component[E], len(d.components))
	for i, c := range d.components {
		if spec := c.Spec(); spec.known() && len(spec.Shape()) == 0 {
			return d.with(failing[E]("unbatch", argumentf("component %q is a scalar in every element", c.Name())))
		}
		of[i] = c.unbatched()
	}
	return Dataset[E]{components: of, seq: func(yield func(E, error) bool) {
		var none E
		i := 0
		for whole, err := range d.All() {
			if err != nil {
				yield(none, err)
				return
			}
			for e, err := range slicesOf(whole, d.components) {
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

// A componentError says which component cannot be sliced.
type componentError struct {
	component string
	error
}

// slicesOf yields the slices of an element, or why it has none.
func slicesOf[E any](whole E, components []Component[E]) iter.Seq2[E, *componentError] {
	return func(yield func(E, *componentError) bool) {
		var none E
		if len(components) == 0 {
			yield(none, &componentError{"", argumentf("no components are known")})
			return
		}
		take, rows := make([]func(*E), len(components)), 0
		for i, c := range components {
			n, f, err := c.slicer(&whole)
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
