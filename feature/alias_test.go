package feature_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/internal/simd"
	"github.com/tfparse/tfparse/internal/test/testkit"
	"github.com/tfparse/tfparse/tfrecord"
)

// TestAliasRecords: strings of every kind of feature point into the records. They stay valid if the records belong
// to the caller. They do not if the records belong to a reader; in race builds, where a reader overwrites such
// records, this is visible at once.
func TestAliasRecords(t *testing.T) {
	p, err := feature.NewParser(feature.Spec{Features: feature.Features{
		"one":  feature.FixedLen{DType: feature.String},
		"many": feature.VarLen{DType: feature.String},
		"rows": feature.Ragged{DType: feature.String, Partitions: []feature.Partition{feature.RowLengths("n")}},
	}}, &feature.ParserOptions{AliasRecords: true})
	if err != nil {
		t.Fatal(err)
	}
	record := marshal(t, example.Example{"one": example.Strings("first"), "many": example.Strings("second", "third"), "rows": example.Strings("fourth", "fifth"), "n": example.Int64s(0, 2)})
	want := []string{"first", "second", "third", "fourth", "fifth"}
	strings := func(b *feature.Batch) (out []string) {
		for _, name := range []string{"one", "many", "rows"} {
			column, err := b.Columns().Column(name)
			if err != nil {
				t.Fatal(err)
			}
			values, _ := feature.FlatOf[string](column)
			out = append(out, values...)
		}
		return out
	}

	mine := slices.Clone(record)
	b := p.NewBatch()
	if err := b.Append(mine); err != nil {
		t.Fatal(err)
	}
	if got := strings(b); !slices.Equal(got, want) {
		t.Fatalf("got %q, want %q", got, want)
	}
	clear(mine)
	if got := strings(b); slices.Equal(got, want) == simd.Aliases {
		t.Errorf("the record was overwritten, and the strings are %q", got)
	}

	var file []byte
	for range 3 {
		file = tfrecord.AppendRecord(file, record)
	}
	lent, owned := p.NewBatch(), p.NewBatch()
	r, s := tfrecord.NewReader(bytes.NewReader(file), nil), tfrecord.NewReader(bytes.NewReader(file), nil)
	for range 3 {
		borrowed, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		own, err := s.Next()
		if err != nil {
			t.Fatal(err)
		}
		own = bytes.Clone(own)
		if err := lent.Append(borrowed); err != nil {
			t.Fatal(err)
		}
		if err := owned.Append(own); err != nil {
			t.Fatal(err)
		}
	}
	if one, err := feature.ColumnOf[string](owned.Columns(), "one"); err != nil || !slices.Equal(one.Values(), []string{"first", "first", "first"}) {
		t.Errorf("of records of our own: %q, %v", one.Values(), err)
	}
	if one, err := feature.ColumnOf[string](lent.Columns(), "one"); err != nil || testkit.Race && simd.Aliases && one.Values()[0] == "first" {
		t.Errorf("the reader took its record back, and the string is still %q, %v", one.Values()[0], err)
	}
}
