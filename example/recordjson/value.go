package recordjson

import (
	"encoding/binary"
	"encoding/hex"
	"math"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/jsonscan"
)

// The members of the typed form, which name the kinds.
const (
	int64Member   = "int64"
	float32Member = "float32"
	stringMember  = "string"
)

// ParseKind reads the name of a kind as the typed form writes it: "int64",
// "float32" or "string".
func ParseKind(name string) (example.Kind, bool) {
	switch name {
	case int64Member:
		return example.Int64List, true
	case float32Member:
		return example.FloatList, true
	case stringMember:
		return example.BytesList, true
	}
	return example.Unset, false
}

// KindName is the inverse of ParseKind; "null" for no kind.
func KindName(k example.Kind) string {
	switch k {
	case example.Int64List:
		return int64Member
	case example.FloatList:
		return float32Member
	case example.BytesList:
		return stringMember
	}
	return "null"
}

// appendFeature appends the value of a feature: null, a list, or an object around the list in the typed form. If
// one value fails, it returns the index of that value, otherwise -1.
func (p *Printer) appendFeature(dst []byte, f example.Feature) ([]byte, int, error) {
	kind := f.Kind()
	if kind == example.Unset {
		return append(dst, "null"...), -1, nil
	}
	if p.opts.Typed {
		dst = append(dst, '{', '"')
		dst = append(dst, KindName(kind)...)
		dst = append(dst, '"', ':')
	}
	dst = append(dst, '[')
	value, err := -1, error(nil)
	switch kind {
	case example.Int64List:
		dst, err = p.appendInt64s(dst, f)
	case example.FloatList:
		dst, value, err = p.appendFloats(dst, f)
	case example.BytesList:
		dst, value, err = p.appendStrings(dst, f)
	default:
		err = f.Validate()
	}
	dst = append(dst, ']')
	if p.opts.Typed {
		dst = append(dst, '}')
	}
	return dst, value, err
}

func (p *Printer) appendInt64s(dst []byte, f example.Feature) ([]byte, error) {
	var err error
	if p.ints, err = f.AppendInt64s(p.ints[:0]); err != nil {
		return dst, err
	}
	if p.opts.Int64 == Int64String {
		for i, v := range p.ints {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = AppendInt64(dst, v, Int64String)
		}
		return dst, nil
	}
	return jsonscan.AppendInts(dst, p.ints), nil
}

func (p *Printer) appendFloats(dst []byte, f example.Feature) ([]byte, int, error) {
	var err error
	if p.floats, err = f.AppendFloats(p.floats[:0]); err != nil {
		return dst, -1, err
	}
	for i, v := range p.floats {
		if i > 0 {
			dst = append(dst, ',')
		}
		if p.opts.Typed {
			if bits := math.Float32bits(v); jsonscan.IsNaN(bits) && bits != jsonscan.CanonicalNaN && p.opts.NaN == NaNString {
				dst = appendNaNBits(dst, bits)
				continue
			}
		}
		if dst, err = AppendFloat32(dst, v, p.opts.NaN); err != nil {
			return dst, i, err
		}
	}
	return dst, -1, nil
}

// appendNaNBits appends a NaN with its bits: {"nan":"7fc00001"}.
func appendNaNBits(dst []byte, bits uint32) []byte {
	var b [4]byte
	binary.BigEndian.PutUint32(b[:], bits)
	dst = append(dst, `{"nan":"`...)
	dst = hex.AppendEncode(dst, b[:])
	return append(dst, `"}`...)
}

func (p *Printer) appendStrings(dst []byte, f example.Feature) ([]byte, int, error) {
	var err error
	if p.bytes, err = f.AppendBytes(p.bytes[:0]); err != nil {
		return dst, -1, err
	}
	for i, v := range p.bytes {
		if i > 0 {
			dst = append(dst, ',')
		}
		if dst, err = appendBytes(dst, v, p.opts.Bytes); err != nil {
			return dst, i, err
		}
	}
	return dst, -1, nil
}
