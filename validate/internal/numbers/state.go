package numbers

import (
	"math"
	"math/bits"

	"github.com/tfparse/tfparse/validate/internal/sketch"
)

// AppendState appends the encoding of n.
func (n *Numbers) AppendState(b []byte) []byte {
	for _, v := range []uint64{n.NaN, n.Zeros, n.Positive, n.Negative} {
		b = sketch.AppendUint(b, v)
	}
	if n.isFloat {
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
	b = sketch.AppendBool(b, n.ranks != nil)
	if n.ranks != nil {
		b = n.ranks.AppendState(b)
	}
	return b
}

// ReadState decodes the output of AppendState into n, which must be new and of the same type.
func (n *Numbers) ReadState(in *sketch.Decoder) {
	n.NaN, n.Zeros, n.Positive, n.Negative = in.Uint(), in.Uint(), in.Uint(), in.Uint()
	if n.isFloat {
		n.Least, n.Most = in.Float(), in.Float()
		n.spread = in.Spread()
		for range n.readChunkSize(in) {
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
		for range n.readChunkSize(in) {
			n.ints = append(n.ints, in.Int())
		}
	}
	if in.Bool() {
		n.ranks = in.Ranks(RankSize)
		if least, most, ok := n.ranks.Ends(); ok && n.isFloat && (least <= keyNegative || most >= keyPositive) {
			in.Fail()
		}
	}
	if !n.isFloat && n.RankError() == 0 && n.countRanked() != n.sums.count { // IntQuantiles looks ranks up
		in.Fail()
	}
}

// countRanked returns the number of keys in the sketch, or MaxUint64 if it overflows.
func (n *Numbers) countRanked() (total uint64) {
	if n.ranks == nil {
		return 0
	}
	for _, r := range n.ranks.Runs() {
		sum, carry := bits.Add64(total, r.Count, 0)
		if carry > 0 {
			return math.MaxUint64
		}
		total = sum
	}
	return total
}

// readChunkSize decodes the length of the unfinished chunk.
func (n *Numbers) readChunkSize(in *sketch.Decoder) int {
	size := in.Count(1)
	if size >= chunkSize {
		in.Fail()
		return 0
	}
	return size
}
