package infer_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tfparse/tfparse/example"
)

// A report says for every feature how it is parsed, what partitions it, and what does not.
func TestExplain(t *testing.T) {
	_, r := inferred(t, example.TypeExample, nil, encode(t,
		ex{"a/lengths": ints(2, 1), "a/values": words(3), "b/a/lengths": ints(1, 2)},
		ex{"a/lengths": ints(3, 2), "a/values": words(5), "b/a/lengths": ints(4, 1)},
		ex{"a/lengths": ints(0, 4, 2), "a/values": words(6), "b/a/lengths": ints(7, 8)},
	)...)
	want := `3 example records

a/lengths
  type      int64
  presence  in all of 3 records
  values    2 to 3
  column    none, it is a partition: row_lengths of "a/values"

a/values
  type      string
  presence  in all of 3 records
  values    3 to 6
  column    ragged row_lengths a/lengths: has row partitions
  partition row_lengths a/lengths: holds, for 3 different numbers of items, in 3 of 3 records
  rejected  row_lengths b/a/lengths: holds only in 2 of 3 records; record 2: [7 8] for 6 items: they add up to 15

b/a/lengths
  type      int64
  presence  in all of 3 records
  values    always 2
  column    fixed_len [2]: always the same number of values
`
	if d := cmp.Diff(want, r.Explain()); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
}
