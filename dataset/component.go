package dataset

import (
	"fmt"
	"math"

	"github.com/tfparse/tfparse/ragged"
)

// A Component is a part of an element that can be sliced and batched: a tensor, ragged
// or dense, or a sparse tensor. It is made by Element, Tensor and Sparse and never
// changes.
type Component[E any] interface {
	// Name is what errors call the component.
	Name() string
	// Spec is what is known of it. That of a sparse tensor is open.
	Spec() Spec

	// like is the component with the spec that it has in an element.
	like(e *E) Component[E]
	// batched and unbatched are the component of batches and of slices.
	batched(n int, raggedly bool) Component[E]
	unbatched() Component[E]
	// slicer prepares to cut the component of e into slices: take puts the next one
	// into dst. It is called n times.
	slicer(e *E) (n int, take func(dst *E), err error)
	// stack puts the components of elements, at least one, together into dst. An
	// error may be a misfit, which names the element.
	stack(dst *E, elements []E, raggedly bool) error
}

// A misfit is what is wrong with one of the elements of a batch.
type misfit struct {
	element int
	error
}

func misfitf(element int, format string, args ...any) error {
	return misfit{element, fmt.Errorf("%w: %s", ragged.ErrShape, fmt.Sprintf(format, args...))}
}

// Element is the only component of elements that are tensors themselves.
func Element[T any](spec Spec) Component[ragged.Tensor[T]] {
	return Tensor("", func(e *ragged.Tensor[T]) *ragged.Tensor[T] { return e }, spec)
}

// Tensor is a component of a struct that is a tensor: get returns its place in an
// element. The name is for errors.
func Tensor[E, T any](name string, get func(*E) *ragged.Tensor[T], spec Spec) Component[E] {
	return tensor[E, T]{name: name, get: get, spec: spec}
}

type tensor[E, T any] struct {
	name string
	get  func(*E) *ragged.Tensor[T]
	spec Spec
}

func (c tensor[E, T]) Name() string { return c.name }
func (c tensor[E, T]) Spec() Spec   { return c.spec }

func (c tensor[E, T]) with(spec Spec) Component[E] {
	c.spec = spec
	return c
}

func (c tensor[E, T]) like(e *E) Component[E] { return c.with(specOf(*c.get(e))) }

func (c tensor[E, T]) batched(n int, raggedly bool) Component[E] {
	if raggedly {
		return c.with(c.spec.forRagged().batched(n))
	}
	return c.with(c.spec.batched(n))
}

func (c tensor[E, T]) unbatched() Component[E] { return c.with(c.spec.unbatched()) }

func (c tensor[E, T]) slicer(e *E) (int, func(dst *E), error) {
	t := *c.get(e)
	if t.Rank() == 0 {
		return 0, nil, fmt.Errorf("%w: a scalar has no slices", ragged.ErrShape)
	}
	i := 0
	return t.Len(), func(dst *E) {
		*c.get(dst) = t.Row(i)
		i++
	}, nil
}

func (c tensor[E, T]) stack(dst *E, elements []E, raggedly bool) error {
	spec := c.spec
	if raggedly {
		spec = spec.forRagged()
	}
	spec = specFor(spec, *c.get(&elements[0]), raggedly)
	tensors := make([]ragged.Tensor[T], len(elements))
	for i := range elements {
		t := *c.get(&elements[i])
		if err := spec.check(t.Shape(), t.RaggedRank()); err != nil {
			return misfit{i, err}
		}
		tensors[i] = t
	}
	var out ragged.Tensor[T]
	var err error
	if spec.kind == raggedKind && spec.levels >= 0 {
		out, err = stackRagged(tensors, spec)
	} else {
		out, err = stackDense(tensors)
	}
	*c.get(dst) = out
	return err
}

// Sparse is a component of a struct that is a sparse tensor: get returns its place in
// an element. Slices and batches have the entries in their order, which is that of the
// rows; in a batch the shape is that of the largest. What is sliced has two axes or
// more.
func Sparse[E, T any](name string, get func(*E) *ragged.Sparse[T]) Component[E] {
	return sparse[E, T]{name: name, get: get}
}

type sparse[E, T any] struct {
	name string
	get  func(*E) *ragged.Sparse[T]
}

func (c sparse[E, T]) Name() string                   { return c.name }
func (c sparse[E, T]) Spec() Spec                     { return Spec{} }
func (c sparse[E, T]) like(*E) Component[E]           { return c }
func (c sparse[E, T]) batched(int, bool) Component[E] { return c }
func (c sparse[E, T]) unbatched() Component[E]        { return c }

// checkEntries fails if there are not as many coordinates as values need, or if the
// shape is of no tensor.
func checkEntries[T any](s ragged.Sparse[T]) error {
	if len(s.Indices) != len(s.Values)*len(s.Shape) {
		return fmt.Errorf("%w: want %d coordinates of %d values, got %d", ragged.ErrShape, len(s.Values)*len(s.Shape), len(s.Values), len(s.Indices))
	}
	for axis, n := range s.Shape {
		if n < 0 {
			return fmt.Errorf("%w: axis %d: want a size of at least 0, got %d", ragged.ErrShape, axis, n)
		}
	}
	return nil
}

func (c sparse[E, T]) slicer(e *E) (int, func(dst *E), error) {
	s := *c.get(e)
	if err := checkEntries(s); err != nil {
		return 0, nil, err
	}
	rank := len(s.Shape)
	if rank < 2 {
		return 0, nil, fmt.Errorf("%w: want a sparse tensor of rank 2 or more, got rank %d: a slice has indices too", ragged.ErrShape, rank)
	}
	if s.Shape[0] > math.MaxInt {
		return 0, nil, fmt.Errorf("%w: %d rows are too many for this machine", ragged.ErrShape, s.Shape[0])
	}
	last := int64(0)
	for i := range s.Values {
		row := s.Indices[i*rank]
		if row < last || row >= s.Shape[0] {
			return 0, nil, fmt.Errorf("%w: entry %d: want a row from %d to %d, got %d", ragged.ErrIndex, i, last, s.Shape[0]-1, row)
		}
		last = row
	}
	row, at := int64(0), 0
	return int(s.Shape[0]), func(dst *E) {
		lo := at
		for at < len(s.Values) && s.Indices[at*rank] == row {
			at++
		}
		slice := ragged.Sparse[T]{Values: s.Values[lo:at:at], Shape: s.Shape[1:], Indices: make([]int64, 0, (at-lo)*(rank-1))}
		for i := lo; i < at; i++ {
			slice.Indices = append(slice.Indices, s.Indices[i*rank+1:(i+1)*rank]...)
		}
		*c.get(dst) = slice
		row++
	}, nil
}

func (c sparse[E, T]) stack(dst *E, elements []E, _ bool) error {
	rank := len(c.get(&elements[0]).Shape)
	out := ragged.Sparse[T]{Shape: make([]int64, rank+1)}
	out.Shape[0] = int64(len(elements))
	entries := 0
	for i := range elements {
		s := c.get(&elements[i])
		if err := checkEntries(*s); err != nil {
			return misfit{i, err}
		}
		if len(s.Shape) != rank {
			return misfitf(i, "want rank %d as the first of the batch, got %d", rank, len(s.Shape))
		}
		for axis, n := range s.Shape {
			out.Shape[axis+1] = max(out.Shape[axis+1], n)
		}
		entries += len(s.Values)
	}
	out.Values, out.Indices = make([]T, 0, entries), make([]int64, 0, entries*(rank+1))
	for i := range elements {
		s := c.get(&elements[i])
		out.Values = append(out.Values, s.Values...)
		for j := range s.Values {
			out.Indices = append(append(out.Indices, int64(i)), s.Indices[j*rank:(j+1)*rank]...)
		}
	}
	*c.get(dst) = out
	return nil
}
