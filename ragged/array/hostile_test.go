package array_test

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/ragged/array"
)

// TestClaims gives operations small operands and huge numbers: sizes beyond any memory, some of
// which fit an int.
func TestClaims(t *testing.T) {
	x := must(ragged.FromSlices[int64]([][]int64{{1, 2}, {3}}))(t)
	scalar, none := ragged.Scalar[int64](1), ragged.Vector[int64]()
	word := must(ragged.FromSlices[string]([][]string{slicesOf(1<<10, "a")}))(t)
	wide := must(ragged.Dense(make([]int64, 1<<17), 1, 1<<17))(t)
	same := make([]int64, 1<<17) // one long row, taken many times
	for _, huge := range []int{1 << (strconv.IntSize - 6), math.MaxInt / 16, math.MaxInt/16 + 1, math.MaxInt} {
		for name, run := range map[string]func() error{
			"tile":       func() error { return second(array.Tile(x, huge, 1)) },
			"tile rows":  func() error { return second(array.Tile(x, 1, huge)) },
			"tile dense": func() error { return second(array.Tile(ragged.Vector(1), huge)) },
			"tile uniform": func() error {
				return second(array.Tile(must(ragged.New([]int{1}, nil, must(ragged.Uniform(1, 1))(t)))(t), 1, huge))
			},
			"one hot":        func() error { return second(array.OneHot(x, huge, -1, 1, 0)) },
			"sequence mask":  func() error { return second(array.SequenceMask(x, huge)) },
			"a great length": func() error { return second(array.SequenceMask(ragged.Vector(huge, huge, huge), -1)) },
			"range":          func() error { return second(array.RangeTo(ragged.Scalar(huge))) },
			"ranges":         func() error { return second(array.RangeTo(ragged.Vector(huge, huge))) },
			"float range":    func() error { return second(array.RangeTo(ragged.Scalar(float64(huge)))) },
			"split":          func() error { return second(array.Split(none, 0, huge)) },
			"split sizes":    func() error { return second(array.SplitSizes(none, 0, huge, huge)) },
			"partitions":     func() error { return second(array.StackDynamicPartitions(none, none, huge)) },
			"dynamic":        func() error { return second(array.DynamicPartition(none, none, huge)) },
			"sparse rows":    func() error { return second(array.SparseRows(ragged.Sparse[int64]{Shape: []int64{int64(huge), 1}})) },
			"map rows":       func() error { return second(array.MapRowsDense(x, identity, []int{huge})) },
			"cross": func() error {
				f := array.Strings(word)
				return second(array.Cross(f, f, f, f))
			},
			"cross hashed": func() error {
				f := array.Strings(word)
				return second(array.CrossHashed(nil, f, f, f, f, f, f))
			},
			"gather": func() error { return second(array.Gather(wide, ragged.Vector(same...), nil)) },
			"gather ragged": func() error {
				return second(array.Gather(must(ragged.FromDense(wide, 1))(t), ragged.Vector(same...), nil))
			},
			"gather nd": func() error {
				return second(array.GatherND(wide, must(ragged.Dense(same, len(same), 1))(t)))
			},
			"where": func() error {
				return second(array.Where(ragged.Scalar(true), wide, must(ragged.Dense(same, len(same), 1))(t)))
			},
		} {
			err := run()
			if !errors.Is(err, ragged.ErrShape) && !errors.Is(err, ragged.ErrPartition) && !errors.Is(err, ragged.ErrIndex) {
				t.Errorf("%s of %d: %v", name, huge, err)
			} else if text := err.Error(); strings.Contains(text, "\n") || len(text) > 300 {
				t.Errorf("%s of %d: %q", name, huge, text)
			}
		}
	}
	if got, err := array.OneHot(scalar, 0, -1, 1, 0); err != nil || got.Size() != 0 {
		t.Errorf("one hot of no depth: %v, %v", got, err)
	}
}

func second[T any](_ T, err error) error { return err }

func slicesOf[T any](n int, v T) []T {
	out := make([]T, n)
	for i := range out {
		out[i] = v
	}
	return out
}

func identity(t ragged.Tensor[int64]) (ragged.Tensor[int64], error) { return t, nil }

// TestNothing gives every operation tensors without values: rows of length 0, no rows, items of
// size 0, five levels. No operation may panic, and every result is valid.
func TestNothing(t *testing.T) {
	zero := must(ragged.Uniform(0, 3))(t)
	for name, x := range map[string]ragged.Tensor[int64]{
		"no rows":         must(ragged.FromSlices[int64]([][]int64{}))(t),
		"empty rows":      must(ragged.FromSlices[int64]([][]int64{{}, {}, {}}))(t),
		"uniform rows":    must(ragged.New[int64](nil, nil, zero))(t),
		"empty items":     must(ragged.New[int64](nil, []int{2, 0}, must(ragged.FromRowLengths([]int64{2, 0, 1}))(t)))(t),
		"uniform of none": must(ragged.New[int64](nil, nil, must(ragged.Uniform(4, 0))(t)))(t),
		"dense":           must(ragged.Dense[int64](nil, 3, 0))(t),
		"dense, no rows":  must(ragged.Dense[int64](nil, 0, 3))(t),
		"zero value":      {},
		"vector":          ragged.Vector[int64](),
		"levels": must(ragged.New[int64](nil, nil, must(ragged.Uniform(2, 1))(t), must(ragged.FromRowLengths([]int64{0, 3}))(t), zero,
			must(ragged.Uniform(1, 0))(t), must(ragged.FromRowSplits([]int64{0}))(t)))(t),
	} {
		flags := ragged.Map(x, func(int64) bool { return true })
		ones := slicesOf(x.Rank(), 1)
		sound := func(op string, y ragged.Tensor[int64], err error) {
			t.Helper()
			if err == nil && (y.Validate() != nil || y.Size() != 0) {
				t.Errorf("%s: %s: %v: %v", name, op, y, y.Validate())
			}
		}
		fine := func(op string, y ragged.Tensor[int64], err error) {
			t.Helper()
			if err != nil {
				t.Errorf("%s: %s: %v", name, op, err)
			}
			sound(op, y, err)
		}
		try := func(op string) func(ragged.Tensor[int64], error) {
			return func(y ragged.Tensor[int64], err error) { t.Helper(); fine(op, y, err) }
		}
		try("tile")(array.Tile(x, ones...))
		try("where")(array.Where(flags, x, x))
		try("mask")(array.BooleanMask(x, flags))
		try("gather nothing")(array.Gather(x, ragged.Vector[int](), nil))
		try("stack")(array.Stack(0, x, x))
		try("last stack")(array.Stack(-1, x, x))
		try("sort")(array.Sort(x, true), nil)
		try("argsort")(array.Argsort(x, false), nil)
		try("coordinates")(array.Coordinates(flags))
		try("one hot")(array.OneHot(x, 3, -1, int64(1), 0))
		try("rows where")(array.WhereRows(make([]bool, x.Len()), x, x))
		try("map")(array.MapRowsDense(x, func(ragged.Tensor[int64]) (ragged.Tensor[int64], error) { return ragged.Vector[int64](), nil }, []int{0}))
		for axis := range x.Rank() {
			try("expand")(array.ExpandDims(x, axis))
			many := append([]int(nil), ones...)
			many[axis] = 3
			try("tile axis")(array.Tile(x, many...))
			many[axis] = 0
			try("tile away")(array.Tile(x, many...))
			y, err := array.Reverse(x, []int{axis})
			fine("reverse axis", y, err)
			y, err = array.Squeeze(x, []int{axis})
			sound("squeeze", y, err)
			y, err = array.Gather(x, ragged.Vector[int](), &array.GatherOptions{Axis: axis})
			fine("gather axis", y, err)
			// These may fail, as empty rows have no position 0. They must not panic.
			_, _ = array.Gather(x, ragged.Vector(0), &array.GatherOptions{Axis: axis})
			_, _ = array.Split(x, axis, 2)
			_, _ = array.SplitSizes(x, axis)
		}
		y, err := array.Unique(x)
		sound("unique", y, err)
		y, _, err = array.TopK(x, 3)
		sound("top k", y, err)
		mask, err := array.SequenceMask(x, -1)
		if err != nil || mask.Size() != 0 {
			t.Errorf("%s: sequence mask: %v, %v", name, mask, err)
		}
		y, err = array.StackDynamicPartitions(x, x, 0)
		fine("partitions", y, err)
		_, _, _ = array.FillEmptyRows(x, 1)
		y, err = array.Gather(x, x, &array.GatherOptions{BatchDims: -1})
		sound("batch gather", y, err)
		_, _ = array.GatherND(x, x)
		_, _ = array.Cross(array.Ints(x), array.Ints(x))
		_, _ = array.CrossHashed(nil, array.Ints(x))
	}
}
