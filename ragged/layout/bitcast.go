package layout

import (
	"cmp"
	"slices"
)

// Transpose returns the shape whose dimension k is dimension perm[k] of s. In its layout all
// bytes stay where they are.
func (s Shape) Transpose(perm ...int) (Shape, error) {
	if s.kind != kindArray {
		return Shape{}, errorf(ErrUnsupported, "%v is not an array", s)
	}
	inverse := make([]int, len(perm))
	for i := range inverse {
		inverse[i] = -1
	}
	for k, d := range perm {
		if len(perm) != len(s.dims) || d < 0 || d >= len(perm) || inverse[d] >= 0 {
			return Shape{}, errorf(ErrRange, "%v is not a permutation of the dimensions of %v", perm, s)
		}
		inverse[d] = k
	}
	if len(perm) != len(s.dims) {
		return Shape{}, errorf(ErrRange, "%v is not a permutation of the dimensions of %v", perm, s)
	}
	dims := make([]Dim, len(perm))
	l := s.lay.clone()
	for k, d := range perm {
		dims[k] = s.dims[d]
		if len(s.lay.Padded) > 0 {
			l.Padded[k] = s.lay.Padded[d]
		}
	}
	for k, d := range l.MinorToMajor {
		l.MinorToMajor[k] = inverse[d]
	}
	return Array(s.elem, l, dims...)
}

// IsReshapeBitcast reports whether a reshape from one array to another leaves all bytes
// in place: the element types, the numbers of elements and the lengths of the buffers are
// equal, and element n in row-major order has the same position in both buffers. For two
// empty arrays it is true. It fails if a shape has no index arithmetic, and for very
// large arrays with tiles that do not divide them.
func IsReshapeBitcast(from, to Shape) (bool, error) {
	a, err := from.positions()
	if err != nil {
		return false, err
	}
	b, err := to.positions()
	if err != nil {
		return false, err
	}
	n := from.elements()
	if from.elem != to.elem || from.bits() != to.bits() || n != to.elements() {
		return false, nil
	}
	la, _ := align(a.cells, from.lay.TailAlignment)
	lb, _ := align(b.cells, to.lay.TailAlignment)
	if la != lb {
		return false, nil
	}
	if n == 0 {
		return true, nil
	}
	if x, ok := from.digits(a); ok {
		if y, ok := to.digits(b); ok {
			return slices.Equal(x, y), nil
		}
	}
	if n > maxCompare {
		return false, errorf(ErrUnsupported, "too many elements to compare %v with %v", from, to)
	}
	x, y := newIndexer(from, a), newIndexer(to, b)
	i, j := make([]int64, len(from.dims)), make([]int64, len(to.dims))
	for more := true; more; more = from.bump(i) {
		if x.linear(i) != y.linear(j) {
			return false, nil
		}
		to.bump(j)
	}
	return true, nil
}

// maxCompare is the largest number of elements that are compared one by one.
const maxCompare = 1 << 24

// IsTransposeBitcast is IsReshapeBitcast for a transpose: dimension k of to is
// dimension perm[k] of from.
func IsTransposeBitcast(from, to Shape, perm ...int) (bool, error) {
	t, err := from.Transpose(perm...)
	if err != nil {
		return false, err
	}
	if !slices.Equal(t.Sizes(), to.Sizes()) {
		return false, nil
	}
	return IsReshapeBitcast(t, to)
}

// A digit is one digit of the row-major index of an element in a mixed-radix system: size is
// its radix, and stride the distance in the buffer of elements that differ by 1 in the digit.
type digit struct{ size, stride int64 }

// digits returns the position of an element as a function of its row-major index: the digits
// from minor to major. Neighbouring digits are joined if possible, so the form is unique: two
// functions are equal if their digits are equal. It returns false if a tile does not divide
// its dimension.
func (s Shape) digits(p positionMap) ([]digit, bool) {
	var out []digit
	for d, dim := range slices.Backward(s.dims) {
		left := dim.Size
		var own []term // terms of this dimension, the minor first
		for _, t := range p.terms {
			if t.dim == d {
				own = append(own, t)
			}
		}
		slices.SortFunc(own, func(a, b term) int { return cmp.Or(cmp.Compare(a.div, b.div), cmp.Compare(a.size, b.size)) })
		for i, t := range own {
			size := min(t.size, left)
			if i == len(own)-1 {
				size = left
			}
			if size > 1 {
				if left%size != 0 {
					return nil, false
				}
				left /= size
				out = join(out, digit{size, t.stride})
			}
		}
	}
	return out, true
}

// join appends a digit, or joins it with the last digit if that gives the same positions.
func join(out []digit, d digit) []digit {
	if k := len(out) - 1; k >= 0 && d.stride == out[k].size*out[k].stride {
		out[k].size *= d.size
		return out
	}
	return append(out, d)
}
