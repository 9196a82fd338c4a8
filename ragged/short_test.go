package ragged

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

// TestShortRows compares the fast path for short rows with the reference path. The memory after
// the rows must not change.
func TestShortRows(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 3))
	for round := range 300 {
		splits := rowsOf(rnd, round%40)
		first, last := int(splits[0]), int(splits[len(splits)-1])
		n := last - first
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
				copyShort(dst, src[splits[r]:], k)
				dst = dst[k:]
			}
		})
		check("repeat", repeated, func(dst []int64) {
			for r := range len(splits) - 1 {
				k := int(splits[r+1] - splits[r])
				fillShort(dst, int64(r), k)
				dst = dst[k:]
			}
		})
		check("writePairs", pairs, func(dst []int64) { writePairs(dst, splits) })

		// The coordinates of a view, by the code for any tensor and by the code for pairs.
		x := Tensor[int64]{values: src[first:], parts: []Partition{{splits: splits}}, hi: len(splits) - 1}
		if n == 0 {
			continue
		}
		lo := rnd.IntN(x.Len())
		x = x.Slice(lo, x.Len())
		s := x.Sparse()
		c := coordinateWriter{dst: make([]int64, len(s.Indices)), at: make([]int64, 2), parts: x.parts, shape: x.BoundingShape()}
		want := c.dst
		c.writeItems(0, x.lo, x.hi)
		if !slices.Equal(s.Indices, want) {
			t.Fatalf("sparse: rows %v from %d: want %v, got %v", splits, lo, want, s.Indices)
		}
	}
}
