package feature

import (
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/tensor"
)

// A Decode says how the strings of a feature hold numbers: one of [DecodeRaw] and [DecodeTensor]. The
// feature is of dtype String: FixedLen, FixedLenSequence, VarLen outside of Sequence, or Ragged, which has only
// uniform partitions in Sequence. It is not in Examples.
//
// Strings are decoded row by row. All strings of a row give tensors of one shape, and the row is the tensor of
// shape S + D: S is the shape of the row, D that of one string. Rows may have different shapes. A row with row
// partitions has the shape of its flat values, and the column the partitions. The column
// keeps the strings, so that an encoded row has the same bytes again; see [Column.Decoded].
type Decode interface{ decode() }

// DecodeRaw decodes strings of raw elements, as tf.io.decode_raw and tf.reshape do. All strings of a row have one
// length.
type DecodeRaw struct {
	DType     tensor.DType // DType.IsRaw
	Shape     []Dimension  // of one string, one of them may be -1; nil is the number of its elements
	BigEndian bool
	Zlib      bool         // strings are compressed, as by tf.io.decode_compressed; "" is empty
	Bitcast   tensor.DType // of the result, of the same size, as by tf.bitcast; Invalid is DType
}

// DecodeTensor decodes strings that are messages TensorProto, as tf.io.parse_tensor does.
type DecodeTensor struct {
	DType tensor.DType // of every message; Invalid allows all
	Shape tensor.Shape // of every message, -1 is any size; nil allows all
}

func (DecodeRaw) decode()    {}
func (DecodeTensor) decode() {}

// A Dimension is one size of DecodeRaw.Shape: [Size], or a number in the record: [SizeOf] or [SizeAt]. Features
// that hold sizes are FixedLen features of int64, in the same map of the spec; for Sequence, in Context.
type Dimension interface{ dimension() }

// The dimensions.
type (
	Size   int64  // this size, -1 for what is left
	SizeOf string // the value of a scalar feature
	SizeAt struct {
		Feature string // of rank 1
		Index   int    // of the value
	}
)

func (Size) dimension()   {}
func (SizeOf) dimension() {}
func (SizeAt) dimension() {}

// DecodeOf returns how the strings of a feature are decoded, or nil.
func DecodeOf(f Feature) Decode {
	switch f := f.(type) {
	case FixedLen:
		return f.Decode
	case FixedLenSequence:
		return f.Decode
	case VarLen:
		return f.Decode
	case Ragged:
		return f.Decode
	}
	return nil
}

// AddSizes adds to a part of a spec the features of the whole that hold sizes for its strings. It changes the maps
// of s.
func (s *Spec) AddSizes(whole Spec) {
	for g, fs := range s.Groups() {
		into, from := s.Group(sizeGroup(g)), *whole.Group(sizeGroup(g))
		for _, f := range fs {
			raw, _ := DecodeOf(f).(DecodeRaw)
			for _, dim := range raw.Shape {
				name := ""
				switch dim := dim.(type) {
				case Size:
					continue
				case SizeOf:
					name = string(dim)
				case SizeAt:
					name = dim.Feature
				}
				if size, ok := from[name]; ok {
					if *into == nil {
						*into = Features{}
					}
					(*into)[name] = size
				}
			}
		}
	}
}

// ErrDecode: the strings of a row are not what Decode says.
var ErrDecode = errors.New("feature: string does not decode")

// The most bytes of the strings of one row after decompression: with a shape, whose sizes may come from the record, and without.
const (
	maxInflated         = 1 << 28
	maxInflatedUnshaped = 1 << 26
)

// A decodePlan is a compiled Decode.
type decodePlan struct {
	column int        // index in Parser.columns
	raw    *DecodeRaw // or:
	tensor *DecodeTensor
	sizes  []sizePlan // of raw.Shape
}

// A sizePlan is a compiled Dimension.
type sizePlan struct {
	size   int64 // if column is -1
	column int   // index in Parser.columns, or -1
	index  int   // of the value in a row of that column
}

// compileDecode adds the plan of a column with Decode. All columns are compiled.
func (p *Parser) compileDecode(i int) {
	c := &p.columns[i]
	plan := decodePlan{column: i}
	switch d := DecodeOf(c.spec).(type) {
	case nil:
		return
	case DecodeTensor:
		plan.tensor = &d
	case DecodeRaw:
		plan.raw = &d
		for _, dim := range d.Shape {
			s := sizePlan{column: -1}
			switch dim := dim.(type) {
			case Size:
				s.size = int64(dim)
			case SizeOf:
				s.column = p.byName[sizeGroup(c.group)][string(dim)]
			case SizeAt:
				s.column, s.index = p.byName[sizeGroup(c.group)][dim.Feature], dim.Index
			}
			plan.sizes = append(plan.sizes, s)
		}
	}
	c.decode = &plan
	p.decodedColumns = append(p.decodedColumns, i)
}

// sizeGroup is the map of the spec that has the sizes for the features of a group.
func sizeGroup(g Group) Group {
	if g == InSequence {
		return InContext
	}
	return g
}

// checkDecoded returns an error if the strings of the record that is being added do not decode.
func (b *Batch) checkDecoded() error {
	for _, i := range b.p.decodedColumns {
		c := &b.cols[i]
		if _, err := b.decodeRow(c, b.n, true); err != nil {
			return b.decodeError(c, err)
		}
	}
	return nil
}

// decodeError returns the error of a row whose strings do not decode.
func (b *Batch) decodeError(c *column, err error) *Error {
	e := b.keyError(c, c.valueSlot, -1, ErrDecode)
	if size, ok := errors.AsType[*tensor.SizeError](err); ok {
		e.Want, e.Got = size.Want, size.Got
	} else {
		e.Err = fmt.Errorf("%w: %w", ErrDecode, err)
	}
	return e
}

// decodeRow returns the tensor of a row. With checkOnly it may lack the elements.
func (b *Batch) decodeRow(c *column, row int, checkOnly bool) (tensor.Tensor, error) {
	lo, hi := c.rowsAt(len(c.levels), row)*c.cell, c.rowsAt(len(c.levels), row+1)*c.cell
	parts := c.strings[lo:hi:hi]
	var outer tensor.Shape
	if len(c.levels) > 0 {
		outer = append(outer, int64(c.rowsAt(len(c.levels), row+1)-c.rowsAt(len(c.levels), row)))
	}
	for _, d := range c.inner {
		outer = append(outer, int64(d))
	}
	if c.decode.tensor != nil {
		return c.decode.tensor.decodeStrings(parts, outer)
	}
	var inner tensor.Shape
	if c.decode.raw.Shape != nil {
		inner = make(tensor.Shape, len(c.decode.sizes))
		for i, s := range c.decode.sizes {
			inner[i] = s.size
			if s.column >= 0 {
				from := &b.cols[s.column]
				inner[i] = from.ints[row*from.cell+s.index]
			}
		}
	}
	return c.decode.raw.decodeStrings(parts, outer, inner, checkOnly)
}

// decodeStrings makes the tensor of a row.
func (d *DecodeRaw) decodeStrings(parts []string, outer, inner tensor.Shape, checkOnly bool) (t tensor.Tensor, err error) {
	if d.Zlib {
		limit, most := int64(maxInflatedUnshaped), int64(maxInflatedUnshaped)
		if n := sizeOfAll(inner, d.DType.Size()); n >= 0 {
			limit, most = min(maxInflated, n), maxInflated
		}
		if parts, err = inflateAll(parts, limit, most); err != nil {
			return t, err
		}
	}
	if checkOnly {
		t.Shape, err = tensor.RawShape(d.DType, parts, outer, inner)
		return t, err
	}
	t, err = tensor.Raw(d.DType, d.BigEndian, parts, outer, inner)
	if d.Bitcast != tensor.Invalid {
		t.DType = d.Bitcast
	}
	return t, err
}

// sizeOfAll returns the number of bytes of a shape, or -1 if the shape does not say it.
func sizeOfAll(s tensor.Shape, size int) int64 {
	n := int64(size)
	for _, d := range s {
		if d < 0 || d > 0 && n > math.MaxInt32/d {
			return -1
		}
		n *= d
	}
	if s == nil {
		return -1
	}
	return n
}

// inflateAll decompresses the strings of a row: at most limit bytes each, and most bytes together. Each is decompressed
// twice, first to count its bytes, so that a string over the limit takes no memory. TensorFlow takes what there is of
// a truncated stream, which is an error here, and like TensorFlow it ignores bytes after the stream.
func inflateAll(parts []string, limit, most int64) ([]string, error) {
	out := make([]string, len(parts))
	for i, s := range parts {
		if s == "" {
			continue
		}
		allowed := min(limit, most)
		n, err := inflate(io.Discard, s, allowed+1)
		switch {
		case errors.Is(err, io.ErrUnexpectedEOF):
			return nil, fmt.Errorf("string %d: zlib: the stream is truncated", i)
		case err != nil:
			return nil, fmt.Errorf("string %d: %w", i, err)
		case n > allowed:
			return nil, &tensor.SizeError{Want: fmt.Sprintf("at most %d bytes in string %d", allowed, i), Got: "more"}
		}
		var b strings.Builder
		b.Grow(int(n))
		if _, err := inflate(&b, s, n); err != nil {
			return nil, fmt.Errorf("string %d: %w", i, err)
		}
		out[i] = b.String()
		most -= n
	}
	return out, nil
}

// inflate writes the first bytes of a zlib stream, at most limit, and returns their number.
func inflate(w io.Writer, s string, limit int64) (int64, error) {
	r, err := zlib.NewReader(strings.NewReader(s))
	if err != nil {
		return 0, err
	}
	return io.Copy(w, io.LimitReader(r, limit))
}

// decodeStrings makes the tensor of a row.
func (d *DecodeTensor) decodeStrings(parts []string, outer tensor.Shape) (all tensor.Tensor, err error) {
	if len(parts) == 0 {
		all = tensor.Tensor{DType: d.DType, Shape: outer}
		for _, n := range d.Shape {
			all.Shape = append(all.Shape, max(n, 0))
		}
		return all, nil
	}
	var inner tensor.Shape
	for i, s := range parts {
		t, err := tensor.Decode([]byte(s))
		switch {
		case err != nil:
			return all, fmt.Errorf("string %d: %w", i, err)
		case d.DType != tensor.Invalid && t.DType != d.DType:
			return all, &tensor.SizeError{Want: d.DType.String(), Got: fmt.Sprintf("%v in string %d", t.DType, i)}
		case !d.Shape.Allows(t.Shape):
			return all, &tensor.SizeError{Want: fmt.Sprintf("shape %v", d.Shape), Got: fmt.Sprintf("%v in string %d", t.Shape, i)}
		}
		if i == 0 {
			all, inner = t, t.Shape
			continue
		}
		if t.DType != all.DType || !inner.Allows(t.Shape) {
			return all, &tensor.SizeError{Want: fmt.Sprintf("%v of shape %v, as string 0 has", all.DType, inner), Got: fmt.Sprintf("%v of shape %v in string %d", t.DType, t.Shape, i)}
		}
		all.Bytes, all.Strings = append(all.Bytes, t.Bytes...), append(all.Strings, t.Strings...)
	}
	all.Shape = append(outer, inner...)
	return all, nil
}

// Decoded returns the tensor that the strings of row i hold, by the Decode of the feature; i is 0 for a column of one
// row. ok is false for a column without Decode. Rows were decoded when they were added, but their elements were
// not kept: each call makes the tensor anew. It panics if there is no such row.
func (c Column) Decoded(i int) (t tensor.Tensor, ok bool) {
	switch {
	case c.c.decode == nil:
		return t, false
	case c.row >= 0 && i == 0:
		i = c.row
	case c.row >= 0 || uint(i) >= uint(c.n):
		panic("feature: row out of range")
	}
	return must(c.b.decodeRow(c.c, i, false)), true
}

// DecodedOf is Column.Decoded for elements of type T, as a dense tensor of package ragged. The error wraps
// ErrNoColumn for a column without Decode, tensor.ErrDType for another type, or ragged.ErrShape.
func DecodedOf[T tensor.Element](c Column, i int) (ragged.Tensor[T], error) {
	t, ok := c.Decoded(i)
	if !ok {
		return ragged.Tensor[T]{}, fmt.Errorf("%w: %q is not decoded", ErrNoColumn, c.Name())
	}
	values, err := tensor.ValuesOf[T](t)
	if err != nil {
		return ragged.Tensor[T]{}, fmt.Errorf("feature: %q: %w", c.Name(), err)
	}
	shape := make([]int, len(t.Shape))
	for j, d := range t.Shape {
		shape[j] = int(min(d, math.MaxInt))
	}
	return ragged.Dense(values, shape...)
}
