package feature_test

import (
	"slices"
	"testing"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/internal/test/testkit"
)

// TestReleasedBatches keeps columns of a released batch of Batches. In race builds their values are overwritten, so
// that tests detect the mistake; other builds reuse the memory. Batches that are not released do not change, and
// strings do not either.
func TestReleasedBatches(t *testing.T) {
	p, err := feature.NewParser(feature.Spec{Features: feature.Features{
		"n": feature.FixedLen{DType: feature.Int64},
		"f": feature.FixedLen{DType: feature.Float32},
		"s": feature.VarLen{DType: feature.String},
	}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	records := func(yield func([]byte, error) bool) {
		for i := range int64(6) {
			if !yield(marshal(t, example.Example{"n": example.Int64s(i), "f": example.Floats(float32(i)), "s": example.Strings(string(rune('a' + i)))}), nil) {
				return
			}
		}
	}
	ints := func(b *feature.Batch) []int64 {
		n, err := feature.ColumnOf[int64](b.Columns(), "n")
		if err != nil {
			t.Fatal(err)
		}
		return n.Values()
	}
	spoiled := []int64{-0x2424242424242425, -0x2424242424242425}
	var kept *feature.Batch
	var column []int64
	var floats []float32
	var text string
	i := int64(0)
	for b, err := range p.Batches(records, 2) {
		if err != nil {
			t.Fatal(err)
		}
		if got, want := ints(b), []int64{2 * i, 2*i + 1}; !slices.Equal(got, want) {
			t.Errorf("batch %d: want %d, got %d", i, want, got)
		}
		f, _ := feature.ColumnOf[float32](b.Columns(), "f")
		switch i {
		case 0:
			s, _ := feature.ColumnOf[string](b.Columns(), "s")
			column, floats, text = ints(b), f.Values(), s.Values()[1]
			b.Release()
			b.Release() // a second call does nothing
		case 1:
			if testkit.Race && (!slices.Equal(column, spoiled) || slices.Contains(floats, 0)) {
				t.Errorf("kept from the batch before: column %d, floats %g: they are not overwritten", column, floats)
			}
			if !testkit.Race && !slices.Equal(column, []int64{2, 3}) {
				t.Errorf("the memory is not used again: the column of the batch before has %d", column)
			}
			kept = b
		}
		i++
	}
	if i != 3 || text != "b" || !slices.Equal(ints(kept), []int64{2, 3}) {
		t.Errorf("%d batches, a string %q, kept %d", i, text, ints(kept))
	}

	b := p.NewBatch()
	for r := range records {
		if err := b.Append(r); err != nil {
			t.Fatal(err)
		}
	}
	column = ints(b)
	b.Reset()
	if got := slices.Contains(column, 5); got == testkit.Race {
		t.Errorf("after Reset a kept column has %d", column)
	}
}
