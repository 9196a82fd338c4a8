package ragged_test

import (
	"errors"
	"math"
	"testing"

	"github.com/tfparse/tfparse/ragged"
)

// TestFactories makes the same two levels of rows from every encoding.
func TestFactories(t *testing.T) {
	items := ragged.Vector(1, 2, 3, 4)
	want := must(ragged.Wrap(items, must(ragged.FromRowSplits([]int64{0, 2, 2, 3}))(t), must(ragged.FromRowSplits([]int64{0, 1, 1, 4}))(t)))(t)
	for name, parts := range map[string][2]ragged.Partition{
		"lengths": {must(ragged.FromRowLengths([]int64{2, 0, 1}))(t), must(ragged.FromRowLengths([]int64{1, 0, 3}))(t)},
		"starts":  {must(ragged.FromRowStarts([]int64{0, 2, 2}, 3))(t), must(ragged.FromRowStarts([]int64{0, 1, 1}, 4))(t)},
		"limits":  {must(ragged.FromRowLimits([]int64{2, 2, 3}))(t), must(ragged.FromRowLimits([]int64{1, 1, 4}))(t)},
		"ids":     {must(ragged.FromValueRowIDs([]int64{0, 0, 2}, 3))(t), must(ragged.FromValueRowIDs([]int64{0, 2, 2, 2}, 3))(t)},
	} {
		if got := must(ragged.Wrap(items, parts[:]...))(t); !ragged.Equal(got, want) {
			t.Errorf("%s: want %v, got %v", name, want, got)
		}
	}
	box := must(ragged.Wrap(items, must(ragged.FromUniformRowLength(1, 2))(t), must(ragged.FromUniformRowLength(2, 4))(t)))(t)
	if got := box.Summary(-1); got != "[[[1, 2]], [[3, 4]]]" {
		t.Errorf("uniform: got %s", got)
	}
	if n, ok := box.Partition(1).UniformLen(); n != 2 || !ok {
		t.Errorf("uniform: length %d, %v", n, ok)
	}
	if p := must(ragged.FromValueRowIDs([]int64{0, 0, 2}, 3))(t); p.NumRows() != 3 || p.RowLen(1) != 0 {
		t.Errorf("ids: %d rows", p.NumRows())
	}
	if p := must(ragged.FromValueRowIDs(nil, 0))(t); p.NumRows() != 0 {
		t.Errorf("no ids: %d rows", p.NumRows())
	}
	for name, err := range map[string]error{
		"a length that leaves values over": second(ragged.FromUniformRowLength(3, 4)),
		"starts beyond the items":          second(ragged.FromRowStarts([]int64{0, 5}, 4)),
		"limits that end early":            second(ragged.Wrap(items, must(ragged.FromRowLimits([]int64{3}))(t))),
		"rows of a scalar":                 second(ragged.Wrap(ragged.Scalar(1), must(ragged.FromRowStarts([]int64{0}, 1))(t))),
		"a negative number of rows":        second(ragged.FromValueRowIDs(nil, -1)),
		"a great id":                       second(ragged.FromValueRowIDs([]int64{math.MaxInt64}, math.MaxInt64)),
		"a negative id":                    second(ragged.FromValueRowIDs([]int64{-1}, 1)),
	} {
		if !errors.Is(err, ragged.ErrPartition) && !errors.Is(err, ragged.ErrShape) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}
