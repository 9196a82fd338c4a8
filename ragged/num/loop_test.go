package num_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/ragged/num"
)

// TestAgainstLoops computes with random rows and compares with loops over nested slices. There are
// enough rows for several blocks of operands.
func TestAgainstLoops(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, 7, 900} {
		x, y := make([][]int64, n), make([][]int64, n)
		perRow := make([][1]int64, n)
		for i := range x {
			for range r.IntN(6) * r.IntN(2) {
				x[i], y[i] = append(x[i], r.Int64N(100)), append(y[i], r.Int64N(100))
			}
			perRow[i][0] = r.Int64N(100)
		}
		a, b := must(ragged.FromSlices[int64](x))(t), must(ragged.FromSlices[int64](y))(t)
		column := must(ragged.FromSlices[int64](perRow))(t)
		scalar := ragged.Scalar[int64](17)
		for name, c := range map[string]struct {
			got  ragged.Tensor[int64]
			want func(i, j int) int64
		}{
			"x - y":      {must(num.Sub(a, b))(t), func(i, j int) int64 { return x[i][j] - y[i][j] }},
			"x - column": {must(num.Sub(a, column))(t), func(i, j int) int64 { return x[i][j] - perRow[i][0] }},
			"column - y": {must(num.Sub(column, b))(t), func(i, j int) int64 { return perRow[i][0] - y[i][j] }},
			"x - 17":     {must(num.Sub(a, scalar))(t), func(i, j int) int64 { return x[i][j] - 17 }},
			"17 - x":     {must(num.Sub(scalar, a))(t), func(i, j int) int64 { return 17 - x[i][j] }},
		} {
			got := must(ragged.ToSlices[[][]int64](c.got))(t)
			if len(got) != n {
				t.Fatalf("%s: %d rows of %d", name, len(got), n)
			}
			for i := range x {
				if len(got[i]) != len(x[i]) {
					t.Fatalf("%s: row %d: %v", name, i, got[i])
				}
				for j := range x[i] {
					if got[i][j] != c.want(i, j) {
						t.Fatalf("%s: row %d: %v of %v and %v", name, i, got[i], x[i], y[i])
					}
				}
			}
		}
	}
}

// TestBroadcasting runs an operation on the shapes of the guide, and checks that axes stay uniform
// that are uniform in both operands.
func TestBroadcasting(t *testing.T) {
	box := must(ragged.FromDense(must(ragged.Dense([]int{1, 2, 3, 4, 5, 6}, 2, 3))(t), 1))(t)
	pairs := must(ragged.FromSlices[int]([][][2]int{{{1, 2}, {3, 4}, {5, 6}}, {{7, 8}}}))(t)
	for _, c := range []struct {
		a, b  ragged.Tensor[int]
		text  string
		shape []int
	}{
		{pairs, must(ragged.Dense([]int{10}, 1, 1))(t), "[[[11, 12], [13, 14], [15, 16]], [[17, 18]]]", []int{2, -1, 2}},
		{box, must(ragged.Dense([]int{10, 20}, 2, 1))(t), "[[11, 12, 13], [24, 25, 26]]", []int{2, 3}},
		{box, ragged.Vector(10, 20, 30), "[[11, 22, 33], [14, 25, 36]]", []int{2, 3}},
		{box, ragged.Scalar(10), "[[11, 12, 13], [14, 15, 16]]", []int{2, 3}},
		{ragged.Scalar(1), ragged.Scalar(2), "3", []int{}},
		{ragged.Vector[int](), ragged.Vector(1), "[]", []int{0}},
	} {
		for range 2 {
			got := must(num.Add(c.a, c.b))(t)
			if text := got.Summary(0); text != c.text || !slices.Equal(got.Shape(), c.shape) {
				t.Errorf("got %s of shape %v, want %s of shape %v", text, got.Shape(), c.text, c.shape)
			}
			if got.RaggedRank() != max(c.a.RaggedRank(), c.b.RaggedRank()) {
				t.Errorf("%s: ragged rank %d", c.text, got.RaggedRank())
			}
			c.a, c.b = c.b, c.a
		}
	}
}

// TestLogic compares and combines.
func TestLogic(t *testing.T) {
	x, y := ragged.Vector(1, 2, 3), ragged.Vector(3, 2, 1)
	for name, c := range map[string]struct {
		got  ragged.Tensor[bool]
		want []bool
	}{
		"Equal":        {must(num.Equal(x, y))(t), []bool{false, true, false}},
		"NotEqual":     {must(num.NotEqual(x, y))(t), []bool{true, false, true}},
		"Less":         {must(num.Less(x, y))(t), []bool{true, false, false}},
		"LessEqual":    {must(num.LessEqual(x, y))(t), []bool{true, true, false}},
		"Greater":      {must(num.Greater(x, y))(t), []bool{false, false, true}},
		"GreaterEqual": {must(num.GreaterEqual(x, y))(t), []bool{false, true, true}},
	} {
		if !slices.Equal(c.got.Values(), c.want) {
			t.Errorf("%s: got %v", name, c.got)
		}
	}
	p, q := ragged.Vector(false, false, true, true), ragged.Vector(false, true, false, true)
	for name, c := range map[string]struct {
		got  ragged.Tensor[bool]
		want []bool
	}{
		"And":   {must(num.And(p, q))(t), []bool{false, false, false, true}},
		"Or":    {must(num.Or(p, q))(t), []bool{false, true, true, true}},
		"Xor":   {must(num.Xor(p, q))(t), []bool{false, true, true, false}},
		"Not":   {num.Not(p), []bool{true, true, false, false}},
		"Equal": {must(num.Equal(p, q))(t), []bool{true, false, false, true}},
	} {
		if !slices.Equal(c.got.Values(), c.want) {
			t.Errorf("%s: got %v", name, c.got)
		}
	}
}

// TestAddStrings concatenates strings: each block of results takes one allocation.
func TestAddStrings(t *testing.T) {
	type word string
	rows := must(ragged.FromSlices[string]([][]string{{"a", ""}, {}, {"cde"}}))(t)
	got := must(num.Add(rows, must(ragged.Dense([]string{"x", "y", ""}, 3, 1))(t)))(t)
	if !slices.Equal(got.Values(), []string{"ax", "x", "cde"}) || !ragged.SameShape(got, rows) {
		t.Errorf("got %v", got)
	}
	if got := must(num.Add(ragged.Vector[word]("a", "b"), ragged.Scalar[word]("!")))(t); !slices.Equal(got.Values(), []word{"a!", "b!"}) {
		t.Errorf("got %v", got)
	}
	many := ragged.Vector(strings.Fields(strings.Repeat("ab cde ", 5000))...)
	got = must(num.Add(many, ragged.Scalar("-")))(t)
	if joined := strings.Join(got.Values(), ""); joined != strings.Repeat("ab-cde-", 5000) {
		t.Errorf("got %.50s", joined)
	}
	if n := testing.AllocsPerRun(10, func() { _, _ = num.Add(many, many) }); n > 20 {
		t.Errorf("%v allocations for %d strings", n, many.Len())
	}
}

// TestErrors checks that errors name the operation, the index, and what was wanted and got.
func TestErrors(t *testing.T) {
	x := must(ragged.FromSlices[int]([][][]int{{{}, {6, 7}}, {}, {{8}}}))(t)
	zeros := must(ragged.FromSlices[int]([][][]int{{{}, {3, 2}}, {}, {{0}}}))(t)
	_, err := num.FloorDiv(x, zeros)
	if err == nil || err.Error() != "ragged: value not accepted: floor divide: at [2 0 0]: want a divisor other than 0, got 0" {
		t.Errorf("got %v", err)
	}
	_, err = num.FloorMod(ragged.Scalar(1), ragged.Scalar(0))
	if err == nil || err.Error() != "ragged: value not accepted: floor modulo: at []: want a divisor other than 0, got 0" {
		t.Errorf("got %v", err)
	}
	_, err = num.Pow(x, ragged.Scalar(-2))
	if err == nil || err.Error() != "ragged: value not accepted: power: at [0 1 0]: want an exponent of at least 0, got -2" {
		t.Errorf("got %v", err)
	}
	_, err = num.Less(x, must(ragged.FromSlices[int]([][][]int{{{}, {6}}, {}, {{8}}}))(t))
	if be, ok := errors.AsType[*ragged.BroadcastError](err); !ok || be.Axis != 2 || be.Row != 1 || !strings.HasPrefix(err.Error(), "less: ") {
		t.Errorf("got %v", err)
	}
	// Without values there is no division by 0.
	if out, err := num.TruncDiv(ragged.Vector[int](), ragged.Vector(0)); err != nil || out.Len() != 0 {
		t.Errorf("got %v, %v", out, err)
	}
	// The error is in a late block, of an operand that is repeated.
	long := must(ragged.Dense(make([]int, 5000), 2500, 2))(t)
	divisors := slices.Repeat([]int{1}, 2500)
	divisors[2400] = 0
	_, err = num.TruncMod(long, must(ragged.Dense(divisors, 2500, 1))(t))
	if ve, ok := errors.AsType[*ragged.ValueError](err); !ok || !slices.Equal(ve.At, []int{2400, 0}) || !errors.Is(err, ragged.ErrValue) {
		t.Errorf("got %v", err)
	}
}

// TestChecks checks that errors give the first pair of values for which a relation does not hold.
func TestChecks(t *testing.T) {
	x := must(ragged.FromSlices[int]([][]int{{1, 2}, {}, {3}}))(t)
	y := must(ragged.FromSlices[int]([][]int{{1, 2}, {}, {4}}))(t)
	for _, c := range []struct {
		name string
		err  error
		want string
	}{
		{"equal", num.CheckEqual(x, x), ""},
		{"not equal", num.CheckEqual(x, y), "check equal: at [2 0]: want 4, got 3"},
		{"scalar", num.CheckEqual(x, ragged.Scalar(1)), "check equal: at [0 1]: want 1, got 2"},
		{"none equal", num.CheckNoneEqual(x, ragged.Scalar(5)), ""},
		{"one equal", num.CheckNoneEqual(x, y), "check none equal: at [0 0]: want other than 1, got 1"},
		{"less", num.CheckLess(x, ragged.Scalar(4)), ""},
		{"not less", num.CheckLess(x, ragged.Scalar(3)), "check less: at [2 0]: want less than 3, got 3"},
		{"less or equal", num.CheckLessEqual(x, y), ""},
		{"neither", num.CheckLessEqual(y, x), "check less or equal: at [2 0]: want at most 3, got 4"},
		{"finite", num.CheckNumerics(ragged.Vector(1.0, -1e300)), ""},
	} {
		switch {
		case c.want == "" && c.err != nil:
			t.Errorf("%s: %v", c.name, c.err)
		case c.want != "" && (c.err == nil || c.err.Error() != "ragged: value not accepted: "+c.want):
			t.Errorf("%s: got %v, want %s", c.name, c.err, c.want)
		}
	}
	for _, v := range []float32{1, -1} {
		inf := v / (v - v)
		if err := num.CheckNumerics(ragged.Vector(v, inf)); err == nil || !strings.HasSuffix(err.Error(), fmt.Sprintf("at [1]: want a finite number, got %v", inf)) {
			t.Errorf("%v: %v", inf, err)
		}
	}
	if err := num.CheckEqual(x, ragged.Vector(1, 2, 3, 4)); !errors.Is(err, ragged.ErrShape) {
		t.Errorf("got %v", err)
	}
}

// TestFlat runs operations on the flat values of ragged tensors.
func TestFlat(t *testing.T) {
	type tensor = ragged.Tensor[int]
	x := must(ragged.FromSlices[int]([][]int{{1, 2}, {3, 4}}))(t)
	box := must(ragged.FromDense(must(ragged.Dense([]int{1, 2, 3, 4}, 2, 2))(t), 1))(t)
	other := must(ragged.FromSlices[int]([][]int{{1}, {2, 3, 4}}))(t)
	sum := must(num.ZipFlat(x, box, num.Add[int]))(t)
	if !slices.Equal(sum.Shape(), []int{2, 2}) || !slices.Equal(sum.Values(), []int{2, 4, 6, 8}) {
		t.Errorf("got %v of shape %v", sum, sum.Shape())
	}
	if sum := must(num.AddN(x, box, x))(t); !slices.Equal(sum.Shape(), []int{2, 2}) || !slices.Equal(sum.Values(), []int{3, 6, 9, 12}) {
		t.Errorf("got %v of shape %v", sum, sum.Shape())
	}
	if sum := must(num.AddN(ragged.Scalar(1), ragged.Scalar(2)))(t); sum.Rank() != 0 || sum.Item() != 3 {
		t.Errorf("got %v", sum)
	}
	wide := must(num.MapFlat(x, func(v tensor) (tensor, error) { return ragged.Dense(make([]int, 3*v.Len()), v.Len(), 3) }))(t)
	if !slices.Equal(wide.Shape(), []int{2, -1, 3}) {
		t.Errorf("got shape %v", wide.Shape())
	}
	if dense := must(num.MapFlat(ragged.Scalar(2), func(v tensor) (tensor, error) { return num.Square(v), nil }))(t); dense.Item() != 4 {
		t.Errorf("got %v", dense)
	}
	fail := errors.New("no")
	for name, c := range map[string]struct {
		err  error
		is   error
		text string
	}{
		"rows":           {second(num.ZipFlat(x, other, num.Add[int])), ragged.ErrShape, "axis 1, row 0: want length 2, got 1"},
		"ranks":          {second(num.ZipFlat(x, x.Flat(), num.Add[int])), ragged.ErrShape, "want equal ragged ranks, got 1 and 0"},
		"items":          {second(num.MapFlat(x, func(v tensor) (tensor, error) { return v.Slice(0, 1), nil })), ragged.ErrShape, "map flat: "},
		"their own":      {second(num.MapFlat(x, func(v tensor) (tensor, error) { return v, fail })), fail, "no"},
		"zip, items":     {second(num.ZipFlat(x, x, func(v, _ tensor) (tensor, error) { return v.Slice(0, 1), nil })), ragged.ErrShape, "zip flat: "},
		"add n, none":    {second(num.AddN[int]()), ragged.ErrShape, "add n: "},
		"add n, rows":    {second(num.AddN(x, x, other)), ragged.ErrShape, "add n: operand 2: "},
		"add n, scalars": {second(num.AddN(x, ragged.Scalar(1))), ragged.ErrShape, "want equal shapes, got [2 -1] and []"},
	} {
		if !errors.Is(c.err, c.is) || !strings.Contains(c.err.Error(), c.text) {
			t.Errorf("%s: got %v", name, c.err)
		}
	}
}

func second[T any](_ T, err error) error { return err }

// TestAllocations checks that operations allocate only their result.
func TestAllocations(t *testing.T) {
	x := must(ragged.New(make([]float32, 1<<16), nil, must(ragged.Uniform(16, 1<<12))(t)))(t)
	column := must(ragged.Dense(make([]float32, 1<<12), 1<<12, 1))(t)
	for name, f := range map[string]func(){
		"same":   func() { _, _ = num.Add(x, x) },
		"scalar": func() { _, _ = num.Add(x, ragged.Scalar[float32](1)) },
		"column": func() { _, _ = num.Add(x, column) },
		"one":    func() { _ = num.Abs(x) },
	} {
		if n := testing.AllocsPerRun(10, f); n > 20 {
			t.Errorf("%s: %v allocations", name, n)
		}
		if got, most := bytesPerRun(f), uint64(4<<16+1<<14); got > most {
			t.Errorf("%s: %d bytes, at most %d", name, got, most)
		}
	}
}

// bytesPerRun returns how many bytes a function allocates.
func bytesPerRun(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 10 {
		f()
	}
	runtime.ReadMemStats(&after)
	return (after.TotalAlloc - before.TotalAlloc) / 10
}
