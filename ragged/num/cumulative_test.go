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

// cumulative accumulates by its definition: for every value, what stands at the same
// place of the rows up to it.
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

// TestSoftmax compares with exponentials that are divided by their sum.
func TestSoftmax(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 3))
	near := func(a, b float64) bool { return alike(a, b, 1e-12) }
	for range 1500 {
		x := must(num.Cast[float64](part(r, random(t, r))))(t)
		if x.Rank() == 0 {
			continue
		}
		axis := r.IntN(x.Rank())
		exps := num.Exp(x)
		want, wantErr := num.Div(exps, must(num.Sum(exps, num.Over(axis).Keep()))(t))
		got, err := num.Softmax(x, axis-x.Rank())
		if (err == nil) != (wantErr == nil) || err == nil && !ragged.EqualFunc(got, want, near) {
			t.Fatalf("softmax of %v over %d: got %v, %v, want %v, %v", x, axis, got, err, want, wantErr)
		}
		logs, err := num.LogSoftmax(x, axis)
		if (err == nil) != (wantErr == nil) || err == nil && !ragged.EqualFunc(logs, num.Log(want), near) {
			t.Fatalf("log softmax of %v over %d: got %v, %v, want %v", x, axis, logs, err, num.Log(want))
		}
	}
}

func TestSoftmaxExtremes(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	x := must(ragged.FromSlices[float32]([][]float32{{1000, 1000}, {-1000}, {}, {inf, 1}, {-inf}, {-inf, 0}, {nan, 1}}))(t)
	got := must(num.Softmax(x, -1))(t).Values()
	want := []float32{0.5, 0.5, 1, nan, nan, nan, 0, 1, nan, nan}
	if !slices.EqualFunc(got, want, func(a, b float32) bool { return a == b || a != a && b != b }) {
		t.Errorf("got %v, want %v", got, want)
	}
	logs := must(num.LogSoftmax(must(ragged.FromSlices[float32]([][]float32{{0, -1000}}))(t), 1))(t).Values()
	if !slices.Equal(logs, []float32{0, -1000}) {
		t.Errorf("log softmax %v", logs)
	}
	_, err := num.Softmax(must(ragged.FromSlices[float32]([][]float32{{1, 2}, {3}}))(t), 0)
	var b *ragged.BroadcastError
	if !errors.As(err, &b) {
		t.Errorf("rows of two lengths side by side: %v", err)
	}
	var axis *ragged.AxisError
	if _, err := num.Softmax(x, 2); !errors.As(err, &axis) {
		t.Errorf("an axis that is not there: %v", err)
	}
}
