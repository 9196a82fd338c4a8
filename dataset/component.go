package dataset

import (
	"fmt"
	"iter"
	"math"

	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/ragged"
)

// A Component is a part of an element that can be sliced and batched: a ragged, dense or sparse
// tensor. Element, Tensor and Sparse make Components. It is immutable.
type Component[E any] interface {
	Name() string // Name is for errors.
	Spec() Spec   // Spec is the common shape of the tensors. The spec of a sparse tensor is open.

	withSpecOf(e *E) Component[E] // withSpecOf returns the component with the spec of an element.
	// ofBatches and ofSlices return the component of batches and of slices.
	ofBatches(n int, raggedly bool) Component[E]
	ofSlices() Component[E]
	// newSlicer prepares to slice the component of e, which has n slices. Each call of take stores the
	// next slice in dst.
	newSlicer(e *E) (n int, take func(dst *E), err error)
	// stackInto combines the components of elements, at least one, in dst. An error may be an
	// elementError.
	stackInto(dst *E, elements []E, raggedly bool) error
}

// elementError is an error about one element of a batch.
type elementError struct {
	element int // index in the batch
	error
}

// elementErrorf returns an elementError that wraps ragged.ErrShape.
func elementErrorf(element int, format string, args ...any) error {
	return elementError{element, fmt.Errorf("%w: %s", ragged.ErrShape, fmt.Sprintf(format, args...))}
}

// Element is the only component of elements that are tensors themselves.
func Element[T any](spec Spec) Component[ragged.Tensor[T]] {
	return Tensor("", func(e *ragged.Tensor[T]) *ragged.Tensor[T] { return e }, spec)
}

// Tensor is a component of a struct that is a tensor: get returns the address of the tensor in an
// element. The name is for errors.
func Tensor[E, T any](name string, get func(*E) *ragged.Tensor[T], spec Spec) Component[E] {
	return tensorComponent[E, T]{name: name, get: get, spec: spec}
}

// tensorComponent implements Component for tensors.
type tensorComponent[E, T any] struct {
	name string
	get  func(*E) *ragged.Tensor[T] // returns the address of the tensor in an element
	spec Spec
}

func (c tensorComponent[E, T]) Name() string { return c.name }
func (c tensorComponent[E, T]) Spec() Spec   { return c.spec }

func (c tensorComponent[E, T]) withSpec(spec Spec) Component[E] {
	c.spec = spec
	return c
}

func (c tensorComponent[E, T]) withSpecOf(e *E) Component[E] {
	return c.withSpec(tensorSpec(*c.get(e)))
}

func (c tensorComponent[E, T]) ofBatches(n int, raggedly bool) Component[E] {
	if raggedly {
		return c.withSpec(c.spec.raggedForm().ofBatches(n))
	}
	return c.withSpec(c.spec.ofBatches(n))
}

func (c tensorComponent[E, T]) ofSlices() Component[E] { return c.withSpec(c.spec.ofSlices()) }

func (c tensorComponent[E, T]) newSlicer(e *E) (int, func(dst *E), error) {
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

func (c tensorComponent[E, T]) stackInto(dst *E, elements []E, raggedly bool) error {
	spec := c.spec
	if raggedly {
		spec = spec.raggedForm()
	}
	spec = batchSpec(spec, *c.get(&elements[0]), raggedly)
	tensors := make([]ragged.Tensor[T], len(elements))
	for i := range elements {
		t := *c.get(&elements[i])
		if err := spec.checkTensor(t.Shape(), t.RaggedRank()); err != nil {
			return elementError{i, err}
		}
		tensors[i] = t
	}
	var out ragged.Tensor[T]
	var err error
	if spec.kind == raggedKind && spec.partitions >= 0 {
		out, err = stackRagged(tensors, spec)
	} else {
		out, err = stackDense(tensors)
	}
	*c.get(dst) = out
	return err
}

// Sparse is a component of a struct that is a sparse tensor: get returns the address of the tensor
// in an element. Slices and batches keep the order of the entries. A batch has in each axis the size
// of the largest element. To be sliced, a tensor needs two axes or more, and entries in row order.
func Sparse[E, T any](name string, get func(*E) *ragged.Sparse[T]) Component[E] {
	return sparseComponent[E, T]{name: name, get: get}
}

// sparseComponent implements Component for sparse tensors.
type sparseComponent[E, T any] struct {
	name string
	get  func(*E) *ragged.Sparse[T] // returns the address of the tensor in an element
}

func (c sparseComponent[E, T]) Name() string                     { return c.name }
func (c sparseComponent[E, T]) Spec() Spec                       { return Spec{} }
func (c sparseComponent[E, T]) withSpecOf(*E) Component[E]       { return c }
func (c sparseComponent[E, T]) ofBatches(int, bool) Component[E] { return c }
func (c sparseComponent[E, T]) ofSlices() Component[E]           { return c }

// checkEntries returns an error if the number of coordinates does not match the values, or a size
// is negative.
func checkEntries[T any](s ragged.Sparse[T]) error {
	if len(s.Indices) != len(s.Values)*len(s.Shape) {
		return fmt.Errorf("%w: want %d coordinates for %d values, got %d", ragged.ErrShape, len(s.Values)*len(s.Shape), len(s.Values), len(s.Indices))
	}
	for axis, n := range s.Shape {
		if n < 0 {
			return fmt.Errorf("%w: axis %d: want a size of at least 0, got %d", ragged.ErrShape, axis, n)
		}
	}
	return nil
}

func (c sparseComponent[E, T]) newSlicer(e *E) (int, func(dst *E), error) {
	s := *c.get(e)
	if err := checkEntries(s); err != nil {
		return 0, nil, err
	}
	rank := len(s.Shape)
	if rank < 2 {
		return 0, nil, fmt.Errorf("%w: want a sparse tensor of rank 2 or more, got rank %d", ragged.ErrShape, rank)
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

func (c sparseComponent[E, T]) stackInto(dst *E, elements []E, _ bool) error {
	rank := len(c.get(&elements[0]).Shape)
	out := ragged.Sparse[T]{Shape: make([]int64, rank+1)}
	out.Shape[0] = int64(len(elements))
	entries := 0
	for i := range elements {
		s := c.get(&elements[i])
		if err := checkEntries(*s); err != nil {
			return elementError{i, err}
		}
		if len(s.Shape) != rank {
			return elementErrorf(i, "want rank %d as in the first element, got %d", rank, len(s.Shape))
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

// FromBatch returns the rows of a parsed batch, with columns of every form. TensorFlow calls it
// from_tensor_slices of the result of parse_example.
//
// An element is what Batch.Row returns: Int64, Float32, Strings and Column take the name of a
// feature, and In selects context or feature lists if both have that name. Each row has the values
// of its record alone, as from parse_single_example: without the padding of a FixedLenSequence in
// the batch, and a sparse row is as long as it has values. Batch makes columns as parse_example
// does, with the padding that its rows need, and Unbatch divides them again. To be batched, the
// results of Map need WithComponents and must be rows of this parser.
//
// The rows are views, valid as long as the batch: until Reset or Release, or, if Parser.Batches
// lends it, until the next batch. Columns that Batch makes are copies.
func FromBatch(b *feature.Batch) Dataset[feature.Columns] {
	return From(eachRow(b)).WithComponents(columnsComponent{b.Parser()})
}

// eachRow yields the rows of a batch.
func eachRow(b *feature.Batch) iter.Seq2[feature.Columns, error] {
	return func(yield func(feature.Columns, error) bool) {
		for i := 0; i < b.Len(); i++ {
			if !yield(b.Row(i), nil) {
				return
			}
		}
	}
}

// columnsComponent is the only component of elements that are rows, or batches, of a parser. Its
// spec is open: the parser determines how columns batch.
type columnsComponent struct {
	parser *feature.Parser // parser of all rows
}

func (c columnsComponent) Name() string                                           { return "" }
func (c columnsComponent) Spec() Spec                                             { return Spec{} }
func (c columnsComponent) withSpecOf(*feature.Columns) Component[feature.Columns] { return c }
func (c columnsComponent) ofBatches(int, bool) Component[feature.Columns]         { return c }
func (c columnsComponent) ofSlices() Component[feature.Columns]                   { return c }

func (c columnsComponent) newSlicer(e *feature.Columns) (int, func(dst *feature.Columns), error) {
	b, row := e.Batch()
	if b == nil || row >= 0 {
		return 0, nil, fmt.Errorf("%w: the columns of one row have no rows", ragged.ErrShape)
	}
	i := 0
	return b.Len(), func(dst *feature.Columns) {
		*dst = b.Row(i)
		i++
	}, nil
}

func (c columnsComponent) stackInto(dst *feature.Columns, elements []feature.Columns, _ bool) error {
	out := c.parser.NewBatch()
	for i, e := range elements {
		if b, row := e.Batch(); b == nil || row < 0 {
			return elementError{i, fmt.Errorf("%w: want the columns of one row", ragged.ErrShape)}
		}
		if err := out.AppendRow(e); err != nil {
			return elementError{i, err}
		}
	}
	*dst = out.Columns()
	return nil
}
