package simd

// A Head is what an entry of a map begins with, up to the length of its value: the tag of
// its key, the length, the key, the tag of the value. NewHead makes one.
type Head struct {
	text [64]byte
	mask uint64 // which bytes of text are its own
	size int64  // how many; larger than any record if it stands nowhere
}

// NewHead returns the Head that is text. One of more than 64 bytes stands nowhere.
func NewHead(text string) Head {
	h := Head{size: 1 << 40}
	if 0 < len(text) && len(text) <= len(h.text) {
		h.mask, h.size = ^uint64(0)>>(64-len(text)), int64(len(text))
		copy(h.text[:], text)
	}
	return h
}

// A Slot is what stands under a key: the value of the entry is b[Lo:Hi] of the bytes in
// which it was found.
type Slot struct {
	Lo, Hi int32
	Round  uint64 // when
}

// A Map is what Find knows of the keys of a map. They have the numbers from 0 on.
type Map struct {
	Heads []Head  // by key, and one that stands nowhere
	Next  []int32 // by key, and one for the beginning: the key that is expected behind it

	// Any key is found by the first and the last eight bytes of its head, or, if it has not as
	// many, by all of it twice: Table[(first^rotl(last, 31))*Factor>>Shift], -1 if there is none.
	Table  []int32
	Factor uint64
	Shift  int
}
