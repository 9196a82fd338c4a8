package numbers

import (
	"encoding/binary"
	"math"
	"math/bits"
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

// A chunk is the keys of some numbers: by how much each is larger than the least of them, in as
// many bytes as the largest needs, least significant first. With four or eight bytes for each, 200,000
// records of 285 numbers take 65 MB more and no less time, since more memory comes from the system.
type chunk struct {
	least, most uint64
	count       int
	width       int // bytes of a key, 1 to 8
	packed      []byte
}

// Keys are packed and unpacked four at a time, in a window so large that no bounds checks are needed.
// Unpacking takes half the time of a loop over single keys, and quantiles 0.88 of it; TestChunk compares with such
// a loop. The last keys go through memory with zeros behind them.
const (
	window    = 64
	mostWidth = 15 // a mask: it shows the compiler that widths are small
)

// newChunk makes a chunk of the keys from least to most. They are given with the bits of
// turned turned over.
func newChunk[K int64 | uint64](keys []K, least, most, turned uint64) chunk {
	c := chunk{least: least, most: most, count: len(keys), width: max(1, (bits.Len64(most-least)+7)/8)}
	c.packed = make([]byte, c.count*c.width)
	packed, width := c.packed, c.width&mostWidth
	for len(packed) >= window && len(keys) >= 4 {
		b, k := (*[window]byte)(packed), (*[4]K)(keys)
		binary.LittleEndian.PutUint64(b[:8], uint64(k[0])^turned-least) // zeros, too, where the next one will be
		binary.LittleEndian.PutUint64(b[width:width+8], uint64(k[1])^turned-least)
		binary.LittleEndian.PutUint64(b[2*width:2*width+8], uint64(k[2])^turned-least)
		binary.LittleEndian.PutUint64(b[3*width:3*width+8], uint64(k[3])^turned-least)
		packed, keys = packed[4*width:], keys[4:]
	}
	var last [window + 8]byte
	for i, k := range keys {
		binary.LittleEndian.PutUint64(last[i*width:], uint64(k)^turned-least)
	}
	copy(packed, last[:])
	return c
}

// keys puts the keys into s.
func (c *chunk) keys(s *scratch) []uint64 {
	keys := s[:c.count]
	least, mask, width := c.least, uint64(math.MaxUint64)>>(64-8*c.width), c.width&mostWidth
	packed, rest := c.packed, keys
	for len(packed) >= window && len(rest) >= 4 {
		b, k := (*[window]byte)(packed), (*[4]uint64)(rest)
		k[0] = least + binary.LittleEndian.Uint64(b[:8])&mask
		k[1] = least + binary.LittleEndian.Uint64(b[width:width+8])&mask
		k[2] = least + binary.LittleEndian.Uint64(b[2*width:2*width+8])&mask
		k[3] = least + binary.LittleEndian.Uint64(b[3*width:3*width+8])&mask
		packed, rest = packed[4*width:], rest[4:]
	}
	var last [window + 8]byte
	copy(last[:], packed)
	for i := range rest {
		rest[i] = least + binary.LittleEndian.Uint64(last[i*width:])&mask
	}
	return keys
}

// A store has all numbers but NaN, by their keys: integers of chunks with few different ones
// as a list that says how often each is there, the others in their chunks.
type store struct {
	float  bool
	few    []sketch.Run
	chunks []chunk
	count  uint64 // of keys in chunks
	packed int    // bytes that they take
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
		different := 0
		for _, n := range counts {
			if n > 0 {
				different++
			}
		}
		if different*fewShare <= len(v) {
			runs := make([]sketch.Run, 0, different)
			for i, n := range counts {
				if n > 0 {
					runs = append(runs, sketch.Run{Key: intKey(least) + uint64(i), Count: uint64(n)})
				}
			}
			s.few = sketch.MergeRuns(s.few, runs)
			return
		}
	}
	s.addChunk(newChunk(v, intKey(least), intKey(most), signBit))
}

func (s *store) addChunk(c chunk) {
	s.chunks = append(s.chunks, c)
	s.count += uint64(c.count)
	s.packed += len(c.packed)
}

func (s *store) merge(o *store) {
	if len(o.few) > 0 {
		s.few = sketch.MergeRuns(s.few, o.few)
	}
	s.chunks = append(s.chunks, o.chunks...)
	s.count += o.count
	s.packed += o.packed
}

func (s *store) bytes() int {
	return 16*len(s.few) + 64*cap(s.chunks) + s.packed
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
	n := s.count
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
