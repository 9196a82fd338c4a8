package ragged_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/tfparse/tfparse/ragged"
)

// TestDenseRoundTrip divides dense tensors into rows and makes them dense again.
func TestDenseRoundTrip(t *testing.T) {
	r := seeded(t, 4)
	for range 500 {
		axes := make([]axis, 2+r.IntN(3))
		for i := range axes {
			axes[i].size = r.IntN(4)
		}
		x, want := random(t, r, axes, 0)
		for rank := 1; rank < len(axes); rank++ {
			cut := must(ragged.FromDense(x, rank))(t)
			if cut.RaggedRank() != rank || !slices.Equal(cut.Shape(), x.Shape()) {
				t.Fatalf("%v cut %d times has the shape %v", x.Shape(), rank, cut.Shape())
			}
			back := must(cut.ToDense(ragged.Tensor[int64]{}, nil))(t)
			same(t, back, want, "back from %v", cut)
			if !slices.Equal(back.Shape(), x.Shape()) {
				t.Fatalf("%v came back as %v", x.Shape(), back.Shape())
			}
		}
	}
}

// TestToDense pads random tensors, and cuts the padding off again.
func TestToDense(t *testing.T) {
	r := seeded(t, 5)
	for range 1000 {
		x, want := randomTensor(t, r)
		box := must(x.ToDense(ragged.Scalar[int64](-1), nil))(t)
		shape := box.Shape()
		same(t, box, padded(want, shape), "%v in a box", x)
		if x.Rank() < 2 {
			continue
		}
		// Axis 0 and axes with partitions accept any size.
		sizes := slices.Clone(shape)
		for axis := range x.RaggedRank() + 1 {
			if sizes[axis] = r.IntN(5) - 1; sizes[axis] >= 0 {
				shape[axis] = sizes[axis]
			}
		}
		if x.RaggedRank() > 0 {
			box := must(x.ToDense(ragged.Scalar[int64](-1), sizes))(t)
			same(t, box, padded(want, shape), "%v in a box of %v", x, sizes)
		}
		// Every row ends with padding, which is not a value of x.
		if x.RaggedRank() == 1 && len(x.InnerShape()) == 0 {
			box := must(x.ToDense(ragged.Scalar[int64](-1), nil))(t)
			back := must(ragged.FromDensePadding(box, 1, ragged.Scalar[int64](-1)))(t)
			same(t, back, want, "%v without padding", box)
			lengths := x.Partition(0).AppendLengths(nil)
			same(t, must(ragged.FromDenseLengths(box, 1, lengths))(t), want, "%v with lengths", box)
		}
	}
}

// padded pads a tree, or cuts it, to a dense shape.
func padded(x tree, shape []int) tree {
	if len(shape) == 0 {
		if x.list {
			return tree{value: -1}
		}
		return x
	}
	out := tree{list: true}
	for i := range shape[0] {
		if i < len(x.kids) {
			out.kids = append(out.kids, padded(x.kids[i], shape[1:]))
		} else {
			out.kids = append(out.kids, padded(tree{list: true}, shape[1:]))
		}
	}
	return out
}

// TestFillOfAShape broadcasts the fill to the shape of an item.
func TestFillOfAShape(t *testing.T) {
	x := must(ragged.FromSlices[int]([][][2][2]int{{{{1, 2}, {3, 4}}}, {}}))(t)
	for _, c := range []struct {
		fill ragged.Tensor[int]
		want string
	}{
		{ragged.Scalar(9), "[[[[1, 2], [3, 4]]], [[[9, 9], [9, 9]]]]"},
		{ragged.Scalar(0), "[[[[1, 2], [3, 4]]], [[[0, 0], [0, 0]]]]"},
		{ragged.Vector(5, 6), "[[[[1, 2], [3, 4]]], [[[5, 6], [5, 6]]]]"},
		{ragged.Vector(7), "[[[[1, 2], [3, 4]]], [[[7, 7], [7, 7]]]]"},
		{must(ragged.Dense([]int{5, 6}, 2, 1))(t), "[[[[1, 2], [3, 4]]], [[[5, 5], [6, 6]]]]"},
		{must(ragged.Dense([]int{5, 6, 7, 8}, 2, 2))(t), "[[[[1, 2], [3, 4]]], [[[5, 6], [7, 8]]]]"},
	} {
		if got := must(x.ToDense(c.fill, nil))(t).Summary(-1); got != c.want {
			t.Errorf("filled with %v: got %s, want %s", c.fill, got, c.want)
		}
	}
	for name, call := range map[string]func() error{
		"a fill of the rank of the values": func() error { _, err := x.ToDense(must(ragged.Dense([]int{1}, 1, 1, 1))(t), nil); return err },
		"a fill of another size":           func() error { _, err := x.ToDense(ragged.Vector(1, 2, 3), nil); return err },
		"a zero fill of another size":      func() error { _, err := x.ToDense(ragged.Vector(0, 0, 0), nil); return err },
		"a ragged fill":                    func() error { _, err := x.ToDense(x, nil); return err },
		"too few sizes":                    func() error { _, err := x.ToDense(ragged.Scalar(0), []int{2, 2}); return err },
		"an inner size":                    func() error { _, err := x.ToDense(ragged.Scalar(0), []int{2, 2, 2, 3}); return err },
		"a size that cannot be":            func() error { _, err := x.ToDense(ragged.Scalar(0), []int{1 << 30, 1 << 30, -1, -1}); return err },
	} {
		if err := call(); !errors.Is(err, ragged.ErrShape) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// TestFromDenseRefuses gives the dense factories arguments that they must refuse.
func TestFromDenseRefuses(t *testing.T) {
	x := must(ragged.Dense([]int64{1, 2, 3, 4, 5, 6}, 2, 3))(t)
	for name, call := range map[string]func() error{
		"a vector":           func() error { _, err := ragged.FromDense(x.Row(0), 1); return err },
		"ragged rank 0":      func() error { _, err := ragged.FromDense(x, 0); return err },
		"ragged rank 2":      func() error { _, err := ragged.FromDense(x, 2); return err },
		"a ragged tensor":    func() error { _, err := ragged.FromDense(running(t), 1); return err },
		"one length":         func() error { _, err := ragged.FromDenseLengths(x, 1, []int64{1}); return err },
		"padding of a shape": func() error { _, err := ragged.FromDensePadding(x, 1, ragged.Vector[int64](0)); return err },
		"no levels":          func() error { _, err := ragged.FromDenseNested(x); return err },
		"too long a row":     func() error { _, err := ragged.FromDenseNested(x, []int64{1, 4}); return err },
		"an axis not filled": func() error { _, err := ragged.FromDenseNested(x, []int64{1, 2}); return err },
		"rows too few":       func() error { _, err := ragged.FromDenseNested(x, []int64{3}); return err },
	} {
		if err := call(); !errors.Is(err, ragged.ErrShape) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if _, err := ragged.FromDenseNested(x, []int64{-1, 3}); !errors.Is(err, ragged.ErrPartition) {
		t.Errorf("a negative length: got %v", err)
	}
}

// TestNaNPadding checks that NaN is not padding, since it equals nothing.
func TestNaNPadding(t *testing.T) {
	nan := math.NaN()
	x := must(ragged.Dense([]float64{1, nan}, 1, 2))(t)
	if got := must(ragged.FromDensePadding(x, 1, ragged.Scalar(nan)))(t); got.Size() != 2 {
		t.Error(got)
	}
}

// TestSparse converts random tensors to sparse tensors and back.
func TestSparse(t *testing.T) {
	r := seeded(t, 6)
	for range 500 {
		x, _ := randomTensor(t, r)
		s := x.Sparse()
		if !slices.EqualFunc(s.Shape, x.BoundingShape(), func(a int64, b int) bool { return a == int64(b) }) || !slices.Equal(s.Values, x.Values()) {
			t.Fatalf("%v as %v", x, s)
		}
		for i, v := range s.Values {
			at := make([]ragged.Key, x.Rank())
			for k := range at {
				at[k] = ragged.At(int(s.Indices[i*len(at)+k]))
			}
			if got := must(x.Index(at...))(t); got.Item() != v {
				t.Fatalf("%v at %v is %v, not %v", x, at, got, v)
			}
		}
		values := must(x.ToDense(ragged.Scalar[int64](0), nil))(t).Values()
		if box := must(s.Dense(0))(t); x.RaggedRank() > 0 && len(values) > 0 && !slices.Equal(box.Values(), values) {
			t.Fatalf("%v through coordinates is %v", x, box)
		}
		if x.Rank() == 2 && x.RaggedRank() == 1 {
			if back := must(ragged.FromSparse(s))(t); !ragged.Equal(back, x) {
				t.Fatalf("%v came back as %v", x, back)
			}
		}
	}
}

// TestSparseRefuses gives FromSparse tensors that are not a matrix of rows without gaps.
func TestSparseRefuses(t *testing.T) {
	for name, s := range map[string]ragged.Sparse[int]{
		"rank 3":               {Indices: []int64{0, 0, 0}, Values: []int{1}, Shape: []int64{1, 1, 1}},
		"a column missing":     {Indices: []int64{0, 0, 0, 2}, Values: []int{1, 2}, Shape: []int64{3, 3}},
		"a row from column 1":  {Indices: []int64{0, 1}, Values: []int{1}, Shape: []int64{3, 3}},
		"an entry twice":       {Indices: []int64{0, 0, 0, 0}, Values: []int{1, 2}, Shape: []int64{3, 3}},
		"rows out of order":    {Indices: []int64{1, 0, 0, 0}, Values: []int{1, 2}, Shape: []int64{3, 3}},
		"a row past the end":   {Indices: []int64{3, 0}, Values: []int{1}, Shape: []int64{3, 3}},
		"a negative row":       {Indices: []int64{-1, 0}, Values: []int{1}, Shape: []int64{3, 3}},
		"too few coordinates":  {Indices: []int64{0}, Values: []int{1}, Shape: []int64{3, 3}},
		"a negative size":      {Shape: []int64{-1, 3}},
		"a size beyond counts": {Shape: []int64{1 << 30, 1 << 30}, Indices: []int64{1 << 31, 0}, Values: []int{1}},
	} {
		if _, err := ragged.FromSparse(s); !errors.Is(err, ragged.ErrShape) && !errors.Is(err, ragged.ErrIndex) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if _, err := (ragged.Sparse[int]{Indices: []int64{1, 0, 0, 0}, Values: []int{1, 2}, Shape: []int64{2, 2}}).Dense(0); err == nil {
		t.Error("entries out of order became dense")
	}
	if _, err := (ragged.Sparse[int]{Indices: []int64{0, 2}, Values: []int{1}, Shape: []int64{2, 2}}).Dense(0); !errors.Is(err, ragged.ErrIndex) {
		t.Errorf("an entry outside became dense: %v", err)
	}
	a := ragged.Sparse[int]{Shape: []int64{2, 2}}
	for name, operands := range map[string][]ragged.Sparse[int]{
		"nothing": nil, "another rank": {a, {Shape: []int64{}}}, "another size": {a, {Shape: []int64{3, 2}}},
	} {
		if _, err := ragged.ConcatSparse(1, operands...); !errors.Is(err, ragged.ErrShape) && !errors.Is(err, ragged.ErrIndex) {
			t.Errorf("%s joined: %v", name, err)
		}
	}
}

// TestSlicesRoundTrip converts tensors to nested slices of several types and back.
func TestSlicesRoundTrip(t *testing.T) {
	r := seeded(t, 7)
	for range 300 {
		x, want := randomTensor(t, r)
		var back ragged.Tensor[int64]
		switch x.Rank() {
		case 0:
			back = through[int64](t, x)
		case 1:
			back = through[[]int64](t, x)
		case 2:
			back = through[[][]int64](t, x)
		case 3:
			back = through[[][][]int64](t, x)
		case 4:
			back = through[[][][][]int64](t, x)
		}
		same(t, back, want, "%v through slices", x)
	}
}

func through[S any](t *testing.T, x ragged.Tensor[int64]) ragged.Tensor[int64] {
	t.Helper()
	s := must(ragged.ToSlices[S](x))(t)
	return must(ragged.FromSlices[int64](s))(t)
}

type row []int32

// TestFromSlices checks which axes become uniform for several Go types.
func TestFromSlices(t *testing.T) {
	for _, c := range []struct {
		got  ragged.Tensor[int32]
		want []int
		text string
	}{
		{must(ragged.FromSlices[int32]([][]int32{{1, 2}, nil, {3}}))(t), []int{3, -1}, "[[1, 2], [], [3]]"},
		{must(ragged.FromSlices[int32]([][]int32{}))(t), []int{0, -1}, "[]"},
		{must(ragged.FromSlices[int32]([]row{{1}, {2, 3}}))(t), []int{2, -1}, "[[1], [2, 3]]"},
		{must(ragged.FromSlices[int32]([][2]int32{{1, 2}, {3, 4}}))(t), []int{2, 2}, "[[1, 2], [3, 4]]"},
		{must(ragged.FromSlices[int32]([][][2]int32{{{1, 2}}, {}}))(t), []int{2, -1, 2}, "[[[1, 2]], []]"},
		{must(ragged.FromSlices[int32]([][2][]int32{{{1}, {2, 3}}}))(t), []int{1, 2, -1}, "[[[1], [2, 3]]]"},
		{must(ragged.FromSlices[int32]([2][]int32{{1}, {2, 3}}))(t), []int{2, -1}, "[[1], [2, 3]]"},
		{must(ragged.FromSlices[int32]([2][1]int32{{1}, {2}}))(t), []int{2, 1}, "[[1], [2]]"},
		{must(ragged.FromSlices[int32]([][][]int32{{{1, 2}}, {}}, 2))(t), []int{2, -1, 2}, "[[[1, 2]], []]"},
		{must(ragged.FromSlices[int32]([][]int32{{1, 2}}, 2))(t), []int{1, 2}, "[[1, 2]]"},
		{must(ragged.FromSlices[int32]([]int32{1, 2}))(t), []int{2}, "[1, 2]"},
		{must(ragged.FromSlices[int32](int32(5)))(t), []int{}, "5"},
	} {
		if !slices.Equal(c.got.Shape(), c.want) || c.got.Summary(-1) != c.text {
			t.Errorf("got %v of shape %v, want %s of shape %v", c.got, c.got.Shape(), c.text, c.want)
		}
	}
	for name, call := range map[string]func() error{
		"other elements":      func() error { _, err := ragged.FromSlices[int32]([][]int64{{1}}); return err },
		"any":                 func() error { _, err := ragged.FromSlices[int32]([]any{int32(1)}); return err },
		"nil":                 func() error { _, err := ragged.FromSlices[int32](nil); return err },
		"unequal inner rows":  func() error { _, err := ragged.FromSlices[int32]([][]int32{{1}, {2, 3}}, 1); return err },
		"inner array":         func() error { _, err := ragged.FromSlices[int32]([][2]int32{{1, 2}}, 3); return err },
		"inner shape of all":  func() error { _, err := ragged.FromSlices[int32]([]int32{1, 2}, 2); return err },
		"inner of a scalar":   func() error { _, err := ragged.FromSlices[int32](int32(1), 1); return err },
		"negative inner size": func() error { _, err := ragged.FromSlices[int32]([][]int32{{1}}, -1); return err },
	} {
		if err := call(); !errors.Is(err, ragged.ErrShape) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// TestToSlices checks types that do not fit, and that memory is not shared.
func TestToSlices(t *testing.T) {
	x := running(t)
	got := must(ragged.ToSlices[[][]int64](x))(t)
	if want := [][]int64{{3, 1, 4, 1}, {}, {5, 9, 2}, {6}, {}}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v", got)
	}
	got[0][0] = 100
	if got[0] = append(got[0], 200); x.Values()[0] != 3 || got[2][0] != 5 {
		t.Errorf("memory is shared: %v, %v", x, got)
	}
	u := must(ragged.FromDense(must(ragged.Dense([]int64{1, 2, 3, 4}, 2, 2))(t), 1))(t)
	if got := must(ragged.ToSlices[[2][2]int64](u))(t); got != [2][2]int64{{1, 2}, {3, 4}} {
		t.Errorf("got %v", got)
	}
	for name, call := range map[string]func() error{
		"too deep":            func() error { _, err := ragged.ToSlices[[][][]int64](x); return err },
		"too shallow":         func() error { _, err := ragged.ToSlices[[]int64](x); return err },
		"other elements":      func() error { _, err := ragged.ToSlices[[][]int32](x); return err },
		"an array for ragged": func() error { _, err := ragged.ToSlices[[][4]int64](x); return err },
		"an array too small":  func() error { _, err := ragged.ToSlices[[4][]int64](x); return err },
		"no slice":            func() error { _, err := ragged.ToSlices[map[int]int64](x); return err },
		"a list of a scalar":  func() error { _, err := ragged.ToSlices[[]int64](ragged.Scalar[int64](1)); return err },
	} {
		if err := call(); !errors.Is(err, ragged.ErrShape) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// TestConstantNumbers: literals in a list of any are int or float64, and are converted to T if
// T can hold them, as in tf.ragged.constant with a dtype.
func TestConstantNumbers(t *testing.T) {
	list := []any{[]any{1, 2}, []any{}, []any{int8(3)}}
	if got := must(ragged.Constant[int32](list, nil))(t); !slices.Equal(got.Values(), []int32{1, 2, 3}) || got.Len() != 3 {
		t.Errorf("int32: got %v", got)
	}
	if got := must(ragged.Constant[uint8]([]any{255, uint64(7)}, nil))(t); !slices.Equal(got.Values(), []uint8{255, 7}) {
		t.Errorf("uint8: got %v", got)
	}
	if got := must(ragged.Constant[float32]([]any{1, 0.5, float32(2)}, nil))(t); !slices.Equal(got.Values(), []float32{1, 0.5, 2}) {
		t.Errorf("float32: got %v", got)
	}
	for name, err := range map[string]error{
		"too large for int8":    second(ragged.Constant[int8]([]any{128}, nil)),
		"negative for uint8":    second(ragged.Constant[uint8]([]any{-1}, nil)),
		"uint64 for int64":      second(ragged.Constant[int64]([]any{uint64(1 << 63)}, nil)),
		"a float for int":       second(ragged.Constant[int]([]any{1.0}, nil)),
		"an integer for string": second(ragged.Constant[string]([]any{65}, nil)),
		"an integer for bool":   second(ragged.Constant[bool]([]any{1}, nil)),
		"nil":                   second(ragged.Constant[int32]([]any{nil}, nil)),
	} {
		if !errors.Is(err, ragged.ErrShape) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// TestConstant checks cases that the vectors lack: Go lists of other types.
func TestConstant(t *testing.T) {
	for _, c := range []struct {
		list any
		want string
	}{
		{[]any{[]int{1, 2}, []any{}, [1]int{3}}, "[[1, 2], [], [3]]"},
		{[][]int{{1}, {}}, "[[1], []]"},
		{7, "7"},
		{[]int{}, "[]"},
	} {
		if got := must(ragged.Constant[int](c.list, nil))(t).Summary(-1); got != c.want {
			t.Errorf("%v: got %s", c.list, got)
		}
	}
	deep := any(1)
	for range 2000 {
		deep = []any{deep}
	}
	for name, list := range map[string]any{"a string": []any{"x"}, "nil": nil, "nil in a list": []any{nil}, "too deep": deep} {
		if _, err := ragged.Constant[int](list, nil); !errors.Is(err, ragged.ErrShape) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	// A []byte is a scalar if T is []byte.
	b := must(ragged.Constant[[]byte]([]any{[]any{[]byte("ab")}, []any{}}, nil))(t)
	if b.Rank() != 2 || b.Summary(-1) != "[['ab'], []]" {
		t.Error(b)
	}
}

// TestSparseOfView compares the coordinates of slices of short rows with loops over their values.
func TestSparseOfView(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 3))
	for round := range 300 {
		var lengths, values []int64
		for range 1 + round%40 {
			n := rnd.Int64N(11)
			if rnd.IntN(20) == 0 {
				n = rnd.Int64N(50)
			}
			lengths = append(lengths, n)
			for range n {
				values = append(values, rnd.Int64())
			}
		}
		x := must(ragged.New(values, nil, must(ragged.FromRowLengths(lengths))(t)))(t)
		first := rnd.IntN(len(lengths))
		var want []int64
		for row, n := range lengths[first:] {
			for i := range n {
				want = append(want, int64(row), i)
			}
		}
		if got := x.Slice(first, len(lengths)).Sparse().Indices; !slices.Equal(got, want) {
			t.Fatalf("rows of lengths %v from %d: want %v, got %v", lengths, first, want, got)
		}
	}
}
