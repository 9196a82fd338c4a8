package testkit

import (
	"encoding/binary"
	"math/bits"
	"math/rand/v2"
)

// CollidingNames returns n different names of 29 ASCII characters that a hash of fixed factors
// puts into one place: it multiplied the first, the last and a sum of the other words of an
// entry. They are what an attacker would send to a program that hashes names like that.
func CollidingNames(n int) []string {
	const factor, sum = 0xd6e8feb86659fd93, 0x5ca1ab1e0ddba11
	r := rand.New(rand.NewPCG(1, 32_000))
	out := make([]string, 0, n)
	for len(out) < n {
		first := r.Uint64() & 0x7f7f7f7f7f7f7f7f
		second := sum - bits.RotateLeft64(first, 23)*factor
		if second&0x8080808080808080 != 0 {
			continue
		}
		name := binary.LittleEndian.AppendUint64([]byte("prefix"), first)
		name = binary.LittleEndian.AppendUint64(name, second)
		out = append(out, string(append(name, "/suffix"...)))
	}
	return out
}
