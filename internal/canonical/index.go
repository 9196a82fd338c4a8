package canonical

import (
	"encoding/binary"
	"math"
	"math/bits"
	"math/rand/v2"

	"github.com/tfparse/tfparse/internal/simd"
	"github.com/tfparse/tfparse/internal/wire"
)

// Index maps each key of a fixed list to its position in the list. An Index is immutable and safe
// for concurrent use.
//
// The hash table has one slot per hash and no chains. The hash combines the first and the last eight bytes of the
// head of an entry, and multiplies them by a random factor. A key whose slot is taken by another key is looked up
// in a Go map. Keys chosen to collide therefore cost at most the lookup in that map.
type Index struct {
	heads []head         // by index of the key; one more head at the end matches nothing
	table simd.Map       // hash table, and the heads as the kernel needs them
	all   map[string]int // every key
}

// head is the beginning of a map entry, up to the length of its value: the tag and length of the key, the key, and
// the tag of the value.
type head struct {
	text        string    // what entryHead returns; "" in the head that matches nothing
	size        int       // len(text)
	reach       int       // number of bytes that a comparison reads: at least 8
	first, last uint64    // the first and the last eight bytes of text; both are the whole text if it is shorter
	mask        uint64    // valid bits of first and last, if text is shorter than 8 bytes
	tail        int       // the offset of last in text
	inner       [2]uint64 // if text has 17 to 32 bytes: the eight bytes after first, and the eight before last
}

// NewIndex returns an Index of keys, which must differ.
func NewIndex(keys []string) *Index {
	x := &Index{heads: make([]head, len(keys)+1), all: make(map[string]int, len(keys))}
	for i, key := range keys {
		x.heads[i] = newHead(key)
		x.all[key] = i
	}
	x.heads[len(keys)].reach = math.MaxInt
	x.buildTable()
	return x
}

// entryHead returns the beginning of the entry of a key, after the tag and length of the entry, up to
// the length of the value.
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

// headMask returns the bits of a word that a head of the given size fills.
func headMask(size int) uint64 { return ^uint64(0) >> (8 * uint(max(8-size, 0)) & 63) }

// endsMatch reports whether the first and the last eight bytes of h are at b[i].
func (h *head) endsMatch(b []byte, i int) bool {
	return h.reach <= len(b)-i &&
		binary.LittleEndian.Uint64(b[i:])&h.mask == h.first &&
		binary.LittleEndian.Uint64(b[i+h.tail:])&h.mask == h.last
}

// innerMatches compares the bytes that endsMatch leaves out.
func (h *head) innerMatches(b []byte, i int) bool {
	switch {
	case h.size <= 16:
		return true
	case h.size <= 32: // nearly all heads longer than 16 bytes
		return binary.LittleEndian.Uint64(b[i+8:]) == h.inner[0] && binary.LittleEndian.Uint64(b[i+h.tail-8:]) == h.inner[1]
	}
	return string(b[i+8:i+h.tail]) == h.text[8:h.tail]
}

// buildTable fills the hash table to at most one eighth. It tries several random factors and takes the factor with
// the fewest collisions. Of 45 keys none collides; of thousands one in thirty does, and more tries would not help.
func (x *Index) buildTable() {
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

// place puts the keys into a table. left is the number of keys whose slot another key took.
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

// hash computes the same hash as the kernel: see simd.Map.
func hash(first, last, factor uint64, shift int) uint64 {
	return (first ^ bits.RotateLeft64(last, 31)) * factor >> uint(shift&63)
}

// find returns the index of the key whose head of the given size is at b[i], or Unknown. The
// head, and eight bytes from i on, must lie within b.
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

// lookUp returns the index of a key, or Unknown.
func (x *Index) lookUp(key []byte) int {
	if k, ok := x.all[string(key)]; ok {
		return k
	}
	return Unknown
}

// Number returns the index of a key, or Unknown.
func (x *Index) Number(key string) int {
	if k, ok := x.all[key]; ok {
		return k
	}
	return Unknown
}
