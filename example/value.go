package example

import (
	"bytes"
	"slices"

	"github.com/tfparse/tfparse/internal/wire"
)

// A Value is an owned feature value: at most one field is non-nil. The zero
// Value is a feature without kind; an empty list that is not nil is a kind
// with no values, which TensorFlow treats differently.
type Value struct {
	Bytes  [][]byte
	Floats []float32
	Int64s []int64
}

// Bytes returns a bytes_list; it keeps v.
func Bytes(v ...[]byte) Value {
	if v == nil {
		v = [][]byte{}
	}
	return Value{Bytes: v}
}

// Strings returns a bytes_list of v.
func Strings(v ...string) Value {
	b := make([][]byte, len(v))
	for i, s := range v {
		b[i] = []byte(s)
	}
	return Value{Bytes: b}
}

// Floats returns a float_list; it keeps v.
func Floats(v ...float32) Value {
	if v == nil {
		v = []float32{}
	}
	return Value{Floats: v}
}

// Int64s returns an int64_list; it keeps v.
func Int64s(v ...int64) Value {
	if v == nil {
		v = []int64{}
	}
	return Value{Int64s: v}
}

// Kind reports the kind: Unset if all fields are nil, Malformed if more than
// one is not.
func (v Value) Kind() Kind {
	k, n := Unset, 0
	if v.Bytes != nil {
		k, n = BytesList, n+1
	}
	if v.Floats != nil {
		k, n = FloatList, n+1
	}
	if v.Int64s != nil {
		k, n = Int64List, n+1
	}
	if n > 1 {
		return Malformed
	}
	return k
}

// Len reports the number of values.
func (v Value) Len() int { return len(v.Bytes) + len(v.Floats) + len(v.Int64s) }

// Equal reports whether kind and values are the same. Floats are compared by
// their bits: a NaN equals itself, and 0 is not -0.
func (v Value) Equal(w Value) bool {
	return v.Kind() == w.Kind() && slices.EqualFunc(v.Bytes, w.Bytes, bytes.Equal) &&
		slices.EqualFunc(v.Floats, w.Floats, sameBits) && slices.Equal(v.Int64s, w.Int64s)
}

// A layout is the sizes of the messages that encode a Value.
type layout struct {
	packed  int64 // the packed body of a float or int64 list
	list    int64 // the BytesList, FloatList or Int64List
	feature int64 // the Feature
}

func (v Value) layout() layout {
	var l layout
	for _, b := range v.Bytes {
		l.list += wire.SizeField(int64(len(b)))
	}
	l.packed = 4 * int64(len(v.Floats))
	for _, x := range v.Int64s {
		l.packed += int64(wire.SizeVarint(uint64(x)))
	}
	if l.packed > 0 { // an empty list has no packed body at all
		l.list = wire.SizeField(l.packed)
	}
	if v.Kind() != Unset {
		l.feature = wire.SizeField(l.list)
	}
	return l
}

// append appends the Feature message. The caller has checked the kind and the
// size.
func (v Value) append(b []byte, l layout) []byte {
	if l.feature == 0 {
		return b
	}
	b = wire.AppendHeader(b, int32(v.Kind()), l.list)
	for _, s := range v.Bytes {
		b = append(wire.AppendHeader(b, 1, int64(len(s))), s...)
	}
	if l.packed > 0 {
		b = wire.AppendHeader(b, 1, l.packed)
		b = wire.AppendPackedFloats(b, v.Floats)
		b = wire.AppendPackedInt64s(b, v.Int64s)
	}
	return b
}
