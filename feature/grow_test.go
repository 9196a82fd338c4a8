package feature_test

import (
	"testing"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/internal/test/testkit"
)

// Grow has no visible effect. Later rows fit the memory that it allocated.
func TestGrow(t *testing.T) {
	p, err := feature.NewParser(feature.Spec{Features: feature.Features{
		"scalar": feature.FixedLen{DType: feature.Int64},
		"list":   feature.VarLen{DType: feature.Float32},
		"text":   feature.Ragged{DType: feature.String},
	}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	record := func(i int) []byte {
		var b example.Builder
		b.Add("scalar", example.Int64s(int64(i)))
		b.Add("list", example.Floats(make([]float32, i%7)...))
		b.Add("text", example.Bytes([]byte("a"), []byte("b")))
		rec, err := b.AppendBinary(nil)
		if err != nil {
			t.Fatal(err)
		}
		return rec
	}
	b := p.NewBatch()
	b.Grow(100) // the size of records is not known yet
	for i := range 50 {
		if err := b.Append(record(i)); err != nil {
			t.Fatal(err)
		}
	}
	size := b.Size()
	b.Grow(0)
	b.Grow(-1)
	b.Grow(1 << 62 >> 32) // more memory than exists
	b.Grow(100)
	if b.Size() != size || b.Len() != 50 {
		t.Errorf("%d rows of %d bytes, were 50 of %d", b.Len(), b.Size(), size)
	}
	rest := make([][]byte, 100)
	for i := range rest {
		rest[i] = record(50 + i)
	}
	i := 0
	if n := testing.AllocsPerRun(99, func() {
		if err := b.Append(rest[i]); err != nil {
			t.Fatal(err)
		}
		i++
	}); n != 0 && !testkit.Race {
		t.Errorf("%v allocations for a row", n)
	}
	v, err := feature.ColumnOf[int64](b.Columns(), "scalar")
	if err != nil {
		t.Fatal(err)
	}
	for i, x := range v.Values() {
		if x != int64(i) {
			t.Fatalf("row %d holds %d", i, x)
		}
	}
}
