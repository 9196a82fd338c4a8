package ragged_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/tfparse/tfparse/ragged"
)

// TestBuilder builds random tensors row by row, with rows in between that are taken
// back.
func TestBuilder(t *testing.T) {
	r := seeded(t, 3)
	for range 500 {
		axes, levels := randomAxes(r, 1+r.IntN(4))
		want, _ := random(t, r, axes, levels)
		widths := make([]int, 0, levels)
		for level := range levels {
			n, ok := want.Partition(level).UniformLen()
			if !ok {
				n = -1
			}
			widths = append(widths, n)
		}
		b := ragged.NewBuilder[int64](want.InnerShape(), widths...)
		empty := slices.Contains(want.InnerShape(), 0)
		items := func(x ragged.Tensor[int64]) {
			if empty {
				b.AppendEmpty(x.Len())
			}
			b.Append(x.Values()...)
		}
		var row func(x ragged.Tensor[int64], level int)
		row = func(x ragged.Tensor[int64], level int) {
			if level == levels-1 {
				items(x)
			} else {
				for _, below := range x.Rows() {
					row(below, level+1)
				}
			}
			b.EndRow(level)
		}
		for i := range want.Len() {
			mark := b.Mark()
			for range r.IntN(3) { // begin a row and give it up
				for level := levels - 1; level > 0; level-- {
					if empty {
						b.AppendEmpty(widths[level] & 1)
					} else {
						b.Append(make([]int64, r.IntN(5))...)
					}
					if widths[level] < 0 {
						b.EndRow(level)
					}
				}
				b.Rollback(mark)
			}
			if levels > 0 {
				row(want.Row(i), 0)
			} else {
				items(want.Slice(i, i+1))
			}
			if b.Len() != i+1 {
				t.Fatalf("%v: %d rows after row %d", want, b.Len(), i)
			}
		}
		got := b.Tensor()
		if err := got.Validate(); err != nil {
			t.Fatal(err)
		}
		if !ragged.Equal(got, want) || !slices.Equal(got.Shape(), want.Shape()) {
			t.Fatalf("got %+v, want %+v", got, want)
		}
		b.Reset()
		if again := b.Tensor(); again.Size() != 0 || again.Len() != 0 {
			t.Fatalf("after Reset: %v", again)
		}
	}
}

// TestBuilderRows ends several rows at once, from the inside out.
func TestBuilderRows(t *testing.T) {
	b := ragged.NewBuilder[string](nil, -1, -1)
	b.Append("a", "b", "c")
	for _, err := range []error{b.EndRows(1, 2, 0, 1), b.EndRows(0, 1, 2)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if got := b.Tensor().Summary(-1); got != "[[['a', 'b']], [[], ['c']]]" {
		t.Error(got)
	}
	// What is unfinished is not there, and does not get lost.
	b.Append("d")
	if got := b.Tensor().Summary(-1); got != "[[['a', 'b']], [[], ['c']]]" {
		t.Error(got)
	}
	for _, bad := range [][]int64{{2}, {1, 1}, {-1}, {1, -1}, {1 << 62, 1 << 62}} {
		before := b.NumRows(1)
		if err := b.EndRows(1, bad...); !errors.Is(err, ragged.ErrPartition) || b.NumRows(1) != before {
			t.Errorf("%v: %v", bad, err)
		}
	}
	if err := b.EndRows(1, 0, 1, 0); err != nil {
		t.Error(err)
	}
	if err := b.EndRows(0, 3); err != nil {
		t.Error(err)
	}
	if got := b.Tensor().Summary(-1); got != "[[['a', 'b']], [[], ['c']], [[], ['d'], []]]" {
		t.Error(got)
	}
}

// TestBuilderUniform refuses rows that are not of the length of their level.
func TestBuilderUniform(t *testing.T) {
	b := ragged.NewBuilder[int]([]int{2}, -1, 3)
	b.Append(1, 2, 3, 4)
	if err := b.EndRows(1, 2); !errors.Is(err, ragged.ErrPartition) {
		t.Error(err)
	}
	func() {
		defer func() {
			if recover() == nil {
				t.Error("a row of 2 ended at a level of 3")
			}
		}()
		b.EndRow(1)
	}()
	b.Append(5, 6)
	b.EndRow(1)
	b.EndRow(0)
	b.EndRow(0)
	x := b.Tensor()
	if !slices.Equal(x.Shape(), []int{2, -1, 3, 2}) || x.Summary(-1) != "[[[[1, 2], [3, 4], [5, 6]]], []]" {
		t.Errorf("%v of shape %v", x, x.Shape())
	}
}

// TestBuilderMemory appends to a builder whose memory is there already.
func TestBuilderMemory(t *testing.T) {
	b := ragged.NewBuilder[int64](nil, -1, -1)
	fill := func() {
		b.Reset()
		for range 100 {
			m := b.Mark()
			b.Append(1, 2, 3)
			b.EndRow(1)
			b.Rollback(m)
			b.Append(4)
			b.EndRow(1)
			b.EndRow(0)
		}
	}
	fill()
	if n := testing.AllocsPerRun(10, fill); n != 0 {
		t.Errorf("%v allocations", n)
	}
	if x := b.Tensor(); x.Len() != 100 || x.Size() != 100 {
		t.Error(x)
	}
}

func TestZeroBuilder(t *testing.T) {
	var b ragged.Builder[string]
	b.Append("a", "b")
	m := b.Mark()
	b.Append("c")
	b.Rollback(m)
	if x := b.Tensor(); !slices.Equal(x.Values(), []string{"a", "b"}) || x.Rank() != 1 {
		t.Error(x)
	}
}
