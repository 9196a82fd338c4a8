package layout

import "slices"

// A term is one digit of the place of an element in its buffer. The index i of
// dimension dim adds
//
//	(i / div) mod size * stride
//
// An untiled dimension is one term. A tile splits terms in two, the number of
// the tile and the place in it; a tile of more dimensions than there are gets
// terms of size 1 that no dimension moves.
type term struct {
	dim    int // -1: none, the digit is always 0
	div    int64
	size   int64
	stride int64
}

// A placing is how the elements of a shape lie in their buffer.
type placing struct {
	terms []term // from major to minor
	cells int64  // of the buffer before alignment: what the first tile makes
	total int64  // what all terms make; more than cells if an inner tile pads
}

// compile works out the placing of an array whose sizes are known.
func (s Shape) compile() (placing, error) {
	var p placing
	for _, d := range slices.Backward(s.lay.MinorToMajor) {
		n := s.dims[d].Size
		if len(s.lay.Padded) > 0 {
			n = s.lay.Padded[d]
		}
		p.terms = append(p.terms, term{dim: d, div: 1, size: n})
	}
	var ok bool
	if p.cells, ok = count(p.terms); !ok {
		return placing{}, invalidf("the sizes of %v multiply to more than 2^63-1", s.Sizes())
	}
	p.total = p.cells
	for i, t := range s.lay.Tiles {
		p.terms = split(p.terms, t)
		if p.total, ok = count(p.terms); !ok {
			return placing{}, invalidf("the tiles %v make more than 2^63-1 cells", s.lay.Tiles[:i+1])
		}
		if i == 0 {
			p.cells = p.total
		}
	}
	if p.total > 0 {
		n := int64(1)
		for i, x := range slices.Backward(p.terms) {
			p.terms[i].stride = n
			n *= x.size
		}
	}
	return p, nil
}

// count multiplies the sizes of terms. One size of 0 makes it 0.
func count(terms []term) (int64, bool) {
	n, ok := int64(1), true
	for _, x := range terms {
		if x.size == 0 {
			return 0, true
		}
		if ok {
			n, ok = mul(n, x.size)
		}
	}
	return n, ok
}

// split applies one tile to the minor terms.
func split(terms []term, t Tile) []term {
	for len(terms) < len(t) {
		terms = slices.Insert(terms, 0, term{dim: -1, div: 1, size: 1})
	}
	k := len(terms) - len(t)
	out := slices.Clone(terms[:k])
	for i, x := range terms[k:] {
		n := x.size / t[i]
		if x.size%t[i] != 0 {
			n++
		}
		div, ok := mul(x.div, t[i])
		if !ok { // larger than any index: the digit is always 0
			x.dim, div = -1, 1
		}
		out = append(out, term{dim: x.dim, div: div, size: n})
	}
	for i, x := range terms[k:] {
		out = append(out, term{dim: x.dim, div: x.div, size: t[i]})
	}
	return out
}

// places is compile for index arithmetic, which not every shape has.
func (s Shape) places() (placing, error) {
	if s.kind != kindArray {
		return placing{}, errorf(ErrUnsupported, "%v is no array", s)
	}
	if s.unbounded() {
		return placing{}, errorf(ErrUnsupported, "%v has a dimension without a size", s)
	}
	p, err := s.compile()
	if err == nil && p.total != p.cells {
		return placing{}, errorf(ErrUnsupported, "in %v a tile after the first adds padding", s)
	}
	return p, err
}
