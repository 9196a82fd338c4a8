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

// cumulative accumulates by the definition: for every value, the values at the same position of the
// rows up to its row.
func cumulative(x ragged.Tensor[int8], axis int, opts num.CumulativeOptions, start int8, f func(a, b int8) int8) []int8 {
	// Every value with its coordinates.
	s := x.Sparse()
	rank := x.Rank()
	out := make([]int8, len(s.Values))
	for i := range s.Values {
		a := s.Indices[i*rank : (i+1)*rank]
		acc := start
		for j, v := range s.Values {
			b := s.Indices[j*rank : (j+1)*rank]
			before, here := b[axis] < a[axis], b[axis] == a[axis]
			if opts.Reverse {
				before = b[axis] > a[axis]
			}
			same := slices.Equal(a[:axis], b[:axis]) && slices.Equal(a[axis+1:], b[axis+1:])
			if same && (before || here && !opts.Exclusive) {
				acc = f(acc, v)
			}
		}
		out[i] = acc
	}
	return out
}

func TestCumulativeAgainstLoops(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 3))
	for range 1500 {
		x := part(r, random(t, r))
		if x.Rank() == 0 {
			continue
		}
		axis := r.IntN(x.Rank())
		opts := num.CumulativeOptions{Exclusive: r.IntN(2) == 0, Reverse: r.IntN(2) == 0}
		sums := must(num.CumSum(x, axis-x.Rank(), &opts))(t)
		if want := cumulative(x, axis, opts, 0, reductions["sum"].def.f); !ragged.SameShape(sums, x) || !slices.Equal(sums.Values(), want) {
			t.Fatalf("sums of %v over %d, %+v: got %v, want %v", x, axis, opts, sums, want)
		}
		products := must(num.CumProd(x, axis, &opts))(t)
		if want := cumulative(x, axis, opts, 1, reductions["prod"].def.f); !ragged.SameShape(products, x) || !slices.Equal(products.Values(), want) {
			t.Fatalf("products of %v over %d, %+v: got %v, want %v", x, axis, opts, products, want)
		}
		if !slices.Equal(sums.Shape(), x.Shape()) {
			t.Fatalf("sums of the shape %v have the shape %v", x.Shape(), sums.Shape())
		}
	}
}

func TestCumulativeOptions(t *testing.T) {
	x := must(ragged.FromSlices[float32]([][]float32{{1, float32(math.Inf(1))}, {1, 2}}))(t)
	if got := must(num.CumSum(x, 1, nil))(t).Values(); !slices.Equal(got, []float32{1, float32(math.Inf(1)), 1, 3}) {
		t.Errorf("got %v: a row must not leak into the next", got)
	}
	var axis *ragged.AxisError
	if _, err := num.CumSum(x, 2, nil); !errors.As(err, &axis) {
		t.Errorf("an axis that is not there: %v", err)
	}
	// Empty rows of large items take no time.
	wide := must(ragged.New([]float32{}, []int{1 << 24}, must(ragged.FromRowSplits(make([]int64, 1<<16)))(t)))(t)
	if got := must(num.CumSum(wide, 1, nil))(t); !ragged.Equal(got, wide) {
		t.Error("nothing adds up to something")
	}
}
