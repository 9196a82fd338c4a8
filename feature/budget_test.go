package feature_test

import (
	"fmt"
	"testing"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/internal/test/random"
	"github.com/tfparse/tfparse/internal/test/testkit"
)

// budgets returns a spec for every kind, dtype and partition, by name, with records that grow and shrink.
func budgets(t *testing.T) map[string]budget {
	out := map[string]budget{}
	value := func(d feature.DType, n int) example.Value {
		switch d {
		case feature.Int64:
			v := make([]int64, n)
			for i := range v {
				v[i] = int64(i) << (i % 40)
			}
			return example.Int64s(v...)
		case feature.Float32:
			return example.Floats(make([]float32, n)...)
		}
		v := make([]string, n)
		for i := range v {
			v[i] = fmt.Sprint("value ", i)
		}
		return example.Strings(v...)
	}
	add := func(name string, f feature.Feature, unit func(n int) example.Example) {
		b := budget{spec: feature.Spec{Features: feature.Features{"a": f}}}
		for n := range 8 {
			b.records = append(b.records, marshal(t, unit(n)))
		}
		out[name] = b
		if _, sparse := f.(feature.Sparse); sparse {
			return
		}
		b = budget{spec: feature.Spec{Context: feature.Features{"x": feature.VarLen{DType: feature.Int64}}, Sequence: feature.Features{"a": f}}}
		if fixed, ok := f.(feature.FixedLen); ok {
			b.spec.Sequence["a"] = feature.FixedLenSequence{DType: fixed.DType, Shape: fixed.Shape}
		} else if _, ok := f.(feature.FixedLenSequence); ok {
			return
		}
		for n := range 8 {
			lists := map[string][]example.Value{}
			for key, v := range unit(n) {
				for range n {
					lists[key] = append(lists[key], v)
				}
			}
			if n == 0 {
				lists["a"] = nil
			}
			b.records = append(b.records, marshal(t, example.Sequence{Context: example.Example{"x": example.Int64s(int64(n))}, Lists: lists}))
		}
		out[name+" in steps"] = b
	}
	for _, d := range random.DTypes {
		add(fmt.Sprint("FixedLen of one ", d), feature.FixedLen{DType: d}, func(int) example.Example { return example.Example{"a": value(d, 1)} })
		add(fmt.Sprint("FixedLen of ", d), feature.FixedLen{DType: d, Shape: []int{2, 3}}, func(int) example.Example { return example.Example{"a": value(d, 6)} })
		add(fmt.Sprint("FixedLenSequence of ", d), feature.FixedLenSequence{DType: d, Shape: []int{2}}, func(n int) example.Example { return example.Example{"a": value(d, 2*n)} })
		add(fmt.Sprint("VarLen of ", d), feature.VarLen{DType: d}, func(n int) example.Example { return example.Example{"a": value(d, n)} })
		add(fmt.Sprint("Sparse of ", d), feature.Sparse{DType: d, ValueKey: "v", IndexKeys: []string{"i"}, Size: []int64{10}}, func(n int) example.Example {
			ix := make([]int64, n)
			for i := range ix {
				ix[i] = int64(n - 1 - i) // in descending order
			}
			return example.Example{"v": value(d, n), "i": example.Int64s(ix...)}
		})
		for name, p := range map[string]struct {
			partition feature.Partition
			data      func(n int) []int64 // the values of a partition of 2*n items
		}{
			"no partition":     {nil, nil},
			"row_splits":       {feature.RowSplits("p"), func(n int) []int64 { return []int64{0, int64(n), int64(2 * n)} }},
			"row_lengths":      {feature.RowLengths("p"), func(n int) []int64 { return []int64{int64(n), int64(n)} }},
			"row_starts":       {feature.RowStarts("p"), func(n int) []int64 { return []int64{0, int64(n)} }},
			"row_limits":       {feature.RowLimits("p"), func(n int) []int64 { return []int64{int64(n), int64(2 * n)} }},
			"value_row_ids":    {feature.ValueRowIDs("p"), func(n int) []int64 { return make([]int64, 2*n) }},
			"uniform, inner":   {feature.UniformRowLength(2), nil},
			"uniform, not all": {feature.UniformRowLength(1), func(n int) []int64 { return []int64{int64(2 * n)} }},
		} {
			f := feature.Ragged{DType: d, ValueKey: "a"}
			if p.partition != nil {
				f.Partitions = append(f.Partitions, p.partition)
			}
			if name == "uniform, not all" {
				f.Partitions = append(f.Partitions, feature.RowLengths("p"))
			}
			add(fmt.Sprintf("Ragged of %s, %s", d, name), f, func(n int) example.Example {
				e := example.Example{"a": value(d, 2*n)}
				if p.data != nil {
					e["p"] = example.Int64s(p.data(n)...)
				}
				return e
			})
		}
	}
	return out
}

// allocs returns the number of allocations in a call of f. It may include allocations of the runtime, so the
// smallest of three counts is used.
func allocs(f func()) float64 {
	return min(testing.AllocsPerRun(5, f), testing.AllocsPerRun(5, f), testing.AllocsPerRun(5, f))
}

type budget struct {
	spec    feature.Spec
	records [][]byte
}

// TestBudgets: after a batch has grown, parsing a record and encoding its row allocate nothing, for every kind,
// dtype and partition. The strings of a batch need one block. A result that is kept needs at most three allocations
// per column.
func TestBudgets(t *testing.T) {
	testkit.OneGoroutine(t)
	const rounds = 25
	for name, c := range budgets(t) {
		p := parser(t, c.spec)
		b := p.NewBatch()
		batch := func() {
			for range rounds {
				for _, r := range c.records {
					if err := b.Append(r); err != nil {
						t.Fatalf("%s: %v", name, err)
					}
				}
			}
		}
		for _, r := range c.records {
			if !b.Fast(r) {
				t.Errorf("%s: the fast way does not know % x", name, r)
			}
		}
		batch()
		blocks := 0.0 // blocks of strings in a batch
		if c.spec.Features["a"] != nil && feature.DTypeOf(c.spec.Features["a"]) == feature.String || c.spec.Sequence["a"] != nil && feature.DTypeOf(c.spec.Sequence["a"]) == feature.String {
			blocks = 1
		}
		if n := allocs(func() { b.Reset(); batch() }); n > blocks {
			t.Errorf("%s: %v allocations for a batch of %d records, want %v", name, n, rounds*len(c.records), blocks)
		}
		count := float64(columns(b.Columns()))
		if n := allocs(func() { b.Reset(); batch(); _ = b.Take() }); n > blocks+max(3*count, 6) {
			t.Errorf("%s: %v allocations for a batch that is kept, of %v columns", name, n, count)
		}
		batch()
		dst := make([]byte, 0, 1<<12)
		if n := allocs(func() {
			for i := range b.Len() {
				if out, err := b.AppendRecord(dst, i); err != nil || len(out) == 0 {
					t.Fatalf("%s: row %d: %v", name, i, err)
				}
			}
		}); n > 1 && !testkit.Race {
			t.Errorf("%s: %v allocations to encode %d rows", name, n, b.Len())
		}
	}
}

// TestTake: the batch that Take returns stays valid for any later use of the original batch, and can grow.
func TestTake(t *testing.T) {
	for _, m := range messages {
		p := parser(t, everySpec(m))
		records := [][]byte{everyRecord(t, m, 1), everyRecord(t, m, 2), everyRecord(t, m, 3)}
		want := must(p.Parse(records...))
		b := p.NewBatch()
		for _, r := range records {
			if err := b.Append(r); err != nil {
				t.Fatal(err)
			}
		}
		taken := b.Take()
		if b.Len() != 0 || taken.Len() != 3 || taken.Parser() != p {
			t.Fatalf("%s: %d rows are left, %d taken", m, b.Len(), taken.Len())
		}
		for range 5 {
			if err := b.Append(everyRecord(t, m, 4)); err != nil {
				t.Fatal(err)
			}
		}
		sameColumns(t, want, taken)
		for _, batch := range []*feature.Batch{want, taken} {
			if err := batch.Append(records[1]); err != nil {
				t.Fatal(err)
			}
		}
		sameColumns(t, want, taken)
	}
}

func sameColumns(t *testing.T, want, got *feature.Batch) {
	t.Helper()
	for name, c := range want.Columns().All() {
		o, err := got.Columns().In(c.Group()).Column(name)
		if err != nil || !same(columnRows(c), columnRows(o)) {
			t.Fatalf("%s %q: want %v, got %v, %v", c.Group(), name, columnRows(c), columnRows(o), err)
		}
	}
}
