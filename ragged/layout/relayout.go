package layout

import (
	"cmp"
	"math"
	"reflect"
	"slices"
)

// Relayout moves the elements of an array from the buffer src, laid out as
// from, to the buffer dst, laid out as to. Both shapes have the same element
// type and dimensions, and the buffers have exactly the length that the shapes
// say. Every cell of dst that is no element gets fill; such cells of src are not
// read. The buffers must not overlap.
func Relayout[T any](dst []T, to Shape, src []T, from Shape, fill T) error {
	return relayout(dst, to, src, from, []T{fill})
}

// RelayoutBytes is Relayout for buffers of bytes. The fill is one element; nil
// is zero. Elements must be whole bytes.
func RelayoutBytes(dst []byte, to Shape, src []byte, from Shape, fill []byte) error {
	width := from.bits()
	if width%8 != 0 || to.bits() != width {
		return errorf(ErrUnsupported, "elements of %d and %d bits cannot be moved as bytes", width, to.bits())
	}
	width /= 8
	if fill == nil && width <= 1<<20 {
		fill = make([]byte, width)
	}
	if int64(len(fill)) != width {
		return errorf(ErrMismatch, "a fill of %d bytes for elements of %d", len(fill), width)
	}
	return relayout(dst, to, src, from, fill)
}

// relayout is Relayout for elements that are len(fill) items of T.
func relayout[T any](dst []T, to Shape, src []T, from Shape, fill []T) error {
	if !from.sameDimensions(to) {
		return errorf(ErrMismatch, "%s and %s are not the same array", from.WithoutLayout(), to.WithoutLayout())
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
		m := mover[T]{dst: dst, src: src, unit: unit, axes: mergeAxes(from.dims, b.strides, a.strides)}
		m.move(0, 0, 0)
	default:
		index := make([]int64, len(from.dims))
		for more := true; more; more = from.bump(index) {
			d, s := int(b.linear(index))*unit, int(a.linear(index))*unit
			copy(dst[d:d+unit], src[s:s+unit])
		}
	}
	return nil
}

func checkBuffer(got int, want int64, unit int, s Shape) error {
	n, ok := mul(want, int64(unit))
	if !ok || n > math.MaxInt || int(n) != got {
		return errorf(ErrMismatch, "%v wants a buffer of %d elements of %d, got %d", s, want, unit, got)
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

// An axis is one or more dimensions that lie as one in both buffers.
type axis struct{ size, dst, src int }

// mergeAxes drops dimensions of size 1, puts the others in the order of dst,
// and joins neighbours that are contiguous in both buffers. The buffers exist,
// so everything fits an int.
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

// A mover copies elements between two strided buffers.
type mover[T any] struct {
	dst, src []T
	unit     int    // items of T that make an element
	axes     []axis // from major to minor in dst
}

// tile is the side of the squares in which two minor dimensions are swapped:
// small enough for both sides to stay in the cache.
const tile = 32

// move copies what lies below axes[k], from the places d and s on.
func (m *mover[T]) move(k, d, s int) {
	rest := m.axes[k:]
	switch {
	case len(rest) == 0:
		m.run(d, s, 1)
	case len(rest) == 1 && rest[0].dst == 1 && rest[0].src == 1:
		m.run(d, s, rest[0].size)
	case len(rest) == 1:
		m.line(rest[0], d, s, rest[0].size)
	case len(rest) == 2 && rest[0].src < rest[1].src:
		m.swap(rest[0], rest[1], d, s)
	default:
		for range rest[0].size {
			m.move(k+1, d, s)
			d, s = d+rest[0].dst, s+rest[0].src
		}
	}
}

// run copies n elements that are contiguous in both buffers.
func (m *mover[T]) run(d, s, n int) {
	copy(m.dst[d*m.unit:(d+n)*m.unit], m.src[s*m.unit:(s+n)*m.unit])
}

// line copies n elements along one axis.
func (m *mover[T]) line(x axis, d, s, n int) {
	if m.unit == 1 {
		dst, src := m.dst, m.src
		for range n {
			dst[d] = src[s]
			d, s = d+x.dst, s+x.src
		}
		return
	}
	for range n {
		m.run(d, s, 1)
		d, s = d+x.dst, s+x.src
	}
}

// swap copies two axes; the outer one in dst is the inner one in src,
// square by square.
func (m *mover[T]) swap(x, y axis, d, s int) {
	for i := 0; i < x.size; i += tile {
		for j := 0; j < y.size; j += tile {
			n := min(tile, y.size-j)
			for k := i; k < min(i+tile, x.size); k++ {
				m.line(y, d+k*x.dst+j*y.dst, s+k*x.src+j*y.src, n)
			}
		}
	}
}
