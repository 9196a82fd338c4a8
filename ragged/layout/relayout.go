package layout

import (
	"cmp"
	"math"
	"reflect"
	"slices"
)

// Relayout copies the elements of an array from one buffer to another: src has the layout
// of the shape from, and dst the layout of the shape to. Both shapes have the same
// element type and dimensions, and the buffers have exactly the lengths of the shapes.
// Cells of dst that are not elements get fill; such cells of src are not read. The
// buffers must not overlap.
func Relayout[T any](dst []T, to Shape, src []T, from Shape, fill T) error {
	return relayout(dst, to, src, from, []T{fill})
}

// RelayoutBytes is Relayout for buffers of bytes. The fill is one element; nil means zeros.
// Elements must be whole bytes.
func RelayoutBytes(dst []byte, to Shape, src []byte, from Shape, fill []byte) error {
	width := from.bits()
	if width%8 != 0 || to.bits() != width {
		return errorf(ErrUnsupported, "want elements of the same whole number of bytes, got %d and %d bits", width, to.bits())
	}
	width /= 8
	if fill == nil && width <= 1<<20 {
		fill = make([]byte, width)
	}
	if int64(len(fill)) != width {
		return errorf(ErrMismatch, "want a fill of %d bytes, the element size, got %d", width, len(fill))
	}
	return relayout(dst, to, src, from, fill)
}

// relayout is Relayout for elements that each consist of len(fill) values of T.
func relayout[T any](dst []T, to Shape, src []T, from Shape, fill []T) error {
	if !from.sameDimensions(to) {
		return errorf(ErrMismatch, "%s and %s differ in type or dimensions", from.WithoutLayout(), to.WithoutLayout())
	}
	a, err := from.indexer()
	if err != nil {
		return err
	}
	b, err := to.indexer()
	if err != nil {
		return err
	}
	unit := len(fill)
	if err := checkBuffer(len(src), a.buffer, unit, from); err != nil {
		return err
	}
	if err := checkBuffer(len(dst), b.buffer, unit, to); err != nil {
		return err
	}
	if overlap(dst, src) {
		return errorf(ErrMismatch, "the buffers overlap")
	}
	n := from.elements()
	if b.buffer > n {
		fillWith(dst, fill)
	}
	switch {
	case n == 0:
	case from.lay.Equal(to.lay) && a.buffer == n:
		copy(dst, src)
	case a.strides != nil && b.strides != nil:
		m := stridedCopier[T]{dst: dst, src: src, unit: unit, axes: mergeAxes(from.dims, b.strides, a.strides)}
		m.copyAxes(0, 0, 0)
	default:
		index := make([]int64, len(from.dims))
		for more := true; more; more = from.bump(index) {
			d, s := int(b.linear(index))*unit, int(a.linear(index))*unit
			copy(dst[d:d+unit], src[s:s+unit])
		}
	}
	return nil
}

// checkBuffer compares the length of a buffer with the length that a shape wants: elements of
// unit values each.
func checkBuffer(got int, want int64, unit int, s Shape) error {
	n, ok := mul(want, int64(unit))
	if !ok || n > math.MaxInt || int(n) != got {
		return errorf(ErrMismatch, "%v: want a buffer of %d elements of length %d, got length %d", s, want, unit, got)
	}
	return nil
}

// overlap reports whether two slices share memory.
func overlap[T any](a, b []T) bool {
	if len(a) == 0 || len(b) == 0 {
		return false
	}
	width := reflect.TypeFor[T]().Size()
	x, y := reflect.ValueOf(a).Pointer(), reflect.ValueOf(b).Pointer()
	return width > 0 && x < y+uintptr(len(b))*width && y < x+uintptr(len(a))*width
}

// fillWith repeats one element over dst.
func fillWith[T any](dst, element []T) {
	for n := copy(dst, element); n < len(dst); n *= 2 {
		copy(dst[n:], dst[:n])
	}
}

// An axis is one or more dimensions that act as one dimension in both buffers.
type axis struct {
	size     int // number of elements
	dst, src int // strides in the buffers, in elements
}

// mergeAxes drops dimensions of size 1, puts the rest in the order of dst, and joins
// neighbours that are contiguous in both buffers. All numbers fit an int, since the buffers
// exist.
func mergeAxes(dims []Dim, dst, src []int64) []axis {
	var axes []axis
	for i, d := range dims {
		if d.Size > 1 {
			axes = append(axes, axis{int(d.Size), int(dst[i]), int(src[i])})
		}
	}
	slices.SortStableFunc(axes, func(a, b axis) int { return cmp.Compare(b.dst, a.dst) })
	out := axes[:0]
	for _, x := range axes {
		if k := len(out) - 1; k >= 0 && out[k].dst == x.size*x.dst && out[k].src == x.size*x.src {
			out[k] = axis{out[k].size * x.size, x.dst, x.src}
			continue
		}
		out = append(out, x)
	}
	return out
}

// A stridedCopier copies elements between two strided buffers.
type stridedCopier[T any] struct {
	dst, src []T
	unit     int    // number of T in an element
	axes     []axis // from major to minor in dst
}

// tile is the side of the squares in which two minor dimensions are transposed: both sides
// stay in the cache.
const tile = 32

// copyAxes copies the elements of axes k and below, from position s of src to position d
// of dst.
func (m *stridedCopier[T]) copyAxes(k, d, s int) {
	rest := m.axes[k:]
	switch {
	case len(rest) == 0:
		m.copyRun(d, s, 1)
	case len(rest) == 1 && rest[0].dst == 1 && rest[0].src == 1:
		m.copyRun(d, s, rest[0].size)
	case len(rest) == 1:
		m.copyLine(rest[0], d, s, rest[0].size)
	case len(rest) == 2 && rest[0].src < rest[1].src:
		m.transpose(rest[0], rest[1], d, s)
	default:
		for range rest[0].size {
			m.copyAxes(k+1, d, s)
			d, s = d+rest[0].dst, s+rest[0].src
		}
	}
}

// copyRun copies n elements that are contiguous in both buffers.
func (m *stridedCopier[T]) copyRun(d, s, n int) {
	copy(m.dst[d*m.unit:(d+n)*m.unit], m.src[s*m.unit:(s+n)*m.unit])
}

// copyLine copies n elements along one axis.
func (m *stridedCopier[T]) copyLine(x axis, d, s, n int) {
	if m.unit == 1 {
		dst, src := m.dst, m.src
		for range n {
			dst[d] = src[s]
			d, s = d+x.dst, s+x.src
		}
		return
	}
	for range n {
		m.copyRun(d, s, 1)
		d, s = d+x.dst, s+x.src
	}
}

// transpose copies two axes, square by square; the outer axis in dst is the inner axis in
// src.
func (m *stridedCopier[T]) transpose(x, y axis, d, s int) {
	for i := 0; i < x.size; i += tile {
		for j := 0; j < y.size; j += tile {
			n := min(tile, y.size-j)
			for k := i; k < min(i+tile, x.size); k++ {
				m.copyLine(y, d+k*x.dst+j*y.dst, s+k*x.src+j*y.src, n)
			}
		}
	}
}
