package ragged

import (
	"fmt"
	"reflect"
	"slices"
	"unsafe"

	"github.com/tfparse/tfparse/ragged/internal/limit"
	"github.com/tfparse/tfparse/ragged/internal/short"
)

// ToDense returns a dense tensor in which short rows are padded with a fill and long rows
// are cut off. TensorFlow calls it RaggedTensor.to_tensor.
//
// The fill is dense, has a lower rank than the flat values and broadcasts to the shape of
// an item; the zero Tensor means the zero value of T. Sizes are nil, or one size for each
// axis; a negative size means the longest row of that axis, or its uniform length. Sizes
// of the inner shape must be those of t. The result is new. Its size is limited (see the
// package comment), beyond the limit the error wraps ErrShape; WriteDense has no limit.
func (t Tensor[T]) ToDense(fill Tensor[T], sizes []int) (Tensor[T], error) {
	if t.scalar {
		if len(sizes) > 0 {
			return Tensor[T]{}, shapeErrorf("to dense: a scalar has no axes, but %d sizes are given", len(sizes))
		}
		return t.Clone(), nil
	}
	shape, err := t.denseShape(sizes)
	if err != nil {
		return Tensor[T]{}, err
	}
	if _, err := limit.Values[T](t.storedSize(), shape...); err != nil {
		return Tensor[T]{}, shapeErrorf("to dense: %v", err)
	}
	n, err := product(shape)
	if err != nil {
		return Tensor[T]{}, fmt.Errorf("to dense: %w", err)
	}
	pad, err := padCell(fill, t.inner)
	if err != nil {
		return Tensor[T]{}, err
	}
	b := denseWriter[T]{parts: t.parts, values: t.values, pad: pad, shape: shape, cell: size(t.inner)}
	if len(pad) == 1 {
		b.one = pad[0]
	}
	b.stride = make([]int, len(t.parts)+1)
	for i := range b.stride {
		b.stride[i] = size(shape[i+1:])
	}
	out := make([]T, n)
	if n > 0 {
		b.writeRows(0, t.lo, t.hi, out)
	}
	return dense(out, shape), nil
}

// storedSize returns the number of values and rows of t that take memory. Values of type
// struct{}, and rows of uniform partitions, take none.
func (t Tensor[T]) storedSize() int {
	n, lo, hi := 0, t.lo, t.hi
	for _, p := range t.parts {
		if !p.uniform {
			n += hi - lo
		}
		lo, hi = p.split(lo), p.split(hi)
	}
	if unsafe.Sizeof(*new(T)) > 0 {
		n += (hi - lo) * size(t.inner)
	}
	return n
}

// denseShape returns DenseShape with the caller's sizes in place of its own, unless negative.
func (t Tensor[T]) denseShape(sizes []int) ([]int, error) {
	shape := t.BoundingShape()
	for level, p := range t.parts {
		if n, ok := p.UniformLen(); ok { // even if there are no rows
			shape[level+1] = n
		}
	}
	if len(sizes) == 0 {
		return shape, nil
	}
	if len(sizes) != len(shape) {
		return nil, shapeErrorf("to dense: want %d sizes for a tensor of rank %d, got %d", len(shape), len(shape), len(sizes))
	}
	for axis, n := range sizes {
		if n < 0 {
			continue
		}
		if axis > len(t.parts) && n != shape[axis] {
			return nil, shapeErrorf("to dense: axis %d is uniform: want size %d, got %d", axis, shape[axis], n)
		}
		shape[axis] = n
	}
	return shape, nil
}

// padCell broadcasts a fill to the shape of one item. It returns nil for zero values.
func padCell[T any](fill Tensor[T], inner []int) ([]T, error) {
	if len(fill.parts) > 0 {
		return nil, shapeErrorf("to dense: the fill must be dense, got ragged rank %d", len(fill.parts))
	}
	if fill.values == nil {
		return nil, nil
	}
	shape := fill.Shape()
	if len(shape) > len(inner) {
		return nil, shapeErrorf("to dense: the fill must have a rank of at most %d, got %d", len(inner), len(shape))
	}
	if nonzero := slices.IndexFunc(fill.Values(), func(v T) bool { return !reflect.ValueOf(&v).Elem().IsZero() }); nonzero < 0 {
		fill.values = nil
	}
	below := inner[len(inner)-len(shape):]
	for i, n := range shape {
		if n != 1 && n != below[i] {
			return nil, shapeErrorf("to dense: a fill of shape %v does not broadcast to items of shape %v", shape, inner)
		}
	}
	if fill.values == nil {
		return nil, nil
	}
	cell := make([]T, 0, size(inner))
	src := fill.Values()
	for i := range cap(cell) {
		// i is an index into the item. On axes where the fill has size 1, its index is 0.
		at, stride, rest := 0, 1, i
		for a := len(shape) - 1; a >= 0; a-- {
			if shape[a] != 1 {
				at += rest % below[a] * stride
			}
			stride *= shape[a]
			rest /= below[a]
		}
		cell = append(cell, src[at])
	}
	return cell, nil
}

// A denseWriter writes a tensor into row-major memory and pads it.
type denseWriter[T any] struct {
	parts  []Partition // partitions of the tensor
	values []T         // flat values of the tensor
	pad    []T         // padding of one item; nil for zeros
	one    T           // the only value of pad, if items have one value
	shape  []int       // shape of the result
	stride []int       // number of values of the result in one row of each level
	cell   int         // number of values in one item
}

// writeRows writes rows lo to hi-1 of a level into out, which holds exactly shape[level]
// rows.
func (b *denseWriter[T]) writeRows(level, lo, hi int, out []T) {
	n, stride := min(hi-lo, b.shape[level]), b.stride[level]
	switch {
	case level == len(b.parts):
		copy(out, b.values[lo*b.cell:(lo+n)*b.cell])
	case level == len(b.parts)-1:
		p, width := b.parts[level], b.shape[level+1]
		for i := range n {
			from, to := p.split(lo+i), p.split(lo+i+1)
			if k := min(to-from, width) * b.cell; len(b.pad) <= 1 {
				short.Copy(out[i*stride:], b.values[from*b.cell:], k)
				short.Fill(out[i*stride+k:], b.one, stride-k)
			} else {
				row := out[i*stride : (i+1)*stride]
				copy(row, b.values[from*b.cell:][:k])
				b.padRest(row[k:])
			}
		}
	default:
		p := b.parts[level]
		for i := range n {
			b.writeRows(level+1, p.split(lo+i), p.split(lo+i+1), out[i*stride:(i+1)*stride])
		}
	}
	b.padRest(out[n*stride:])
}

// padRest pads the end of a row.
func (b *denseWriter[T]) padRest(out []T) {
	switch {
	case len(out) == 0:
	case len(b.pad) == 0:
		clear(out)
	case len(b.pad) == 1:
		for i := range out {
			out[i] = b.one
		}
	default:
		for i := copy(out, b.pad); i < len(out); i *= 2 {
			copy(out[i:], out[:i])
		}
	}
}

// FromDense gives a dense tensor uniform partitions on the axes from 1 to raggedRank. The
// shape stays the same, and the memory is shared. TensorFlow calls it
// RaggedTensor.from_tensor.
func FromDense[T any](t Tensor[T], raggedRank int) (Tensor[T], error) {
	shape, err := rowsOfDense(t, raggedRank)
	if err != nil {
		return Tensor[T]{}, err
	}
	parts := uniformParts(shape[:raggedRank+1])
	return New(t.Values(), shape[raggedRank+1:], parts...)
}

// FromDenseLengths is FromDense with the length of every row of axis raggedRank, in
// row-major order: rows are cut off there. A length below 0 counts as 0, a length beyond the
// end of the axis as the whole row. The partitions above are uniform. The values are copied.
// TensorFlow calls it RaggedTensor.from_tensor with lengths.
func FromDenseLengths[T any](t Tensor[T], raggedRank int, lengths []int64) (Tensor[T], error) {
	shape, err := rowsOfDense(t, raggedRank)
	if err != nil {
		return Tensor[T]{}, err
	}
	if rows := size(shape[:raggedRank]); rows != len(lengths) {
		return Tensor[T]{}, shapeErrorf("from dense: want a length for each of %d rows, got %d", rows, len(lengths))
	}
	width := int64(shape[raggedRank])
	splits := make([]int64, len(lengths)+1)
	for i, n := range lengths {
		splits[i+1] = splits[i] + min(max(n, 0), width)
	}
	return trimRows(t, shape, raggedRank, splits)
}

// FromDensePadding is FromDense without the padding at the end of the rows of axis
// raggedRank: the items there that equal the padding, which has the shape of an item.
// Padding before other items stays. NaN equals nothing. The partitions above are uniform.
// The values are copied. TensorFlow calls it RaggedTensor.from_tensor with padding.
func FromDensePadding[T comparable](t Tensor[T], raggedRank int, padding Tensor[T]) (Tensor[T], error) {
	shape, err := rowsOfDense(t, raggedRank)
	if err != nil {
		return Tensor[T]{}, err
	}
	inner := shape[raggedRank+1:]
	if len(padding.parts) > 0 || !slices.Equal(padding.Shape(), inner) {
		return Tensor[T]{}, shapeErrorf("from dense: want padding of shape %v, got %v", inner, padding.Shape())
	}
	rows, width, cell := size(shape[:raggedRank]), shape[raggedRank], size(inner)
	values, pad := t.Values(), padding.Values()
	splits := make([]int64, rows+1)
	for i := range rows {
		n := width
		for n > 0 && slices.Equal(values[(i*width+n-1)*cell:(i*width+n)*cell], pad) {
			n--
		}
		splits[i+1] = splits[i] + int64(n)
	}
	return trimRows(t, shape, raggedRank, splits)
}

// FromDenseNested is FromDense with the row lengths of several levels, the outermost first;
// all levels are ragged. Every level has as many lengths as the level above has items, and
// the longest row of every level must have the size of its axis. The values are copied.
// TensorFlow calls it RaggedTensor.from_tensor with nested lengths.
func FromDenseNested[T any](t Tensor[T], lengths ...[]int64) (Tensor[T], error) {
	shape, err := rowsOfDense(t, len(lengths))
	if err != nil {
		return Tensor[T]{}, err
	}
	parts := make([]Partition, len(lengths))
	for i, n := range lengths {
		if parts[i], err = FromRowLengths(n); err != nil {
			return Tensor[T]{}, err
		}
		if i == 0 && len(n) != shape[0] {
			return Tensor[T]{}, shapeErrorf("from dense: want %d row lengths, got %d", shape[0], len(n))
		}
		if got, want := parts[i].MaxLen(), shape[i+1]; got != want {
			return Tensor[T]{}, shapeErrorf("from dense: axis %d: the longest row has %d items, want the axis size %d", i+1, got, want)
		}
	}
	if err := checkChain(parts); err != nil {
		return Tensor[T]{}, err
	}
	cell := size(shape[len(parts)+1:])
	src, out := t.Values(), make([]T, 0, parts[len(parts)-1].NumValues()*cell)
	var walk func(level, lo, hi, at int)
	walk = func(level, lo, hi, at int) {
		if level == len(parts) {
			out = append(out, src[at:at+(hi-lo)*cell]...)
			return
		}
		stride := size(shape[level+1:])
		for i := lo; i < hi; i++ {
			from, to := parts[level].Bounds(i)
			walk(level+1, from, to, at+(i-lo)*stride)
		}
	}
	walk(0, 0, shape[0], 0)
	return New(out, shape[len(parts)+1:], parts...)
}

// rowsOfDense checks that t is dense and has enough axes, and returns its shape.
func rowsOfDense[T any](t Tensor[T], raggedRank int) ([]int, error) {
	switch {
	case len(t.parts) > 0:
		return nil, shapeErrorf("from dense: the tensor has ragged rank %d already", len(t.parts))
	case raggedRank < 1:
		return nil, shapeErrorf("from dense: want a ragged rank of at least 1, got %d", raggedRank)
	case raggedRank >= t.Rank():
		return nil, shapeErrorf("from dense: ragged rank %d wants a tensor of rank %d or more, got %d", raggedRank, raggedRank+1, t.Rank())
	}
	return t.Shape(), nil
}

// uniformParts returns the uniform partitions of a dense shape.
func uniformParts(shape []int) []Partition {
	parts := make([]Partition, 0, len(shape))
	for i, rows := 1, shape[0]; i < len(shape); i++ {
		parts = append(parts, uniform(shape[i], rows))
		rows *= shape[i]
	}
	return parts
}

// trimRows copies the beginning of every row of axis raggedRank; splits divide the copy.
func trimRows[T any](t Tensor[T], shape []int, raggedRank int, splits []int64) (Tensor[T], error) {
	width, cell := shape[raggedRank], size(shape[raggedRank+1:])
	src, out := t.Values(), make([]T, int(splits[len(splits)-1])*cell)
	for i := range len(splits) - 1 {
		at := i * width * cell
		copy(out[int(splits[i])*cell:int(splits[i+1])*cell], src[at:at+width*cell])
	}
	parts := append(uniformParts(shape[:raggedRank]), Partition{splits: splits})
	return New(out, shape[raggedRank+1:], parts...)
}

// DenseShape returns the shape of ToDense without sizes. For a uniform partition without rows
// it has the uniform length, where BoundingShape has 0. The slice is new.
func (t Tensor[T]) DenseShape() []int {
	shape, _ := t.denseShape(nil) // cannot fail without sizes
	return shape
}

// WriteDense is ToDense into memory of the caller, in any order: the value with index i goes
// to dst[i[0]*strides[0]+i[1]*strides[1]+...]. There is one size and one stride for each
// axis; a negative size means the size in DenseShape. Long rows are cut off, short rows
// padded, and other elements of dst stay as they are. It allocates a few words only.
//
// With the strides of a memory layout (see package layout) it writes that layout, such as a
// time-major batch. It fails if the inner shape of t has other sizes, if a stride is negative,
// and if dst is too short. If strides give two values one position, one value is lost.
func (t Tensor[T]) WriteDense(dst []T, sizes []int, strides []int64, pad T) error {
	if t.scalar {
		if len(sizes) > 0 || len(strides) > 0 || len(dst) == 0 {
			return shapeErrorf("write dense: want no sizes, no strides and 1 value for a scalar, got %v, %v, %d", sizes, strides, len(dst))
		}
		dst[0] = t.Item()
		return nil
	}
	shape, err := t.denseShape(sizes)
	if err != nil {
		return err
	}
	if len(strides) != len(shape) {
		return shapeErrorf("write dense: want %d strides, got %d", len(shape), len(strides))
	}
	last, empty := uint64(0), false
	for axis, n := range shape {
		if strides[axis] < 0 {
			return shapeErrorf("write dense: stride %d of axis %d is negative", strides[axis], axis)
		}
		if empty = empty || n == 0; n > 1 && strides[axis] > 0 {
			if uint64(strides[axis]) > uint64(len(dst))/uint64(n-1) {
				last = uint64(len(dst))
			} else {
				last += uint64(strides[axis]) * uint64(n-1)
			}
		}
		last = min(last, uint64(len(dst)))
	}
	if empty {
		return nil
	}
	if last >= uint64(len(dst)) {
		return shapeErrorf("write dense: shape %v with strides %v does not fit %d values", shape, strides, len(dst))
	}
	w := stridedWriter[T]{t: t, dst: dst, shape: shape, pad: pad, strides: make([]int, len(shape))}
	for i, s := range strides {
		if shape[i] > 1 { // the stride of an axis of size 1 is not used, and may overflow an int
			w.strides[i] = int(s)
		}
	}
	w.writeRows(0, t.lo, t.hi, 0)
	return nil
}

// A stridedWriter writes a tensor into memory with strides and pads it.
type stridedWriter[T any] struct {
	t       Tensor[T] // the tensor to write
	dst     []T       // memory of the caller
	shape   []int     // shape of the dense form
	strides []int     // stride of each axis, in elements of dst
	pad     T         // padding
}

// writeRows writes rows lo to hi-1 of a level from dst[at] on, and pads the axis to its size.
func (w *stridedWriter[T]) writeRows(level, lo, hi, at int) {
	n, stride := min(hi-lo, w.shape[level]), w.strides[level]
	switch cell := size(w.t.inner); {
	case level < len(w.t.parts):
		p := w.t.parts[level]
		for i := range n {
			w.writeRows(level+1, p.split(lo+i), p.split(lo+i+1), at+i*stride)
		}
	case cell == 1:
		for i, v := range w.t.values[lo : lo+n] {
			w.dst[at+i*stride] = v
		}
	default:
		for i := range n {
			w.writeItem(level+1, w.t.values[(lo+i)*cell:(lo+i+1)*cell], at+i*stride)
		}
	}
	for i := n; i < w.shape[level]; i++ {
		w.padAxis(level+1, at+i*stride)
	}
}

// writeItem writes an item, or its part that has the axes from axis on, from dst[at] on.
func (w *stridedWriter[T]) writeItem(axis int, values []T, at int) {
	if axis == len(w.shape) {
		w.dst[at] = values[0]
		return
	}
	n := w.shape[axis]
	for i := range n {
		w.writeItem(axis+1, values[i*len(values)/n:(i+1)*len(values)/n], at+i*w.strides[axis])
	}
}

// padAxis pads an axis and the axes below it from dst[at] on.
func (w *stridedWriter[T]) padAxis(axis, at int) {
	if axis == len(w.shape) {
		w.dst[at] = w.pad
		return
	}
	for i := range w.shape[axis] {
		w.padAxis(axis+1, at+i*w.strides[axis])
	}
}
