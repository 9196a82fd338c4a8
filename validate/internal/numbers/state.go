package numbers

import (
	"math"
	"slices"

	"github.com/tfparse/tfparse/validate/internal/sketch"
)

// AppendState appends all that n holds.
func (n *Numbers) AppendState(b []byte) []byte {
	for _, v := range []uint64{n.NaN, n.Zeros, n.Positive, n.Negative} {
		b = sketch.AppendUint(b, v)
	}
	if n.float {
		b = sketch.AppendFloat(sketch.AppendFloat(b, n.Least), n.Most)
		b = n.spread.AppendState(b)
		b = sketch.AppendUint(b, uint64(len(n.floats)))
		for _, v := range n.floats {
			b = sketch.AppendUint(b, uint64(math.Float32bits(v)))
		}
	} else {
		b = sketch.AppendInt(sketch.AppendInt(b, n.lo), n.hi)
		b = sketch.AppendUint(b, n.sums.count)
		for _, w := range n.sums.sum {
			b = sketch.AppendUint(b, w)
		}
		for _, w := range n.sums.square {
			b = sketch.AppendUint(b, w)
		}
		b = sketch.AppendUint(b, uint64(len(n.ints)))
		for _, v := range n.ints {
			b = sketch.AppendInt(b, v)
		}
	}
	b = sketch.AppendBool(b, n.lossy != nil)
	if n.lossy != nil {
		b = n.lossy.AppendState(b)
	}
	return n.store.appendState(b)
}

// ReadState replaces n, which New returned, by what AppendState wrote of one like it.
func (n *Numbers) ReadState(in *sketch.Decoder) {
	n.NaN, n.Zeros, n.Positive, n.Negative = in.Uint(), in.Uint(), in.Uint(), in.Uint()
	if n.float {
		n.Least, n.Most = in.Float(), in.Float()
		n.spread = in.Spread()
		for range n.waiting(in) {
			k := in.Uint()
			if k>>32 != 0 {
				in.Fail()
			}
			n.floats = append(n.floats, math.Float32frombits(uint32(k)))
		}
	} else {
		n.lo, n.hi = in.Int(), in.Int()
		n.sums.count = in.Uint()
		switch {
		case n.lo <= n.hi && n.sums.count > 0:
			n.Least, n.Most = float64(n.lo), float64(n.hi)
		case n.lo != math.MaxInt64 || n.hi != math.MinInt64 || n.sums.count > 0:
			in.Fail()
		}
		for i := range n.sums.sum {
			n.sums.sum[i] = in.Uint()
		}
		for i := range n.sums.square {
			n.sums.square[i] = in.Uint()
		}
		for range n.waiting(in) {
			n.ints = append(n.ints, in.Int())
		}
	}
	if in.Bool() {
		n.lossy = in.Ranks(ranksFor(n.epsilon))
		n.chunk = min(chunkSize, chunkShare*n.lossy.K())
	}
	n.store.readState(in)
	if n.lossy != nil && len(n.store.few)+len(n.store.chunks) > 0 || max(len(n.ints), len(n.floats)) >= n.chunk {
		in.Fail()
	}
}

// waiting reads how many numbers the chunk has that is not full.
func (n *Numbers) waiting(in *sketch.Decoder) int {
	size := in.Count(1)
	if size >= chunkSize {
		in.Fail()
		return 0
	}
	return size
}

// appendState appends all of it: keys as their distances from the least of their chunk.
func (s *store) appendState(b []byte) []byte {
	b = sketch.AppendUint(b, uint64(len(s.few)))
	last := uint64(0)
	for _, r := range s.few {
		b = sketch.AppendUint(sketch.AppendUint(b, r.Key-last), r.Count)
		last = r.Key
	}
	b = sketch.AppendUint(b, uint64(len(s.chunks)))
	var memory scratch
	for i := range s.chunks {
		c := &s.chunks[i]
		b = sketch.AppendUint(sketch.AppendUint(sketch.AppendUint(b, c.least), c.most), uint64(c.count))
		for _, k := range c.keys(&memory) {
			b = sketch.AppendUint(b, k-c.least)
		}
	}
	return b
}

// readState reads what appendState wrote.
func (s *store) readState(in *sketch.Decoder) {
	sound := func(key uint64) bool { return !s.float || key >= keyNegative && key <= keyPositive }
	for range in.Count(2) {
		r := sketch.Run{Key: in.Uint(), Count: in.Uint()}
		if n := len(s.few); n > 0 {
			last := s.few[n-1].Key
			if r.Key += last; r.Key <= last {
				in.Fail()
			}
		}
		if r.Count == 0 || !sound(r.Key) {
			in.Fail()
			return
		}
		s.few = append(s.few, r)
	}
	var memory scratch
	for range in.Count(3) {
		least, most, size := in.Uint(), in.Uint(), in.Uint()
		if size == 0 || size > chunkSize || !sound(least) || !sound(most) {
			in.Fail()
			return
		}
		keys := memory[:size]
		for i := range keys {
			keys[i] = least + in.Uint()
		}
		if in.Err() != nil || slices.Min(keys) != least || slices.Max(keys) != most {
			in.Fail()
			return
		}
		s.addChunk(newChunk(keys, least, most, 0))
	}
}
