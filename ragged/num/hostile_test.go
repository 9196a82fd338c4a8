package num_test

import (
	"errors"
	"math"
	"strconv"
	"testing"

	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/ragged/num"
)

// TestClaims gives operations huge numbers, and operands without values whose sizes would make a
// large result.
func TestClaims(t *testing.T) {
	x := must(ragged.FromSlices[int64]([][]int64{{1, 2}, {3}}))(t)
	none := ragged.Vector[int64]()
	for _, huge := range []int{1 << (strconv.IntSize - 6), math.MaxInt / 16} {
		wide := must(ragged.Dense[int64](nil, 0, huge))(t)                                                       // no rows
		items := must(ragged.New[int64](nil, []int{huge / 2}, must(ragged.FromRowLengths([]int64{0, 0}))(t)))(t) // two empty rows
		for name, err := range map[string]error{
			"segments":         second(num.SegmentSum(none, none, huge)),
			"segment rows":     second(num.SegmentSum(x, ragged.Vector(0, 1), huge)),
			"segment means":    second(num.SegmentMean[float32](none, none, huge)),
			"counts":           second(num.Bincount[int64](x, &num.BincountOptions{MinLength: huge})),
			"a great value":    second(num.Bincount[int64](ragged.Vector(huge), nil)),
			"a great limit":    second(num.Bincount[int64](ragged.Vector(huge), &num.BincountOptions{MaxLength: new(huge)})),
			"weights":          second(num.BincountWeighted(ragged.Vector(huge), ragged.Vector(1.5), nil)),
			"sum of no rows":   second(num.Sum(wide, num.Over(0))),
			"mean of none":     second(num.Mean[float64](items, num.Over(1))),
			"max of none":      second(num.Max(items, num.Over(1).Keep())),
			"cumulated":        second(num.CumSum(x, math.MinInt, nil)),
			"sum of all pairs": second(num.Add(must(ragged.Dense(make([]int64, 1<<16), 1<<16, 1))(t), ragged.Vector(make([]int64, 1<<16)...))),
			"comparison":       second(num.Less(must(ragged.Dense(make([]int64, 1<<16), 1<<16, 1))(t), ragged.Vector(make([]int64, 1<<16)...))),
		} {
			if !errors.Is(err, ragged.ErrShape) && !errors.Is(err, ragged.ErrIndex) {
				t.Errorf("%s of %d: %v", name, huge, err)
			}
		}
		// A few great values have a small result.
		if s, err := num.SparseBincount(ragged.Vector(huge-1, 0), nil); err != nil || s.Shape[0] != int64(huge) || len(s.Values) != 2 {
			t.Errorf("sparse: %v, %v", s, err)
		}
	}
}

// TestNothing gives every operation tensors without values. No operation may panic, and every
// result is valid.
func TestNothing(t *testing.T) {
	zero := must(ragged.Uniform(0, 3))(t)
	for name, x := range map[string]ragged.Tensor[float32]{
		"no rows":         must(ragged.FromSlices[float32]([][]float32{}))(t),
		"empty rows":      must(ragged.FromSlices[float32]([][]float32{{}, {}, {}}))(t),
		"uniform rows":    must(ragged.New[float32](nil, nil, zero))(t),
		"empty items":     must(ragged.New[float32](nil, []int{2, 0}, must(ragged.FromRowLengths([]int64{2, 0, 1}))(t)))(t),
		"items of none":   must(ragged.New[float32](nil, []int{2}, must(ragged.FromRowLengths([]int64{0, 0}))(t)))(t),
		"uniform of none": must(ragged.New[float32](nil, nil, must(ragged.Uniform(4, 0))(t)))(t),
		"dense":           must(ragged.Dense[float32](nil, 3, 0))(t),
		"dense, no rows":  must(ragged.Dense[float32](nil, 0, 3))(t),
		"zero value":      {},
		"levels": must(ragged.New[float32](nil, nil, must(ragged.Uniform(2, 1))(t), must(ragged.FromRowLengths([]int64{0, 3}))(t), zero,
			must(ragged.Uniform(1, 0))(t), must(ragged.FromRowSplits([]int64{0}))(t)))(t),
	} {
		flags := num.IsNaN(x)
		ids := ragged.Map(x, func(float32) int64 { return 0 })
		fine := func(op string) func(ragged.Tensor[float32], error) {
			return func(y ragged.Tensor[float32], err error) {
				t.Helper()
				if err != nil || y.Validate() != nil {
					t.Errorf("%s: %s: %v, %v", name, op, y, err)
				}
			}
		}
		for axis := range x.Rank() {
			for _, over := range []num.Axes{num.Over(axis), num.Over(axis - x.Rank()).Keep(), num.Over(), num.OverAll(), num.OverAll().Keep()} {
				fine("sum")(num.Sum(x, over))
				fine("product")(num.Prod(x, over))
				fine("minimum")(num.Min(x, over))
				fine("mean")(num.Mean[float32](x, over))
				fine("std")(num.Std[float32](x, over))
				fine("own")(num.Reduce(x, over, 1, func(a, b float32) float32 { return a * b }))
				if y, err := num.Any(flags, over); err != nil || y.Validate() != nil {
					t.Errorf("%s: any: %v, %v", name, y, err)
				}
			}
			fine("cumulative")(num.CumSum(x, axis, &num.CumulativeOptions{Reverse: true, Exclusive: true}))
		}
		fine("add")(num.Add(x, x))
		fine("pow")(num.Pow(x, ragged.Scalar[float32](2)))
		fine("modulo")(num.FloorMod(x, ragged.Scalar[float32](0)))
		fine("add n")(num.AddN(x, x))
		fine("cast")(num.Cast[float32](ids))
		fine("segments")(num.SegmentMean[float32](x, ids, 2))
		fine("no segments")(num.SegmentSqrtN(x, ids, 0))
		fine("flat")(num.MapFlat(x, func(y ragged.Tensor[float32]) (ragged.Tensor[float32], error) { return y, nil }))
		if y, err := num.Bincount[int32](ids, nil); err != nil || y.Size() != 0 {
			t.Errorf("%s: bincount: %v, %v", name, y, err)
		}
		if y, err := num.Bitcast[int16](x); err != nil || y.Validate() != nil {
			t.Errorf("%s: bitcast: %v, %v", name, y, err)
		}
		_, _ = num.Bincount[int32](ids, &num.BincountOptions{PerRow: true})
		_, _ = num.SparseBincount(ids, &num.BincountOptions{PerRow: true, MaxLength: new(3)})
	}
}

// TestLeastIntegers checks that overflows wrap, as in TensorFlow, and that no operation panics.
func TestLeastIntegers(t *testing.T) {
	least, minus := ragged.Vector[int64](math.MinInt64), ragged.Scalar[int64](-1)
	for name, got := range map[string]ragged.Tensor[int64]{
		"floor divide":    must(num.FloorDiv(least, minus))(t),
		"truncate divide": must(num.TruncDiv(least, minus))(t),
		"abs":             num.Abs(least),
		"negative":        num.Neg(least),
		"multiply":        must(num.Mul(least, minus))(t),
	} {
		if got.Item() != math.MinInt64 {
			t.Errorf("%s: %d", name, got.Item())
		}
	}
	for name, got := range map[string]ragged.Tensor[int64]{
		"floor modulo":    must(num.FloorMod(least, minus))(t),
		"truncate modulo": must(num.TruncMod(least, minus))(t),
		"subtract":        must(num.Sub(least, least))(t),
	} {
		if got.Item() != 0 {
			t.Errorf("%s: %d", name, got.Item())
		}
	}
}
