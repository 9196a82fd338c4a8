package canonical

import (
	"encoding/binary"
	"math"
	"math/bits"
	"math/rand/v2"

	"github.com/tfparse/tfparse/internal/simd"
	"github.com/tfparse/tfparse/internal/wire"
)

// An Index finds the number of a key: a key is one of a fixed list, and its number is its place
// in the list. An Index is immutable and safe for all goroutines.
//
// The table has one slot for each hash. The hash is of the first and the last eight bytes that
// an entry has before its value, times a random factor. A key whose slot another key has, and
// there are many if keys are chosen so that they collide, is found in a Go map: no keys make an
// Index slower than that.
type Index struct {
	heads []head         // by key; the last one matches nothing
	table simd.Map       // hashes to keys, and the heads in the form for the kernel
	all   map[string]int // every key
}

// A head is what an entry begins with, up to the length of its value: the length of the key,
// the key, and their tag and that of the value.
type head struct {
	text        string
	size        int       // of text
	reach       int       // how many bytes are read to compare it: at least 8
	first, last uint64    // the first and the last eight bytes of text, or all of it twice
	mask        uint64    // of first and last, if text is shorter than 8 bytes
	tail        int       // the place of last in text
	inner       [2]uint64 // if text has 17 to 32 bytes: the eight bytes behind first, and those before last
}

// NewIndex returns an Index of keys, which must differ.
func NewIndex(keys []string) *Index {
	x := &Index{heads: make([]head, len(keys)+1), all: make(map[string]int, len(keys))}
	for i, key := range keys {
		x.heads[i] = newHead(key)
		x.all[key] = i
	}
	x.heads[len(keys)].reach = math.MaxInt
	x.hash()
	return x
}

// entryHead returns what the entry of a key begins with, behind its own tag and length and up
// to the length of its value.
func entryHead(key string) string {
	return string(append(append(wire.AppendHeader(nil, 1, int64(len(key))), key...), Tag2))
}

func newHead(key string) head {
	text := entryHead(key)
	h := head{text: text, size: len(text), reach: max(len(text), 8), mask: headMask(len(text)), tail: max(len(text)-8, 0)}
	var b [8]byte
	copy(b[:], text)
	h.first = binary.LittleEndian.Uint64(b[:])
	h.last = h.first
	if h.tail > 0 {
		h.last = binary.LittleEndian.Uint64([]byte(text[h.tail:]))
	}
	if h.size > 16 {
		h.inner = [2]uint64{binary.LittleEndian.Uint64([]byte(text[8:])), binary.LittleEndian.Uint64([]byte(text[h.tail-8:]))}
	}
	return h
}

// headMask has the bits of a word that belong to a head of the given size.
func headMask(size int) uint64 { return ^uint64(0) >> (8 * uint(max(8-size, 0)) & 63) }

// endsMatch reports whether the first and the last eight bytes of h are at b[i].
func (h *head) endsMatch(b []byte, i int) bool {
	return h.reach <= len(b)-i &&
		binary.LittleEndian.Uint64(b[i:])&h.mask == h.first &&
		binary.LittleEndian.Uint64(b[i+h.tail:])&h.mask == h.last
}

// innerMatches compares the bytes that endsMatch does not.
func (h *head) innerMatches(b []byte, i int) bool {
	switch {
	case h.size <= 16:
		return true
	case h.size <= 32: // nearly all that are longer
		return binary.LittleEndian.Uint64(b[i+8:]) == h.inner[0] && binary.LittleEndian.Uint64(b[i+h.tail-8:]) == h.inner[1]
	}
	return string(b[i+8:i+h.tail]) == h.text[8:h.tail]
}

// hash puts the keys into the table and fills at most an eighth of it. The factor is the one
// of some that leaves the fewest keys to the Go map: of 45 keys none, of thousands one in thirty,
// which more factors would not change.
func (x *Index) hash() {
	slots := 1 << bits.Len(uint(8*len(x.heads)-1))
	x.table.Shift = 64 - bits.TrailingZeros(uint(slots))
	tries := 64
	if len(x.heads) > 1000 {
		tries = 4
	}
	spare := make([]int32, slots)
	for fewest := math.MaxInt; tries > 0 && fewest > 0; tries-- {
		factor := rand.Uint64() | 1
		if left := x.place(spare, factor); left < fewest {
			x.table.Factor, fewest = factor, left
			if x.table.Table, spare = spare, x.table.Table; spare == nil {
				spare = make([]int32, slots)
			}
		}
	}
	if simd.FindsKeys() {
		x.table.Heads = make([]simd.Head, len(x.heads))
		for i := range x.heads {
			x.table.Heads[i] = simd.NewHead(x.heads[i].text)
		}
	}
}

// place puts the keys into a table, and returns how many others took the slots of.
func (x *Index) place(table []int32, factor uint64) (left int) {
	for i := range table {
		table[i] = Unknown
	}
	for i := range x.heads[:len(x.heads)-1] {
		slot := &table[hash(x.heads[i].first, x.heads[i].last, factor, x.table.Shift)]
		if *slot != Unknown {
			left++
		}
		*slot = int32(i)
	}
	return left
}

// hash is the hash that the kernel computes, too: see simd.Map.
func hash(first, last, factor uint64, shift int) uint64 {
	return (first ^ bits.RotateLeft64(last, 31)) * factor >> uint(shift&63)
}

// find returns the number of the key whose head of the given size is at b[i], or Unknown. The
// head must not end behind b, nor its first eight bytes.
func (x *Index) find(b []byte, i, size int) int {
	mask := headMask(size)
	first := binary.LittleEndian.Uint64(b[i:]) & mask
	last := binary.LittleEndian.Uint64(b[i+max(size-8, 0):]) & mask
	k := int(x.table.Table[hash(first, last, x.table.Factor, x.table.Shift)])
	if k < 0 {
		return Unknown
	}
	if h := &x.heads[k]; h.first == first && h.last == last && h.innerMatches(b, i) {
		return k
	}
	return x.lookUp(b[i+2 : i+size-1])
}

// lookUp returns the number of a key, or Unknown.
func (x *Index) lookUp(key []byte) int {
	if k, ok := x.all[string(key)]; ok {
		return k
	}
	return Unknown
}

// Number returns the number of a key, or Unknown.
func (x *Index) Number(key string) int {
	if k, ok := x.all[key]; ok {
		return k
	}
	return Unknown
}
