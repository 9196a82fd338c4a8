package simd

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"
)

// TestPackVarints compares the kernel with a loop, in as much room as is needed, less and
// more. Behind the room nothing is written.
func TestPackVarints(t *testing.T) {
	if _, taken := PackVarints(make([]byte, 74), []int64{1}); taken == 0 {
		t.Skip("there is no kernel for this processor")
	}
	rnd := rand.New(rand.NewPCG(7, 7))
	for n := range 20_000 {
		v := make([]int64, rnd.IntN(40))
		lo := rnd.IntN(64)
		for i := range v {
			v[i] = int64(rnd.Uint64() >> (lo + rnd.IntN(64-lo)))
		}
		var want []byte
		ends := []int{0}
		for _, x := range v {
			want = binary.AppendUvarint(want, uint64(x))
			ends = append(ends, len(want))
		}
		room := rnd.IntN(len(want) + 100)
		memory := bytes.Repeat([]byte{0xcc}, room+80)
		written, taken := PackVarints(memory[:room:room], v)
		if taken > len(v) || written != ends[taken] || !bytes.Equal(memory[:written], want[:written]) {
			t.Fatalf("case %d: %d: %d bytes for %d values: % x, want % x", n, v, written, taken, memory[:written], want)
		}
		if taken < len(v) && room-written >= 64 {
			t.Fatalf("case %d: %d of %d values, and there is room for %d bytes", n, taken, len(v), room-written)
		}
		if bytes.Count(memory[room:], []byte{0xcc}) != 80 {
			t.Fatalf("case %d: wrote behind the room: % x", n, memory[room:])
		}
	}
}

// TestPackVarintsSizes has a value of every size at every place.
func TestPackVarintsSizes(t *testing.T) {
	for n := 1; n <= 20; n++ {
		for at := range n {
			for shift := range 64 {
				for _, x := range []int64{1<<shift - 1, 1 << shift, -1 << shift} {
					v := make([]int64, n)
					v[at] = x
					var want []byte
					for _, x := range v {
						want = binary.AppendUvarint(want, uint64(x))
					}
					dst := make([]byte, len(want)+64)
					written, taken := PackVarints(dst, v)
					if taken != 0 && (taken != n || !bytes.Equal(dst[:written], want)) {
						t.Fatalf("%d: % x for %d values, want % x", v, dst[:written], taken, want)
					}
				}
			}
		}
	}
}

func BenchmarkPackVarints(b *testing.B) {
	for _, size := range []struct {
		name   string
		lo, hi int
	}{{"1", 0, 7}, {"1-3", 0, 21}, {"3", 14, 21}, {"mixed", 0, 63}} {
		for _, n := range []int{4, 64, 1024} {
			rnd := rand.New(rand.NewPCG(7, 7))
			v := make([]int64, n)
			for i := range v {
				v[i] = int64(rnd.Uint64() >> (64 - size.lo - 1 - rnd.IntN(size.hi-size.lo)))
			}
			dst := make([]byte, 10*n+64)
			b.Run(fmt.Sprintf("bytes=%s/n=%d", size.name, n), func(b *testing.B) {
				for b.Loop() {
					PackVarints(dst, v)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/value")
			})
		}
	}
}
