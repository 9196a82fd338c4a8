package example

import (
	"slices"

	"github.com/tfparse/tfparse/internal/wire"
)

// A Kind says which list a Feature holds. The numbers are those of the fields.
type Kind uint8

const (
	// Unset is a Feature with no list: present, but without kind and values.
	Unset Kind = iota
	// BytesList is a list of byte strings.
	BytesList
	// FloatList is a list of float32.
	FloatList
	// Int64List is a list of int64.
	Int64List
	// Malformed is no kind: decoding the Feature fails and says why.
	Malformed Kind = 0xff
)

// String gives the name of the field in the Feature message.
func (k Kind) String() string {
	switch k {
	case Unset:
		return "no kind"
	case BytesList:
		return "bytes_list"
	case FloatList:
		return "float_list"
	case Int64List:
		return "int64_list"
	}
	return "malformed"
}

// A Feature is a lent view of one encoded feature. It aliases the message, and
// scanning has not looked inside: its content is checked by Kind, Len, Append…,
// Value and Validate, the latter four completely. The zero Feature has no kind.
type Feature struct {
	b     []byte // the Feature message
	off   int    // of b in the whole message
	flags uint8
}

// FeatureAt returns the feature msg[lo:hi], for callers that know where it is. A [Scanner] finds it, and returns the same if
// the name is there once.
func FeatureAt(msg []byte, lo, hi int) Feature { return Feature{b: msg[lo:hi:hi], off: lo} }

// Flags of a Feature: what the dialect must know of its place.
const (
	inSequence uint8 = 1 << iota // in a SequenceExample
	inStep                       // in a feature list
	replaces                     // an earlier feature of the name had a kind, and this is an Example
)

// Kind reports the kind without decoding the list. Unset means that the
// feature is sound and has no kind; Malformed that decoding will fail and say
// why. With any other kind decoding may still fail.
func (f Feature) Kind() Kind {
	if k, _ := f.list(); k != Unset {
		return k
	}
	if len(f.b) == 0 && f.flags&replaces == 0 {
		return Unset
	}
	v, err := f.check()
	if err != nil {
		return Malformed
	}
	return v.kind
}

// list returns the kind of a Feature that is one list and nothing else, as
// every writer writes it, and where the body of the list begins; else Unset.
func (f Feature) list() (k Kind, lo int) {
	if len(f.b) < 2 {
		return Unset, 0
	}
	switch f.b[0] {
	case tag1, tag2, tag3:
		if lo, hi := wire.Length(f.b, 1); lo > 0 && hi == len(f.b) {
			return Kind(f.b[0] >> 3), lo
		}
	}
	return Unset, 0
}

// packed is list for a list that is empty or one packed chunk, which begins at
// lo; else Unset. A list of another kind is ErrKind.
func (f Feature) packed(want Kind) (lo int, ok bool, err *Error) {
	k, lo := f.list()
	switch {
	case k == Unset:
		return 0, false, nil
	case k != want:
		return 0, false, f.kindError(want, k)
	case lo == len(f.b):
		return lo, true, nil
	case f.b[lo] == tag1:
		if lo, hi := wire.Length(f.b, lo+1); lo > 0 && hi == len(f.b) {
			return lo, true, nil
		}
	}
	return 0, false, nil
}

// Len reports the number of values without storing them. It finds every fault
// that decoding would find.
func (f Feature) Len() (int, error) {
	switch k, lo := f.list(); k {
	case Int64List:
		if lo, ok, _ := f.packed(k); ok {
			b := f.b[lo:]
			if _, next := wire.CheckVarints(b); next >= 0 {
				return wire.CountVarints(b), nil
			}
		}
	case FloatList:
		if lo, ok, _ := f.packed(k); ok && (len(f.b)-lo)%4 == 0 {
			return (len(f.b) - lo) / 4, nil
		}
	case BytesList:
		if n, end := countBytes(f.b[lo:]); lo+end == len(f.b) {
			return n, nil
		}
	}
	v, err := f.check()
	if err != nil {
		return 0, err
	}
	return v.count, nil
}

// Validate decodes and keeps nothing.
func (f Feature) Validate() error {
	_, err := f.Len()
	return err
}

// AppendInt64s appends the values to dst. A feature without kind has none; one
// of another kind is ErrKind. On error dst is returned with its elements as
// they were.
func (f Feature) AppendInt64s(dst []int64) ([]int64, error) {
	lo, ok, kindErr := f.packed(Int64List)
	if kindErr != nil {
		return dst, kindErr
	}
	if ok {
		out, at, next := wire.AppendInt64s(dst, f.b[lo:])
		if next < 0 {
			return dst, f.varintError(lo+at, next)
		}
		return out, nil
	}
	v, err := f.want(Int64List)
	if err != nil {
		return dst, err
	}
	return f.appendInt64s(dst, v), nil
}

// AppendFloats appends the values to dst, bit for bit. Otherwise it is as
// AppendInt64s.
func (f Feature) AppendFloats(dst []float32) ([]float32, error) {
	lo, ok, kindErr := f.packed(FloatList)
	if kindErr != nil {
		return dst, kindErr
	}
	if ok && (len(f.b)-lo)%4 == 0 {
		return wire.AppendFloats(dst, f.b[lo:]), nil
	}
	v, err := f.want(FloatList)
	if err != nil {
		return dst, err
	}
	return f.appendFloats(dst, v), nil
}

// AppendBytes appends the values to dst; they alias the message. Otherwise it
// is as AppendInt64s.
func (f Feature) AppendBytes(dst [][]byte) ([][]byte, error) {
	k, lo := f.list()
	if k != Unset && k != BytesList {
		return dst, f.kindError(BytesList, k)
	}
	if k == BytesList {
		out := dst
		for lo < len(f.b) && f.b[lo] == tag1 {
			start, end := wire.Length(f.b, lo+1)
			if start < 0 {
				break
			}
			if len(out) == cap(out) { // ask for memory once
				n, _ := countBytes(f.b[lo:])
				out = slices.Grow(out, n)
			}
			out = append(out, f.b[start:end:end])
			lo = end
		}
		if lo == len(f.b) {
			return out, nil
		}
	}
	v, err := f.want(BytesList)
	if err != nil {
		return dst, err
	}
	return f.appendBytes(dst, v), nil
}

// countBytes counts the plain values at the start of a bytes_list, and says where they
// end.
func countBytes(b []byte) (n, end int) {
	for end < len(b) && b[end] == tag1 {
		start, next := wire.Length(b, end+1)
		if start < 0 {
			break
		}
		n, end = n+1, next
	}
	return n, end
}

// Value decodes into an owned copy.
func (f Feature) Value() (Value, error) {
	var v Value
	var err error
	switch k := f.Kind(); k {
	case Unset:
	case BytesList:
		v.Bytes, err = f.AppendBytes([][]byte{})
		v.Bytes = cloneAll(v.Bytes)
	case FloatList:
		v.Floats, err = f.AppendFloats([]float32{})
	case Int64List:
		v.Int64s, err = f.AppendInt64s([]int64{})
	default:
		err = f.Validate()
	}
	if err != nil {
		return Value{}, err
	}
	return v, nil
}

// cloneAll copies the elements of v into one piece of memory.
func cloneAll(v [][]byte) [][]byte {
	n := 0
	for _, b := range v {
		n += len(b)
	}
	arena := make([]byte, 0, n)
	for i, b := range v {
		lo := len(arena)
		arena = append(arena, b...)
		v[i] = arena[lo:len(arena):len(arena)]
	}
	return v
}

// Replace returns f as the feature that stands for a name after another of the
// same name has been seen, or an error if the earlier one is not well formed. The
// last feature of a name wins, and lists are never merged. In an Example a
// last one without kind after one with a kind is ambiguous; then Kind of what
// Replace returns is Malformed, and decoding it fails with ErrAmbiguous.
//
// Call it for every repeat in wire order, on the newer feature, with what the
// call before returned:
//
//	f := s.Feature()
//	if seen {
//		f, err = f.Replace(last)
//	}
//	last = f
func (f Feature) Replace(earlier Feature) (Feature, error) {
	v, err := earlier.sound()
	if err != nil {
		return f, err
	}
	if f.flags&inSequence == 0 && (v.kind != Unset || earlier.flags&replaces != 0) {
		f.flags |= replaces
	}
	return f, nil
}

// Offset reports where in the message the feature begins.
func (f Feature) Offset() int { return f.off }

// Raw returns the encoded Feature message; it aliases the message.
func (f Feature) Raw() []byte { return f.b }
