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
)

// errOdd stands for an error that the obvious way will make.
var errOdd = errors.New("feature: not plain")

// A lane is how the fast way reads what is under a key.
type lane struct {
	head   string // what stands in an entry of the map before the length of its value
	size   int    // of head; that of the lane for none is larger than any record
	op     op
	column int // in Batch.cols
}

// lanes makes the lanes of a group, and the index that finds them.
func (p *Parser) lanes(g Group) {
	t := &p.tables[g]
	t.lanes = make([]lane, len(t.keys)+1) // the last is for none
	for i, key := range t.keys {
		head := entryHead(key)
		t.lanes[i].head, t.lanes[i].size = head, len(head)
	}
	t.lanes[len(t.keys)].size = math.MaxInt32
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
			t.lanes[c.values].op, t.lanes[c.values].column = c.op, i
		}
	}
	t.hashed = newHashed(t.lanes[:len(t.keys)])
}

// entryHead is what stands in the entry of a key before the length of its value.
func entryHead(key string) string {
	return string(append(append(wire.AppendHeader(nil, 1, int64(len(key))), key...), plain.Tag2))
}

// A hashed finds lanes by their heads: open addressing, at most a quarter full. Its
// keys are those of the spec, so nothing in a record can make it slow.
type hashed struct {
	shift int
	slots []int32 // -1 where there is none
}

func newHashed(lanes []lane) hashed {
	size := bits.Len(uint(4*len(lanes) + 3))
	h := hashed{64 - size, make([]int32, 1<<size)}
	for i := range h.slots {
		h.slots[i] = -1
	}
	for i := range lanes {
		at := h.start(lanes[i].head)
		for h.slots[at] >= 0 {
			at = (at + 1) & (len(h.slots) - 1)
		}
		h.slots[at] = int32(i)
	}
	return h
}

// find returns the number of the lane with a head, or -1.
func (h *hashed) find(lanes []lane, head []byte) int {
	for at := hashOf(head) >> h.shift; ; at = (at + 1) & uint64(len(h.slots)-1) {
		i := h.slots[at]
		if i < 0 || lanes[i].head == string(head) {
			return int(i)
		}
	}
}

func (h *hashed) start(head string) int { return int(hashOf([]byte(head)) >> h.shift) }

// hashOf mixes all the bytes of a head, eight at a time. The first bytes of the keys
// of a spec are often the same, and so are the last.
func hashOf(b []byte) uint64 {
	const k = 0x9e3779b97f4a7c15
	h := uint64(len(b))
	if len(b) >= 8 {
		last := binary.LittleEndian.Uint64(b[len(b)-8:])
		for ; len(b) > 16; b = b[8:] {
			h = bits.RotateLeft64((h^binary.LittleEndian.Uint64(b))*k, 29)
		}
		h = bits.RotateLeft64((h^binary.LittleEndian.Uint64(b))*k, 29)
		return mix((h ^ last) * k)
	}
	for _, c := range b {
		h = h<<8 | uint64(c)
	}
	return mix(h * k)
}

func mix(h uint64) uint64 { return (h ^ h>>32) * 0xd6e8feb86659fd93 }
