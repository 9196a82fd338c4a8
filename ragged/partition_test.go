package ragged_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/tfparse/tfparse/ragged"
)

// TestEncodings converts partitions into every encoding and back.
func TestEncodings(t *testing.T) {
	r := seeded(t, 2)
	for range 500 {
		lengths := make([]int64, r.IntN(6))
		for i := range lengths {
			lengths[i] = int64(r.IntN(4))
		}
		p := must(ragged.FromRowLengths(lengths))(t)
		if r.IntN(2) == 0 { // a view behaves like a copy
			lo := r.IntN(len(lengths) + 1)
			hi := lo + r.IntN(len(lengths)+1-lo)
			p, lengths = p.Rows(lo, hi), lengths[lo:hi]
		}
		if got := p.AppendLengths([]int64{}); !slices.Equal(got, lengths) {
			t.Fatalf("lengths %v became %v", lengths, got)
		}
		nvals := int64(p.NumValues())
		for name, q := range map[string]ragged.Partition{
			"splits":  must(ragged.FromRowSplits(p.AppendSplits(nil)))(t),
			"lengths": must(ragged.FromRowLengths(p.AppendLengths(nil)))(t),
			"limits":  must(ragged.FromRowLimits(p.AppendLimits(nil)))(t),
			"rowids":  must(ragged.FromValueRowIDs(p.AppendValueRowIDs(nil), int64(p.NumRows())))(t),
			"starts":  must(ragged.FromRowStarts(p.AppendStarts(nil), nvals))(t),
		} {
			if !p.Equal(q) || !q.Equal(p) {
				t.Fatalf("through %s, %v became %v", name, p, q)
			}
		}
		offsets := p.AppendOffsets(nil)
		for v, row := range p.AppendValueRowIDs(nil) {
			lo, hi := p.Bounds(int(row))
			if v < lo || v >= hi || int(offsets[v]) != v-lo {
				t.Fatalf("value %d of %v: row %d, offset %d", v, p, row, offsets[v])
			}
		}
	}
}

// TestUniformPartition compares a uniform partition with a partition of equal splits.
func TestUniformPartition(t *testing.T) {
	for rowLen := range int64(4) {
		for nrows := range int64(4) {
			u := must(ragged.Uniform(rowLen, nrows))(t)
			p := must(ragged.FromRowLengths(slices.Repeat([]int64{rowLen}, int(nrows))))(t)
			if !u.Equal(p) || !p.Equal(u) || u.MaxLen() != p.MaxLen() {
				t.Errorf("%v is not %v", u, p)
			}
			if _, ok := p.UniformLen(); ok {
				t.Errorf("%v is uniform because its rows are equal", p)
			}
			if n, ok := u.UniformLen(); !ok || n != int(rowLen) {
				t.Errorf("%v is not uniform", u)
			}
			if rowLen > 0 && !must(ragged.FromUniformRowLength(rowLen, rowLen*nrows))(t).Equal(u) {
				t.Errorf("%d values do not make %v", rowLen*nrows, u)
			}
		}
	}
}

func TestZeroPartition(t *testing.T) {
	var p ragged.Partition
	if p.NumRows() != 0 || p.NumValues() != 0 || !slices.Equal(p.AppendSplits(nil), []int64{0}) || len(p.AppendValueRowIDs(nil)) != 0 {
		t.Errorf("the zero partition has %d rows of %d values", p.NumRows(), p.NumValues())
	}
	if q := must(ragged.FromRowSplits([]int64{0}))(t); !p.Equal(q) || !q.Equal(p) || !p.Rows(0, 0).Equal(q) {
		t.Error("the zero partition is not that of the splits [0]")
	}
	if p.String() != "tf.RowPartition(row_splits=[0])" {
		t.Error(p)
	}
}

// TestInvalidPartitions gives every factory entries that break each of its rules, and checks the
// coordinates in the error.
func TestInvalidPartitions(t *testing.T) {
	const huge = math.MaxInt64
	type call func() (ragged.Partition, error)
	splits := func(s ...int64) call { return func() (ragged.Partition, error) { return ragged.FromRowSplits(s) } }
	lengths := func(s ...int64) call { return func() (ragged.Partition, error) { return ragged.FromRowLengths(s) } }
	limits := func(s ...int64) call { return func() (ragged.Partition, error) { return ragged.FromRowLimits(s) } }
	starts := func(n int64, s ...int64) call {
		return func() (ragged.Partition, error) { return ragged.FromRowStarts(s, n) }
	}
	rowids := func(n int64, s ...int64) call {
		return func() (ragged.Partition, error) { return ragged.FromValueRowIDs(s, n) }
	}
	uniform := func(l, n int64) call { return func() (ragged.Partition, error) { return ragged.Uniform(l, n) } }
	over := func(l, n int64) call {
		return func() (ragged.Partition, error) { return ragged.FromUniformRowLength(l, n) }
	}
	for _, c := range []struct {
		call     call
		encoding string
		index    int
		got      int64
	}{
		{splits(), "row_splits", -1, 0},
		{splits(1, 3), "row_splits", 0, 1},
		{splits(-1), "row_splits", 0, -1},
		{splits(0, 2, 1), "row_splits", 2, 1},
		{splits(0, huge), "row_splits", 1, huge},
		{lengths(3, -1), "row_lengths", 1, -1},
		{lengths(huge), "row_lengths", 0, huge},
		{lengths(1, huge), "row_lengths", 1, huge},
		{lengths(huge/2, huge/2, huge/2), "row_lengths", 0, huge / 2},
		{starts(2, 1, 2), "row_starts", 0, 1},
		{starts(2, 0, 2, 1), "row_starts", 2, 1},
		{starts(2, 0, 3), "row_starts", 1, 3},
		{starts(2), "row_starts", -1, 2},
		{starts(-1), "row_starts", -1, -1},
		{starts(huge, 0), "row_starts", -1, huge},
		{limits(-1, 2), "row_limits", 0, -1},
		{limits(2, 1), "row_limits", 1, 1},
		{limits(2, huge), "row_limits", 1, huge},
		{rowids(1, -1, 0), "value_rowids", 0, -1},
		{rowids(3, 1, 0), "value_rowids", 1, 0},
		{rowids(2, 0, 4), "value_rowids", 1, 4},
		{rowids(-2), "value_rowids", -1, -2},
		{rowids(huge), "value_rowids", -1, huge},
		{uniform(-1, 1), "uniform_row_length", -1, -1},
		{uniform(1, -1), "uniform_row_length", -1, -1},
		{uniform(1<<40, 1<<40), "uniform_row_length", -1, 1 << 40},
		{uniform(huge, 0), "uniform_row_length", -1, huge},
		{over(3, 5), "uniform_row_length", -1, 3},
		{over(6, 5), "uniform_row_length", -1, 6},
		{over(0, 2), "uniform_row_length", -1, 0},
		{over(-1, 2), "uniform_row_length", -1, -1},
		{over(1, -2), "uniform_row_length", -1, -2},
	} {
		_, err := c.call()
		pe, ok := errors.AsType[*ragged.PartitionError](err)
		if !ok || !errors.Is(err, ragged.ErrPartition) {
			t.Errorf("%s[%d] %d: got %v", c.encoding, c.index, c.got, err)
			continue
		}
		if pe.Encoding != c.encoding || pe.Index != c.index || pe.Got != c.got || pe.Want == "" {
			t.Errorf("want %s[%d] %d, got %v", c.encoding, c.index, c.got, err)
		}
	}
}

// TestUniformCorners follows TensorFlow's table of from_uniform_row_length.
func TestUniformCorners(t *testing.T) {
	u := func(l, n int64) ragged.Partition { return must(ragged.Uniform(l, n))(t) }
	for _, c := range []struct {
		tensor ragged.Tensor[int64]
		want   []int
	}{
		{must(ragged.New(make([]int64, 16), nil, u(2, 4), u(2, 8)))(t), []int{4, 2, 2}},
		{must(ragged.New(make([]int64, 16), nil, u(2, 2), u(2, 4), u(2, 8)))(t), []int{2, 2, 2, 2}},
		{must(ragged.New([]int64{}, nil, u(0, 10)))(t), []int{10, 0}},
		{must(ragged.New([]int64{}, nil, u(2, 5), u(0, 10)))(t), []int{5, 2, 0}},
		{must(ragged.New([]int64{}, nil, u(0, 0)))(t), []int{0, 0}},
	} {
		if got := c.tensor.Shape(); !slices.Equal(got, c.want) {
			t.Errorf("got shape %v, want %v", got, c.want)
		}
		if err := c.tensor.Validate(); err != nil {
			t.Errorf("%v: %v", c.want, err)
		}
	}
}

// TestPartitionPanics calls methods for rows that do not exist.
func TestPartitionPanics(t *testing.T) {
	p := must(ragged.FromRowSplits([]int64{0, 1, 3}))(t)
	u := must(ragged.Uniform(2, 2))(t)
	for name, f := range map[string]func(){
		"row past the end":         func() { p.Bounds(2) },
		"row before the start":     func() { p.Bounds(-1) },
		"uniform row past the end": func() { u.Bounds(2) },
		"rows past the end":        func() { p.Rows(1, 3) },
		"rows in reverse":          func() { p.Rows(2, 1) },
		"row of nothing":           func() { ragged.Partition{}.Bounds(0) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f()
		}()
	}
}
