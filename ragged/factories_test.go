package ragged_test

import (
	"errors"
	"math"
	"testing"

	"github.com/tfparse/tfparse/ragged"
)

// TestOneStepFactories makes the same rows in one step from every encoding, without being
// told a number of values.
func TestOneStepFactories(t *testing.T) {
	items := ragged.Vector(1, 2, 3, 4)
	want := must(ragged.FromNestedRowSplits(items, []int64{0, 2, 2, 3}, []int64{0, 1, 1, 4}))(t)
	for name, got := range map[string]ragged.Tensor[int]{
		"starts": must(ragged.FromNestedRowStarts(items, []int64{0, 2, 2}, []int64{0, 1, 1}))(t),
		"limits": must(ragged.FromNestedRowLimits(items, []int64{2, 2, 3}, []int64{1, 1, 4}))(t),
		"ids":    must(ragged.FromNestedValueRowIDs(items, [][]int64{{0, 0, 2}, {0, 2, 2, 2}}, nil))(t),
	} {
		if !ragged.Equal(got, want) {
			t.Errorf("%s: want %v, got %v", name, want, got)
		}
	}
	box := must(ragged.FromNestedUniform(items, 1, 2))(t)
	if got := box.Summary(-1); got != "[[[1, 2]], [[3, 4]]]" {
		t.Errorf("uniform: got %s", got)
	}
	if n, ok := box.Partition(1).UniformLen(); n != 2 || !ok {
		t.Errorf("uniform: length %d, %v", n, ok)
	}
	if p := must(ragged.FromValueRowIDs([]int64{0, 0, 2}))(t); p.NumRows() != 3 || p.RowLen(1) != 0 {
		t.Errorf("ids: %d rows", p.NumRows())
	}
	if p := must(ragged.FromValueRowIDs(nil))(t); p.NumRows() != 0 {
		t.Errorf("no ids: %d rows", p.NumRows())
	}
	for name, err := range map[string]error{
		"a length that leaves values over": second(ragged.FromNestedUniform(items, 3)),
		"starts beyond the items":          second(ragged.FromNestedRowStarts(items, []int64{0, 5})),
		"limits that end early":            second(ragged.FromNestedRowLimits(items, []int64{3})),
		"starts of a scalar":               second(ragged.FromNestedRowStarts(ragged.Scalar(1), []int64{0})),
		"rows of a scalar":                 second(ragged.FromNestedUniform(ragged.Scalar(1), 1)),
		"two numbers of rows":              second(ragged.FromValueRowIDs([]int64{0}, 1, 1)),
		"a great id":                       second(ragged.FromValueRowIDs([]int64{math.MaxInt64})),
		"a negative id":                    second(ragged.FromValueRowIDs([]int64{-1})),
	} {
		if !errors.Is(err, ragged.ErrPartition) && !errors.Is(err, ragged.ErrShape) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}
