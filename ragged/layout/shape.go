package layout

import (
	"slices"
	"strconv"
)

const (
	maxRank    = 64
	maxNesting = 64
	maxTiles   = 256 // number of sizes in all tiles of a layout
)

// Unbounded is the size of a dimension without a size: "?" in a text.
const Unbounded = -1

// A Dim is one dimension of an array.
type Dim struct {
	Size    int64 // if Dynamic: upper bound of the size, or Unbounded
	Dynamic bool  // the size is known at run time only
}

type kind uint8

const (
	kindInvalid kind = iota
	kindArray
	kindTuple
	kindToken
	kindOpaque
)

// A Shape is an array, a tuple of shapes, a token or an opaque value. It never changes. The
// zero Shape is invalid; every method accepts it.
type Shape struct {
	kind kind
	elem ElementType // element type of an array
	dims []Dim       // dimensions of an array
	lay  Layout      // layout of an array; valid for dims
	subs []Shape     // elements of a tuple
}

// New makes the shape of an array in the default layout.
func New(elem ElementType, sizes ...int64) (Shape, error) {
	dims := make([]Dim, len(sizes))
	for i, n := range sizes {
		dims[i].Size = n
	}
	return Array(elem, Default(len(dims)), dims...)
}

// Array makes the shape of an array. It copies its arguments, and fails if they do not fit.
func Array(elem ElementType, lay Layout, dims ...Dim) (Shape, error) {
	s := Shape{kind: kindArray, elem: elem, dims: slices.Clone(dims), lay: lay.clone()}
	if err := s.check(); err != nil {
		return Shape{}, err
	}
	return s, nil
}

// Tuple makes a tuple of shapes, which may be tuples themselves, up to 64 deep.
func Tuple(shapes ...Shape) (Shape, error) {
	s := Shape{kind: kindTuple, subs: slices.Clone(shapes)}
	for i, sub := range shapes {
		if sub.kind == kindInvalid {
			return Shape{}, invalidf("element %d of a tuple is the zero shape", i)
		}
	}
	if s.depth() > maxNesting {
		return Shape{}, invalidf("tuples nest deeper than %d", maxNesting)
	}
	return s, nil
}

func (s Shape) depth() int {
	if s.kind != kindTuple {
		return 0
	}
	d := 0
	for _, sub := range s.subs {
		d = max(d, sub.depth())
	}
	return d + 1
}

// IsTuple reports whether the shape is a tuple.
func (s Shape) IsTuple() bool { return s.kind == kindTuple }

// ElementType returns the type of the elements of an array, 0 for other shapes.
func (s Shape) ElementType() ElementType { return s.elem }

// Rank returns the number of dimensions of an array, 0 for other shapes.
func (s Shape) Rank() int { return len(s.dims) }

// TrueRank returns the number of dimensions with a size above 1 or without a size.
func (s Shape) TrueRank() int {
	n := 0
	for _, d := range s.dims {
		if d.Size > 1 || d.Size == Unbounded {
			n++
		}
	}
	return n
}

// Dims returns the dimensions of an array. The slice is new.
func (s Shape) Dims() []Dim { return slices.Clone(s.dims) }

// Sizes returns the sizes of the dimensions of an array, Unbounded for those without a size.
// The slice is new.
func (s Shape) Sizes() []int64 {
	sizes := make([]int64, len(s.dims))
	for i, d := range s.dims {
		sizes[i] = d.Size
	}
	return sizes
}

// Layout returns the layout of an array. It is a copy.
func (s Shape) Layout() Layout { return s.lay.clone() }

// WithLayout returns the array in another layout.
func (s Shape) WithLayout(l Layout) (Shape, error) {
	if s.kind != kindArray {
		return Shape{}, invalidf("%v has no layout", s)
	}
	return Array(s.elem, l, s.dims...)
}

// WithPadding returns the array with every dimension padded to a size.
func (s Shape) WithPadding(padded ...int64) (Shape, error) {
	l := s.lay
	l.Padded = padded
	return s.WithLayout(l)
}

// paddingAsTile returns the shape with one tile of the size of the padded array in place of
// padding, as XLA writes it today. The buffer is the same. It fails for an array with a size
// of 0, whose tiles have no cells, while its padding has some.
func (s Shape) paddingAsTile() (Shape, error) {
	if s.lay.Padded == nil {
		return s, nil
	}
	l := s.lay
	l.Padded = nil
	l.Tiles = []Tile{s.paddingTile()}
	for _, d := range s.dims {
		if d.Size == 0 {
			return Shape{}, errorf(ErrUnsupported, "with a size of 0, no tile describes padding %v", s.lay.Padded)
		}
	}
	return s.WithLayout(l)
}

func (s Shape) paddingTile() Tile {
	var t Tile
	for _, d := range slices.Backward(s.lay.MinorToMajor) {
		t = append(t, s.lay.Padded[d])
	}
	return t
}

// Elements returns the shapes of a tuple. The slice is new.
func (s Shape) Elements() []Shape { return slices.Clone(s.subs) }

// Equal reports whether two shapes are the same, with their layouts.
func (s Shape) Equal(t Shape) bool {
	return s.sameDimensions(t) && s.lay.Equal(t.lay) && slices.EqualFunc(s.subs, t.subs, Shape.Equal)
}

// sameDimensions reports whether two shapes are the same without their layouts.
func (s Shape) sameDimensions(t Shape) bool {
	return s.kind == t.kind && s.elem == t.elem && slices.Equal(s.dims, t.dims) && slices.EqualFunc(s.subs, t.subs, Shape.sameDimensions)
}

// String returns XLA's text form of a shape. Padding is written as a tile. Two texts cannot be
// parsed: " padded [4,4]" for padding of an array with a size of 0, and "invalid" for the
// zero Shape.
func (s Shape) String() string { return string(s.appendText(nil, true)) }

// WithoutLayout returns the text form without layouts.
func (s Shape) WithoutLayout() string { return string(s.appendText(nil, false)) }

func (s Shape) appendText(b []byte, layouts bool) []byte {
	switch s.kind {
	case kindInvalid:
		return append(b, "invalid"...)
	case kindToken:
		return append(b, "token[]"...)
	case kindOpaque:
		return append(b, "opaque[]"...)
	case kindTuple:
		b = append(b, '(')
		for i, sub := range s.subs {
			if i > 0 {
				b = append(b, ", "...)
			}
			b = sub.appendText(b, layouts)
		}
		return append(b, ')')
	}
	b = append(b, s.elem.String()...)
	b = append(b, '[')
	for i, d := range s.dims {
		if i > 0 {
			b = append(b, ',')
		}
		switch {
		case d.Size == Unbounded:
			b = append(b, '?')
			continue
		case d.Dynamic:
			b = append(b, "<="...)
		}
		b = strconv.AppendInt(b, d.Size, 10)
	}
	b = append(b, ']')
	if layouts {
		b = s.appendLayout(b)
	}
	return b
}

func (s Shape) appendLayout(b []byte) []byte {
	l, asTile := s.lay, true
	if len(l.Padded) > 0 {
		if t, err := s.paddingAsTile(); err == nil {
			l = t.lay
		} else {
			asTile = false
		}
	}
	attributes := l.Tiles != nil || l.TailAlignment > 1 || l.ElementBits > 0 || l.MemorySpace > 0
	if len(s.dims) == 0 && !attributes {
		return b
	}
	b = append(b, '{')
	for i, d := range l.MinorToMajor {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, int64(d), 10)
	}
	if attributes {
		b = append(b, ':')
	}
	if l.Tiles != nil {
		b = append(b, 'T')
		for _, t := range l.Tiles {
			b = appendInts(append(b, '('), t)
			b = append(b, ')')
		}
	}
	for _, a := range []struct {
		name   byte
		n, not int64
	}{{'L', max(l.TailAlignment, 1), 1}, {'E', l.ElementBits, 0}, {'S', l.MemorySpace, 0}} {
		if a.n != a.not {
			b = strconv.AppendInt(append(b, a.name, '('), a.n, 10)
			b = append(b, ')')
		}
	}
	b = append(b, '}')
	if !asTile {
		b = appendInts(append(b, " padded ["...), l.Padded)
		b = append(b, ']')
	}
	return b
}

func appendInts(b []byte, v []int64) []byte {
	for i, n := range v {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, n, 10)
	}
	return b
}
