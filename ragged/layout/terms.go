package layout

import "slices"

// A term is one summand of the position of an element in its buffer. Index i of dimension dim
// adds
//
//	(i / div) mod size * stride
//
// A dimension without tiles is one term. A tile splits terms in two: the index of the tile
// and the index in it. If a tile has more dimensions than the array, the first terms have
// size 1 and no dimension.
type term struct {
	dim    int   // -1 for no dimension: the term is always 0
	div    int64 // divisor of the index
	size   int64 // number of values of the term before it is multiplied
	stride int64 // distance of two values in the buffer, in elements
}

// A positionMap maps the indices of an array to positions in its buffer: the sum of all
// terms.
type positionMap struct {
	terms []term // from major to minor
	cells int64  // length of the buffer in elements, with the first tile, without tail alignment
	total int64  // product of the sizes of all terms; above cells if a later tile adds padding
}

// compile returns the position map of an array whose sizes are known.
func (s Shape) compile() (positionMap, error) {
	var p positionMap
	for _, d := range slices.Backward(s.lay.MinorToMajor) {
		n := s.dims[d].Size
		if len(s.lay.Padded) > 0 {
			n = s.lay.Padded[d]
		}
		p.terms = append(p.terms, term{dim: d, div: 1, size: n})
	}
	var ok bool
	if p.cells, ok = count(p.terms); !ok {
		return positionMap{}, invalidf("the sizes of %v multiply to more than 2^63-1", s.Sizes())
	}
	p.total = p.cells
	for i, t := range s.lay.Tiles {
		p.terms = split(p.terms, t)
		if p.total, ok = count(p.terms); !ok {
			return positionMap{}, invalidf("the tiles %v make more than 2^63-1 cells", s.lay.Tiles[:i+1])
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

// count returns the product of the sizes of terms, and whether it fits an int64.
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
		if !ok { // larger than any index: the term is always 0
			x.dim, div = -1, 1
		}
		out = append(out, term{dim: x.dim, div: div, size: n})
	}
	for i, x := range terms[k:] {
		out = append(out, term{dim: x.dim, div: x.div, size: t[i]})
	}
	return out
}

// positions is compile for shapes that have index arithmetic. It fails for other shapes.
func (s Shape) positions() (positionMap, error) {
	if s.kind != kindArray {
		return positionMap{}, errorf(ErrUnsupported, "%v is not an array", s)
	}
	if s.unbounded() {
		return positionMap{}, errorf(ErrUnsupported, "%v has a dimension without a size", s)
	}
	p, err := s.compile()
	if err == nil && p.total != p.cells {
		return positionMap{}, errorf(ErrUnsupported, "in %v a tile after the first adds padding", s)
	}
	return p, err
}
