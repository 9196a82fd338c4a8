package array_test

import (
	"errors"
	"testing"

	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/ragged/array"
)

// TestMapRows2 puts the rows of two tensors behind each other, and refuses others.
func TestMapRows2(t *testing.T) {
	a, err1 := ragged.FromSlices[int]([][]int{{1, 2}, {}, {3}})
	b, err2 := ragged.FromSlices[int]([][]int{{4}, {5, 6}, {}})
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	join := func(x, y ragged.Tensor[int]) (ragged.Tensor[int], error) { return ragged.Concat(0, x, y) }
	got, err := array.MapRows2(a, b, 0, join)
	if err != nil || got.Summary(-1) != "[[1, 2, 4], [5, 6], [3]]" {
		t.Errorf("got %v, %v", got, err)
	}
	for name, other := range map[string]ragged.Tensor[int]{"fewer rows": b.Slice(0, 2), "a scalar": ragged.Scalar(1)} {
		if _, err := array.MapRows2(a, other, 0, join); !errors.Is(err, ragged.ErrShape) {
			t.Errorf("%s second: got %v", name, err)
		}
		if _, err := array.MapRows2(other, a, 0, join); !errors.Is(err, ragged.ErrShape) {
			t.Errorf("%s first: got %v", name, err)
		}
	}
	if _, err := array.MapRows2(a, b, -1, join); !errors.Is(err, ragged.ErrShape) {
		t.Errorf("negative rank: got %v", err)
	}
}
