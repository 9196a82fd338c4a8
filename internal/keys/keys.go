// Package keys finds out which of some known keys the entries of a map of features
// have. Most records of a file have the same keys in the same order, so the key that
// followed last time is tried first, and compared by two words; any other is found by
// a hash of them.
//
// It knows the one form of entries that every writer writes, as internal/plain does:
// key, then value, tags of one byte. Of any other it says so.
package keys

import (
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/tfparse/tfparse/internal/plain"
	"github.com/tfparse/tfparse/internal/wire"
)

// An Index has the keys that are known. It is immutable and safe for all goroutines.
type Index struct {
	heads  []head // of the keys, and one that stands nowhere
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

func newHead(key string) head {
	text := string(append(append(wire.AppendHeader(nil, 1, int64(len(key))), key...), plain.Tag2))
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

// Instead of the number of a key.
const (
	None = -1 // it is not in the index
	odd  = -2 // the entry has another form
)

// A Walk goes through maps, and remembers which key followed which. It is for one
// goroutine.
type Walk struct {
	x      *Index
	next   []int32 // by number, and the first key of a map
	misses int     // wrong guesses of late
}

// NewWalk returns a Walk for the keys of x.
func (x *Index) NewWalk() Walk {
	w := Walk{x: x, next: make([]int32, len(x.heads))}
	for i := range w.next {
		w.next[i] = int32(i + 1)
	}
	w.next[len(w.next)-1] = 0
	return w
}

// A Span is the value of an entry: bytes from Lo to Hi, which is where the entry ends.
type Span struct {
	Key    int32 // its number, or None
	Lo, Hi int32
}

// Map appends the values of the map of features b[i:] to spans. It reports whether all of
// its entries have the usual form.
func (w *Walk) Map(spans []Span, b []byte, i int) ([]Span, bool) {
	if len(b) > math.MaxInt32 {
		return spans, false
	}
	heads, next := w.x.heads, w.next
	nowhere := len(heads) - 1
	at := nowhere
	for i < len(b) {
		if len(b)-i < 2 || b[i] != plain.Tag1 {
			return spans, false
		}
		lo, hi := i+2, i+2+int(b[i+1]) // the entry
		if b[i+1] >= 0x80 {
			lo, hi = wire.Length(b, i+1)
		}
		if lo < 0 || hi > len(b) {
			return spans, false
		}
		i = hi
		k := nowhere
		if w.misses <= manyMisses {
			k = int(next[at])
		}
		h := &heads[k]
		v := lo + h.size // where the length of the value stands
		if !h.stands(b, lo) || h.size > 16 && !h.between(b, lo) {
			if k, v = w.find(b[:hi], lo, at); k == odd {
				return spans, false
			}
		}
		if k >= 0 {
			at = k
		}
		if v < hi && b[v] < 0x80 {
			if lo = v + 1; lo+int(b[v]) != hi {
				return spans, false
			}
		} else if lo, v = wire.Length(b[:hi], v); lo < 0 || v != hi {
			return spans, false
		}
		spans = append(spans, Span{int32(k), int32(lo), int32(hi)})
	}
	return spans, true
}

// manyMisses is after how many wrong guesses none is made until some would have been
// right.
const manyMisses = 16

// find returns the number of the key of the entry that is b[i:], and where the length of
// its value stands. at is the key before.
func (w *Walk) find(b []byte, i, at int) (k, v int) {
	if len(b)-i < 2 || b[i] != plain.Tag1 {
		return odd, 0
	}
	size := int(b[i+1]) + 3
	if v = i + size; size >= 0x80+3 || max(size, 8) > len(b)-i {
		return w.x.findAny(b, i)
	}
	if b[v-1] != plain.Tag2 {
		return odd, 0
	}
	if k = w.x.find(b, i, size); k >= 0 {
		w.learn(k, at)
	}
	return k, v
}

// findAny is find for keys that are very long, or stand at the very end.
func (x *Index) findAny(b []byte, i int) (k, v int) {
	name, v, ok := plain.Message(b, i, plain.Tag1)
	if !ok || v == len(b) || b[v] != plain.Tag2 {
		return odd, 0
	}
	if k, ok := x.all[string(b[name:v])]; ok {
		return k, v + 1
	}
	return None, v + 1
}

// learn says that a key followed another, which was not expected. When keys come in
// any order the first of a map shows whether there is one again.
func (w *Walk) learn(k, at int) {
	if w.misses > manyMisses && at < len(w.next)-1 {
		return
	}
	if int(w.next[at]) == k {
		w.misses /= 2
		return
	}
	w.misses = min(w.misses+1, 4*manyMisses)
	w.next[at] = int32(k)
}
