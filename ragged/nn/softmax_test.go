package nn_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/ragged/nn"
	"github.com/tfparse/tfparse/ragged/num"
)

// randomItems makes a tensor whose items have a random shape; levels is its ragged rank.
func randomItems(t *testing.T, r *rand.Rand, levels int) ragged.Tensor[float64] {
	t.Helper()
	s := random(t, r, levels, 0)
	inner := [][]int{{}, {1}, {2}, {3, 2}, {0}}[r.IntN(5)]
	shape := append([]int{s.ids.Size()}, inner...)
	values := make([]float64, must(ragged.SizeOf(shape))(t))
	for i := range values {
		values[i] = 4 * r.NormFloat64()
	}
	return must(ragged.Wrap(must(ragged.Dense(values, shape...))(t), s.ids.Partitions()...))(t)
}

// TestSoftmax compares with exponentials divided by their sum.
func TestSoftmax(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 3))
	near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-12 }
	for range 1500 {
		x := randomItems(t, r, r.IntN(4))
		axis := r.IntN(x.Rank())
		exps := num.Exp(x)
		want, wantErr := num.Div[float64](exps, must(num.Sum(exps, num.Over(axis).Keep()))(t))
		if x.Size() == 0 {
			want, wantErr = x, nil // without values the row lengths do not matter
		}
		got, err := nn.Softmax(x, axis-x.Rank())
		if (err == nil) != (wantErr == nil) || err == nil && !ragged.EqualFunc(got, want, near) {
			t.Fatalf("softmax of %v over %d: got %v, %v, want %v, %v", x, axis, got, err, want, wantErr)
		}
		logs, err := nn.LogSoftmax(x, axis)
		if (err == nil) != (wantErr == nil) || err == nil && !ragged.EqualFunc(num.Exp(logs), want, near) {
			t.Fatalf("log softmax of %v over %d: got %v, %v, want the logarithm of %v", x, axis, logs, err, want)
		}
	}
}

func TestSoftmaxExtremes(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	x := must(ragged.FromSlices[float32]([][]float32{{1000, 1000}, {-1000}, {}, {inf, 1}, {-inf}, {-inf, 0}, {nan, 1}}))(t)
	got := must(nn.Softmax(x, -1))(t).Values()
	want := []float32{0.5, 0.5, 1, nan, nan, nan, 0, 1, nan, nan}
	if !slices.EqualFunc(got, want, func(a, b float32) bool { return a == b || a != a && b != b }) {
		t.Errorf("got %v, want %v", got, want)
	}
	logs := must(nn.LogSoftmax(must(ragged.FromSlices[float32]([][]float32{{0, -1000}}))(t), 1))(t).Values()
	if !slices.Equal(logs, []float32{0, -1000}) {
		t.Errorf("log softmax %v", logs)
	}
	_, err := nn.Softmax(must(ragged.FromSlices[float32]([][]float32{{1, 2}, {3}}))(t), 0)
	var b *ragged.BroadcastError
	if !errors.As(err, &b) {
		t.Errorf("rows of two lengths side by side: %v", err)
	}
	var axis *ragged.AxisError
	if _, err := nn.Softmax(x, 2); !errors.As(err, &axis) {
		t.Errorf("an axis that is not there: %v", err)
	}
}
