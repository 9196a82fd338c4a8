package layout

import "slices"

// A Layout is the order of the dimensions of an array in memory and what
// stands between its elements. It is plain data: [New] and [Shape.WithLayout]
// copy and check it against an array. The zero Layout is that of rank 0.
type Layout struct {
	MinorToMajor  []int   // every dimension once, the one that varies fastest first
	Padded        []int64 // the size each dimension is padded to, by dimension; nil for no padding. Not with Tiles
	Tiles         []Tile  // cut the array into tiles, the outermost first; nil for none
	TailAlignment int64   // the length of the buffer is a multiple of it, in elements; 0 is 1
	ElementBits   int64   // packed size of one element; 0 is that of its type
	MemorySpace   int64   // carried along, below 2^31
}

// A Tile is the sizes of one tile, from major to minor. It covers the minor
// dimensions of what it is applied to.
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

// Ascending returns the layout of a rank in which dimension 0 is most minor:
// column-major order. It panics if rank is negative.
func Ascending(rank int) Layout {
	l := Default(rank)
	slices.Reverse(l.MinorToMajor)
	return l
}

// MajorToMinor returns the layout that has the dimensions in the given order,
// the slowest first.
func MajorToMinor(dims ...int) Layout {
	m := slices.Clone(dims)
	slices.Reverse(m)
	return Layout{MinorToMajor: m}
}

// IsDefault reports whether dimension 0 is most major, the last most minor,
// and nothing is padded or tiled.
func (l Layout) IsDefault() bool {
	return l.plain() && slices.Equal(l.MinorToMajor, Default(len(l.MinorToMajor)).MinorToMajor)
}

// IsDim0Minor reports whether dimension 0 is most minor, the last most major,
// and nothing is padded or tiled.
func (l Layout) IsDim0Minor() bool {
	return l.plain() && slices.Equal(l.MinorToMajor, Ascending(len(l.MinorToMajor)).MinorToMajor)
}

func (l Layout) plain() bool { return l.Padded == nil && l.Tiles == nil && l.TailAlignment <= 1 }

// MoveToMajor returns the order with one dimension moved to most major. It
// keeps everything else. It fails if there is no such dimension; a negative
// one counts from the last.
func (l Layout) MoveToMajor(dim int) (Layout, error) { return l.move(dim, len(l.MinorToMajor)-1) }

// MoveToMinor is MoveToMajor in the other direction.
func (l Layout) MoveToMinor(dim int) (Layout, error) { return l.move(dim, 0) }

func (l Layout) move(dim, to int) (Layout, error) {
	d, err := Dimension(dim, len(l.MinorToMajor))
	if err != nil {
		return Layout{}, err
	}
	l = l.clone()
	at := slices.Index(l.MinorToMajor, d)
	if at < 0 {
		return Layout{}, invalidf("minor_to_major %v lacks dimension %d", l.MinorToMajor, d)
	}
	l.MinorToMajor = slices.Insert(slices.Delete(l.MinorToMajor, at, at+1), to, d)
	return l, nil
}

// Delete returns the layout without one dimension; those above it renumber.
// It fails if there is no such dimension, and for tiles, which may cover it.
func (l Layout) Delete(dim int) (Layout, error) {
	d, err := Dimension(dim, len(l.MinorToMajor))
	if err != nil {
		return Layout{}, err
	}
	if l.Tiles != nil {
		return Layout{}, errorf(ErrUnsupported, "dimension %d cannot be deleted from a layout with tiles", d)
	}
	l = l.clone()
	m := l.MinorToMajor[:0]
	for _, k := range l.MinorToMajor {
		switch {
		case k < d:
			m = append(m, k)
		case k > d:
			m = append(m, k-1)
		}
	}
	l.MinorToMajor = m
	if len(l.Padded) > d {
		l.Padded = slices.Delete(l.Padded, d, d+1)
	}
	return l, nil
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

// Dimension returns the number of a dimension of an array of the given rank: a
// negative one counts from the last. It fails outside [-rank, rank).
func Dimension(dim, rank int) (int, error) {
	if dim < -rank || dim >= rank {
		return 0, errorf(ErrRange, "dimension %d of an array of rank %d", dim, rank)
	}
	if dim < 0 {
		dim += rank
	}
	return dim, nil
}
