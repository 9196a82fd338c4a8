package bind

import (
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/wire"
)

// appendField appends a length-delimited field.
func appendField(dst []byte, num int32, body []byte) []byte {
	return append(wire.AppendHeader(dst, num, int64(len(body))), body...)
}

// appendEntry appends an entry of a map.
func appendEntry(dst []byte, key string, value []byte) []byte {
	dst = wire.AppendHeader(dst, 1, wire.SizeField(int64(len(key)))+wire.SizeField(int64(len(value))))
	dst = append(wire.AppendHeader(dst, 1, int64(len(key))), key...)
	return appendField(dst, 2, value)
}

// The three kinds of Feature, with lists packed.

func appendInts(dst []byte, v []int64) []byte {
	n := int64(0)
	for _, x := range v {
		n += int64(wire.SizeVarint(uint64(x)))
	}
	dst = appendPacked(dst, example.Int64List, n)
	return wire.AppendPackedInt64s(dst, v)
}

func appendFloats(dst []byte, v []float32) []byte {
	dst = appendPacked(dst, example.FloatList, 4*int64(len(v)))
	return wire.AppendPackedFloats(dst, v)
}

// appendPacked appends a Feature up to its n bytes of packed values.
func appendPacked(dst []byte, k example.Kind, n int64) []byte {
	if n == 0 { // an empty list has no packed body at all
		return wire.AppendHeader(dst, int32(k), 0)
	}
	return wire.AppendHeader(wire.AppendHeader(dst, int32(k), wire.SizeField(n)), 1, n)
}

func appendTexts[T string | []byte](dst []byte, v []T) []byte {
	n := int64(0)
	for _, s := range v {
		n += wire.SizeField(int64(len(s)))
	}
	dst = wire.AppendHeader(dst, int32(example.BytesList), n)
	for _, s := range v {
		dst = append(wire.AppendHeader(dst, 1, int64(len(s))), s...)
	}
	return dst
}
