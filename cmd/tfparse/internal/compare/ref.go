package compare

import (
	"cmp"
	"encoding/binary"
)

// A ref is a record by its key and its content.
type ref struct {
	key, content [2]uint64 // of a hash
	side         uint8
	file         uint32 // in the inputs of its side
	record       int64
}

// comparePosition compares the places of two records of one side in its inputs.
func (r *ref) comparePosition(s *ref) int {
	return cmp.Or(cmp.Compare(r.file, s.file), cmp.Compare(r.record, s.record))
}

// refSize is the size of a ref as it is sorted.
const refSize = 45

// appendTo appends a ref as bytes that sort by key, content, side and position.
func (r *ref) appendTo(b []byte) []byte {
	for _, word := range [...]uint64{r.key[0], r.key[1], r.content[0], r.content[1]} {
		b = binary.BigEndian.AppendUint64(b, word)
	}
	b = binary.BigEndian.AppendUint32(append(b, r.side), r.file)
	return binary.BigEndian.AppendUint64(b, uint64(r.record))
}

// refOf reads what appendTo has written.
func refOf(b []byte) ref {
	_ = b[refSize-1]
	word := func(i int) uint64 { return binary.BigEndian.Uint64(b[8*i:]) }
	return ref{
		key: [2]uint64{word(0), word(1)}, content: [2]uint64{word(2), word(3)},
		side: b[32], file: binary.BigEndian.Uint32(b[33:]), record: int64(binary.BigEndian.Uint64(b[37:])),
	}
}
