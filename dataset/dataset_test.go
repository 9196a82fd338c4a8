package dataset_test

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"testing"

	"github.com/tfparse/tfparse/dataset"
	"github.com/tfparse/tfparse/ragged"
)

type tensor = ragged.Tensor[int64]

// count returns a sequence of numbers, and counts in asked how many were taken.
func count(n int, asked *int) iter.Seq2[int, error] {
	return func(yield func(int, error) bool) {
		for i := range n {
			*asked = i + 1
			if !yield(i, nil) {
				return
			}
		}
	}
}

var errSource = errors.New("the source broke")

// breaking yields some numbers, then an error, and then more.
func breaking(n int) iter.Seq2[int, error] {
	return func(yield func(int, error) bool) {
		for i := range n {
			if !yield(i, nil) {
				return
			}
		}
		if yield(0, errSource) {
			yield(n, nil)
		}
	}
}

func TestPick(t *testing.T) {
	const n = 7
	keep := func(i int) (bool, error) { return i%2 == 1, nil }
	for _, c := range []struct {
		name  string
		d     func(dataset.Dataset[int]) dataset.Dataset[int]
		want  []int
		asked int
	}{
		{"take", func(d dataset.Dataset[int]) dataset.Dataset[int] { return d.Take(3) }, []int{0, 1, 2}, 3},
		{"take none asks for none", func(d dataset.Dataset[int]) dataset.Dataset[int] { return d.Take(0) }, nil, 0},
		{"take more than there are", func(d dataset.Dataset[int]) dataset.Dataset[int] { return d.Take(9) }, []int{0, 1, 2, 3, 4, 5, 6}, 7},
		{"take all", func(d dataset.Dataset[int]) dataset.Dataset[int] { return d.Take(-1) }, []int{0, 1, 2, 3, 4, 5, 6}, 7},
		{"skip", func(d dataset.Dataset[int]) dataset.Dataset[int] { return d.Skip(5) }, []int{5, 6}, 7},
		{"skip more than there are", func(d dataset.Dataset[int]) dataset.Dataset[int] { return d.Skip(8) }, nil, 7},
		{"skip all", func(d dataset.Dataset[int]) dataset.Dataset[int] { return d.Skip(-1) }, nil, 7},
		{"skip none", func(d dataset.Dataset[int]) dataset.Dataset[int] { return d.Skip(0).Take(2) }, []int{0, 1}, 2},
		{"shard", func(d dataset.Dataset[int]) dataset.Dataset[int] { return d.Shard(3, 1) }, []int{1, 4}, 7},
		{"shard of one", func(d dataset.Dataset[int]) dataset.Dataset[int] { return d.Shard(1, 0).Take(2) }, []int{0, 1}, 2},
		{"repeat", func(d dataset.Dataset[int]) dataset.Dataset[int] { return d.Take(2).Repeat(3) }, []int{0, 1, 0, 1, 0, 1}, 2},
		{"repeat never", func(d dataset.Dataset[int]) dataset.Dataset[int] { return d.Repeat(0) }, nil, 0},
		{"repeat without end", func(d dataset.Dataset[int]) dataset.Dataset[int] { return d.Take(2).Repeat(-1).Take(5) }, []int{0, 1, 0, 1, 0}, 1},
		{"repeat nothing without end", func(d dataset.Dataset[int]) dataset.Dataset[int] { return d.Take(0).Repeat(-1) }, nil, 0},
		{"filter", func(d dataset.Dataset[int]) dataset.Dataset[int] { return d.Filter(keep) }, []int{1, 3, 5}, 7},
		{"filter, then take", func(d dataset.Dataset[int]) dataset.Dataset[int] { return d.Filter(keep).Take(1) }, []int{1}, 2},
		{"map", func(d dataset.Dataset[int]) dataset.Dataset[int] {
			return dataset.Map(d, func(i int) (int, error) { return i * i, nil }).Take(3)
		}, []int{0, 1, 4}, 3},
	} {
		asked := 0
		d := c.d(dataset.From(count(n, &asked)))
		if asked != 0 {
			t.Errorf("%s: elements are asked for before there is a loop", c.name)
		}
		for pass := range 2 {
			asked = 0
			got, err := d.Collect()
			if err != nil || !slices.Equal(got, c.want) || asked != c.asked {
				t.Errorf("%s, pass %d: want %d and %d asked for, got %d and %d, %v", c.name, pass, c.want, c.asked, got, asked, err)
			}
		}
	}
}

// TestErrorsEnd lets the source of every operation fail: the elements before the error are there, the
// error is the last pair, and no more elements are read.
func TestErrorsEnd(t *testing.T) {
	d := dataset.From(breaking(4))
	for name, c := range map[string]struct {
		d    dataset.Dataset[int]
		want int
	}{
		"from":   {d, 4},
		"take":   {d.Take(9), 4},
		"skip":   {d.Skip(1), 3},
		"all":    {d.Skip(-1), 0},
		"beyond": {d.Skip(9), 0},
		"shard":  {d.Shard(3, 2), 1},
		"repeat": {d.Repeat(2), 4},
		"filter": {d.Filter(func(i int) (bool, error) { return i < 2, nil }), 2},
		"map":    {dataset.Map(d, func(i int) (int, error) { return i, nil }), 4},
	} {
		var pairs, after int
		var last error
		for e, err := range c.d.All() {
			if last != nil {
				after++
			}
			if last = err; err != nil && e != 0 {
				t.Errorf("%s: element %d beside an error", name, e)
			}
			pairs++
		}
		if !errors.Is(last, errSource) || pairs != c.want+1 || after > 0 {
			t.Errorf("%s: want %d pairs and the error, got %d, %d after an error, %v", name, c.want+1, pairs, after, last)
		}
	}
	batches := dataset.Map(d, func(i int) (tensor, error) { return ragged.Scalar(int64(i)), nil }).WithComponents(dataset.Element[int64](dataset.DenseSpec())).Batch(3, nil)
	got, err := batches.Collect()
	if len(got) != 1 || !errors.Is(err, errSource) {
		t.Errorf("batch: want a whole batch and the error, got %d batches, %v", len(got), err)
	}
	whole, err := batches.Unbatch().Collect()
	if len(whole) != 3 || !errors.Is(err, errSource) {
		t.Errorf("unbatch: want 3 elements and the error, got %d, %v", len(whole), err)
	}
}

func TestErrors(t *testing.T) {
	bad := errors.New("no")
	rows, err := ragged.FromSlices[int64]([][]int64{{1}, {}, {2, 3}, {4}})
	if err != nil {
		t.Fatal(err)
	}
	d := dataset.Slices(rows)
	dense := dataset.Map(d, func(e tensor) (tensor, error) { return e, nil }).WithComponents(dataset.Element[int64](dataset.Spec{}))
	told := func(s dataset.Spec) dataset.Dataset[tensor] {
		return dataset.Map(d, func(e tensor) (tensor, error) { return e, nil }).WithComponents(dataset.Element[int64](s))
	}
	type pair struct{ a, b tensor }
	a := dataset.Tensor("a", func(p *pair) *tensor { return &p.a }, dataset.Spec{})
	b := dataset.Tensor("b", func(p *pair) *tensor { return &p.b }, dataset.Spec{})
	pairs := dataset.SlicesOf(pair{rows, ragged.Vector[int64](1, 2, 3)}, a, b)
	used := false
	once := func(yield func(tensor, error) bool) {
		if !used {
			used = true
			yield(rows, nil)
		}
	}
	for name, c := range map[string]struct {
		err       error
		is        error
		op        string
		element   int
		component string
	}{
		"map":                   {errOf(dataset.Map(d, func(e tensor) (int, error) { return 0, onSecond(e, bad) })), bad, "map", 1, ""},
		"filter":                {errOf(d.Filter(func(e tensor) (bool, error) { return false, onSecond(e, bad) })), bad, "filter", 1, ""},
		"no shard":              {errOf(d.Shard(0, 0)), dataset.ErrArgument, "shard", -1, ""},
		"shard after the last":  {errOf(d.Shard(2, 2)), dataset.ErrArgument, "shard", -1, ""},
		"shard before 0":        {errOf(d.Shard(2, -1)), dataset.ErrArgument, "shard", -1, ""},
		"batch of none":         {errOf(d.Batch(0, nil)), dataset.ErrArgument, "batch", -1, ""},
		"nothing to batch":      {errOf(dataset.From(d.All()).Batch(1, nil)), dataset.ErrArgument, "batch", -1, ""},
		"nothing to unbatch":    {errOf(dataset.From(d.All()).Unbatch()), dataset.ErrArgument, "unbatch", 0, ""},
		"scalar":                {errOf(dataset.Slices(ragged.Scalar[int64](1))), ragged.ErrShape, "slices", -1, ""},
		"unbatch a scalar":      {errOf(d.Unbatch().Unbatch()), dataset.ErrArgument, "unbatch", -1, ""},
		"unbatch one by itself": {errOf(dataset.Map(d.Unbatch(), func(e tensor) (tensor, error) { return e, nil }).WithComponents(dataset.Element[int64](dataset.Spec{})).Unbatch()), ragged.ErrShape, "unbatch", 0, ""},
		"components differ":     {errOf(pairs), ragged.ErrShape, "slices", -1, "b"},
		"dense rows differ":     {errOf(dense.Skip(2).Batch(2, nil)), ragged.ErrShape, "batch", 1, ""},
		"in the second batch":   {errOf(dense.Filter(func(e tensor) (bool, error) { return e.Len() > 0, nil }).Repeat(2).Batch(2, nil)), ragged.ErrShape, "batch", 1, ""},
		"not the declared size": {errOf(told(dataset.RaggedSpec(0, 1)).Batch(3, nil)), ragged.ErrShape, "batch", 1, ""},
		"not the declared rank": {errOf(told(dataset.DenseSpec(-1, -1)).Batch(3, &dataset.BatchOptions{Ragged: true})), ragged.ErrShape, "ragged batch", 0, ""},
		"used up":               {errOf(dataset.From(once).Repeat(2)), nil, "repeat", -1, ""},
	} {
		e, ok := errors.AsType[*dataset.Error](c.err)
		if !ok || c.is != nil && !errors.Is(c.err, c.is) || e.Op != c.op || e.Element != c.element || e.Component != c.component {
			t.Errorf("%s: want %s, element %d, component %q, %v, got %v", name, c.op, c.element, c.component, c.is, c.err)
		}
	}
	if got, want := errOf(pairs).Error(), `dataset: slices: component "b": ragged: values do not fit the shape: want 4 slices as "a" has, got 3`; got != want {
		t.Errorf("want %s, got %s", want, got)
	}
}

func onSecond(e tensor, err error) error {
	if e.Len() == 0 {
		return err
	}
	return nil
}

func errOf[E any](d dataset.Dataset[E]) error {
	_, err := d.Collect()
	return err
}

// TestZero uses zero values.
func TestZero(t *testing.T) {
	var d dataset.Dataset[tensor]
	if got, err := d.Take(3).Repeat(2).Collect(); len(got) != 0 || err != nil {
		t.Errorf("want nothing, got %v, %v", got, err)
	}
	if got := d.Components(); len(got) != 0 {
		t.Errorf("want no components, got %v", got)
	}
}

func TestSpecs(t *testing.T) {
	rows, err := ragged.FromSlices[int64]([][][2]int64{{{1, 2}}, {}, {{3, 4}, {5, 6}}})
	if err != nil {
		t.Fatal(err)
	}
	d := dataset.Slices(rows)
	spec := func(d dataset.Dataset[tensor]) string { return d.Components()[0].Spec().String() }
	dense := dataset.Map(d, func(e tensor) (tensor, error) { return e, nil }).WithComponents(dataset.Element[int64](dataset.DenseSpec(-1, 2)))
	drop := &dataset.BatchOptions{DropRemainder: true}
	for _, c := range []struct{ name, got, want string }{
		{"dense slices", spec(dataset.Slices(rows.Row(2))), "dense [2]"},
		{"slices", spec(d), "ragged [? 2], ragged rank 0"},
		{"batches", spec(d.Batch(2, nil)), "ragged [? ? 2], ragged rank 1"},
		{"whole batches", spec(d.Batch(2, drop)), "ragged [2 ? 2], ragged rank 1"},
		{"unbatched", spec(d.Batch(2, drop).Unbatch()), "ragged [? 2], ragged rank 0"},
		{"items", spec(d.Unbatch()), "ragged [2], ragged rank -1"},
		{"items batched", spec(d.Unbatch().Batch(2, nil)), "ragged [? 2], ragged rank 0"},
		{"dense", spec(dense), "dense [? 2]"},
		{"dense batches", spec(dense.Batch(1, nil)), "dense [? ? 2]"},
		{"ragged batches", spec(dense.Batch(1, &dataset.BatchOptions{Ragged: true})), "ragged [? ? 2], ragged rank 1"},
		{"open", spec(dataset.From(d.All()).WithComponents(dataset.Element[int64](dataset.Spec{})).Batch(1, nil)), "open"},
	} {
		if c.got != c.want {
			t.Errorf("%s: want %s, got %s", c.name, c.want, c.got)
		}
	}
	for name, misuse := range map[string]func(){
		"a size of -2":        func() { dataset.DenseSpec(-2) },
		"too many partitions": func() { dataset.RaggedSpec(1, -1) },
		"less than none":      func() { dataset.RaggedSpec(-1, -1) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			misuse()
		}()
	}
}

// TestRaggedShapes batches dense elements of several shapes, with and without a spec.
func TestRaggedShapes(t *testing.T) {
	element := func(sizes ...int) tensor {
		n := 1
		for _, s := range sizes {
			n *= s
		}
		e, err := ragged.Dense(make([]int64, n), sizes...)
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	for _, c := range []struct {
		name     string
		elements []tensor
		spec     dataset.Spec
		want     string // shape of the batch
		rank     int    // ragged rank of the batch
	}{
		{"last axis", []tensor{element(2, 3), element(2, 0)}, dataset.DenseSpec(2, -1), "[2 2 -1]", 2},
		{"first axis", []tensor{element(3, 2), element(0, 2)}, dataset.DenseSpec(-1, 2), "[2 -1 2]", 1},
		{"between", []tensor{element(2, 1, 3), element(2, 4, 3)}, dataset.DenseSpec(2, -1, 3), "[2 2 -1 3]", 2},
		{"around", []tensor{element(2, 3, 1, 2, 4), element(2, 0, 1, 1, 4)}, dataset.DenseSpec(2, -1, 1, -1, 4), "[2 2 -1 1 -1 4]", 4},
		{"none", []tensor{element(2, 3), element(2, 3)}, dataset.DenseSpec(2, 3), "[2 2 3]", 0},
		{"open", []tensor{element(2, 3), element(1, 0)}, dataset.Spec{}, "[2 -1 -1]", 2},
		{"open scalars", []tensor{element(), element()}, dataset.Spec{}, "[2]", 0},
		{"one of several", []tensor{element(3)}, dataset.DenseSpec(-1), "[1 -1]", 1},
	} {
		source := func(yield func(tensor, error) bool) {
			for _, e := range c.elements {
				if !yield(e, nil) {
					return
				}
			}
		}
		got, err := dataset.From(source).WithComponents(dataset.Element[int64](c.spec)).Batch(len(c.elements), &dataset.BatchOptions{Ragged: true}).Collect()
		if err != nil || len(got) != 1 {
			t.Errorf("%s: %d batches, %v", c.name, len(got), err)
			continue
		}
		if s := fmt.Sprint(got[0].Shape()); s != c.want || got[0].RaggedRank() != c.rank {
			t.Errorf("%s: want %s with %d partitions, got %s with %d", c.name, c.want, c.rank, s, got[0].RaggedRank())
		}
		for i, e := range c.elements {
			back, err := got[0].Row(i).ToDense(ragged.Scalar[int64](0), nil)
			if err != nil || !slices.Equal(back.Values(), e.Values()) {
				t.Errorf("%s: element %d: want %v, got %v", c.name, i, e.Values(), back)
			}
		}
	}
}
