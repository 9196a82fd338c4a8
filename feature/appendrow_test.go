package feature_test

import (
	"errors"
	"testing"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/internal/test/random"
)

// TestAppendRow copies the rows of batches with every kind of column in reverse order, and compares with a batch
// that is parsed from the records in that order.
func TestAppendRow(t *testing.T) {
	check := func(p *feature.Parser, records [][]byte) {
		t.Helper()
		b, want, got := p.NewBatch(), p.NewBatch(), p.NewBatch()
		var kept [][]byte
		for _, r := range records {
			if b.Append(r) == nil { // if keys are shared the data may be invalid
				kept = append(kept, r)
			}
		}
		for range 2 { // the second time there are other rows before
			for i := range kept {
				must(0, want.Append(kept[len(kept)-1-i]))
				must(0, got.AppendRow(b.Row(len(kept)-1-i)))
			}
			b = b.Take()
		}
		for i := range kept {
			must(0, want.Append(kept[len(kept)-1-i]))
			must(0, got.AppendRow(got.Row(i)))
		}
		b.Reset() // race builds overwrite strings that are not copied
		sameBatch(t, want, got)
	}
	for _, m := range messages {
		var records [][]byte
		for i := range int64(6) {
			records = append(records, everyRecord(t, m, i))
		}
		check(parser(t, everySpec(m)), records)
	}
	for seed := range uint64(300) {
		g := random.New(nil, seed)
		spec := g.Spec()
		var records [][]byte
		for range g.N(5) {
			records = append(records, g.Record(spec, false))
		}
		check(parser(t, spec), records)
	}
}

// TestAppendRowErrors proves that AppendRow adds nothing if it returns an error.
func TestAppendRowErrors(t *testing.T) {
	spec := feature.Spec{Features: feature.Features{"s": feature.FixedLenSequence{DType: feature.Int64}}}
	p, err := feature.NewParser(spec, &feature.ParserOptions{MaxPadded: 6})
	if err != nil {
		t.Fatal(err)
	}
	record := func(n int) []byte { return marshal(t, example.Example{"s": example.Int64s(make([]int64, n)...)}) }
	long, short := must(p.Parse(record(4))), must(p.Parse(record(1), record(1)))
	if err := short.AppendRow(long.Row(0)); !errors.Is(err, feature.ErrLimit) {
		t.Errorf("too much padding: %v", err)
	}
	if err := short.AppendRow(must(parser(t, spec).Parse(record(1))).Row(0)); !errors.Is(err, feature.ErrColumn) {
		t.Errorf("another parser: %v", err)
	}
	sameBatch(t, must(p.Parse(record(1), record(1))), short)
	for name, row := range map[string]feature.Columns{"none": {}, "all rows": short.Columns()} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			short.AppendRow(row)
		}()
	}
}
