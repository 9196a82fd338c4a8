package layout

import "strconv"

// An ElementType is the type of the elements of an array. The zero value is invalid.
type ElementType uint8

// The element types. Those of less than a byte take a whole one unless the
// layout packs them.
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
