package ragged

import (
	"iter"
	"slices"
)

// A Tensor is a ragged or dense tensor: flat values, row partitions from the outermost to
// the innermost, and a uniform inner shape. It is a small value, meant to be copied; it
// never changes, and views of it share its memory.
//
// Without partitions it is a dense tensor in row-major order; a scalar is one of rank 0.
// The zero value is an empty vector.
//
// Rows and slices are views: they take O(1) and allocate nothing. A Tensor is safe for
// concurrent use as long as the slices that it was made from do not change.
type Tensor[T any] struct {
	values []T         // flat values, also of items outside the view; shared
	parts  []Partition // outermost first; each partition has as many values as the next has rows
	inner  []int       // shape of one item; sizes are not negative; shared
	lo, hi int         // the view: rows lo to hi-1 of parts[0], or items if there are no partitions
	scalar bool        // rank 0: one item of one value, no partitions, empty inner shape
}

// New makes a tensor of flat values, the uniform shape of one item (nil for scalars) and
// row partitions, the outermost first. Every partition has as many values as the next
// has rows, and the last has as many values as there are items. Without partitions the
// result is dense: a vector of items; see also Dense. The checks take O(rank); the slices
// are kept and must not change. If the sizes do not fit, the error wraps ErrShape.
// TensorFlow calls from_row_splits and the like, once for each partition.
func New[T any](values []T, inner []int, parts ...Partition) (Tensor[T], error) {
	cell, err := product(inner)
	if err != nil {
		return Tensor[T]{}, err
	}
	if len(parts) == 0 {
		if cell == 0 {
			return Tensor[T]{}, shapeErrorf("items of shape %v have no values: give Dense the full shape", inner)
		}
		n := len(values) / cell
		if n*cell != len(values) {
			return Tensor[T]{}, shapeErrorf("%d values do not divide into items of shape %v", len(values), inner)
		}
		return Tensor[T]{values: values, inner: inner, hi: n}, nil
	}
	if err := checkChain(parts); err != nil {
		return Tensor[T]{}, err
	}
	if err := checkUniform(parts, inner); err != nil {
		return Tensor[T]{}, err
	}
	last := parts[len(parts)-1].NumValues()
	if cell > 0 && last > len(values)/cell || last*cell != len(values) {
		return Tensor[T]{}, shapeErrorf("partition %d has %d values, but there are %d values in items of shape %v",
			len(parts)-1, last, len(values), inner)
	}
	return Tensor[T]{values: values, parts: parts, inner: inner, hi: parts[0].NumRows()}, nil
}

// Dense makes a dense tensor of values in row-major order. Without a shape it is a
// scalar. The slices are kept and must not change. If the number of values does not fit the
// shape, or SizeOf refuses the shape, the error wraps ErrShape. TensorFlow calls it
// constant, or reshape.
func Dense[T any](values []T, shape ...int) (Tensor[T], error) {
	size, err := product(shape)
	if err != nil {
		return Tensor[T]{}, err
	}
	if size != len(values) {
		return Tensor[T]{}, shapeErrorf("shape %v wants %d values, got %d", shape, size, len(values))
	}
	return dense(values, shape), nil
}

// dense is Dense for a shape that is known to fit.
func dense[T any](values []T, shape []int) Tensor[T] {
	if len(shape) == 0 {
		return Tensor[T]{values: values, hi: 1, scalar: true}
	}
	return Tensor[T]{values: values, inner: shape[1:], hi: shape[0]}
}

// Scalar makes a tensor of rank 0.
func Scalar[T any](v T) Tensor[T] {
	return Tensor[T]{values: []T{v}, hi: 1, scalar: true}
}

// Vector makes a dense tensor of rank 1. The slice is kept.
func Vector[T any](values ...T) Tensor[T] {
	return Tensor[T]{values: values, hi: len(values)}
}

// checkChain checks that every partition has as many values as the next has
// rows.
func checkChain(parts []Partition) error {
	for i := 1; i < len(parts); i++ {
		if want, got := parts[i-1].NumValues(), parts[i].NumRows(); want != got {
			return shapeErrorf("partition %d has %d values, but partition %d has %d rows", i-1, want, i, got)
		}
	}
	return nil
}

// checkUniform checks that the product of the uniform sizes does not overflow, so that axes
// can be merged, and that there are not too many items without values. The partitions are
// valid.
func checkUniform(parts []Partition, inner []int) error {
	cells, empty := 1, false
	multiply := func(n int) bool {
		if n == 0 {
			empty = true
			return true
		}
		if cells > maxValues/n {
			return false
		}
		cells *= n
		return true
	}
	for _, n := range inner {
		if !multiply(n) {
			return shapeErrorf("items of shape %v are too large", inner)
		}
	}
	if empty {
		if _, err := product(append([]int{parts[len(parts)-1].NumValues()}, inner...)); err != nil {
			return err
		}
	}
	for level, p := range parts {
		if n, ok := p.UniformLen(); ok && !multiply(n) {
			return shapeErrorf("partition %d, row length %d: the uniform axes are too large", level, n)
		}
	}
	return nil
}

// SizeOf returns the number of values of a dense shape. It fails for a negative size, if
// the product of the sizes that are not 0 overflows, and for more than MaxEmptyRows rows
// without a value: [n, 0] has n empty rows.
func SizeOf(shape []int) (int, error) { return product(shape) }

// product is SizeOf. Leaving out sizes of 0 makes sure that no later product overflows. The
// product of the sizes before the first 0 is the number of empty rows.
func product(sizes []int) (int, error) {
	n, zero := 1, false
	for i, d := range sizes {
		switch {
		case d < 0:
			return 0, shapeErrorf("size %d of axis %d is negative", d, i)
		case d == 0 && !zero && n > MaxEmptyRows:
			return 0, shapeErrorf("shape %v has more than %d rows without values", sizes, MaxEmptyRows)
		case d == 0:
			zero = true
		case n > maxValues/d:
			return 0, shapeErrorf("shape %v is too large", sizes)
		default:
			n *= d
		}
	}
	if zero {
		return 0, nil
	}
	return n, nil
}

// size multiplies sizes that product has accepted.
func size(sizes []int) int {
	n := 1
	for _, d := range sizes {
		n *= d
	}
	return n
}

// Len returns the number of rows: the size of axis 0. A scalar has none. TensorFlow
// calls it nrows.
func (t Tensor[T]) Len() int {
	if t.scalar {
		return 0
	}
	return t.hi - t.lo
}

// RaggedRank returns the number of partitions, also of uniform partitions. It is 0 for a
// dense tensor. TensorFlow calls it ragged_rank.
func (t Tensor[T]) RaggedRank() int { return len(t.parts) }

// Rank returns the number of axes. TensorFlow calls it rank.
func (t Tensor[T]) Rank() int {
	if t.scalar {
		return 0
	}
	return 1 + len(t.parts) + len(t.inner)
}

// Size returns the number of values. TensorFlow calls it size.
func (t Tensor[T]) Size() int {
	lo, hi := t.items()
	return (hi - lo) * size(t.inner)
}

// Shape returns the size of every axis, -1 where it is ragged: TensorFlow's
// static shape. The slice is new.
func (t Tensor[T]) Shape() []int {
	shape := make([]int, 0, t.Rank())
	if t.scalar {
		return shape
	}
	shape = append(shape, t.Len())
	for _, p := range t.parts {
		if p.uniform {
			shape = append(shape, p.rowLen)
		} else {
			shape = append(shape, -1)
		}
	}
	return append(shape, t.inner...)
}

// InnerShape returns the shape of one item: the uniform axes below the last
// partition, or below axis 0 of a dense tensor. The slice is shared: do not change it.
func (t Tensor[T]) InnerShape() []int {
	return t.inner[:len(t.inner):len(t.inner)]
}

// items returns the range of items in view.
func (t Tensor[T]) items() (lo, hi int) {
	lo, hi = t.lo, t.hi
	for _, p := range t.parts {
		lo, hi = p.split(lo), p.split(hi)
	}
	return lo, hi
}

// Values returns the flat values. The slice is shared and read only; its capacity is
// clipped. TensorFlow's flat_values has the shape of Flat.
func (t Tensor[T]) Values() []T {
	lo, hi := t.items()
	if len(t.inner) > 0 {
		cell := size(t.inner)
		lo, hi = lo*cell, hi*cell
	}
	return t.values[lo:hi:hi]
}

// Item returns the only value of a tensor that has exactly one, such as a
// scalar. It panics otherwise.
func (t Tensor[T]) Item() T {
	v := t.Values()
	if len(v) != 1 {
		panic("ragged: Item of a tensor without exactly one value")
	}
	return v[0]
}

// Partition returns the partition of a level, which divides the rows of axis level+1;
// level 0 is the outermost. In a view the partition has the rows of the view only. The
// memory is shared. Partition panics if there is no such level.
func (t Tensor[T]) Partition(level int) Partition {
	lo, hi := t.lo, t.hi
	for _, p := range t.parts[:level] {
		lo, hi = p.split(lo), p.split(hi)
	}
	return t.parts[level].Rows(lo, hi)
}

// Partitions returns all partitions, the outermost first. The slice is new, the memory
// of the partitions shared. Their splits are TensorFlow's nested_row_splits.
func (t Tensor[T]) Partitions() []Partition {
	if len(t.parts) == 0 {
		return nil
	}
	parts := make([]Partition, len(t.parts))
	lo, hi := t.lo, t.hi
	for i, p := range t.parts {
		parts[i] = p.Rows(lo, hi)
		lo, hi = p.split(lo), p.split(hi)
	}
	return parts
}

// Validate repeats the checks of the factories, in O(rows). It fails if a slice that the
// tensor was made from has changed.
func (t Tensor[T]) Validate() error {
	for _, p := range t.parts {
		if err := p.validate(); err != nil {
			return err
		}
	}
	if len(t.parts) > 0 {
		if err := checkChain(t.parts); err != nil {
			return err
		}
	}
	if _, hi := t.items(); hi*size(t.inner) > len(t.values) {
		return shapeErrorf("the partitions want %d values, got %d", hi*size(t.inner), len(t.values))
	}
	return nil
}

// Row returns row i: a tensor with one axis less, without the outermost partition. A row
// of a vector is a scalar. The row is a view; nothing is allocated. Row panics if there is
// no such row. TensorFlow writes t[i].
func (t Tensor[T]) Row(i int) Tensor[T] {
	if uint(i) >= uint(t.Len()) {
		panic("ragged: row out of range")
	}
	i += t.lo
	switch {
	case len(t.parts) > 0:
		t.lo, t.hi = t.parts[0].Bounds(i)
		t.parts = t.parts[1:]
	case len(t.inner) > 0:
		t.lo, t.hi = i*t.inner[0], (i+1)*t.inner[0]
		t.inner = t.inner[1:]
	default:
		t.lo, t.hi, t.scalar = i, i+1, true
	}
	return t
}

// Rows yields every row with its index. Rows are views.
func (t Tensor[T]) Rows() iter.Seq2[int, Tensor[T]] {
	return func(yield func(int, Tensor[T]) bool) {
		for i := range t.Len() {
			if !yield(i, t.Row(i)) {
				return
			}
		}
	}
}

// Slice returns rows lo to hi-1. The result is a view; nothing is allocated, and uniform
// partitions stay uniform. Slice panics if the range is not within the rows. TensorFlow
// writes t[lo:hi].
func (t Tensor[T]) Slice(lo, hi int) Tensor[T] {
	if lo < 0 || hi < lo || hi > t.Len() {
		panic("ragged: rows out of range")
	}
	t.lo, t.hi = t.lo+lo, t.lo+hi
	return t
}

// Items returns the items of all rows one after another, as a tensor without the outermost
// partition and with one axis less. It is a view. A tensor without partitions is returned
// as it is. TensorFlow calls it values.
func (t Tensor[T]) Items() Tensor[T] {
	if len(t.parts) == 0 {
		return t
	}
	p := t.parts[0]
	t.lo, t.hi = p.split(t.lo), p.split(t.hi)
	t.parts = t.parts[1:]
	return t
}

// Flat returns the flat values as a dense tensor, without any partition. It is a view.
// TensorFlow calls it flat_values.
func (t Tensor[T]) Flat() Tensor[T] {
	t.lo, t.hi = t.items()
	t.parts = nil
	return t
}

// Clone returns a tensor that shares no memory with t. It copies only the rows that are in
// the view.
func (t Tensor[T]) Clone() Tensor[T] {
	parts := t.Partitions()
	for i, p := range parts {
		parts[i] = p.clone()
	}
	return Tensor[T]{
		values: slices.Clone(t.Values()),
		parts:  parts,
		inner:  slices.Clone(t.inner),
		hi:     t.hi - t.lo,
		scalar: t.scalar,
	}
}

// Equal reports whether two tensors have the same shape, rows and values. As in
// TensorFlow a uniform partition equals a ragged one with the same row splits. NaN equals
// nothing.
func Equal[T comparable](a, b Tensor[T]) bool {
	return SameShape(a, b) && slices.Equal(a.Values(), b.Values())
}

// EqualFunc is Equal with a function that compares values.
func EqualFunc[T, U any](a Tensor[T], b Tensor[U], eq func(T, U) bool) bool {
	return SameShape(a, b) && slices.EqualFunc(a.Values(), b.Values(), eq)
}

// SameShape reports whether two tensors have the same number of partitions, equal
// partitions and the same inner shape. Whether partitions are uniform does not
// matter.
func SameShape[T, U any](a Tensor[T], b Tensor[U]) bool {
	if a.scalar != b.scalar || a.Len() != b.Len() || len(a.parts) != len(b.parts) || !slices.Equal(a.inner, b.inner) {
		return false
	}
	for i := range a.parts {
		if !a.Partition(i).Equal(b.Partition(i)) {
			return false
		}
	}
	return true
}
