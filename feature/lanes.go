package feature

import (
	"encoding/binary"
	"errors"
	"math"
	"math/bits"

	"github.com/tfparse/tfparse/internal/plain"
	"github.com/tfparse/tfparse/internal/wire"
)

// An op says what the fast way does with the feature under a key.
type op uint8

const (
	keepIt      op = iota // several things are made of it, or it is one of several: wait for all
	oneInt64              // a FixedLen of one value
	oneFloat              //
	oneString             //
	manyInt64s            // any other column of which it has all the values
	manyFloats            //
	manyStrings           //
	rowInt64s             // manyInt64s of which any number is a row
)

// errOdd stands for an error that the obvious way will make.
var errOdd = errors.New("feature: not plain")

// A lane is how the fast way reads what is under a key.
type lane struct {
	head        string // what stands in an entry of the map before the length of its value
	size        int    // of head
	reach       int    // so many bytes are looked at; that of the lane for none is larger than any record
	first, last uint64 // the first and the last eight bytes of head, or twice all of it
	mask        uint64 // which of their bits are head's
	tail        int    // where in head the last begin
	op          op
	column      int // in Batch.cols
}

// stands tells whether a head stands at b[i]: whether all of the two words is equal, but
// not what is between them.
func (l *lane) stands(b []byte, i int) bool {
	return l.reach <= len(b)-i &&
		binary.LittleEndian.Uint64(b[i:])&l.mask == l.first &&
		binary.LittleEndian.Uint64(b[i+l.tail:])&l.mask == l.last
}

// between compares what stands does not.
func (l *lane) between(b []byte, i int) bool {
	return l.size <= 16 || string(b[i+8:i+l.tail]) == l.head[8:l.tail]
}

// lanes makes the lanes of a group, and the index that finds them.
func (p *Parser) lanes(g Group) {
	t := &p.tables[g]
	t.lanes = make([]lane, len(t.keys)+1) // the last is for none
	for i, key := range t.keys {
		t.lanes[i] = newLane(entryHead(key))
	}
	t.lanes[len(t.keys)].reach = math.MaxInt32
	readers := make([]int, len(t.keys))
	for i := range p.columns {
		c := &p.columns[i]
		if c.group != g {
			continue
		}
		p.groups[g] = append(p.groups[g], i)
		if c.padded {
			p.padded = append(p.padded, i)
		}
		c.late = len(c.indices) > 0
		slots := append([]int{c.values}, c.indices...)
		for _, q := range c.parts {
			if q.slot >= 0 {
				c.late = true
				slots = append(slots, q.slot)
			}
		}
		for _, s := range slots {
			readers[s]++
		}
	}
	for _, i := range p.groups[g] {
		c := &p.columns[i]
		c.late = c.late || readers[c.values] > 1
		c.op = manyInt64s + op(map[DType]op{Int64: 0, Float32: 1, String: 2}[c.dtype])
		if c.kind == fixedKind && c.cell == 1 {
			c.op -= manyInt64s - oneInt64
		}
		if c.late {
			p.late[g] = append(p.late[g], i)
		} else {
			l := &t.lanes[c.values]
			l.op, l.column = c.op, i
			if c.op == manyInt64s && c.cell == 1 && (c.kind == varLenKind || c.kind == raggedKind) {
				l.op = rowInt64s
			}
		}
	}
	t.hashed = newHashed(t.lanes[:len(t.keys)])
}

// entryHead is what stands in the entry of a key before the length of its value.
func entryHead(key string) string {
	return string(append(append(wire.AppendHeader(nil, 1, int64(len(key))), key...), plain.Tag2))
}

func newLane(head string) lane {
	l := lane{head: head, size: len(head), reach: max(len(head), 8)}
	var b [16]byte
	copy(b[:], head)
	l.mask = headMask(l.size)
	l.tail = max(l.size-8, 0)
	l.first = binary.LittleEndian.Uint64(b[:])
	l.last = l.first
	if l.tail > 0 {
		l.last = binary.LittleEndian.Uint64([]byte(head[l.tail:]))
	}
	return l
}

// headMask tells which bits of the word of a head are its own.
func headMask(size int) uint64 { return ^uint64(0) >> (8 * uint(max(8-size, 0)) & 63) }

// A hashed finds lanes by all the words of their heads: open addressing, at most an eighth
// full. Its keys are those of the spec, so nothing in a record can make it slow.
type hashed struct {
	factor uint64
	shift  int
	slots  []int32 // -1 where there is none
}

// newHashed takes the first of some factors for which no two lanes have one place, or
// that for which the fewest have.
func newHashed(lanes []lane) (best hashed) {
	size := bits.Len(uint(8*len(lanes) + 7))
	factor, fewest := uint64(0x9e3779b97f4a7c15), math.MaxInt
	for range 64 {
		h := hashed{factor, 64 - size, make([]int32, 1<<size)}
		for i := range h.slots {
			h.slots[i] = -1
		}
		moved := 0
		for i := range lanes {
			l := &lanes[i]
			at := h.start(l.first, l.last, middle([]byte(l.head), 0, l.size))
			for h.slots[at] >= 0 {
				moved++
				at = (at + 1) & (len(h.slots) - 1)
			}
			h.slots[at] = int32(i)
		}
		if moved < fewest {
			best, fewest = h, moved
		}
		if moved == 0 {
			break
		}
		factor = factor*0xd6e8feb86659fd93 + 2
	}
	return best
}

func (h *hashed) start(first, last, between uint64) int {
	return int((first ^ bits.RotateLeft64(last, 31) ^ between) * h.factor >> h.shift)
}

// middle sums up what stands in a head at b[i] between its first and its last eight bytes.
func middle(b []byte, i, size int) (sum uint64) {
	for at := i + 8; at < i+size-8; at += 8 {
		sum = bits.RotateLeft64(sum, 23) * 0xd6e8feb86659fd93
		sum += binary.LittleEndian.Uint64(b[at:])
	}
	return bits.RotateLeft64(sum, 17)
}

// find returns the number of the lane whose head of some size stands at b[i], or -1. The
// head must not end behind b, nor its first eight bytes.
func (h *hashed) find(lanes []lane, b []byte, i, size int) int {
	mask := headMask(size)
	first := binary.LittleEndian.Uint64(b[i:]) & mask
	last := binary.LittleEndian.Uint64(b[i+max(size-8, 0):]) & mask
	for at := h.start(first, last, middle(b, i, size)); ; at = (at + 1) & (len(h.slots) - 1) {
		k := int(h.slots[at])
		if k < 0 {
			return none
		}
		if l := &lanes[k]; l.first == first && l.last == last && l.between(b, i) {
			return k
		}
	}
}
