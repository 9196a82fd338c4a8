package ragged_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/ragged"
)

// huge is a number that no operation may allocate, and that fits an int.
const huge = 1 << (strconv.IntSize - 6)

// TestClaims gives every operation a number that nothing stands behind.
func TestClaims(t *testing.T) {
	long, _ := ragged.FromRowLengths([]int64{1 << 15, 0})
	wide := make([]int64, 1<<17+1) // one row of 32768 values among empty ones
	for i := range wide[1:] {
		wide[i+1] = 1 << 15
	}
	tall := check(ragged.New(make([]byte, 1<<15), nil, check(ragged.FromRowSplits(wide))))
	nothing := check(ragged.New[int8](nil, nil, check(ragged.Uniform(huge, 0))))
	column := check(ragged.Dense(make([]int8, 1<<16), 1<<16, 1))
	for name, err := range map[string]error{
		"rows of no ids":             second(ragged.FromValueRowIDs(nil, huge)),
		"a row too many":             second(ragged.FromValueRowIDs([]int64{0}, ragged.MaxEmptyRows+2)),
		"rows of most":               second(ragged.FromValueRowIDs(nil, math.MaxInt64)),
		"negative rows":              second(ragged.FromValueRowIDs(nil, math.MinInt64)),
		"the last id":                second(ragged.FromValueRowIDs([]int64{huge})),
		"the greatest id":            second(ragged.FromValueRowIDs([]int64{math.MaxInt64})),
		"empty uniform rows":         second(ragged.Uniform(0, ragged.MaxEmptyRows+1)),
		"uniform rows":               second(ragged.Uniform(2, math.MaxInt64)),
		"a negative length":          second(ragged.Uniform(math.MinInt64, 1)),
		"rows for nothing":           second(ragged.FromUniformRowLength(0, 5)),
		"starts":                     second(ragged.FromRowStarts([]int64{0, math.MaxInt64}, math.MaxInt64)),
		"limits":                     second(ragged.FromRowLimits([]int64{math.MaxInt64})),
		"lengths that overflow":      second(ragged.FromRowLengths([]int64{math.MaxInt64, math.MaxInt64, 2})),
		"splits":                     second(ragged.FromRowSplits([]int64{0, math.MaxInt64})),
		"dense rows of nothing":      second(ragged.Dense[int](nil, huge, 0)),
		"items of nothing":           second(ragged.New[int](nil, []int{0}, check(ragged.Uniform(1, huge)))),
		"cells of nothing":           second(ragged.New[int](nil, []int{huge, 0}, check(ragged.Uniform(1, 2)))),
		"uniform axes that overflow": second(ragged.Wrap(nothing, check(ragged.Uniform(huge, 0)))),
		"a sparse shape":             second(ragged.FromSparse(ragged.Sparse[int]{Shape: []int64{huge, 1}})),
		"sparse to dense":            second(ragged.Sparse[int]{Shape: []int64{huge, 1}}.Dense(0)),
		"sparse sizes that overflow": second(ragged.Sparse[int]{Shape: []int64{huge, huge, huge}}.Dense(0)),
		"sparse of sums":             second(ragged.ConcatSparse(0, ragged.Sparse[int]{Shape: []int64{math.MaxInt64}}, ragged.Sparse[int]{Shape: []int64{1}})),
		"a box":                      second(ragged.Vector(1).ToDense(ragged.Tensor[int]{}, huge)),
		"boxes that overflow":        second(check(ragged.New([]int{1}, nil, check(ragged.Uniform(1, 1)))).ToDense(ragged.Tensor[int]{}, huge, huge)),
		"one long row":               second(tall.ToDense(ragged.Tensor[byte]{})),
		"lists of nothing":           second(ragged.ToSlices[[][]int8](check(ragged.Dense[int8](nil, ragged.MaxEmptyRows, 0)))),
		"a long concatenation":       second(ragged.Concat(1, check(ragged.Dense[int](nil, 0, huge)), check(ragged.Dense[int](nil, 0, huge)), check(ragged.Dense[int](nil, 0, huge)))),
		"a sum of all":               second(ragged.Zip(column, check(ragged.Dense(make([]int8, 1<<16), 1, 1<<16)), func(a, b int8) int8 { return a })),
		"a sum of rows":              second(ragged.Zip(check(ragged.New(make([]int8, 1<<15), []int{1}, long)), check(ragged.Dense(make([]int8, 1<<17), 1<<17)), func(a, b int8) int8 { return a })),
		"a wide broadcast":           second(ragged.BroadcastTo(ragged.Scalar(1), check(ragged.Dense(make([]struct{}, huge), huge)))),
		"a key beyond":               second(ragged.Vector(1).Index(ragged.At(math.MinInt))),
		"keys for no axes":           second(ragged.Vector(1).Index(ragged.At(0), ragged.At(0))),
		"no step":                    second(ragged.Vector(1).Index(ragged.SliceAll().By(0))),
		"an axis":                    second(ragged.Vector(1).RowLengths(math.MinInt)),
		"axes":                       second(ragged.Vector(1).MergeDims(math.MaxInt, math.MinInt)),
	} {
		if err == nil {
			t.Errorf("%s: accepted", name)
			continue
		}
		if !errors.Is(err, ragged.ErrPartition) && !errors.Is(err, ragged.ErrShape) && !errors.Is(err, ragged.ErrIndex) {
			t.Errorf("%s: %v is none of our errors", name, err)
		}
		if text := err.Error(); strings.Contains(text, "\n") || len(text) > 300 {
			t.Errorf("%s: %q", name, text)
		}
	}
}

// TestOneLongRow pads a batch in which one row is much longer than the others: data, not
// a mistake of the program, so it is an error with what was wanted and what is allowed.
func TestOneLongRow(t *testing.T) {
	lengths := make([]int64, 8192)
	for i := range lengths {
		lengths[i] = 1
	}
	lengths[17] = 1 << 20
	values := make([]int64, 8191+1<<20)
	x := check(ragged.New(values, nil, check(ragged.FromRowLengths(lengths))))
	_, _, err := x.Dense(-1)
	limit := 4096 * (len(values) + len(lengths))
	if e, ok := errors.AsType[*ragged.SizeError](err); !ok || !slices.Equal(e.Sizes, []int{8192, 1 << 20}) || strconv.IntSize == 64 && e.Limit != limit || !errors.Is(err, ragged.ErrShape) {
		t.Errorf("want a SizeError of %d by %d values and a limit of %d, got %v", 8192, 1<<20, limit, err)
	}
	if _, err := x.ToDense(ragged.Tensor[int64]{}); err == nil || !strings.Contains(err.Error(), "to dense: ragged: values do not fit the shape: sizes [8192 1048576] make more than ") {
		t.Errorf("ToDense: got %v", err)
	}
	// Cut to a width that fits, it is fine, and so is writing it into memory of one's own.
	if d, err := x.ToDense(ragged.Scalar[int64](-1), -1, 3); err != nil || !slices.Equal(d.Shape(), []int{8192, 3}) {
		t.Errorf("cut: shape %v, %v", d.Shape(), err)
	}
	s := x.Sparse()
	if _, err := s.Dense(0); err == nil {
		t.Error("Sparse.Dense: no error")
	} else if e, ok := errors.AsType[*ragged.SizeError](err); !ok || !slices.Equal(e.Sizes, []int{8192, 1 << 20}) {
		t.Errorf("Sparse.Dense: got %v", err)
	}
}

// TestEmptyButLarge is about tensors of no values that are legal: all of them work, in
// little time.
func TestEmptyButLarge(t *testing.T) {
	const rows = 1 << 16
	for name, x := range map[string]ragged.Tensor[int32]{
		"no rows of pictures": check(ragged.Dense[int32](nil, 0, 2160, 3840, 3)),
		"no rows, no columns": check(ragged.Dense[int32](nil, 0, 0, huge/2)),
		"dense":               check(ragged.Dense[int32](nil, rows, 0)),
		"uniform":             check(ragged.New[int32](nil, nil, check(ragged.Uniform(0, rows)))),
		"uniform twice":       check(ragged.New[int32](nil, nil, check(ragged.Uniform(2, rows)), check(ragged.Uniform(0, 2*rows)))),
		"ragged":              check(ragged.New[int32](nil, nil, check(ragged.FromValueRowIDs(nil, rows)))),
		"inner":               check(ragged.New[int32](nil, []int{0, 3}, check(ragged.Uniform(2, rows)))),
		"five levels": check(ragged.New[int32](nil, []int{2}, check(ragged.Uniform(3, 0)), check(ragged.FromRowSplits([]int64{0})), check(ragged.Uniform(2, 0)),
			check(ragged.FromRowLengths(nil)), ragged.Partition{})),
	} {
		if err := x.Validate(); err != nil || x.Size() != 0 {
			t.Errorf("%s: %v, %d values", name, err, x.Size())
		}
		if s := fmt.Sprint(x); len(s) > 2000 {
			t.Errorf("%s: %%v has %d bytes", name, len(s))
		}
		if s := x.String(); x.RaggedRank() == 0 && len(s) > 2000 {
			t.Errorf("%s: String has %d bytes", name, len(s))
		}
		b := check(json.Marshal(x))
		var back ragged.Tensor[int32]
		if err := json.Unmarshal(b, &back); err != nil || !ragged.Equal(x, back) {
			t.Errorf("%s: %s: %v", name, b[:min(len(b), 100)], err)
		}
		if got := check(ragged.Concat(0, x, x)); got.Len() != 2*x.Len() || got.Validate() != nil {
			t.Errorf("%s: concatenated %v", name, got)
		}
		if got := check(ragged.Zip(x, ragged.Scalar[int32](1), func(a, b int32) int32 { return a + b })); !ragged.SameShape(x, got) {
			t.Errorf("%s: with a scalar %v", name, got)
		}
		if got := check(ragged.Zip(x, x, func(a, b int32) int32 { return a + b })); !ragged.SameShape(x, got) {
			t.Errorf("%s: with itself %v", name, got)
		}
		for axis := range x.Rank() {
			lengths := check(x.RowLengths(axis - x.Rank()))
			if lengths.Rank() != axis {
				t.Errorf("%s: row lengths of axis %d: %v", name, axis, lengths)
			}
			if got := check(x.MergeDims(0, axis)); got.Size() != 0 {
				t.Errorf("%s: merged up to %d: %v", name, axis, got)
			}
			if got := check(ragged.Concat(axis, x, x)); got.Size() != 0 || got.Validate() != nil {
				t.Errorf("%s: concatenated on axis %d: %v", name, axis, got)
			}
		}
		for _, keys := range [][]ragged.Key{
			{ragged.SliceAll().By(-1)}, {ragged.SliceAll(), ragged.Slice(math.MinInt, math.MaxInt)}, {ragged.NewAxis()}, {ragged.Ellipsis(), ragged.SliceTo(-1)},
			{ragged.SliceAll().By(math.MinInt), ragged.SliceAll().By(math.MaxInt)}, {ragged.SliceAll(), ragged.NewAxis(), ragged.SliceFrom(math.MaxInt)},
		} {
			if got := check(x.Index(keys...)); got.Size() != 0 || got.Validate() != nil {
				t.Errorf("%s%v: %v", name, keys, got)
			}
		}
		if s := x.Sparse(); len(s.Values) != 0 || len(s.Indices) != 0 || len(s.String()) > 500 || len(fmt.Sprint(s)) > 500 {
			t.Errorf("%s: sparse %v", name, s)
		}
		if got := check(x.ToDense(ragged.Tensor[int32]{})); got.Size() != 0 || got.RaggedRank() != 0 {
			t.Errorf("%s: dense %v", name, got)
		}
	}
}

// TestSparseOfHugeShape: the shape of a sparse tensor may be as large as a hash.
func TestSparseOfHugeShape(t *testing.T) {
	s := ragged.Sparse[string]{Indices: []int64{0, 0, 0, 1, 2, 0}, Values: []string{"a", "b", "c"}, Shape: []int64{3, math.MaxInt}}
	got := check(ragged.FromSparse(s))
	if want := check(ragged.FromSlices[string]([][]string{{"a", "b"}, {}, {"c"}})); !ragged.Equal(got, want) {
		t.Errorf("%v", got)
	}
	both, err := ragged.ConcatSparse(0, s, s)
	if err != nil || both.Shape[0] != 6 || fmt.Sprint(both.Indices) != "[0 0 0 1 2 0 3 0 3 1 5 0]" {
		t.Errorf("%v, %v", both, err)
	}
	bad := ragged.Sparse[int]{Indices: []int64{1}, Values: []int{1, 2}, Shape: []int64{2, 2}}
	if text := bad.String(); !strings.Contains(text, "want 4 coordinates") {
		t.Errorf("what does not fit: %s", text)
	}
}

// TestConcatSparseOrder joins columns, whose entries lie between each other.
func TestConcatSparseOrder(t *testing.T) {
	a := ragged.Sparse[int]{Indices: []int64{0, 1, 1, 0}, Values: []int{1, 2}, Shape: []int64{2, 2}}
	b := ragged.Sparse[int]{Indices: []int64{0, 0, 1, 2}, Values: []int{3, 4}, Shape: []int64{2, 3}}
	got, err := ragged.ConcatSparse(-1, a, b)
	if err != nil || fmt.Sprint(got.Indices, got.Values, got.Shape) != "[0 1 0 2 1 0 1 4] [1 3 2 4] [2 5]" {
		t.Errorf("%v at %v in %v, %v", got.Values, got.Indices, got.Shape, err)
	}
	if a.Indices[1] != 1 || b.Indices[1] != 0 {
		t.Error("the operands are changed")
	}
}

// A nest is slices without an innermost element.
type nest []nest

// TestEndlessTypes refuses types that have no innermost element.
func TestEndlessTypes(t *testing.T) {
	for _, v := range []any{nest{nil}, nest(nil), []nest{}, [2]nest{}} {
		if x, err := ragged.FromSlices[int64](v); !errors.Is(err, ragged.ErrShape) {
			t.Errorf("%T: got %v, %v, want ErrShape", v, x, err)
		}
	}
	if _, err := ragged.ToSlices[nest](ragged.Vector[int64](1)); !errors.Is(err, ragged.ErrShape) {
		t.Errorf("to slices: got %v, want ErrShape", err)
	}
	// A slice may be the element itself.
	if x, err := ragged.FromSlices[nest]([]nest{{nil}, nil}); err != nil || x.Len() != 2 || x.Rank() != 1 {
		t.Errorf("got %v, %v, want a vector of 2", x.Shape(), err)
	}
}
