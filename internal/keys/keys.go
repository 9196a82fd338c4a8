// Package keys finds out where in a map of features the values of some known keys are.
// Most records of a file have the same keys in the same order, so the key that
// followed last time is tried first; any other is found by a hash of the first and the
// last eight bytes of what stands in its entry before its value. Where package bulk has a
// kernel it takes most entries, and does the same.
//
// It knows the one form of entries that every writer writes, as internal/plain does:
// key, then value, tags of one byte. Of any other it says so.
package keys

import (
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/tfparse/tfparse/internal/bulk"
	"github.com/tfparse/tfparse/internal/plain"
	"github.com/tfparse/tfparse/internal/wire"
)

// An Index has the keys that are known. It is immutable and safe for all goroutines.
type Index struct {
	quick  bulk.Map // the same, for its kernel
	heads  []head   // of the keys, and one that stands nowhere
	factor uint64
	shift  int
	slots  []int32        // open addressing, at most an eighth full; -1 where there is none
	all    map[string]int // for keys that stand where two words cannot be read
}

// A head is what stands in an entry before the length of its value.
type head struct {
	text        string
	size        int       // of text
	reach       int       // so many bytes are looked at; of the one that stands nowhere larger than any record
	first, last uint64    // the first and the last eight bytes of text, or twice all of it
	mask        uint64    // which of their bits are those of text
	tail        int       // where in text the last begin
	inner       [2]uint64 // of a text of 17 to 32 bytes: the eight bytes behind the first, and those before the last
}

// stands reports whether the two words of a head stand at b[i].
func (h *head) stands(b []byte, i int) bool {
	return h.reach <= len(b)-i &&
		binary.LittleEndian.Uint64(b[i:])&h.mask == h.first &&
		binary.LittleEndian.Uint64(b[i+h.tail:])&h.mask == h.last
}

// between compares what stands does not.
func (h *head) between(b []byte, i int) bool {
	switch {
	case h.size <= 16:
		return true
	case h.size <= 32: // nearly all that are longer
		return binary.LittleEndian.Uint64(b[i+8:]) == h.inner[0] && binary.LittleEndian.Uint64(b[i+h.tail-8:]) == h.inner[1]
	}
	return string(b[i+8:i+h.tail]) == h.text[8:h.tail]
}

// Head is what stands in the entry of a key before the length of its value.
func Head(key string) string {
	return string(append(append(wire.AppendHeader(nil, 1, int64(len(key))), key...), plain.Tag2))
}

func newHead(key string) head {
	text := Head(key)
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

// headMask tells which bits of the word of a head are its own.
func headMask(size int) uint64 { return ^uint64(0) >> (8 * uint(max(8-size, 0)) & 63) }

// NewIndex makes an index of different keys, which have the numbers from 0 on. Nothing
// in a record can make it slow.
func NewIndex(names []string) *Index {
	x := &Index{heads: make([]head, len(names)+1), all: make(map[string]int, len(names))}
	for i, name := range names {
		x.heads[i] = newHead(name)
		x.all[name] = i
	}
	x.heads[len(names)].reach = math.MaxInt
	x.hash()
	if bulk.Walks {
		x.kernel()
	}
	return x
}

// hash takes the first of some factors for which no two keys have one place, or that
// for which the fewest have.
func (x *Index) hash() {
	size := bits.Len(uint(8*len(x.heads) - 1))
	x.shift = 64 - size
	factor, fewest := uint64(0x9e3779b97f4a7c15), math.MaxInt
	spare := make([]int32, 1<<size)
	for range 64 {
		t := Index{heads: x.heads, factor: factor, shift: x.shift, slots: spare}
		if moved := t.fill(); moved < fewest {
			x.factor, fewest = factor, moved
			if x.slots, spare = spare, x.slots; spare == nil {
				spare = make([]int32, 1<<size)
			}
		}
		if fewest == 0 {
			break
		}
		factor = factor*0xd6e8feb86659fd93 + 2
	}
}

// fill puts all keys into the slots, and returns how many times one was taken.
func (x *Index) fill() (moved int) {
	for i := range x.slots {
		x.slots[i] = -1
	}
	for i := range x.heads[:len(x.heads)-1] {
		h := &x.heads[i]
		at := x.start(h.first, h.last, middle([]byte(h.text), 0, h.size))
		for x.slots[at] >= 0 {
			moved++
			at = (at + 1) & (len(x.slots) - 1)
		}
		x.slots[at] = int32(i)
	}
	return moved
}

func (x *Index) start(first, last, between uint64) int {
	return int((first ^ bits.RotateLeft64(last, 31) ^ between) * x.factor >> x.shift)
}

// middle sums up what stands in a head at b[i] between its first and its last eight bytes.
func middle(b []byte, i, size int) (sum uint64) {
	for at := i + 8; at < i+size-8; at += 8 {
		sum = bits.RotateLeft64(sum, 23) * 0xd6e8feb86659fd93
		sum += binary.LittleEndian.Uint64(b[at:])
	}
	return bits.RotateLeft64(sum, 17)
}

// find returns the number of the key whose head of some size stands at b[i], or None.
// The head must not end behind b, nor its first eight bytes.
func (x *Index) find(b []byte, i, size int) int {
	mask := headMask(size)
	first := binary.LittleEndian.Uint64(b[i:]) & mask
	last := binary.LittleEndian.Uint64(b[i+max(size-8, 0):]) & mask
	for at := x.start(first, last, middle(b, i, size)); ; at = (at + 1) & (len(x.slots) - 1) {
		k := int(x.slots[at])
		if k < 0 {
			return None
		}
		if h := &x.heads[k]; h.first == first && h.last == last && h.between(b, i) {
			return k
		}
	}
}

// findAny is find for keys that are very long, or stand at the very end.
func (x *Index) findAny(b []byte, i int) (k, v int) {
	name, v, ok := plain.Message(b, i, plain.Tag1)
	if !ok || v == len(b) || b[v] != plain.Tag2 {
		return odd, 0
	}
	if name-i != 1+wire.SizeVarint(uint64(v-name)) { // padded: its head is not that of a key
		return odd, 0
	}
	if k, ok := x.all[string(b[name:v])]; ok {
		return k, v + 1
	}
	return None, v + 1
}

// kernel makes what the kernel of bulk needs. Of keys that differ only in the middle it
// finds one by its hash; the others are left to find.
func (x *Index) kernel() {
	m := bulk.Map{Factor: x.factor, Shift: x.shift, Table: make([]int32, len(x.slots)), Heads: make([]bulk.Head, len(x.heads))}
	for i := range m.Table {
		m.Table[i] = None
	}
	for i := range x.heads {
		h := &x.heads[i]
		m.Heads[i] = bulk.NewHead(h.text)
		if h.text != "" {
			m.Table[x.start(h.first, h.last, 0)] = int32(i)
		}
	}
	x.quick = m
}
