package simd

// A Head is the beginning of an entry of a map, up to the length of its value: the tag of its key, the length, the
// key, the tag of the value.
type Head struct {
	text [64]byte
	mask uint64 // bit i is set if text[i] belongs to the head
	size int64  // number of these bytes; larger than any record if the head matches nothing
}

// NewHead returns the Head with a text. A text that is empty or has more than 64 bytes matches nothing.
func NewHead(text string) Head {
	h := Head{size: 1 << 40}
	if 0 < len(text) && len(text) <= len(h.text) {
		h.mask, h.size = ^uint64(0)>>(64-len(text)), int64(len(text))
		copy(h.text[:], text)
	}
	return h
}

// A Slot has the bounds of the value of a key: b[Lo:Hi] of the b that Find was called with.
type Slot struct {
	Lo, Hi int32
	Round  uint64 // the round in which Find found it
}

// A Map has the keys that Find searches for. A key is an index from 0 on.
type Map struct {
	Heads []Head  // by key; one more Head at the end matches nothing
	Next  []int32 // by key: the key that is expected next; the last element: the key that is expected first

	// The hash table of all keys, by the first and the last eight bytes of the head, or by a shorter head twice:
	// Table[(first^rotl(last, 31))*Factor>>Shift], -1 if there is none.
	Table  []int32
	Factor uint64
	Shift  int
}
