package ragged_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tfparse/tfparse/ragged"
)

// A tree is the naive form of a tensor: a value, or a list of trees.
type tree struct {
	list  bool
	kids  []tree
	value int64
}

func (t tree) String() string {
	if !t.list {
		return fmt.Sprint(t.value)
	}
	return fmt.Sprint(t.kids)
}

// An axis of a random tensor: ragged, or uniform of a size, with or without a
// partition.
type axis struct {
	ragged bool
	size   int
}

// random makes a tensor with the given axes, of which 1 to levels have partitions. It also
// returns the tensor as a tree. The values are 1, 2, 3 and so on.
func random(t testing.TB, r *rand.Rand, axes []axis, levels int) (ragged.Tensor[int64], tree) {
	t.Helper()
	next := int64(0)
	splits := make([][]int64, levels+1)
	rows := make([]int, levels+1)
	var grow func(k int) tree
	grow = func(k int) tree {
		if k == len(axes) {
			next++
			return tree{value: next}
		}
		n := axes[k].size
		if axes[k].ragged {
			n = r.IntN(4)
		}
		out := tree{list: true}
		for range n {
			out.kids = append(out.kids, grow(k+1))
		}
		if k >= 1 && k <= levels {
			splits[k] = append(splits[k], int64(n))
			rows[k]++
		}
		return out
	}
	want := grow(0)
	values := make([]int64, next)
	for i := range values {
		values[i] = int64(i + 1)
	}
	var parts []ragged.Partition
	for k := 1; k <= levels; k++ {
		p, err := ragged.FromRowLengths(splits[k])
		if !axes[k].ragged {
			p, err = ragged.Uniform(int64(axes[k].size), int64(rows[k]))
		}
		if err != nil {
			t.Fatal(err)
		}
		parts = append(parts, p)
	}
	var sizes []int
	for _, a := range axes {
		sizes = append(sizes, a.size)
	}
	if levels == 0 {
		return must(ragged.Dense(values, sizes...))(t), want
	}
	return must(ragged.New(values, sizes[levels+1:], parts...))(t), want
}

// randomAxes returns axes, and how many axes after the first have partitions: at least up to the
// last ragged axis.
func randomAxes(r *rand.Rand, rank int) (axes []axis, levels int) {
	axes = make([]axis, rank)
	for k := range axes {
		axes[k].size = r.IntN(4)
		if k > 0 && r.IntN(2) == 0 {
			axes[k].ragged, levels = true, k
		}
	}
	if rank > 0 {
		levels += r.IntN(rank - levels)
	}
	return axes, levels
}

// randomTensor is random with random axes.
func randomTensor(t testing.TB, r *rand.Rand) (ragged.Tensor[int64], tree) {
	axes, levels := randomAxes(r, r.IntN(5))
	return random(t, r, axes, levels)
}

// treeOf walks a tensor row by row.
func treeOf(t ragged.Tensor[int64]) tree {
	if t.Rank() == 0 {
		return tree{value: t.Item()}
	}
	out := tree{list: true}
	for _, row := range t.Rows() {
		out.kids = append(out.kids, treeOf(row))
	}
	return out
}

// same fails the test if a tensor is not valid or differs from the tree.
func same(t testing.TB, got ragged.Tensor[int64], want tree, what string, args ...any) {
	t.Helper()
	if err := got.Validate(); err != nil {
		t.Fatalf("%s: %v", fmt.Sprintf(what, args...), err)
	}
	if g, w := treeOf(got).String(), want.String(); g != w {
		t.Fatalf("%s:\ngot  %s\nwant %s", fmt.Sprintf(what, args...), g, w)
	}
}

// must returns a function that fails the test if there is an error.
func must[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func seeded(t testing.TB, n uint64) *rand.Rand {
	t.Helper()
	return rand.New(rand.NewPCG(n, 1))
}

// TestRandomTensors checks the function random, and that rows, slices and accessors agree with
// the tree.
func TestRandomTensors(t *testing.T) {
	r := seeded(t, 1)
	for range 2000 {
		x, want := randomTensor(t, r)
		same(t, x, want, "%v", x)
		same(t, x.Clone(), want, "clone of %v", x)
		if x.Rank() == 0 {
			continue
		}
		if x.Len() != len(want.kids) {
			t.Fatalf("%v has %d rows", x, x.Len())
		}
		lo := r.IntN(x.Len() + 1)
		hi := lo + r.IntN(x.Len()+1-lo)
		part := tree{list: true, kids: want.kids[lo:hi]}
		view := x.Slice(lo, hi)
		same(t, view, part, "%v[%d:%d]", x, lo, hi)
		same(t, view.Clone(), part, "clone of %v[%d:%d]", x, lo, hi)
		// A view must have the properties of its copy.
		if got, want := view.BoundingShape(), view.Clone().BoundingShape(); !slices.Equal(got, want) {
			t.Fatalf("%v[%d:%d] has the bounding shape %v, its copy %v", x, lo, hi, got, want)
		}
		if !ragged.Equal(view, view.Clone()) {
			t.Fatalf("%v[%d:%d] does not equal its copy", x, lo, hi)
		}
		if view.RaggedRank() == 0 {
			same(t, must(ragged.Dense(view.Values(), view.Shape()...))(t), part, "rebuilt %v", view)
			continue
		}
		same(t, must(ragged.New(view.Values(), view.InnerShape(), view.Partitions()...))(t), part, "rebuilt %v", view)
	}
}
