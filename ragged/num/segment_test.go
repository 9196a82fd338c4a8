package num_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/ragged/num"
)

var segments = map[string]struct {
	run func(ragged.Tensor[int8], ragged.Tensor[int32], int) (ragged.Tensor[int8], error)
	def fold
}{
	"sum":  {num.SegmentSum[int8, int32], reductions["sum"].def},
	"prod": {num.SegmentProd[int8, int32], reductions["prod"].def},
	"min":  {num.SegmentMin[int8, int32], reductions["min"].def},
	"max":  {num.SegmentMax[int8, int32], reductions["max"].def},
}

// outer returns IDs in the shape of the outermost axes of a tensor, all 0.
func outer(t testing.TB, x ragged.Tensor[int8], axes int) ragged.Tensor[int32] {
	t.Helper()
	if axes == 0 {
		return ragged.Scalar[int32](0)
	}
	parts := x.Partitions()
	levels := min(axes-1, len(parts))
	items := x.Len()
	if levels > 0 {
		items = parts[levels-1].NumValues()
	}
	inner := uniformBelow(x)[:axes-1-levels]
	n := items
	for _, size := range inner {
		n *= size
	}
	return must(ragged.Wrap(must(ragged.Dense(make([]int32, n), append([]int{items}, inner...)...))(t), parts[:levels]...))(t)
}

// collect appends each nest to the nests of its ID.
func collect(n nest, id nest, into [][]nest) {
	if id.leaf {
		if id.value >= 0 {
			into[id.value] = append(into[id.value], n)
		}
		return
	}
	for i, k := range id.kids {
		collect(n.kids[i], k, into)
	}
}

func TestSegmentsAgainstLoops(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		x := part(r, random(t, r))
		axes := r.IntN(x.Rank() + 1)
		if x.RaggedRank() > 0 {
			axes = max(axes, 1) // every row needs an ID
		}
		ids := outer(t, x, axes)
		inner := uniformBelow(x)
		if axes == 0 {
			inner = x.Shape()
		}
		n := 1 + r.IntN(4)
		least := int32(0)
		if axes > x.RaggedRank() {
			least = -1
		}
		ids = ragged.Map(ids, func(int32) int32 { return least + r.Int32N(int32(n)-least) })
		for name, op := range segments {
			got := must(op.run(x, ids, n))(t)
			groups := make([][]nest, n)
			collect(nestOf(x), nestOf(ragged.Map(ids, func(i int32) int8 { return int8(i) })), groups)
			want := nest{}
			for _, g := range groups {
				want.kids = append(want.kids, op.def.over(g, x.Rank()-axes, inner))
			}
			sameNest(t, got, want, "segment %s of %v by %v into %d", name, x, ids, n)
		}
		wide := must(num.Cast[float64](x))(t)
		sum, count := must(num.SegmentSum(wide, ids, n))(t), must(num.SegmentSum(num.FilledLike(x, 1.0), ids, n))(t)
		near := func(a, b float64) bool { return alike(a, b, 1e-12) }
		want := must(num.Div[float64](sum, count))(t)
		if got := must(num.SegmentMean[float64](wide, ids, n))(t); !ragged.EqualFunc(got, want, near) {
			t.Fatalf("segment mean of %v by %v: got %v, want %v", x, ids, got, want)
		}
		if got := must(num.SegmentMean[float64](x, ids, n))(t); !ragged.EqualFunc(got, want, near) {
			t.Fatalf("segment mean of %v by %v: got %v, want %v", x, ids, got, want)
		}
		want = must(num.Div[float64](sum, num.Sqrt(count)))(t)
		if got := must(num.SegmentSqrtN(wide, ids, n))(t); !ragged.EqualFunc(got, want, near) {
			t.Fatalf("segment sqrt n of %v by %v: got %v, want %v", x, ids, got, want)
		}
	}
}

func TestSegmentMeanOfUnsigned(t *testing.T) {
	x := ragged.Vector[uint8](200, 100, 50)
	got := must(num.SegmentMean[float32](x, ragged.Vector(0, 0, 1), 3))(t).Values()
	if got[0] != 150 || got[1] != 50 || !math.IsNaN(float64(got[2])) {
		t.Errorf("got %v", got)
	}
}

func TestSegmentErrors(t *testing.T) {
	x := must(ragged.FromSlices[int32]([][]int32{{1, 2}, {3}}))(t)
	like := must(ragged.FromSlices[int64]([][]int64{{0, 7}, {1}}))(t)
	other := must(ragged.FromSlices[int64]([][]int64{{0}, {1, 1}}))(t)
	for name, c := range map[string]struct {
		err  error
		want error
	}{
		"too few ids":         {second(num.SegmentSum(x, ragged.Vector(0), 2)), ragged.ErrShape},
		"too many ids":        {second(num.SegmentSum(x, ragged.Vector(0, 1, 1), 2)), ragged.ErrShape},
		"one id for all rows": {second(num.SegmentSum(x, ragged.Scalar(0), 2)), ragged.ErrShape},
		"other rows":          {second(num.SegmentSum(x, other, 2)), ragged.ErrShape},
		"ragged ids of dense": {second(num.SegmentSum(x.Flat(), like, 2)), ragged.ErrShape},
		"dense ids of ragged": {second(num.SegmentSum(x, must(ragged.Dense([]int64{0, 0, 0, 0}, 2, 2))(t), 2)), ragged.ErrShape},
		"negative number":     {second(num.SegmentSum(x, ragged.Vector(0, 0), -1)), ragged.ErrShape},
		"uncountable number":  {second(num.SegmentSum(x, ragged.Vector(0, 0), math.MaxInt)), ragged.ErrShape},
		"negative id of rows": {second(num.SegmentSum(x, ragged.Vector(0, -1), 2)), ragged.ErrValue},
		"id of rows":          {second(num.SegmentSum(x, ragged.Vector(0, 2), 2)), ragged.ErrValue},
		"large unsigned id":   {second(num.SegmentSum(x, ragged.Vector[uint64](0, math.MaxUint64), 2)), ragged.ErrValue},
		"id of no segments":   {second(num.SegmentSum(x.Flat(), ragged.Vector(0, 0, 0), 0)), ragged.ErrValue},
	} {
		if !errors.Is(c.err, c.want) {
			t.Errorf("%s: %v", name, c.err)
		}
	}
	_, err := num.SegmentMax(x, like, 3)
	var at *ragged.ValueError
	if !errors.As(err, &at) || !slices.Equal(at.At, []int{0, 1}) || at.Got != int64(7) {
		t.Errorf("an id that is too large: %v", err)
	}
}
