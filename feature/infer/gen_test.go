package infer_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/ragged"
)

// A gen makes random specs, and columns that fit them.
type gen struct{ *rand.Rand }

func newGen(seed uint64) gen { return gen{rand.New(rand.NewPCG(seed, 7))} }

func pick[T any](g gen, v ...T) T { return v[g.IntN(len(v))] }

// spec makes a spec that inference must find.
func (g gen) spec() (s feature.Spec) {
	switch g.IntN(3) {
	case 0:
		s.Features = g.features(feature.InFeatures)
	case 1:
		s.Context, s.Sequence = g.features(feature.InContext), g.features(feature.InSequence)
	case 2:
		s.Context, s.Examples = g.features(feature.InContext), g.features(feature.InExamples)
	}
	return s
}

func (g gen) features(group feature.Group) feature.Features {
	fs := feature.Features{}
	for i := range 2 + g.IntN(4) {
		d := pick(g, feature.Int64, feature.Float32, feature.String)
		name := fmt.Sprintf("%c", 'a'+i)
		switch k := g.IntN(4); {
		case k == 0 && group != feature.InSequence:
			fs[name] = feature.FixedLen{DType: d, Shape: pick(g, nil, nil, []int{3})}
		case k == 0:
			fs[name] = feature.FixedLenSequence{DType: d, Shape: pick(g, nil, nil, []int{2})}
		case k == 1:
			fs[name] = feature.VarLen{DType: d}
		default:
			f := feature.Ragged{DType: d}
			name += "/words"
			for p := range 1 + g.IntN(3) {
				key := fmt.Sprintf("%c/level%c_", 'a'+i, 'x'+p)
				f.Partitions = append(f.Partitions, pick[feature.Partition](g, feature.RowSplits(key+"splits"), feature.RowLengths(key+"lengths"),
					feature.RowLimits(key+"limits"), feature.RowStarts(key+"starts"), feature.ValueRowIDs(key+"row_ids")))
			}
			last := f.Partitions[len(f.Partitions)-1]
			if _, loose := last.(feature.RowStarts); !loose && g.IntN(4) == 0 { // row_starts do not determine the number of items
				f.Partitions = append(f.Partitions, feature.UniformRowLength(2+g.IntN(3)))
			}
			fs[name] = f
		}
	}
	return fs
}

// table makes columns of n rows.
func (g gen) table(s feature.Spec, n int) (t feature.Table) {
	steps := g.lengths(n, 0, 4)
	for group, fs := range s.Groups() {
		columns := map[string]feature.Column{}
		for _, name := range slices.Sorted(maps.Keys(fs)) {
			f := fs[name]
			outer := []ragged.Partition{}
			rows := n
			if group == feature.InSequence || group == feature.InExamples {
				outer, rows = append(outer, must(ragged.FromRowLengths(steps))), sum(steps)
			}
			columns[name] = g.column(f, group, outer, rows)
		}
		switch group {
		case feature.InFeatures:
			t.Features = columns
		case feature.InContext:
			t.Context = columns
		case feature.InSequence:
			t.Sequence = columns
		case feature.InExamples:
			t.Examples = columns
		}
	}
	return t
}

func (g gen) column(f feature.Feature, group feature.Group, parts []ragged.Partition, rows int) feature.Column {
	inner := []int(nil)
	switch f := f.(type) {
	case feature.FixedLen:
		inner = f.Shape
	case feature.FixedLenSequence: // in Sequence every step is a block
		inner = f.Shape
	case feature.VarLen:
		lengths := g.lengths(rows, 0, 5)
		parts, rows = append(parts, must(ragged.FromRowLengths(lengths))), sum(lengths)
	case feature.Ragged:
		least := 0
		if slices.ContainsFunc(f.Partitions, func(p feature.Partition) bool { _, ok := p.(feature.ValueRowIDs); return ok }) {
			least = 1 // row ids cannot represent empty last rows
		}
		lengths := g.lengths(rows, least, 4)
		parts, rows = append(parts, must(ragged.FromRowLengths(lengths))), sum(lengths)
		for _, p := range f.Partitions {
			if n, ok := p.(feature.UniformRowLength); ok {
				inner = []int{int(n)}
				continue
			}
			lengths := g.lengths(rows, least, 4)
			parts, rows = append(parts, must(ragged.FromRowLengths(lengths))), sum(lengths)
		}
	}
	n := rows
	for _, d := range inner {
		n *= d
	}
	switch feature.DTypeOf(f) {
	case feature.Int64:
		return column(values(n, func(int) int64 { return g.Int64N(1000) - 20 }), inner, parts, rows)
	case feature.Float32:
		return column(values(n, func(int) float32 { return g.Float32() }), inner, parts, rows)
	}
	return column(values(n, func(i int) string { return fmt.Sprint("w", i) }), inner, parts, rows)
}

func column[T feature.Element](v []T, inner []int, parts []ragged.Partition, rows int) feature.Column {
	if len(parts) == 0 {
		return feature.NewColumn(must(ragged.Dense(v, append([]int{rows}, inner...)...)))
	}
	return feature.NewColumn(must(ragged.New(v, inner, parts...)))
}

func values[T any](n int, value func(int) T) []T {
	v := make([]T, n)
	for i := range v {
		v[i] = value(i)
	}
	return v
}

func (g gen) lengths(n, least, most int) []int64 {
	return values(n, func(int) int64 { return int64(least + g.IntN(most-least+1)) })
}

func sum(v []int64) (n int) {
	for _, x := range v {
		n += int(x)
	}
	return n
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// encode makes records of a random spec.
func (g gen) encode(t testing.TB, s feature.Spec, n int) [][]byte {
	t.Helper()
	p, err := feature.NewParser(s, nil)
	if err != nil {
		t.Fatal(err)
	}
	b, err := p.Assemble(g.table(s, n))
	if err != nil {
		t.Fatal(err)
	}
	records, err := b.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return records
}
