package numbers

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestChunk packs keys of every width into chunks of every small size, and compares the bytes with
// a loop over single keys.
func TestChunk(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 1))
	for width := 1; width <= 8; width++ {
		for _, count := range []int{1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 63, 64, 65, 100, chunkSize} {
			largest := uint64(math.MaxUint64) >> (64 - 8*width)
			least := uint64(0)
			if width < 8 {
				least = rnd.Uint64N(math.MaxUint64 - largest)
			}
			keys := make([]uint64, count)
			for i := range keys {
				keys[i] = least + rnd.Uint64N(largest)
			}
			keys[rnd.IntN(count)] = least + largest // so that every byte is needed
			c := newChunk(keys, least, least+largest, 0)
			var want []byte
			for _, k := range keys {
				for b := range width {
					want = append(want, byte((k-least)>>(8*b)))
				}
			}
			if c.width != width || !slices.Equal(c.packed, want) {
				t.Fatalf("%d keys of %d bytes are packed as % x, want % x", count, width, c.packed, want)
			}
			var s scratch
			if got := c.keys(&s); !slices.Equal(got, keys) {
				t.Fatalf("%d keys of %d bytes: unpacked %x, want %x", count, width, got, keys)
			}
		}
	}
}
