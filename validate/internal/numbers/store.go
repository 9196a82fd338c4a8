package numbers

import (
	"math"
	"sync"

	"github.com/tfparse/tfparse/validate/internal/sketch"
)

// A key is an integer that stands for a number and is of the same order: of an integer
// itself with its sign bit turned over, and of a float its bits, with the sign bit turned
// over where it is positive, and all of them where it is negative.
const (
	signBit = 1 << 63

	keyNegative = 0x007fffff // -Inf
	keyZero     = 0x80000000
	keyPositive = 0xff800000 // +Inf
)

func intKey(v int64) uint64 { return uint64(v) ^ signBit }

func floatKey(v float32) uint64 {
	b := math.Float32bits(v + 0) // 0 for -0: they are the same value
	return uint64(b ^ (uint32(int32(b)>>31) | 1<<31))
}

func floatOf(key uint64) float32 {
	k := uint32(key)
	return math.Float32frombits(k ^ (uint32(int32(^k)>>31) | 1<<31))
}

// A scratch has room for the keys of a chunk.
type scratch [chunkSize]uint64

var scratches = sync.Pool{New: func() any { return new(scratch) }}

// A chunk is the keys of some numbers. Those that are near each other take four bytes each.
type chunk struct {
	least, most uint64
	narrow      []uint32 // what is to be added to least,
	wide        []uint64 // unless there are these
}

// newChunk makes a chunk of the keys from least to most. They are given with the bits of
// turned turned over.
func newChunk[K int64 | uint64](keys []K, least, most, turned uint64) chunk {
	c := chunk{least: least, most: most}
	if most-least > math.MaxUint32 {
		c.wide = make([]uint64, len(keys))
		for i, k := range keys {
			c.wide[i] = uint64(k) ^ turned
		}
		return c
	}
	c.narrow = make([]uint32, len(keys))
	from := uint32(least)
	for i, k := range keys {
		c.narrow[i] = uint32(k) - from // which the bits above, with that of the sign, do not change
	}
	return c
}

func (c *chunk) len() int { return len(c.narrow) + len(c.wide) }

// keys puts the keys into s.
func (c *chunk) keys(s *scratch) []uint64 {
	keys := s[:c.len()]
	for i, k := range c.narrow {
		keys[i] = c.least + uint64(k)
	}
	copy(keys, c.wide)
	return keys
}

// A store has all numbers but NaN, by their keys: integers of chunks with few different ones
// as a list that says how often each is there, the others in their chunks.
type store struct {
	float  bool
	few    []sketch.Run
	chunks []chunk
	wide   int // how many keys in chunks take eight bytes,
	narrow int // and how many four
}

const (
	fewRange = 1 << 11 // how far integers of a chunk are apart that are counted
	fewShare = 8       // of how many integers one may be different from those before
	mostFew  = 1 << 13 // different integers that are counted: each chunk takes a look at all of them
)

// addInts adds a chunk of integers, from least to most.
func (s *store) addInts(v []int64, least, most int64) {
	if uint64(most-least) < fewRange && len(s.few) <= mostFew {
		var counts [fewRange]uint32
		for _, x := range v {
			counts[uint64(x-least)%fewRange]++
		}
		runs := make([]sketch.Run, 0, min(fewRange, len(v)))
		for i, n := range counts {
			if n > 0 {
				runs = append(runs, sketch.Run{Key: intKey(least) + uint64(i), Count: uint64(n)})
			}
		}
		if len(runs)*fewShare <= len(v) {
			s.few = sketch.MergeRuns(s.few, runs)
			return
		}
	}
	s.addChunk(newChunk(v, intKey(least), intKey(most), signBit))
}

func (s *store) addChunk(c chunk) {
	s.chunks = append(s.chunks, c)
	s.wide += len(c.wide)
	s.narrow += len(c.narrow)
}

func (s *store) merge(o *store) {
	if len(o.few) > 0 {
		s.few = sketch.MergeRuns(s.few, o.few)
	}
	s.chunks = append(s.chunks, o.chunks...)
	s.wide += o.wide
	s.narrow += o.narrow
}

func (s *store) bytes() int {
	return 16*len(s.few) + 64*cap(s.chunks) + 8*s.wide + 4*s.narrow
}

// addTo adds the numbers to a sketch, but for infinities, which are counted anyway.
func (s *store) addTo(to *sketch.Ranks) {
	to.AddRuns(s.few)
	memory := scratches.Get().(*scratch)
	defer scratches.Put(memory)
	for i := range s.chunks {
		addSorted(to, s.chunks[i].keys(memory), s.float)
	}
}

// addSorted sorts the keys of a chunk, and adds those of finite numbers to a sketch.
func addSorted(to *sketch.Ranks, keys []uint64, float bool) {
	sketch.SortKeys(keys)
	if float {
		for len(keys) > 0 && keys[0] == keyNegative {
			keys = keys[1:]
		}
		for len(keys) > 0 && keys[len(keys)-1] == keyPositive {
			keys = keys[:len(keys)-1]
		}
	}
	to.AddSorted(keys)
}

// total is how many numbers there are.
func (s *store) total() uint64 {
	n := uint64(s.wide + s.narrow)
	for _, r := range s.few {
		n += r.Count
	}
	return n
}

// value is the number of a key.
func (s *store) value(key uint64) float64 {
	if s.float {
		return float64(floatOf(key))
	}
	return float64(int64(key ^ signBit))
}
