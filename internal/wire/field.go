package wire

// A Type is a wire type.
type Type uint8

// The wire types of protobuf. 6 and 7 do not exist.
const (
	TypeVarint Type = iota
	TypeFixed64
	TypeBytes
	TypeStartGroup
	TypeEndGroup
	TypeFixed32
)

// String names the wire type as the protobuf documentation does.
func (t Type) String() string {
	return [...]string{"VARINT", "I64", "LEN", "SGROUP", "EGROUP", "I32", "6", "7"}[t&7]
}

// Field is one field of a message.
type Field struct {
	Num    int32 // field number
	Type   Type  // wire type
	Padded bool  // the tag has padding
	Lo, Hi int   // bounds of the value: the body of a TypeBytes field, else all bytes after the tag
}

// maxNumber is the largest field number.
const maxNumber = 1<<29 - 1

// Next reads the field at b[i], including a whole group, and returns the position after it. It does
// not check the bodies of TypeBytes fields.
func Next(b []byte, i int) (f Field, next int) {
	v, lo := Varint(b, i)
	if lo < 0 {
		return f, lo
	}
	if v>>3 == 0 || v>>3 > maxNumber {
		return f, FieldNumber
	}
	f = Field{Num: int32(v >> 3), Type: Type(v & 7), Padded: lo-i > SizeVarint(v), Lo: lo}
	switch f.Type {
	case TypeVarint:
		_, f.Hi = Varint(b, lo)
	case TypeBytes:
		if f.Lo, f.Hi = Length(b, lo); f.Lo < 0 {
			return f, f.Lo
		}
	case TypeFixed64:
		f.Hi = fixed(b, lo, 8)
	case TypeFixed32:
		f.Hi = fixed(b, lo, 4)
	case TypeStartGroup:
		f.Hi = group(b, lo, f.Num, MaxDepth)
	case TypeEndGroup:
		f.Hi = Group
	default:
		f.Hi = WireType
	}
	return f, f.Hi
}

func fixed(b []byte, i, size int) int {
	if size > len(b)-i {
		return Truncated
	}
	return i + size
}

// group skips the fields of group num and its end tag.
func group(b []byte, i int, num int32, depth int) int {
	if depth == 0 {
		return Depth
	}
	for {
		v, lo := Varint(b, i)
		if lo < 0 {
			return lo
		}
		if v>>3 == 0 || v>>3 > maxNumber {
			return FieldNumber
		}
		switch t := Type(v & 7); t {
		case TypeEndGroup:
			if int32(v>>3) != num {
				return Group
			}
			return lo
		case TypeStartGroup:
			i = group(b, lo, int32(v>>3), depth-1)
		default:
			_, i = Next(b, i)
		}
		if i < 0 {
			return i
		}
	}
}

// AppendTag appends the tag of a field.
func AppendTag(b []byte, num int32, t Type) []byte {
	return AppendVarint(b, uint64(num)<<3|uint64(t))
}

// AppendHeader appends the tag and the length of a TypeBytes field.
func AppendHeader(b []byte, num int32, size int64) []byte {
	return AppendVarint(AppendTag(b, num, TypeBytes), uint64(size))
}

// SizeField returns the size of a TypeBytes field with a one-byte tag (a field number below 16)
// and a body of the given size. Sizes are int64, so that sums of them can be checked before they
// overflow.
func SizeField(size int64) int64 {
	return 1 + int64(SizeVarint(uint64(size))) + size
}
