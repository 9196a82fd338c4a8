package wire

import (
	"math/rand/v2"
	"testing"
)

// TestUnpack decodes lists of varints of a range of sizes: what the fast paths tell
// apart.
func TestUnpack(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for range 60_000 {
		lo := r.IntN(10)
		hi := lo + r.IntN(10-lo)
		var b []byte
		for range r.IntN(20) {
			b = AppendVarint(b, 1<<(7*(lo+r.IntN(hi-lo+1)))|r.Uint64()>>(1+r.IntN(63)))
		}
		checkInt64s(t, b)
		if len(b) > 0 {
			checkInt64s(t, b[:r.IntN(len(b))])
			b[r.IntN(len(b))] ^= 0x80
			checkInt64s(t, b)
		}
	}
}
