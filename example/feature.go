package example

import (
	"slices"

	"github.com/tfparse/tfparse/internal/wire"
)

// A Kind is the type of the list in a Feature. The numbers are those of the fields.
type Kind uint8

const (
	// Unset is a Feature without a list: present, but without kind and values.
	Unset Kind = iota
	// BytesList is a list of byte strings.
	BytesList
	// FloatList is a list of float32.
	FloatList
	// Int64List is a list of int64.
	Int64List
	// Malformed is a Feature that does not decode: decoding returns the error.
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

// A Feature is a lent view of one encoded feature. It aliases the message. Scanning does
// not check its content: Len, Append…, Value and Validate check all of it, Kind a part. The zero
// Feature has no kind.
type Feature struct {
	b     []byte // the Feature message
	off   int    // offset of b in the whole message
	flags uint8  // where the feature is, as the dialect needs it: see inSequence
}

// FeatureAt returns the feature msg[lo:hi], for callers that have found its bounds without a
// [Scanner] and know that its name is not repeated.
func FeatureAt(msg []byte, lo, hi int) Feature { return Feature{b: msg[lo:hi:hi], off: lo} }

// The flags of a Feature.
const (
	inSequence uint8 = 1 << iota // in a SequenceExample
	inStep                       // in a feature list
	replaces                     // the message is an Example, where an earlier feature of the name has a kind
)

// Kind returns the kind without decoding the list. Unset means a valid feature without kind, and Malformed a
// feature that does not decode. With any other kind decoding may still fail.
func (f Feature) Kind() Kind {
	if k, _ := f.singleList(); k != Unset {
		return k
	}
	if len(f.b) == 0 && f.flags&replaces == 0 {
		return Unset
	}
	v, err := f.checkDialect()
	if err != nil {
		return Malformed
	}
	return v.kind
}

// singleList returns the kind of a Feature that is one list and nothing else, as
// every writer writes it, and the offset of the body; else Unset.
func (f Feature) singleList() (k Kind, lo int) {
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

// packedList is singleList for a list that is empty or one packed chunk, which begins at
// lo; else ok is false. A list of another kind is ErrKind.
func (f Feature) packedList(want Kind) (lo int, ok bool, err *Error) {
	k, lo := f.singleList()
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

// Len returns the number of values without storing them. It returns every error that decoding
// would return.
func (f Feature) Len() (int, error) {
	switch k, lo := f.singleList(); k {
	case Int64List:
		if lo, ok, _ := f.packedList(k); ok {
			b := f.b[lo:]
			if _, next := wire.CheckVarints(b); next >= 0 {
				return wire.CountVarints(b), nil
			}
		}
	case FloatList:
		if lo, ok, _ := f.packedList(k); ok && (len(f.b)-lo)%4 == 0 {
			return (len(f.b) - lo) / 4, nil
		}
	case BytesList:
		if n, end := countBytes(f.b[lo:]); lo+end == len(f.b) {
			return n, nil
		}
	}
	v, err := f.checkDialect()
	if err != nil {
		return 0, err
	}
	return v.count, nil
}

// Validate checks everything that decoding checks.
func (f Feature) Validate() error {
	_, err := f.Len()
	return err
}

// AppendInt64s appends the values to dst. A feature without kind has no values; for a feature of another kind the
// error is ErrKind. On error dst is returned with its elements unchanged.
func (f Feature) AppendInt64s(dst []int64) ([]int64, error) {
	lo, ok, kindErr := f.packedList(Int64List)
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
	v, err := f.checkKind(Int64List)
	if err != nil {
		return dst, err
	}
	return f.appendInt64s(dst, v), nil
}

// AppendFloats appends the values to dst, bit for bit. See AppendInt64s for errors.
func (f Feature) AppendFloats(dst []float32) ([]float32, error) {
	lo, ok, kindErr := f.packedList(FloatList)
	if kindErr != nil {
		return dst, kindErr
	}
	if ok && (len(f.b)-lo)%4 == 0 {
		return wire.AppendFloats(dst, f.b[lo:]), nil
	}
	v, err := f.checkKind(FloatList)
	if err != nil {
		return dst, err
	}
	return f.appendFloats(dst, v), nil
}

// AppendBytes appends the values to dst; they alias the message. See AppendInt64s for errors.
func (f Feature) AppendBytes(dst [][]byte) ([][]byte, error) {
	k, lo := f.singleList()
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
			if len(out) == cap(out) { // grow once
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
	v, err := f.checkKind(BytesList)
	if err != nil {
		return dst, err
	}
	return f.appendBytes(dst, v), nil
}

// countBytes returns the number of canonically encoded values at the start of a bytes_list, and
// where they end.
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

// cloneAll copies the elements of v into one allocation.
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

// Replace returns f as the feature of a name that has an earlier feature in the message, or an error if the earlier
// feature does not decode. The last feature of a name counts; lists are never merged. In an Example a feature
// without kind after one with a kind is ambiguous: decoding the result fails with ErrAmbiguous, and its Kind is
// Malformed.
//
// Call it for every repetition of a name in wire order, on the newer feature, with the result of the previous call:
//
//	f := s.Feature()
//	if seen {
//		f, err = f.Replace(last)
//	}
//	last = f
func (f Feature) Replace(earlier Feature) (Feature, error) {
	v, err := earlier.checkConforming()
	if err != nil {
		return f, err
	}
	if f.flags&inSequence == 0 && (v.kind != Unset || earlier.flags&replaces != 0) {
		f.flags |= replaces
	}
	return f, nil
}

// Offset returns the offset of the feature in the message.
func (f Feature) Offset() int { return f.off }

// Raw returns the encoded Feature message; it aliases the message.
func (f Feature) Raw() []byte { return f.b }
