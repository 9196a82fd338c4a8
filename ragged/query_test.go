package ragged_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/ragged/internal/operand"
)

// TestNestedFactories follows TensorFlow's table, in every encoding.
func TestNestedFactories(t *testing.T) {
	ten := ragged.Vector(10, 11, 12, 13, 14, 15, 16, 17, 18, 19)
	for _, c := range []struct {
		items        ragged.Tensor[int]
		splits       [][]int64
		lengths, ids [][]int64
		nrows        []int64
		want         string
		wantShape    []int
	}{
		{
			ragged.Vector(3, 1, 4, 1, 5, 9, 2, 6),
			[][]int64{{0, 3, 3, 5}, {0, 4, 4, 7, 8, 8}},
			[][]int64{{3, 0, 2}, {4, 0, 3, 1, 0}}, [][]int64{{0, 0, 0, 2, 2}, {0, 0, 0, 0, 2, 2, 2, 3}}, []int64{3, 5},
			"[[[3, 1, 4, 1], [], [5, 9, 2]], [], [[6], []]]", []int{3, -1, -1},
		},
		{
			ten, [][]int64{{0, 1, 1, 5}, {0, 3, 3, 5, 9, 10}},
			[][]int64{{1, 0, 4}, {3, 0, 2, 4, 1}}, [][]int64{{0, 2, 2, 2, 2}, {0, 0, 0, 2, 2, 3, 3, 3, 3, 4}}, []int64{3, 5},
			"[[[10, 11, 12]], [], [[], [13, 14], [15, 16, 17, 18], [19]]]", []int{3, -1, -1},
		},
		{
			must(ragged.Dense([]int{1, 3, 0, 0, 1, 3, 5, 3, 3, 3, 1, 2}, 6, 2))(t),
			[][]int64{{0, 3, 4, 6}}, [][]int64{{3, 1, 2}}, [][]int64{{0, 0, 0, 1, 2, 2}}, []int64{3},
			"[[[1, 3], [0, 0], [1, 3]], [[5, 3]], [[3, 3], [1, 2]]]", []int{3, -1, 2},
		},
	} {
		var splits, lengths, ids []ragged.Partition
		for i := range c.splits {
			splits = append(splits, must(ragged.FromRowSplits(c.splits[i]))(t))
			lengths = append(lengths, must(ragged.FromRowLengths(c.lengths[i]))(t))
			ids = append(ids, must(ragged.FromValueRowIDs(c.ids[i], c.nrows[i]))(t))
		}
		got := []ragged.Tensor[int]{}
		for _, parts := range [][]ragged.Partition{splits, lengths, ids} {
			got = append(got, must(ragged.Wrap(c.items, parts...))(t))
		}
		for i, x := range got {
			if x.Summary(-1) != c.want || !slices.Equal(x.Shape(), c.wantShape) || x.Validate() != nil {
				t.Errorf("factory %d: got %v of shape %v, want %s", i, x, x.Shape(), c.want)
			}
		}
	}
	_, err := ragged.FromRowLengths([]int64{5, -5})
	if want := "ragged: invalid row partition: row_lengths[1]: want at least 0, got -5"; !errors.Is(err, ragged.ErrPartition) || err.Error() != want {
		t.Errorf("got %v", err)
	}
	for name, err := range map[string]error{
		"levels that do not chain": second(ragged.Wrap(ten, must(ragged.FromRowSplits([]int64{0, 3}))(t), must(ragged.FromRowSplits([]int64{0, 10}))(t))),
		"too few items":            second(ragged.Wrap(ten, must(ragged.FromRowSplits([]int64{0, 9}))(t))),
	} {
		if !errors.Is(err, ragged.ErrShape) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	// An ID and a number of rows of 2^63-1 must not overflow to 0 rows.
	if _, err := ragged.FromValueRowIDs([]int64{1<<63 - 1}, 1<<63-1); !errors.Is(err, ragged.ErrPartition) {
		t.Errorf("got %v", err)
	}
}

func second[T any](_ T, err error) error { return err }

// TestWrapOther puts partitions around other items.
func TestWrapOther(t *testing.T) {
	x := must(ragged.FromSlices[int]([][][]int{{{1}, {2, 3}}, {}}))(t)
	letters := ragged.Vector("a", "b", "c")
	if got := must(ragged.Wrap(letters, x.Partitions()...))(t); got.Summary(-1) != "[[['a'], ['b', 'c']], []]" {
		t.Error(got)
	}
	if got := must(ragged.Wrap(ragged.Vector("a", "b"), x.Partition(0)))(t); got.Summary(-1) != "[['a', 'b'], []]" {
		t.Error(got)
	}
	deep := must(ragged.FromSlices[bool]([][]bool{{true}, {}, {false}}))(t)
	if got := must(ragged.Wrap(deep, x.Partitions()...))(t); got.Summary(-1) != "[[[[true]], [[], [false]]], []]" || got.RaggedRank() != 3 {
		t.Error(got)
	}
	// A view returns its own rows, not those of the tensor that it views.
	if got := must(ragged.Wrap(ragged.Vector[int](), x.Slice(1, 2).Partitions()...))(t); got.Summary(-1) != "[[]]" {
		t.Error(got)
	}
	if got := must(operand.Like(x.Row(0), []string{"a", "b", "c"}))(t); got.Summary(-1) != "[['a'], ['b', 'c']]" {
		t.Error(got)
	}
	for name, err := range map[string]error{
		"too few items":      second(ragged.Wrap(ragged.Vector(1), x.Partition(0))),
		"too many items":     second(ragged.Wrap(ragged.Vector(1, 2, 3, 4), x.Partitions()...)),
		"a scalar":           second(ragged.Wrap(ragged.Scalar(1), x.Partition(0))),
		"too few values":     second(operand.Like(x, []int{1})),
		"chain broken above": second(ragged.Wrap(x, ragged.Partition{})),
	} {
		if !errors.Is(err, ragged.ErrShape) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// TestFromDenseNested gives FromDense nested lengths, as in TensorFlow's table.
func TestFromDenseNested(t *testing.T) {
	box := must(ragged.Dense([]int{5, 0, 7, 0, 0, 0, 0, 0, 3, 0, 0, 0, 6, 0, 0, 0, 0, 0}, 3, 3, 2))(t)
	got := must(ragged.FromDenseNested(box, []int64{2, 0, 3}, []int64{1, 1, 2, 0, 1}))(t)
	if got.Summary(-1) != "[[[5], [7]], [], [[6, 0], [], [0]]]" || got.Validate() != nil {
		t.Error(got)
	}
}

// TestMixedConcat joins dense and ragged tensors.
func TestMixedConcat(t *testing.T) {
	x := must(ragged.FromSlices[string]([][]string{{"a"}, {"b", "c"}}))(t)
	open := must(ragged.Dense([]string{"(", "("}, 2, 1))(t)
	shut := must(ragged.Dense([]string{")", ")"}, 2, 1))(t)
	got := must(ragged.Concat(-1, open, x, shut))(t)
	if got.Summary(-1) != "[['(', 'a', ')'], ['(', 'b', 'c', ')']]" || !slices.Equal(got.Shape(), []int{2, -1}) {
		t.Errorf("got %v of shape %v", got, got.Shape())
	}
	uniform := must(ragged.FromDense(open, 1))(t)
	if got := must(ragged.Concat(1, uniform, uniform))(t); !slices.Equal(got.Shape(), []int{2, 2}) || got.RaggedRank() != 1 {
		t.Errorf("got %v of shape %v", got, got.Shape())
	}
}

// TestConcatSparse checks that entries move by the sizes of the preceding operands.
func TestConcatSparse(t *testing.T) {
	a := must(ragged.FromSlices[string]([][]string{{"a"}, {"b", "c"}}))(t).Sparse()
	b := must(ragged.FromSlices[string]([][]string{{"d", "e"}, {}}))(t).Sparse()
	got := must(must(ragged.ConcatSparse(1, a, b))(t).Dense("-"))(t)
	if got.Summary(-1) != "[['a', '-', 'd', 'e'], ['b', 'c', '-', '-']]" {
		t.Error(got)
	}
	got = must(must(ragged.ConcatSparse(-2, a, b))(t).Dense("-"))(t)
	if got.Summary(-1) != "[['a', '-'], ['b', 'c'], ['d', 'e'], ['-', '-']]" {
		t.Error(got)
	}
}

// TestAxisError checks that the error names the argument and the accepted range.
func TestAxisError(t *testing.T) {
	_, err := running(t).RowLengths(2)
	if e, ok := errors.AsType[*ragged.AxisError](err); !ok || e.Axis != 2 || e.Limit != 2 || !errors.Is(err, ragged.ErrIndex) {
		t.Errorf("got %v", err)
	}
	if want := "ragged: index out of range: row lengths: axis: want from -2 to 1, got 2"; err.Error() != want {
		t.Errorf("got %v", err)
	}
}
