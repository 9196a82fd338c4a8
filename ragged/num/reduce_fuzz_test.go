package num_test

import (
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/ragged/num"
)

// FuzzReductions gives reductions any tensor, any axes and any IDs. The results equal those of loops
// over nested slices, or are errors that wrap an error of package ragged.
func FuzzReductions(f *testing.F) {
	f.Add(uint64(1), 0, 1, int64(2), int64(0))
	f.Add(uint64(2), -1, -2, int64(0), int64(-1))
	f.Add(uint64(3), 5, 0, int64(1)<<40, int64(1)<<62)
	f.Fuzz(func(t *testing.T, seed uint64, axis, other int, size, id int64) {
		n := int(size)
		r := rand.New(rand.NewPCG(seed, 6))
		x := part(r, random(t, r))
		rank := x.Rank()
		valid := axis >= -rank && axis < rank
		at := axis
		if at < 0 {
			at += rank
		}
		for name, op := range reductions {
			got, err := op.run(x, num.Over(axis))
			if (err == nil) != valid || err != nil && !errors.Is(err, ragged.ErrIndex) {
				t.Fatalf("%s of %v over %d: %v", name, x, axis, err)
			}
			if err == nil {
				sameNest(t, got, op.def.along(nestOf(x), at, rank, uniformBelow(x)), "%s of %v over %d", name, x, axis)
			}
			if got, err := op.run(x, num.Over(axis, other).Keep()); err == nil && got.Rank() != rank {
				t.Fatalf("%s of %v over %d and %d, kept: %v", name, x, axis, other, got)
			}
		}
		kinds := func(what string, err error) {
			t.Helper()
			if err != nil && !errors.Is(err, ragged.ErrIndex) && !errors.Is(err, ragged.ErrShape) && !errors.Is(err, ragged.ErrValue) {
				t.Fatalf("%s of %v: an error of no kind: %v", what, x, err)
			}
		}
		opts := num.CumulativeOptions{Exclusive: seed&1 == 0, Reverse: seed&2 == 0}
		sums, err := num.CumSum(x, axis, &opts)
		kinds("cumulative sum", err)
		if err == nil && !ragged.SameShape(sums, x) {
			t.Fatalf("cumulative sum of %v over %d: %v", x, axis, sums)
		}
		_, err = num.Cast[float32](x)
		kinds("cast", err)
		if n < 1<<20 { // more rows would take too much memory
			ids := make([]int64, r.IntN(4))
			for i := range ids {
				ids[i] = id
			}
			got, err := num.SegmentMean[float32](x, ragged.Vector(ids...), n)
			kinds("segment mean", err)
			if err == nil && got.Len() != n {
				t.Fatalf("segment mean of %v by %v into %d: %v", x, ids, n, got)
			}
			counts := num.BincountOptions{PerRow: seed&4 == 0, MaxLength: new(n), MinLength: other % 100, Binary: seed&8 == 0}
			_, err = num.Bincount[int16](ragged.Vector(ids...), &counts)
			kinds("bincount", err)
			_, err = num.SparseBincount(x, &counts)
			kinds("sparse bincount", err)
		}
	})
}
