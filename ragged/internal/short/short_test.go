package short

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// rowsOf makes row splits of short rows, and sometimes a long row.
func rowsOf(rnd *rand.Rand, rows int) []int64 {
	splits := []int64{int64(rnd.IntN(5))}
	for range rows {
		n := rnd.IntN(11)
		if rnd.IntN(20) == 0 {
			n = rnd.IntN(50)
		}
		splits = append(splits, splits[len(splits)-1]+int64(n))
	}
	return splits
}

// TestRows compares with loops over values. The memory after the rows must not change.
func TestRows(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 3))
	for round := range 300 {
		splits := rowsOf(rnd, round%40)
		last := int(splits[len(splits)-1])
		src := make([]int64, last)
		for i := range src {
			src[i] = rnd.Int64()
		}
		var copied, repeated, pairs []int64
		for r := range len(splits) - 1 {
			for i := splits[r]; i < splits[r+1]; i++ {
				copied = append(copied, src[i])
				repeated = append(repeated, int64(r))
				pairs = append(pairs, int64(r), i-splits[r])
			}
		}
		const canary = 0x5ca1ab1e
		check := func(name string, want []int64, write func(dst []int64)) {
			t.Helper()
			all := slices.Repeat([]int64{canary}, len(want)+20)
			write(all[:len(want)])
			if !slices.Equal(all[:len(want)], want) {
				t.Fatalf("%s: rows %v: want %v, got %v", name, splits, want, all[:len(want)])
			}
			if slices.ContainsFunc(all[len(want):], func(v int64) bool { return v != canary }) {
				t.Fatalf("%s: rows %v: wrote into the memory behind", name, splits)
			}
		}
		check("put", copied, func(dst []int64) {
			for r := range len(splits) - 1 {
				k := int(splits[r+1] - splits[r])
				Copy(dst, src[splits[r]:], k)
				dst = dst[k:]
			}
		})
		check("repeat", repeated, func(dst []int64) {
			for r := range len(splits) - 1 {
				k := int(splits[r+1] - splits[r])
				Fill(dst, int64(r), k)
				dst = dst[k:]
			}
		})
		check("Pairs", pairs, func(dst []int64) { Pairs(dst, splits) })

	}
}
