package num_test

import (
	"math"
	"testing"

	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/ragged/num"
)

// The minimum and maximum of no values, by TensorFlow 2.21. Over an inner axis they are infinities.
// Over a ragged axis, alone or with other axes, they are the last finite numbers, unless there are
// no rows. Over axis 0, the results are for columns of an inner axis without values. The vectors in
// reduce_empty.jsonl have many more cases.
func TestExtremesOfNothing(t *testing.T) {
	flat, err := ragged.Dense([]float32{}, 3, 0)
	if err != nil {
		t.Fatal(err)
	}
	p, err := ragged.FromRowSplits([]int64{0, 2, 3})
	if err != nil {
		t.Fatal(err)
	}
	x, err := ragged.Wrap(flat, p)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := num.Min(flat, num.Over(0, 1)); err != nil || got.Item() != float32(math.Inf(1)) {
		t.Errorf("of a dense tensor: %v, %v", got, err)
	}
	noRows, err := ragged.FromRowSplits([]int64{0})
	if err != nil {
		t.Fatal(err)
	}
	none, err := ragged.New([]float32{}, nil, noRows)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := num.Min(none, num.Over(0, 1)); err != nil || got.Item() != float32(math.Inf(1)) {
		t.Errorf("of no rows: want +Inf, got %v, %v", got, err)
	}
	if got, err := num.Max(none, num.Over(0, 1)); err != nil || got.Item() != float32(math.Inf(-1)) {
		t.Errorf("of no rows: want -Inf, got %v, %v", got, err)
	}
	for _, c := range []struct {
		over num.Axes
		want float32
	}{
		{num.OverAll(), float32(math.Inf(1))},
		{num.Over(2), float32(math.Inf(1))},
		{num.Over(0, 2), math.MaxFloat32},
		{num.Over(1, 2), math.MaxFloat32},
		{num.Over(0, 1, 2), math.MaxFloat32},
		{num.Over(1, 2).Keep(), math.MaxFloat32},
	} {
		for name, f := range map[string]func(ragged.Tensor[float32], num.Axes) (ragged.Tensor[float32], error){"min": num.Min[float32], "max": num.Max[float32]} {
			want := c.want
			if name == "max" {
				want = -want
			}
			got, err := f(x, c.over)
			if err != nil {
				t.Errorf("%s over %v: %v", name, c.over, err)
				continue
			}
			if got.Size() == 0 {
				t.Errorf("%s over %v: no values", name, c.over)
			}
			for _, v := range got.Values() {
				if v != want {
					t.Errorf("%s over %v: want %v, got %v", name, c.over, want, got)
					break
				}
			}
		}
	}
}
