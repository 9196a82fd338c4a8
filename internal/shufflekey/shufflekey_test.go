package shufflekey

import (
	"math/rand/v2"
	"testing"
)

// At returns the same number as the generator of the standard library at that position.
func TestAt(t *testing.T) {
	for _, seed := range []uint64{0, 1, 1<<64 - 1} {
		want := rand.NewPCG(seed, stream)
		for i := range uint64(5000) {
			if n := want.Uint64(); n != At(seed, i).Uint64() {
				t.Fatalf("seed %d: number %d is not %d", seed, i, n)
			}
		}
		// At a distant position, a second jump must agree with single steps.
		far := uint64(1)<<40 + 12345
		p := At(seed, far)
		for i := range uint64(100) {
			if n := p.Uint64(); n != At(seed, far+i).Uint64() {
				t.Fatalf("seed %d: number %d is not %d", seed, far+i, n)
			}
		}
	}
}
