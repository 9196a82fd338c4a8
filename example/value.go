package example

import (
	"bytes"
	"slices"

	"github.com/tfparse/tfparse/internal/encode"
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

// least returns a lower bound of the encoded size: the size of all values, with a byte
// for each integer.
func (v Value) least() int64 {
	n := 4*int64(len(v.Floats)) + int64(len(v.Int64s))
	for _, b := range v.Bytes {
		n += int64(len(b))
	}
	return n
}

// write writes the Feature message. The caller has checked the kind.
func (v Value) write(b *encode.Buffer) {
	switch v.Kind() {
	case BytesList:
		encode.Bytes(b, v.Bytes)
	case FloatList:
		b.Floats(v.Floats)
	case Int64List:
		b.Int64s(v.Int64s)
	}
}
