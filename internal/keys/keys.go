// Package keys finds out where in a map of features the values of some known keys are.
// Most records of a file have the same keys in the same order, so the key that
// followed last time is tried first; any other is found by a hash of what stands in its
// entry before its value. Where package bulk has a kernel it takes most entries.
//
// Keys may be chosen so that they collide. So the hash multiplies with random numbers, and a
// key that finds no slot within a few probes is left to a Go map; the kernel, whose hash is
// weaker, looks at one slot only. The time for a key depends on its length alone.
//
// It knows the one form of entries that every writer writes, as internal/canonical does:
// key, then value, tags of one byte. Of any other it says so.
package keys

import (
	"encoding/binary"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"

	"github.com/tfparse/tfparse/internal/canonical"
	"github.com/tfparse/tfparse/internal/simd"
	"github.com/tfparse/tfparse/internal/wire"
)

// An Index has the keys that are known. It is immutable and safe for all goroutines.
type Index struct {
	quick   simd.Map       // the same, for its kernel
	heads   []head         // of the keys, and one that stands nowhere
	secret  [4]uint64      // of the hash
	slots   []int32        // open addressing by hash, at most an eighth full; None where there is no key
	spilled bool           // some keys found no slot within maxProbes
	all     map[string]int // for those, and for keys that are long
}

// maxProbes is how many slots are tried for a key. With slots an eighth full a second one
// is rare, and a fourth is not seen.
const maxProbes = 8

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
	return string(append(append(wire.AppendHeader(nil, 1, int64(len(key))), key...), canonical.Tag2))
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
	x.hash(1 << bits.Len(uint(8*len(x.heads)-1)))
	if simd.Walks {
		x.kernel()
	}
	return x
}

// hash puts the keys into slots, of which there are a power of two.
func (x *Index) hash(slots int) {
	for i := range x.secret {
		x.secret[i] = rand.Uint64()
	}
	x.slots = slices.Repeat([]int32{None}, slots)
	for i := range x.heads[:len(x.heads)-1] {
		h := &x.heads[i]
		at, probes := x.start(h.first, h.last, x.middle([]byte(h.text), 0, h.size)), 1
		for ; x.slots[at] != None && probes < maxProbes; probes++ {
			at = x.after(at)
		}
		if x.slots[at] != None {
			x.spilled = true
			continue
		}
		x.slots[at] = int32(i)
	}
}

// start is the first slot of a head, of its first and last eight bytes and those between.
// It is inlined, which no hash of the standard library is: that makes records with keys in
// any order a tenth faster than hash/maphash does.
func (x *Index) start(first, last, between uint64) int {
	return int(canonical.Mix(first^x.secret[0], last^between^x.secret[1])) & (len(x.slots) - 1)
}

func (x *Index) after(slot int) int { return (slot + 1) & (len(x.slots) - 1) }

// middle mixes what stands in a head at b[i] between its first and its last eight bytes.
func (x *Index) middle(b []byte, i, size int) (sum uint64) {
	for at := i + 8; at < i+size-8; at += 8 {
		sum = canonical.Mix(sum^binary.LittleEndian.Uint64(b[at:])^x.secret[2], x.secret[3])
	}
	return sum
}

// find returns the number of the key whose head of some size stands at b[i], or None.
// The head must not end behind b, nor its first eight bytes.
func (x *Index) find(b []byte, i, size int) int {
	mask := headMask(size)
	first := binary.LittleEndian.Uint64(b[i:]) & mask
	last := binary.LittleEndian.Uint64(b[i+max(size-8, 0):]) & mask
	at := x.start(first, last, x.middle(b, i, size))
	for range maxProbes {
		k := int(x.slots[at])
		if k < 0 {
			return None
		}
		if h := &x.heads[k]; h.first == first && h.last == last && h.between(b, i) {
			return k
		}
		at = x.after(at)
	}
	if x.spilled {
		if k, ok := x.all[string(b[i+2:i+size-1])]; ok {
			return k
		}
	}
	return None
}

// findAny is find for keys that are very long, or stand at the very end.
func (x *Index) findAny(b []byte, i int) (k, v int) {
	name, v, ok := canonical.Message(b, i, canonical.Tag1)
	if !ok || v == len(b) || b[v] != canonical.Tag2 {
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

// kernel makes what the kernel of bulk needs: of keys with one place in its table it finds
// one, and the others are left to find. So the factor is the one of some that leaves the
// fewest: of 45 keys none, of thousands one in thirty, which more factors would not change.
func (x *Index) kernel() {
	m := simd.Map{Shift: 64 - bits.TrailingZeros(uint(len(x.slots))), Heads: make([]simd.Head, len(x.heads))}
	for i := range x.heads {
		m.Heads[i] = simd.NewHead(x.heads[i].text)
	}
	tries := 64
	if len(x.heads) > 1000 {
		tries = 4
	}
	spare := make([]int32, len(x.slots))
	for fewest := math.MaxInt; tries > 0 && fewest > 0; tries-- {
		factor := rand.Uint64() | 1
		if left := x.place(spare, factor, m.Shift); left < fewest {
			m.Factor, fewest = factor, left
			if m.Table, spare = spare, m.Table; spare == nil {
				spare = make([]int32, len(x.slots))
			}
		}
	}
	x.quick = m
}

// place puts the keys into the table of the kernel, and returns how many others took
// their places.
func (x *Index) place(table []int32, factor uint64, shift int) (left int) {
	for i := range table {
		table[i] = None
	}
	for i := range x.heads[:len(x.heads)-1] {
		h := &x.heads[i]
		at := (h.first ^ bits.RotateLeft64(h.last, 31)) * factor >> shift
		if table[at] != None {
			left++
		}
		table[at] = int32(i)
	}
	return left
}
