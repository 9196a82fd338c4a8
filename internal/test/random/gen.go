// Package random makes random specs, and records that fit them or nearly do, for tests
// and for the programs that make vectors.
package random

import "math/rand/v2"

// A Gen makes random decisions. They come from data, so that a fuzzer can steer them,
// and then from a seed.
type Gen struct {
	data []byte
	rnd  *rand.Rand
}

// New returns a Gen of some data, which may be nil, and a seed.
func New(data []byte, seed uint64) *Gen {
	return &Gen{data, rand.New(rand.NewPCG(seed, 1))}
}

// N returns a number from 0 to n-1.
func (g *Gen) N(n int) int {
	if len(g.data) > 0 {
		b := g.data[0]
		g.data = g.data[1:]
		return int(b) % n
	}
	return g.rnd.IntN(n)
}

// OneIn reports true once in n times.
func (g *Gen) OneIn(n int) bool { return g.N(n) == 0 }

// Pick returns one of the values.
func Pick[T any](g *Gen, v ...T) T { return v[g.N(len(v))] }
