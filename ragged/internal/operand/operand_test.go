package operand

import (
	"fmt"
	"testing"

	"github.com/tfparse/tfparse/ragged"
)

// TestAlong lists the values of every group along every axis that Along accepts.
func TestAlong(t *testing.T) {
	p, err := ragged.FromRowLengths([]int64{2, 0, 1})
	if err != nil {
		t.Fatal(err)
	}
	rows, err := ragged.New([]int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, []int{2, 2}, p)
	if err != nil {
		t.Fatal(err)
	}
	dense, err := ragged.Dense([]int{0, 1, 2, 3, 4, 5}, 2, 3)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name string
		t    ragged.Tensor[int]
		axis int
		want string
	}{
		{"rows", rows, 1, "[[0 4] [1 5] [2 6] [3 7] [8] [9] [10] [11]]"},
		{"items", rows, 2, "[[0 2] [1 3] [4 6] [5 7] [8 10] [9 11]]"},
		{"cells", rows, 3, "[[0 1] [2 3] [4 5] [6 7] [8 9] [10 11]]"},
		{"columns of a matrix", dense, 0, "[[0 3] [1 4] [2 5]]"},
		{"rows of a matrix", dense, 1, "[[0 1 2] [3 4 5]]"},
		{"nothing", rows.Slice(1, 2), 1, "[]"},
	} {
		runs := [][]int{}
		values := test.t.Values()
		Along(test.t, test.axis, func(at, n, step int) {
			run := []int{}
			for range n {
				run, at = append(run, values[at]), at+step
			}
			runs = append(runs, run)
		})
		if got := fmt.Sprint(runs); got != test.want {
			t.Errorf("%s: got %s, want %s", test.name, got, test.want)
		}
	}
}
