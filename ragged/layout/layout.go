package layout

import "slices"

// A Layout is the order of the dimensions of an array in memory, with tiles and padding. It
// is plain data: [Array] and [Shape.WithLayout] copy it and check it. The zero Layout is that
// of rank 0.
type Layout struct {
	MinorToMajor  []int   // every dimension once, the one that varies fastest first
	Padded        []int64 // padded size of every dimension; nil for no padding; not with Tiles
	Tiles         []Tile  // the outermost first; nil for no tiles
	TailAlignment int64   // the length of the buffer in elements is a multiple of it; 0 means 1
	ElementBits   int64   // packed size of one element in bits; 0 means that of its type
	MemorySpace   int64   // a number of XLA, below 2^31, not used here
}

// A Tile is the sizes of one tile, from major to minor. It divides the minor dimensions of an
// array, or of the tile before it.
type Tile []int64

// Default returns the layout of a rank in which dimension 0 is most major:
// row-major order. It panics if rank is negative.
func Default(rank int) Layout {
	m := make([]int, rank)
	for i := range m {
		m[i] = rank - 1 - i
	}
	return Layout{MinorToMajor: m}
}

// Equal reports whether two layouts are the same.
func (l Layout) Equal(m Layout) bool {
	return slices.Equal(l.MinorToMajor, m.MinorToMajor) && slices.Equal(l.Padded, m.Padded) &&
		slices.EqualFunc(l.Tiles, m.Tiles, func(a, b Tile) bool { return slices.Equal(a, b) }) &&
		max(l.TailAlignment, 1) == max(m.TailAlignment, 1) && l.ElementBits == m.ElementBits && l.MemorySpace == m.MemorySpace
}

// clone returns a copy that shares no memory. An alignment of 1 becomes 0.
func (l Layout) clone() Layout {
	l.MinorToMajor = slices.Clone(l.MinorToMajor)
	l.Padded = slices.Clone(l.Padded)
	l.Tiles = slices.Clone(l.Tiles)
	for i, t := range l.Tiles {
		l.Tiles[i] = slices.Clone(t)
	}
	if l.TailAlignment == 1 {
		l.TailAlignment = 0
	}
	return l
}

// Dimension converts a dimension of an array that may count from the end to one from 0 on. It
// fails outside [-rank, rank).
func Dimension(dim, rank int) (int, error) {
	if dim < -rank || dim >= rank {
		return 0, errorf(ErrRange, "dimension %d of an array of rank %d", dim, rank)
	}
	if dim < 0 {
		dim += rank
	}
	return dim, nil
}
