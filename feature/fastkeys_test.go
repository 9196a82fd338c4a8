package feature_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/internal/wire"
)

// TestKeys finds keys of every size, among them keys that differ in only one place, in any order, with unrequested
// keys between them.
func TestKeys(t *testing.T) {
	var keys []string
	for n := range 40 {
		keys = append(keys, strings.Repeat("k", n), strings.Repeat("é", n))
		for at := range n {
			if at%5 == 2 {
				keys = append(keys, strings.Repeat("k", at)+"x"+strings.Repeat("k", n-at-1))
			}
		}
	}
	for _, n := range []int{123, 124, 125, 126, 127, 128, 129, 1000, 20_000} {
		keys = append(keys, strings.Repeat("k", n), strings.Repeat("k", n-1)+"y")
	}
	r := rand.New(rand.NewPCG(8, 8))
	seen := map[string]bool{}
	spec := feature.Spec{Features: feature.Features{}}
	for _, key := range keys {
		if !seen[key] && r.IntN(4) > 0 {
			spec.Features[key] = feature.FixedLen{DType: feature.Int64}
		}
		seen[key] = true
	}
	b := parser(t, spec).NewBatch()
	for row := range 60 {
		values := example.Example{}
		for key := range seen {
			values[key] = example.Int64s(r.Int64() >> r.IntN(64))
		}
		var order []string
		for key := range seen { // in a random order
			order = append(order, key)
		}
		if row%3 > 0 { // the last key is the last bytes of the record
			order = order[:0]
			for _, key := range keys {
				if seen[key] {
					order = append(order, key)
					seen[key] = false
				}
			}
			for _, key := range order {
				seen[key] = true
			}
		}
		var body []byte
		for _, key := range order {
			one := marshal(t, example.Example{key: values[key]})
			lo, _ := wire.Length(one, 1)
			body = append(body, one[lo:]...)
		}
		record := append(wire.AppendHeader(nil, 1, int64(len(body))), body...)
		if !b.Fast(record) {
			t.Fatalf("row %d: the fast way does not know it", row)
		}
		b.Reset()
		if err := b.Append(record); err != nil {
			t.Fatal(err)
		}
		for name := range spec.Features {
			v, err := feature.ColumnOf[int64](b.Columns(), name)
			if err != nil {
				t.Fatal(err)
			}
			if got, want := fmt.Sprint(v.Values()), fmt.Sprint(values[name].Int64s); got != want {
				t.Fatalf("row %d: %.50q of %d bytes: got %s, want %s", row, name, len(name), got, want)
			}
		}
	}
}

// TestKeysAlike finds keys that differ only in the middle, for any number of keys, in any order.
func TestKeysAlike(t *testing.T) {
	for _, form := range []string{"feature_%d_lengths", "a long beginning, %08d in the middle, and a long end"} {
		for _, n := range []int{1, 4, 5, 40, 2000} {
			spec := feature.Spec{Features: feature.Features{}}
			var record []byte
			for i := range n {
				key := fmt.Sprintf(form, 10_000+i)
				spec.Features[key] = feature.FixedLen{DType: feature.Int64}
				record = append(marshal(t, example.Example{key: example.Int64s(int64(i))}), record...)
			}
			b := parser(t, spec).NewBatch()
			if !b.Fast(record) {
				t.Fatal("the fast way does not know it")
			}
			b.Reset()
			if err := b.Append(record); err != nil {
				t.Fatal(err)
			}
			for i := range n {
				if v, err := feature.ColumnOf[int64](b.Columns(), fmt.Sprintf(form, 10_000+i)); err != nil || v.Values()[0] != int64(i) {
					t.Fatalf("%d of %d: %v, %v", i, n, v.Values(), err)
				}
			}
		}
	}
}
