package ragged_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tfparse/tfparse/ragged"
)

// pySlice returns a range of a list by Python's definition, position by position.
func pySlice(kids []tree, lo, hi *int, step int) []tree {
	n := len(kids)
	bound := func(b *int, def int) int {
		if b == nil {
			return def
		}
		v := *b
		if v < 0 {
			v += n
		}
		if step > 0 {
			return min(max(v, 0), n)
		}
		return min(max(v, -1), n-1)
	}
	var out []tree
	if step > 0 {
		for i := bound(lo, 0); i < bound(hi, n); i += step {
			out = append(out, kids[i])
		}
	} else {
		for i := bound(lo, n-1); i > bound(hi, -1); i += step {
			out = append(out, kids[i])
		}
	}
	return out
}

// A naiveKey selects from a tree as a Key selects from a tensor.
type naiveKey struct {
	key ragged.Key
	on  func(t tree, below func(tree) (tree, error)) (tree, error)
}

var errNoSuch = errors.New("no such item")

func randomKey(r *rand.Rand) naiveKey {
	switch r.IntN(6) {
	case 0:
		return naiveKey{ragged.NewAxis(), func(t tree, below func(tree) (tree, error)) (tree, error) {
			b, err := below(t)
			return tree{list: true, kids: []tree{b}}, err
		}}
	case 1, 2:
		i := r.IntN(7) - 3
		return naiveKey{ragged.At(i), func(t tree, below func(tree) (tree, error)) (tree, error) {
			if i < -len(t.kids) || i >= len(t.kids) {
				return tree{}, errNoSuch
			}
			return below(t.kids[(i+len(t.kids))%len(t.kids)])
		}}
	}
	bound := func() *int {
		if r.IntN(4) == 0 {
			return nil
		}
		b := r.IntN(9) - 4
		if r.IntN(20) == 0 {
			b = []int{math.MaxInt, math.MinInt}[r.IntN(2)]
		}
		return &b
	}
	lo, hi, step := bound(), bound(), []int{1, 1, 2, 3, -1, -2, -3}[r.IntN(7)]
	k := ragged.SliceAll()
	switch {
	case lo != nil && hi != nil:
		k = ragged.Slice(*lo, *hi)
	case lo != nil:
		k = ragged.SliceFrom(*lo)
	case hi != nil:
		k = ragged.SliceTo(*hi)
	}
	if k != ragged.SliceAll() || step != 1 || r.IntN(2) == 0 {
		k = k.By(step)
	}
	return naiveKey{k, func(t tree, below func(tree) (tree, error)) (tree, error) {
		out := tree{list: true}
		for _, kid := range pySlice(t.kids, lo, hi, step) {
			b, err := below(kid)
			if err != nil {
				return tree{}, err
			}
			out.kids = append(out.kids, b)
		}
		return out, nil
	}}
}

// apply applies keys to a tree one by one.
func apply(t tree, keys []naiveKey) (tree, error) {
	if len(keys) == 0 {
		return t, nil
	}
	return keys[0].on(t, func(t tree) (tree, error) { return apply(t, keys[1:]) })
}

// TestIndex applies random keys to tensors and to nested lists, and compares. Keys that are
// refused because an axis is ragged are not compared.
func TestIndex(t *testing.T) {
	r := seeded(t, 8)
	done, refused := 0, 0
	for range 5000 {
		x, want := randomTensor(t, r)
		var keys []naiveKey
		for used := 0; used < x.Rank(); {
			k := randomKey(r)
			if k.key != ragged.NewAxis() {
				used++
			}
			keys = append(keys, k)
			if r.IntN(3) == 0 {
				break
			}
		}
		flat := make([]ragged.Key, len(keys))
		for i, k := range keys {
			flat[i] = k.key
		}
		got, err := x.Index(flat...)
		naive, naiveErr := apply(want, keys)
		what := fmt.Sprintf("%v of shape %v at %v", x, x.Shape(), flat)
		switch {
		case err == nil && naiveErr == nil:
			same(t, got, naive, "%s", what)
			done++
		case err == nil:
			// The tree has no item only because it has no rows: then the axis must be uniform and
			// long enough, which a tree does not show.
			t.Fatalf("%s: want an error, got %v", what, got)
		case !errors.Is(err, ragged.ErrIndex):
			t.Fatalf("%s: %v", what, err)
		default:
			refused++
		}
	}
	if done < 1000 || refused < 500 {
		t.Errorf("%d compared, %d refused", done, refused)
	}
}

// TestIndexKeepsUniform checks that uniform axes stay uniform.
func TestIndexKeepsUniform(t *testing.T) {
	x := must(ragged.FromDense(must(ragged.Dense(make([]int64, 24), 4, 3, 2))(t), 2))(t)
	for _, c := range []struct {
		keys []ragged.Key
		want []int
	}{
		{[]ragged.Key{ragged.SliceFrom(1)}, []int{3, 3, 2}},
		{[]ragged.Key{ragged.SliceAll().By(2)}, []int{2, 3, 2}},
		{[]ragged.Key{ragged.SliceAll(), ragged.SliceFrom(1)}, []int{4, 2, 2}},
		{[]ragged.Key{ragged.SliceAll(), ragged.SliceTo(0)}, []int{4, 0, 2}},
		{[]ragged.Key{ragged.SliceAll(), ragged.At(-1)}, []int{4, 2}},
		{[]ragged.Key{ragged.SliceAll(), ragged.SliceAll(), ragged.At(1)}, []int{4, 3}},
		{[]ragged.Key{ragged.SliceAll(), ragged.At(2), ragged.At(1)}, []int{4}},
		{[]ragged.Key{ragged.NewAxis()}, []int{1, 4, 3, 2}},
		{[]ragged.Key{ragged.Ellipsis(), ragged.NewAxis()}, []int{4, 3, 2, 1}},
		{[]ragged.Key{ragged.SliceAll(), ragged.NewAxis(), ragged.At(0)}, []int{4, 1, 2}},
		{[]ragged.Key{ragged.SliceTo(0), ragged.At(0)}, []int{0, 2}},
	} {
		got, err := x.Index(c.keys...)
		if err != nil || !slices.Equal(got.Shape(), c.want) {
			t.Errorf("%v: shape %v, want %v (%v)", c.keys, got.Shape(), c.want, err)
		}
	}
}

// TestIndexRefuses gives Index keys that it must refuse.
func TestIndexRefuses(t *testing.T) {
	x := running(t)
	all, rest := ragged.SliceAll(), ragged.Ellipsis()
	for _, keys := range [][]ragged.Key{
		{ragged.At(5)}, {ragged.At(-6)}, {ragged.At(math.MaxInt)}, {ragged.At(math.MinInt)},
		{all, ragged.At(0)}, {ragged.At(0), ragged.At(4)}, {ragged.At(1), ragged.At(0)},
		{all.By(0)}, {all, all.By(0)}, {ragged.At(0), all.By(0)},
		{all, all, all}, {rest, all, all, all}, {ragged.At(0), ragged.At(0), ragged.At(0)},
		{ragged.At(0), rest, rest},
	} {
		if got, err := x.Index(keys...); !errors.Is(err, ragged.ErrIndex) {
			t.Errorf("%v: got %v, %v", keys, got, err)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("a position took a step")
		}
	}()
	ragged.At(1).By(2)
}

// TestMergeDims merges axes of random tensors.
func TestMergeDims(t *testing.T) {
	r := seeded(t, 9)
	for range 1000 {
		x, want := randomTensor(t, r)
		if x.Rank() == 0 {
			continue
		}
		outer := r.IntN(x.Rank())
		inner := outer + r.IntN(x.Rank()-outer)
		got := must(x.MergeDims(outer-r.IntN(2)*x.Rank(), inner-r.IntN(2)*x.Rank()))(t)
		same(t, got, flattened(want, outer, inner), "%v, axes %d to %d merged", x, outer, inner)
		if got.Rank() != x.Rank()-(inner-outer) {
			t.Fatalf("%v, axes %d to %d merged, has the shape %v", x, outer, inner, got.Shape())
		}
	}
	x := running(t)
	for _, axes := range [][2]int{{1, 0}, {0, 2}, {-3, 1}} {
		if _, err := x.MergeDims(axes[0], axes[1]); !errors.Is(err, ragged.ErrIndex) {
			t.Errorf("axes %v merged: %v", axes, err)
		}
	}
}

func flattened(x tree, outer, inner int) tree {
	out := tree{list: true}
	switch {
	case outer > 0:
		for _, kid := range x.kids {
			out.kids = append(out.kids, flattened(kid, outer-1, inner-1))
		}
	case inner == 0:
		return x
	default:
		for _, kid := range x.kids {
			out.kids = append(out.kids, flattened(kid, 0, inner-1).kids...)
		}
	}
	return out
}

// TestRowLengths counts the items of random tensors along every axis.
func TestRowLengths(t *testing.T) {
	r := seeded(t, 10)
	for range 500 {
		x, want := randomTensor(t, r)
		for axis := range x.Rank() {
			same(t, must(x.RowLengths(axis))(t), counted(want, axis), "lengths of %v along axis %d", x, axis)
		}
	}
}

func counted(x tree, axis int) tree {
	if axis == 0 {
		return tree{value: int64(len(x.kids))}
	}
	out := tree{list: true}
	for _, kid := range x.kids {
		out.kids = append(out.kids, counted(kid, axis-1))
	}
	return out
}
