package simd

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestBlocks compares the kernels for blocks with loops, at both edges of what may be read and
// written, for integers of every width.
func TestBlocks(t *testing.T) {
	if _, _, _, taken := Ends(make([]int64, 8)); taken == 0 {
		t.Skip("there is no kernel for this processor")
	}
	rnd := rand.New(rand.NewPCG(8, 8))
	const atOnce = 8 << 9
	memory := edge(t, 8*(atOnce+100))
	for n := range 4000 {
		width := 1 + n%8
		v := make([]int64, 8+rnd.IntN(200))
		if n%100 == 0 {
			v = make([]int64, atOnce+rnd.IntN(100))
		}
		base := int64(rnd.Uint64()) >> rnd.IntN(64)
		for i := range v {
			v[i] = base + int64(rnd.Uint64()>>(64-8*width+rnd.IntN(8*width)))
			if width == 8 && rnd.IntN(4) > 0 {
				v[i] = []int64{0, math.MinInt64, math.MaxInt64, base}[rnd.IntN(4)]
			}
		}
		least, most, zeros, taken := Ends(v)
		if taken != min(len(v)/8*8, atOnce) || least != slices.Min(v[:taken]) || most != slices.Max(v[:taken]) {
			t.Fatalf("%d of %d: from %d to %d", taken, v, least, most)
		}
		for _, x := range v[:taken] {
			if x == 0 {
				zeros--
			}
		}
		if zeros != 0 {
			t.Fatalf("%d: %d zeros too many", v, zeros)
		}
		data := memory[len(memory)-width*len(v):]
		if n%2 == 0 {
			data = memory[:width*len(v)]
		}
		clear(memory)
		var sums Sums
		if PackDistances(data, v, base, width, &sums) != taken {
			t.Fatalf("not %d are packed of %d", taken, len(v))
		}
		unpacked := make([]uint64, taken)
		for i := range unpacked {
			for k := range width {
				unpacked[i] |= uint64(data[width*i+k]) << (8 * k)
			}
			if distance := uint64(v[i] - base); unpacked[i] != distance {
				t.Fatalf("width %d: number %d is packed as %d, wanted %d", width, i, unpacked[i], distance)
			}
		}
		if slices.Max(append(data[width*taken:], 0)) != 0 {
			t.Fatal("bytes behind are written over")
		}
		checkSums(t, unpacked, &sums)
		add, shift := rnd.Uint64()>>rnd.IntN(64), rnd.IntN(64)
		out := make([]uint16, len(v))
		if Buckets(out, data, width, add, shift) != taken {
			t.Fatalf("not %d have buckets", taken)
		}
		for i, x := range unpacked {
			if want := uint16((x + add) >> shift); out[i] != want {
				t.Fatalf("width %d: %d and %d, by 2^%d: %d, wanted %d", width, x, add, shift, out[i], want)
			}
		}
		zero := uint64(0x3fe << 52)
		if OrderedBuckets(out, data, width, base, zero, add, shift) != taken {
			t.Fatalf("not %d have buckets", taken)
		}
		for i := range unpacked {
			k := max(int64(math.Float64bits(math.Abs(float64(v[i]))))-int64(zero), 0)
			if v[i] < 0 {
				k = -k
			}
			if want := uint16((uint64(k) ^ 1<<63 - add) >> shift); out[i] != want {
				t.Fatalf("width %d: %d less %d, by 2^%d: %d, wanted %d", width, v[i], add, shift, out[i], want)
			}
		}
		if slices.Max(append(out[taken:], 0)) != 0 {
			t.Fatal("buckets behind are written over")
		}
	}
}

// checkSums compares sums with those of all distances.
func checkSums(t *testing.T, distances []uint64, s *Sums) {
	t.Helper()
	sum, square := new(big.Int), new(big.Int)
	for _, d := range distances {
		x := new(big.Int).SetUint64(d)
		sum.Add(sum, x)
		square.Add(square, x.Mul(x, x))
	}
	part := func(v uint64, shift uint) *big.Int { return new(big.Int).Lsh(new(big.Int).SetUint64(v), shift) }
	gotSum := part(s.High, 32)
	gotSum.Add(gotSum, part(s.Low, 0))
	got := new(big.Int)
	for i, p := range [][2]uint64{s.LowLow, s.LowHigh, s.HighHigh} {
		shift := uint(32 * i)
		if i == 1 {
			shift++ // twice
		}
		got.Add(got, part(p[0], shift))
		got.Add(got, part(p[1], shift+52))
	}
	if gotSum.Cmp(sum) != 0 || got.Cmp(square) != 0 {
		t.Fatalf("the sums are %d and %d, wanted %d and %d", gotSum, got, sum, square)
	}
}
