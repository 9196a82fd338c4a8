package ragged

// DenseShape returns the shape of the smallest dense box that t fits in: the longest row
// of every axis, or the length of a uniform one even if there are no rows. The slice is
// new. It is the shape that TensorFlow's to_tensor makes.
func (t Tensor[T]) DenseShape() []int {
	shape, _ := t.denseShape(nil) // cannot fail without wanted sizes
	return shape
}

// WriteDense writes t as a dense box into memory of any order: the value at index
// i goes to dst[i[0]*strides[0]+i[1]*strides[1]+...]. There is one size and one
// stride per axis; a negative size stands for that of DenseShape. Rows that are
// too long are cut, cells without a value get pad, and what of dst is not in the
// box stays as it is. Nothing is allocated but a few words.
//
// With the strides of a memory layout (see package layout) this is
// RaggedTensor.to_tensor straight into that layout, such as time-major batches.
// It fails if a size of an inner axis is not that of t, if a stride is negative
// and if the box does not fit dst. Strides that let cells share a place lose
// values: that is for the caller to avoid.
func (t Tensor[T]) WriteDense(dst []T, sizes []int, strides []int64, pad T) error {
	if t.scalar {
		if len(sizes) > 0 || len(strides) > 0 || len(dst) == 0 {
			return shapeErrorf("write dense: a scalar wants no sizes, no strides and room for one value, got %v, %v, %d", sizes, strides, len(dst))
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
		return shapeErrorf("write dense: a box of shape %v and strides %v does not fit %d values", shape, strides, len(dst))
	}
	w := strided[T]{t: t, dst: dst, shape: shape, pad: pad, strides: make([]int, len(shape))}
	for i, s := range strides {
		if shape[i] > 1 { // of one cell the stride never counts, and may be anything
			w.strides[i] = int(s)
		}
	}
	w.rows(0, t.lo, t.hi, 0)
	return nil
}

// A strided writes a box.
type strided[T any] struct {
	t       Tensor[T]
	dst     []T
	shape   []int
	strides []int
	pad     T
}

// rows writes the rows lo to hi of a level at the place at, and pads the axis to
// its size.
func (w *strided[T]) rows(level, lo, hi, at int) {
	n, stride := min(hi-lo, w.shape[level]), w.strides[level]
	switch cell := size(w.t.inner); {
	case level < len(w.t.parts):
		p := w.t.parts[level]
		for i := range n {
			w.rows(level+1, p.split(lo+i), p.split(lo+i+1), at+i*stride)
		}
	case cell == 1:
		for i, v := range w.t.values[lo : lo+n] {
			w.dst[at+i*stride] = v
		}
	default:
		for i := range n {
			w.item(level+1, w.t.values[(lo+i)*cell:(lo+i+1)*cell], at+i*stride)
		}
	}
	for i := n; i < w.shape[level]; i++ {
		w.fill(level+1, at+i*stride)
	}
}

// item writes the values of one item, whose axes begin at the given one.
func (w *strided[T]) item(axis int, values []T, at int) {
	if axis == len(w.shape) {
		w.dst[at] = values[0]
		return
	}
	n := w.shape[axis]
	for i := range n {
		w.item(axis+1, values[i*len(values)/n:(i+1)*len(values)/n], at+i*w.strides[axis])
	}
}

// fill pads everything below an axis.
func (w *strided[T]) fill(axis, at int) {
	if axis == len(w.shape) {
		w.dst[at] = w.pad
		return
	}
	for i := range w.shape[axis] {
		w.fill(axis+1, at+i*w.strides[axis])
	}
}
