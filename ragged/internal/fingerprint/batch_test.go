package fingerprint

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// words are strings of lengths from 0 to limit in random order.
func words(n, limit int) []string {
	rnd := rand.New(rand.NewPCG(1, uint64(n)))
	out := make([]string, n)
	for i := range out {
		b := make([]byte, rnd.IntN(limit+1))
		for j := range b {
			b[j] = byte(rnd.Uint32())
		}
		out[i] = string(b)
	}
	return out
}

// TestAll compares All with Of: strings of every length, in slices shorter than a block, as long as
// a block and longer. All must not write beyond the last hash.
func TestAll(t *testing.T) {
	for _, n := range []int{0, 1, 31, 32, 255, 256, 257, 511, 512, 1000} {
		for _, limit := range []int{0, 3, 40, 200} {
			values := words(n, limit)
			got := make([]uint64, n+1)
			All(got, values)
			for i, s := range values {
				if want := Of(s); got[i] != want {
					t.Fatalf("%d strings: %q: want %#x, got %#x", n, s, want, got[i])
				}
			}
			if got[n] != 0 {
				t.Fatalf("%d strings: one more was written", n)
			}
		}
	}
}

func BenchmarkAll(b *testing.B) {
	for _, limit := range []int{7, 16, 30, 100} {
		values := words(100_000, limit)
		all := strings.Join(values, "") // neighbours in memory, as in a column
		for i, s := range values {
			values[i], all = all[:len(s)], all[len(s):]
		}
		dst := make([]uint64, len(values))
		b.Run(fmt.Sprintf("longest=%d/way=all", limit), func(b *testing.B) {
			for b.Loop() {
				All(dst, values)
			}
		})
		b.Run(fmt.Sprintf("longest=%d/way=one", limit), func(b *testing.B) {
			for b.Loop() {
				for i, s := range values {
					dst[i] = Of(s)
				}
			}
		})
	}
}
