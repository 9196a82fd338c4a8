package layout

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
)

// A Layout is the order of the dimensions of an array in memory, with tiles and padding. It
// is plain data: [Array] and [Shape.WithLayout] copy it and check it. The zero Layout is the
// layout of rank 0.
type Layout struct {
	MinorToMajor  []int   // every dimension once, the fastest varying first
	Padded        []int64 // padded size of every dimension; nil for no padding; not with Tiles
	Tiles         []Tile  // the outermost first; nil for no tiles
	TailAlignment int64   // the length of the buffer, in elements, is a multiple of TailAlignment; 0 means 1
	ElementBits   int64   // packed size of one element in bits; 0 means the size of the element type
	MemorySpace   int64   // XLA's ID of a memory space, below 2^31; not used here
}

// A Tile is the sizes of one tile, from major to minor. It divides the minor dimensions of an
// array, or of the preceding tile.
type Tile []int64

// Default returns the row-major layout of a rank, in which dimension 0 is the most major. It
// panics if rank is negative.
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

// Dimension checks a dimension of an array of the given rank. It returns dimension -1 as
// rank-1. It fails outside [-rank, rank).
func Dimension(dim, rank int) (int, error) {
	if dim < -rank || dim >= rank {
		return 0, errorf(ErrRange, "dimension %d, but the array has rank %d", dim, rank)
	}
	if dim < 0 {
		dim += rank
	}
	return dim, nil
}

// An ElementType is the type of the elements of an array. The zero value is invalid.
type ElementType uint8

// The element types. An element of less than a byte takes a whole byte unless the layout
// packs it.
const (
	_ ElementType = iota
	Pred
	S1
	U1
	S2
	U2
	S4
	U4
	S8
	U8
	S16
	U16
	S32
	U32
	S64
	U64
	F4E2M1FN
	F6E2M3FN
	F6E3M2FN
	F8E3M4
	F8E4M3
	F8E4M3B11FNUZ
	F8E4M3FN
	F8E4M3FNUZ
	F8E5M2
	F8E5M2FNUZ
	F8E8M0FNU
	F16
	BF16
	F32
	F64
	C64
	C128
)

var elementTypes = [...]struct {
	name  string
	bytes int64
}{
	{"invalid", 0},
	{"pred", 1}, {"s1", 1}, {"u1", 1}, {"s2", 1}, {"u2", 1}, {"s4", 1}, {"u4", 1}, {"s8", 1}, {"u8", 1},
	{"s16", 2}, {"u16", 2}, {"s32", 4}, {"u32", 4}, {"s64", 8}, {"u64", 8},
	{"f4e2m1fn", 1}, {"f6e2m3fn", 1}, {"f6e3m2fn", 1},
	{"f8e3m4", 1}, {"f8e4m3", 1}, {"f8e4m3b11fnuz", 1}, {"f8e4m3fn", 1}, {"f8e4m3fnuz", 1},
	{"f8e5m2", 1}, {"f8e5m2fnuz", 1}, {"f8e8m0fnu", 1},
	{"f16", 2}, {"bf16", 2}, {"f32", 4}, {"f64", 8}, {"c64", 8}, {"c128", 16},
}

var elementByName = func() map[string]ElementType {
	m := make(map[string]ElementType, len(elementTypes))
	for i, t := range elementTypes[1:] {
		m[t.name] = ElementType(i + 1)
	}
	return m
}()

// bytes returns the size of one element in bytes, unless a layout packs it; 0 for the zero
// value.
func (t ElementType) bytes() int64 {
	if int(t) >= len(elementTypes) {
		return 0
	}
	return elementTypes[t].bytes
}

// String returns XLA's name, such as "f32".
func (t ElementType) String() string {
	if int(t) >= len(elementTypes) {
		return "ElementType(" + strconv.Itoa(int(t)) + ")"
	}
	return elementTypes[t].name
}

var (
	ErrSyntax      = errors.New("layout: syntax error")                   // a text that is not a shape
	ErrInvalid     = errors.New("layout: invalid shape")                  // a shape or layout with a contradiction
	ErrRange       = errors.New("layout: out of range")                   // a dimension, index or position that does not exist
	ErrPadding     = errors.New("layout: a padding cell, not an element") // a position of the buffer that has no element
	ErrUnsupported = errors.New("layout: not defined for this shape")     // such as strides of a tiled array
	ErrMismatch    = errors.New("layout: shapes or buffers do not fit")   // two shapes, or a shape and its buffer
)

// An Error is about a shape, a text or an argument.
type Error struct {
	Offset int    // offset in the text, in bytes; -1 without a text
	Detail string // what is wrong, with the dimension and the values
	Err    error  // ErrSyntax or another error above
}

// Error gives the kind of error, the offset and the detail.
func (e *Error) Error() string {
	s := e.Err.Error()
	if e.Offset >= 0 {
		s += " at byte " + strconv.Itoa(e.Offset)
	}
	return s + ": " + e.Detail
}

// Unwrap returns the kind of error.
func (e *Error) Unwrap() error { return e.Err }

func errorf(kind error, format string, args ...any) error {
	return &Error{Offset: -1, Detail: fmt.Sprintf(format, args...), Err: kind}
}

func invalidf(format string, args ...any) error { return errorf(ErrInvalid, format, args...) }
