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

// reductions are the reductions of int8, with their definitions.
var reductions = map[string]struct {
	run func(ragged.Tensor[int8], num.Axes) (ragged.Tensor[int8], error)
	def fold
}{
	"sum":  {num.Sum[int8], fold{0, func(a, b int8) int8 { return a + b }}},
	"prod": {num.Prod[int8], fold{1, func(a, b int8) int8 { return a * b }}},
	"min":  {num.Min[int8], fold{math.MaxInt8, func(a, b int8) int8 { return min(a, b) }}},
	"max":  {num.Max[int8], fold{math.MinInt8, func(a, b int8) int8 { return max(a, b) }}},
	"or": {
		func(t ragged.Tensor[int8], over num.Axes) (ragged.Tensor[int8], error) {
			return num.Reduce(t, over, 0, func(a, b int8) int8 { return a | b })
		},
		fold{0, func(a, b int8) int8 { return a | b }},
	},
}

// part returns t, or in half of the calls a view of some rows of t.
func part(r *rand.Rand, t ragged.Tensor[int8]) ragged.Tensor[int8] {
	if t.Rank() == 0 || r.IntN(2) == 0 {
		return t
	}
	lo := r.IntN(t.Len() + 1)
	return t.Slice(lo, lo+r.IntN(t.Len()+1-lo))
}

// uniformBelow returns the sizes of the axes below the partitions, for nests.
func uniformBelow[T any](t ragged.Tensor[T]) []int {
	if t.RaggedRank() == 0 && t.Rank() > 0 {
		return t.Shape()[1:]
	}
	return t.InnerShape()
}

func TestReduceAgainstLoops(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 3000 {
		x := part(r, random(t, r))
		if x.Rank() == 0 {
			continue
		}
		axis := r.IntN(x.Rank())
		for name, op := range reductions {
			got := must(op.run(x, num.Over(axis)))(t)
			sameNest(t, got, op.def.along(nestOf(x), axis, x.Rank(), uniformBelow(x)), "%s of %v over %d", name, x, axis)
			if back := must(op.run(x, num.Over(axis-x.Rank())))(t); !ragged.Equal(got, back) {
				t.Fatalf("%s of %v over %d: from the end %v, wanted %v", name, x, axis, back, got)
			}
		}
	}
}

// TestReduceSeveralAxes compares with reductions over single axes, the last first.
func TestReduceSeveralAxes(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 1))
	for range 3000 {
		x := part(r, random(t, r))
		axes := r.Perm(x.Rank())[:r.IntN(x.Rank()+1)]
		down := slices.Sorted(slices.Values(axes))
		slices.Reverse(down)
		for name, op := range reductions {
			want, kept := x, x
			for _, axis := range down {
				want = must(op.run(want, num.Over(axis)))(t)
				kept = must(op.run(kept, num.Over(axis).Keep()))(t)
			}
			if got := must(op.run(x, num.Over(axes...)))(t); !ragged.Equal(got, want) {
				t.Fatalf("%s of %v over %v: got %v, want %v", name, x, axes, got, want)
			}
			got := must(op.run(x, num.Over(axes...).Keep()))(t)
			if !ragged.Equal(got, kept) || got.Rank() != x.Rank() {
				t.Fatalf("%s of %v over %v, kept: got %v, want %v", name, x, axes, got, kept)
			}
			// A row without items has no items on the axes below either.
			if len(axes) > 0 && x.Size() > 0 && got.Shape()[slices.Min(axes)] != 1 {
				t.Fatalf("%s of %v over %v, kept: got the shape %v", name, x, axes, got.Shape())
			}
			// A result with a kept axis broadcasts with the operand, unless the rows that were
			// combined differ in length.
			if len(axes) == 1 && axes[0] >= x.RaggedRank() {
				if _, err := num.Sub(x, got); err != nil {
					t.Fatalf("%v - its %s over %v, kept: %v", x, name, axes, err)
				}
			}
		}
	}
}

// TestReduceUniform divides dense tensors into uniform rows, and checks that axes stay uniform.
func TestReduceUniform(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	for range 1000 {
		shape := make([]int, 2+r.IntN(3))
		for i := range shape {
			shape[i] = r.IntN(4)
		}
		n := must(ragged.SizeOf(shape))(t)
		values := make([]int8, n)
		for i := range values {
			values[i] = int8(r.IntN(7) - 3)
		}
		dense := must(ragged.Dense(values, shape...))(t)
		levels := 1 + r.IntN(len(shape)-1)
		cut := must(ragged.FromDense(dense, levels))(t)
		axis := r.IntN(len(shape))
		for name, op := range reductions {
			want, got := must(op.run(dense, num.Over(axis)))(t), must(op.run(cut, num.Over(axis)))(t)
			if slices.Contains(shape, 0) {
				continue // the partitions of an empty tensor do not have all sizes
			}
			if !slices.Equal(got.Shape(), want.Shape()) || !slices.Equal(got.Values(), want.Values()) {
				t.Fatalf("%s of %v, cut into %d levels, over %d: got %v of shape %v, want %v of shape %v", name, dense, levels, axis, got, got.Shape(), want, want.Shape())
			}
		}
	}
}

// TestReduceAll reduces over all axes.
func TestReduceAll(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 1))
	for range 500 {
		x := part(r, random(t, r))
		for name, op := range reductions {
			want := op.def.empty
			for i, v := range x.Values() {
				if want = op.def.f(want, v); i == 0 {
					want = v
				}
			}
			got := must(op.run(x, num.OverAll()))(t)
			if got.Rank() != 0 || got.Item() != want {
				t.Fatalf("%s of %v: got %v, want %d", name, x, got, want)
			}
			kept := must(op.run(x, num.OverAll().Keep()))(t)
			if !slices.Equal(kept.Shape(), slices.Repeat([]int{1}, x.Rank())) || kept.Item() != want {
				t.Fatalf("%s of %v, kept: got %v of shape %v", name, x, kept, kept.Shape())
			}
			if same := must(op.run(x, num.Over()))(t); !ragged.Equal(same, x) {
				t.Fatalf("%s of %v over nothing: %v", name, x, same)
			}
		}
	}
}

// TestMean compares with the sum divided by the number of values, for integers and floats of all
// types.
func TestMean(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 1))
	for range 2000 {
		x := part(r, random(t, r))
		over := num.OverAll()
		if r.IntN(4) > 0 {
			over = num.Over(r.Perm(x.Rank())[:r.IntN(x.Rank()+1)]...)
		}
		if r.IntN(2) == 0 {
			over = over.Keep()
		}
		wide := must(num.Cast[float64](x))(t)
		sum := must(num.Sum(wide, over))(t)
		squares := must(num.Sum(num.Square(wide), over))(t)
		n := must(num.Sum(num.FilledLike(x, 1.0), over))(t)
		want := must(num.Div[float64](sum, n))(t)
		same := func(name string, got ragged.Tensor[float64], err error, want ragged.Tensor[float64]) {
			t.Helper()
			if err != nil || !ragged.EqualFunc(got, want, func(a, b float64) bool { return alike(a, b, 1e-12) }) {
				t.Fatalf("%s of %v over %v: got %v, %v, want %v", name, x, over, got, err, want)
			}
		}
		got, err := num.Mean[float64](wide, over)
		same("mean of floats", got, err, want)
		got, err = num.Mean[float64](x, over)
		same("mean of integers", got, err, want)
		unsigned := ragged.Map(x, func(v int8) uint16 { return uint16(v) + 100 })
		got, err = num.Mean[float64](unsigned, over)
		same("mean of unsigned integers", got, err, ragged.Map(want, func(v float64) float64 { return v + 100 }))
		whole, err := num.Mean[int16](x, over)
		if err != nil || !ragged.EqualFunc(whole, want, func(a int16, b float64) bool {
			return math.IsNaN(b) && a == 0 || float64(a) == math.Trunc(b)
		}) {
			t.Fatalf("mean of %v over %v as integers: got %v, %v, want %v", x, over, whole, err, want)
		}
		variance := must(ragged.Zip(must(num.Div[float64](squares, n))(t), want, func(a, b float64) float64 { return max(a-b*b, 0) }))(t)
		got, err = num.Variance[float64](wide, over)
		same("variance", got, err, variance)
		got, err = num.Variance[float64](x, over)
		same("variance of integers", got, err, variance)
		got, err = num.Std[float64](wide, over)
		same("standard deviation", got, err, num.Sqrt(variance))
		got, err = num.Std[float64](x, over)
		same("standard deviation of integers", got, err, num.Sqrt(variance))
	}
}

// TestSmallIntegersDoNotWrap computes means and variances of values whose sum overflows their type.
func TestSmallIntegersDoNotWrap(t *testing.T) {
	x := must(ragged.FromSlices[int8]([][]int8{{100, 100, 100, 100}, {-128}}))(t)
	if got := must(num.Mean[float32](x, num.Over(1)))(t).Values(); !slices.Equal(got, []float32{100, -128}) {
		t.Errorf("mean %v", got)
	}
	if got := must(num.Variance[float32](x, num.Over(1)))(t).Values(); !slices.Equal(got, []float32{0, 0}) {
		t.Errorf("variance %v", got)
	}
	if got := must(num.Sum(x, num.Over(1)))(t).Values(); got[0] != 400-512 {
		t.Errorf("sum %v: a sum wraps", got)
	}
}

// TestFloatExtremes reduces NaN, infinities and signed zeros.
func TestFloatExtremes(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	x := must(ragged.FromSlices[float32]([][]float32{{inf}, {-inf}, {}, {1, nan}, {nan, 1}, {inf, -inf}, {0, float32(math.Copysign(0, -1))}}))(t)
	check := func(name string, got ragged.Tensor[float32], err error, want ...float32) {
		t.Helper()
		same := func(a, b float32) bool {
			return a != a && b != b || a == b && math.Signbit(float64(a)) == math.Signbit(float64(b))
		}
		if err != nil || !slices.EqualFunc(got.Values(), want, same) {
			t.Errorf("%s: got %v, %v, want %v", name, got.Values(), err, want)
		}
	}
	negative := float32(math.Copysign(0, -1))
	got, err := num.Min(x, num.Over(1))
	check("min", got, err, inf, -inf, math.MaxFloat32, nan, nan, -inf, negative)
	got, err = num.Max(x, num.Over(1))
	check("max", got, err, inf, -inf, -math.MaxFloat32, nan, nan, inf, negative)
	got, err = num.Sum(x, num.Over(1))
	check("sum", got, err, inf, -inf, 0, nan, nan, nan, 0)

	none := must(ragged.FromSlices[float32]([][]float32{{}}))(t)
	got, err = num.Min(none, num.OverAll())
	check("min of nothing", got, err, inf)
	got, err = num.Max(none, num.OverAll())
	check("max of nothing", got, err, -inf)
	got, err = num.Mean[float32](none, num.OverAll())
	check("mean of nothing", got, err, nan)
	flat := must(ragged.Dense([]float32{}, 2, 0))(t)
	got, err = num.Max(flat, num.Over(1))
	check("max along a uniform axis", got, err, -inf, -inf)

	wide := must(ragged.FromSlices[float64]([][]float64{{}}))(t)
	if got := must(num.Min(wide, num.Over(1)))(t).Item(); got != math.MaxFloat64 {
		t.Errorf("min of no float64: %v", got)
	}
	// Seven equal values, whose squares round up, must not have a variance below 0.
	equal := must(ragged.FromSlices[float32]([][]float32{slices.Repeat([]float32{0.214441}, 7)}))(t)
	got, err = num.Std[float32](equal, num.Over(1))
	check("standard deviation of equal values", got, err, 0)
}

// TestIntegerExtremes reduces the limits of all integer types.
func TestIntegerExtremes(t *testing.T) {
	testIntegerExtremes[int8](t, math.MinInt8, math.MaxInt8)
	testIntegerExtremes[int16](t, math.MinInt16, math.MaxInt16)
	testIntegerExtremes[int32](t, math.MinInt32, math.MaxInt32)
	testIntegerExtremes[int64](t, math.MinInt64, math.MaxInt64)
	testIntegerExtremes[int](t, math.MinInt, math.MaxInt)
	testIntegerExtremes[uint8](t, 0, math.MaxUint8)
	testIntegerExtremes[uint16](t, 0, math.MaxUint16)
	testIntegerExtremes[uint32](t, 0, math.MaxUint32)
	testIntegerExtremes[uint64](t, 0, math.MaxUint64)
	testIntegerExtremes[uint](t, 0, math.MaxUint)
}

func testIntegerExtremes[T num.Integer](t *testing.T, least, greatest T) {
	none := must(ragged.FromSlices[T]([][]T{{}, {3, 5}}))(t)
	if got := must(num.Min(none, num.Over(1)))(t).Values(); !slices.Equal(got, []T{greatest, 3}) {
		t.Errorf("min of %T: %v", least, got)
	}
	if got := must(num.Max(none, num.Over(1)))(t).Values(); !slices.Equal(got, []T{least, 5}) {
		t.Errorf("max of %T: %v", least, got)
	}
}

func TestAnyAndAll(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 1))
	for range 1000 {
		x := part(r, random(t, r))
		over := num.Over(r.Perm(x.Rank())[:r.IntN(x.Rank()+1)]...)
		is := ragged.Map(x, func(v int8) bool { return v > 0 })
		ones := ragged.Map(is, func(v bool) int8 {
			if v {
				return 1
			}
			return 0
		})
		truth := func(v int8) bool { return v > 0 }
		if got, want := must(num.Any(is, over))(t), ragged.Map(must(num.Max(ones, over))(t), truth); !ragged.Equal(got, want) {
			t.Fatalf("any of %v over %v: got %v, want %v", is, over, got, want)
		}
		if got, want := must(num.All(is, over))(t), ragged.Map(must(num.Min(ones, over))(t), truth); !ragged.Equal(got, want) {
			t.Fatalf("all of %v over %v: got %v, want %v", is, over, got, want)
		}
	}
}

func TestReduceErrors(t *testing.T) {
	x := must(ragged.FromSlices[int32]([][]int32{{1, 2}, {3}}))(t)
	var axis *ragged.AxisError
	for _, over := range []num.Axes{num.Over(2), num.Over(-3), num.Over(0, 5)} {
		if _, err := num.Sum(x, over); !errors.As(err, &axis) || !errors.Is(err, ragged.ErrIndex) {
			t.Errorf("sum over %v: %v", over, err)
		}
		if _, err := num.Mean[float64](x, over); !errors.As(err, &axis) {
			t.Errorf("mean over %v: %v", over, err)
		}
	}
	_, err := num.Max(x, num.Over(1, -1))
	if want := "maximum: ragged: index out of range: axis 1 is given twice"; err == nil || err.Error() != want {
		t.Errorf("an axis given twice: got %v, want %s", err, want)
	}
	_, err = num.Sum(x, num.Over(2))
	if want := "sum: ragged: index out of range: axis: want from -2 to 1, got 2"; err == nil || err.Error() != want {
		t.Errorf("an axis that is not there: got %v, want %s", err, want)
	}
	// A result that is too large.
	huge := must(ragged.New([]int32{}, []int{math.MaxInt / 32}, must(ragged.FromRowSplits(make([]int64, 4)))(t)))(t)
	if _, err := num.Sum(huge, num.Over(1)); !errors.Is(err, ragged.ErrShape) {
		t.Errorf("a result too large to count: %v", err)
	}
}

// TestOverIsAValue changes the slice that Over was given.
func TestOverIsAValue(t *testing.T) {
	x := must(ragged.FromSlices[int32]([][]int32{{1, 2}, {3}}))(t)
	axes := []int{1}
	over := num.Over(axes...)
	axes[0] = 0
	if got := must(num.Sum(x, over))(t).Values(); !slices.Equal(got, []int32{3, 3}) {
		t.Errorf("got %v", got)
	}
}

// TestReduceAllocations checks that reductions allocate only their result.
func TestReduceAllocations(t *testing.T) {
	x := must(ragged.New(make([]float32, 1<<16), nil, must(ragged.Uniform(16, 1<<12))(t)))(t)
	for name, f := range map[string]struct {
		run  func()
		most uint64
	}{
		"sum":    {func() { _, _ = num.Sum(x, num.Over(1)) }, 4 << 12},
		"mean":   {func() { _, _ = num.Mean[float32](x, num.Over(1)) }, 8 << 12},
		"cumsum": {func() { _, _ = num.CumSum(x, 1, nil) }, 4 << 16},
	} {
		if n := testing.AllocsPerRun(10, f.run); n > 10 {
			t.Errorf("%s: %v allocations", name, n)
		}
		if got := bytesPerRun(f.run); got > f.most+1000 {
			t.Errorf("%s: %d bytes, at most %d", name, got, f.most)
		}
	}
}
