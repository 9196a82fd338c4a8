package array_test

import (
	"errors"
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

// list makes a tree of trees.
func list(kids ...tree) tree { return tree{list: true, kids: kids} }

// leaf makes a tree of a value.
func leaf(v int64) tree { return tree{value: v} }

// each calls f for the trees of a list.
func (t tree) each(f func(tree) (tree, error)) (tree, error) {
	out := list()
	for _, k := range t.kids {
		r, err := f(k)
		if err != nil {
			return out, err
		}
		out.kids = append(out.kids, r)
	}
	return out, nil
}

// An axis of a random tensor: ragged, or uniform of a size.
type axis struct {
	ragged bool
	size   int
}

// A sample is a tensor with its tree and axes. Axes 1 to levels have partitions.
type sample struct {
	tensor ragged.Tensor[int64]
	tree   tree
	axes   []axis
	levels int
}

// grow makes a random tree.
func grow(r *rand.Rand, axes []axis, value func() int64) tree {
	if len(axes) == 0 {
		return leaf(value())
	}
	n := axes[0].size
	if axes[0].ragged {
		n = r.IntN(4)
	}
	out := list()
	for range n {
		out.kids = append(out.kids, grow(r, axes[1:], value))
	}
	return out
}

// build makes a tensor of a tree. Sometimes the tensor is a view of a larger tensor.
func build(t testing.TB, r *rand.Rand, tr tree, axes []axis, levels int) sample {
	t.Helper()
	s := sample{tree: tr, axes: axes, levels: levels}
	before, after := 0, 0
	all := tr
	if len(axes) > 0 && r.IntN(3) == 0 {
		before, after = r.IntN(3), r.IntN(2)
		all = list()
		for range before {
			all.kids = append(all.kids, grow(r, axes[1:], func() int64 { return -1 }))
		}
		all.kids = append(all.kids, tr.kids...)
		for range after {
			all.kids = append(all.kids, grow(r, axes[1:], func() int64 { return -1 }))
		}
	}
	values := []int64{}
	lengths := make([][]int64, levels)
	var walk func(tr tree, depth int)
	walk = func(tr tree, depth int) {
		if !tr.list {
			values = append(values, tr.value)
			return
		}
		if depth > 0 && depth <= levels {
			lengths[depth-1] = append(lengths[depth-1], int64(len(tr.kids)))
		}
		for _, k := range tr.kids {
			walk(k, depth+1)
		}
	}
	walk(all, 0)
	sizes := []int{}
	for _, a := range axes {
		sizes = append(sizes, a.size)
	}
	if len(axes) > 0 {
		sizes[0] = len(all.kids)
	}
	if levels == 0 {
		s.tensor = must(ragged.Dense(values, sizes...))(t)
	} else {
		var parts []ragged.Partition
		for k, l := range lengths {
			p, err := ragged.FromRowLengths(l)
			if !axes[k+1].ragged {
				p, err = ragged.Uniform(int64(sizes[k+1]), int64(len(l)))
			}
			parts = append(parts, must(p, err)(t))
		}
		s.tensor = must(ragged.New(values, sizes[levels+1:], parts...))(t)
	}
	if len(axes) > 0 {
		s.tensor = s.tensor.Slice(before, len(all.kids)-after)
	}
	return s
}

// randomAxes returns axes, and how many axes after the first have partitions.
func randomAxes(r *rand.Rand, rank int) (axes []axis, levels int) {
	axes = make([]axis, rank)
	dense := r.IntN(4) == 0
	for k := range axes {
		axes[k].size = r.IntN(4)
		axes[k].ragged = k > 0 && !dense && r.IntN(2) == 0
	}
	if dense && r.IntN(2) == 0 {
		return axes, 0
	}
	return axes, randomLevels(r, axes)
}

// randomLevels returns a number of partitions that includes all ragged axes.
func randomLevels(r *rand.Rand, axes []axis) int {
	levels := 0
	for k, a := range axes {
		if a.ragged {
			levels = k
		}
	}
	if len(axes) > 0 {
		levels += r.IntN(len(axes) - levels)
	}
	return levels
}

// random makes a sample of a rank from lowest to 4. The values are 1, 2, 3 and so on.
func random(t testing.TB, r *rand.Rand, lowest int) sample {
	t.Helper()
	axes, levels := randomAxes(r, lowest+r.IntN(5-lowest))
	next := int64(0)
	return build(t, r, grow(r, axes, func() int64 { next++; return next }), axes, levels)
}

// treeOf walks a tensor row by row.
func treeOf(t ragged.Tensor[int64]) tree {
	if t.Rank() == 0 {
		return leaf(t.Item())
	}
	out := list()
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

// agree is same for a definition that may fail: then the operation must fail too, with an error of
// package ragged.
func agree(t testing.TB, got ragged.Tensor[int64], err error, want tree, wantErr error, what string, args ...any) {
	t.Helper()
	if (err != nil) != (wantErr != nil) {
		t.Fatalf("%s: got error %v, want %v", fmt.Sprintf(what, args...), err, wantErr)
	}
	if err == nil {
		same(t, got, want, what, args...)
		return
	}
	if !errors.Is(err, ragged.ErrShape) && !errors.Is(err, ragged.ErrIndex) {
		t.Fatalf("%s: %v", fmt.Sprintf(what, args...), err)
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

// uniformAxes returns which axes of a tensor are uniform.
func uniformAxes(t ragged.Tensor[int64]) []bool {
	var out []bool
	for _, n := range t.Shape() {
		out = append(out, n >= 0)
	}
	return out
}

// uniform returns which axes of a sample are uniform.
func (s sample) uniform() []bool {
	var out []bool
	for _, a := range s.axes {
		out = append(out, !a.ragged)
	}
	return out
}

// checks has one check for each operation. A check makes random operands and compares with a
// definition by trees.
var checks = map[string]func(t testing.TB, r *rand.Rand){
	"stack":             checkStack,
	"expand, squeeze":   checkExpand,
	"tile":              checkTile,
	"reverse":           checkReverse,
	"split":             checkSplit,
	"gather":            checkGather,
	"batch gather":      checkBatchGather,
	"gather nd":         checkGatherND,
	"batch gather or":   checkBatchGatherOr,
	"boolean mask":      checkBooleanMask,
	"where":             checkWhere,
	"where rows":        checkWhereRows,
	"coordinates":       checkCoordinates,
	"one hot":           checkOneHot,
	"sequence mask":     checkSequenceMask,
	"dynamic partition": checkPartition,
	"fill empty rows":   checkFillEmptyRows,
	"cross":             checkCross,
	"order":             checkOrder,
	"unique":            checkUnique,
	"map rows":          checkMapRows,
	"range":             checkRange,
	"segment ids":       checkSegments,
}

// TestProperties compares every operation with its definition, on random tensors.
func TestProperties(t *testing.T) {
	for name, check := range checks {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(1000) {
				r := rand.New(rand.NewPCG(seed, 1))
				check(t, r)
			}
		})
	}
}

// FuzzOperations is TestProperties with inputs of the fuzzer.
func FuzzOperations(f *testing.F) {
	var names []string
	for name := range checks {
		names = append(names, name)
	}
	slices.Sort(names)
	for i := range names {
		f.Add(uint8(i), []byte{byte(i), 1, 2})
	}
	f.Fuzz(func(t *testing.T, which uint8, data []byte) {
		var seed [32]byte
		copy(seed[:], data)
		checks[names[int(which)%len(names)]](t, rand.New(rand.NewChaCha8(seed)))
	})
}
