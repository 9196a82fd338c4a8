package numbers

import (
	"sync"

	"github.com/tfparse/tfparse/validate/internal/sketch"
)

// After Compact the store is where numbers wait until they are so many that of a few of them, of
// evenly spread ranks, a sketch learns enough.

const (
	leastBatch = 1 << 15  // numbers that go to a sketch together
	leastSpill = 64 << 10 // or bytes that they take
)

// full reports whether there are enough, and four times as many as the sketch keeps of them, or twice as many
// if they take many bytes.
func (n *Numbers) full() bool {
	room, waiting := n.lossy.Room(), n.store.total(nil)
	return waiting >= uint64(max(4*room, leastBatch)) || waiting >= uint64(2*room) && n.store.packed >= max(16*room, leastSpill)
}

// spill moves numbers from the store to the sketch, as long as there are enough.
func (n *Numbers) spill() {
	if n.lossy == nil {
		return
	}
	if pages := n.store.counted(); len(pages) > 0 {
		n.lossy.AddSummary(n.store.entries(pages))
		n.store.pages = nil
	}
	for n.full() {
		room := n.lossy.Room()
		s, blocks := n.store.first(uint64(max(4*room, leastBatch)), room)
		n.lossy.AddSummary(s)
		for i := range n.store.blocks[:blocks] {
			b := &n.store.blocks[i]
			n.store.packed -= len(b.data)
			*b = block{}
		}
		n.store.blocks = n.store.blocks[blocks:]
	}
}

// batches are memory for the keys of batches.
var batches = sync.Pool{New: func() any { return new([]uint64) }}

// first returns a Summary of room numbers at most of those in the first blocks, as many blocks as it takes
// to have so many numbers, or all. In it no rank is unsure by more than one part in half the room.
func (s *store) first(most uint64, room int) (out sketch.Summary, blocks int) {
	var unpacked [chunkSize]uint64
	memory := batches.Get().(*[]uint64)
	defer batches.Put(memory)
	keys := (*memory)[:0]
	for ; uint64(len(keys)) < most && blocks < len(s.blocks); blocks++ {
		keys = append(keys, s.blocks[blocks].keys(&unpacked)...)
	}
	*memory = keys
	sketch.SortKeys(keys)
	return s.pick(keys, room), blocks
}

// pick returns a Summary of sorted keys: of all that differ, if room suffices, else of those at evenly
// spread places, with the first and the last.
func (s *store) pick(keys []uint64, room int) sketch.Summary {
	step, different := 1, 1
	for i := 1; i < len(keys); i++ {
		if keys[i] != keys[i-1] {
			different++
		}
	}
	if different > room {
		step = (len(keys) + room - 3) / (room - 2)
	}
	picked := make([]run, 0, min(different, room))
	for i := 0; i < len(keys); {
		lo, hi := i, i+1
		for lo > 0 && keys[lo-1] == keys[i] {
			lo--
		}
		for hi < len(keys) && keys[hi] == keys[i] {
			hi++
		}
		picked = append(picked, run{keys[i], uint64(lo), uint64(hi - lo)})
		if i = max(i+step, hi); i >= len(keys) && hi < len(keys) {
			i = len(keys) - 1
		}
	}
	return s.summarize(picked)
}

// summarize makes a Summary of some of the numbers, in order. Keys that are the same number as float64
// are joined, with what is between them.
func (s *store) summarize(runs []run) (out sketch.Summary) {
	out = make(sketch.Summary, 0, len(runs))
	for _, r := range runs {
		v, least, most := s.value(r.key), float64(r.before), float64(r.before+r.count)
		if n := len(out); n > 0 && out[n-1].V == v {
			out[n-1].W, out[n-1].Max = most-out[n-1].Min, most
		} else {
			out = append(out, sketch.Entry{V: v, W: most - least, Min: least, Max: most})
		}
	}
	return out
}
