package numbers

import (
	"math/rand/v2"
	"testing"
)

// BenchmarkNumbers measures the time for each number, when it is added in lists as in records, and when quantiles and
// histograms are computed.
func BenchmarkNumbers(b *testing.B) {
	const count, list = 1 << 20, 50
	draws := []struct {
		name string
		int  func(*rand.Rand) int64
	}{
		{"7bits", func(rnd *rand.Rand) int64 { return rnd.Int64N(1 << 7) }},
		{"21bits", func(rnd *rand.Rand) int64 { return rnd.Int64N(1 << 21) }},
		{"35bits", func(rnd *rand.Rand) int64 { return rnd.Int64N(1 << 35) }},
		{"42bits", func(rnd *rand.Rand) int64 { return rnd.Int64N(1 << 42) }},
		{"skewed", func(rnd *rand.Rand) int64 { return rnd.Int64() >> rnd.IntN(63) }},
		{"normal", nil},
	}
	for _, d := range draws {
		rnd := rand.New(rand.NewPCG(1, 2))
		ints, floats := make([]int64, count), make([]float32, count)
		for i := range count {
			if d.int != nil {
				ints[i] = d.int(rnd)
			} else {
				floats[i] = float32(rnd.NormFloat64())
			}
		}
		add := func() *Numbers {
			n := New(d.int == nil)
			for i := 0; i < count; i += list {
				if end := min(i+list, count); d.int != nil {
					n.AddInts(ints[i:end])
				} else {
					n.AddFloats(floats[i:end])
				}
			}
			return n
		}
		per := func(b *testing.B) { b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/count, "ns/number") }
		b.Run("do=add/numbers="+d.name, func(b *testing.B) {
			for range b.N {
				add()
			}
			per(b)
		})
		n := add().Sealed()
		b.Run("do=summary/numbers="+d.name, func(b *testing.B) {
			for range b.N {
				n.Summary()
			}
			per(b)
		})
	}
}
