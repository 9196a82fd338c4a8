package feature_test

import (
	"math"
	"slices"
	"testing"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/internal/test/random"
)

// TestFlat compares the flat values and splits with the tensor, for batches and for single rows.
func TestFlat(t *testing.T) {
	checked := 0
	for seed := range uint64(300) {
		g := random.New(nil, seed)
		spec := g.Spec()
		b := parser(t, spec).NewBatch()
		for range 3 {
			_ = b.Append(g.Record(spec, false)) // the record may be invalid if keys are shared
		}
		views := []feature.Columns{b.Columns()}
		for i := range b.Len() {
			views = append(views, b.Row(i))
		}
		for _, cs := range views {
			for name, c := range cs.All() {
				ok := false
				switch c.DType() {
				case feature.Int64:
					ok = sameFlat[int64](c)
				case feature.Float32:
					ok = sameFlat[float32](c)
				case feature.String:
					ok = sameFlat[string](c)
				}
				if !ok {
					t.Errorf("seed %d: %q: what is behind the tensor is not the tensor", seed, name)
				}
				checked++
			}
		}
	}
	if checked < 1000 {
		t.Errorf("only %d columns were compared", checked)
	}
}

func sameFlat[T feature.Element](c feature.Column) bool {
	tensor, ok := feature.TensorOf[T](c.Ragged())
	flat, ok2 := feature.FlatOf[T](c)
	if !ok || !ok2 || !slices.EqualFunc(flat, tensor.Values(), func(x, y T) bool { return x == y || x != x && y != y }) || cap(flat) != len(flat) {
		return false
	}
	if c.RaggedRank() != tensor.RaggedRank() {
		return false
	}
	for i, p := range tensor.Partitions() {
		splits, length := c.Splits(i)
		if splits != nil && !slices.Equal(since(splits), p.AppendSplits(nil)) {
			return false
		}
		n, uniform := p.UniformLen()
		if uniform && (splits != nil || length != n) || !uniform && splits == nil {
			return false
		}
	}
	return true
}

// since subtracts the first split from all splits.
func since(splits []int64) []int64 {
	out := slices.Clone(splits)
	for i := range out {
		out[i] -= splits[0]
	}
	return out
}

// TestPaddingSign pads with a negative zero, like TensorFlow.
func TestPaddingSign(t *testing.T) {
	p := parser(t, feature.Spec{Features: feature.Features{"a": feature.FixedLenSequence{DType: feature.Float32, Default: example.Floats(float32(math.Copysign(0, -1)))}}})
	long, err := example.Example{"a": example.Floats(1)}.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	b, err := p.Parse(long, nil)
	if err != nil {
		t.Fatal(err)
	}
	a, err := feature.ColumnOf[float32](b.Columns(), "a")
	if v := a.Values(); err != nil || len(v) != 2 || !math.Signbit(float64(v[1])) {
		t.Errorf("%v, %v", v, err)
	}
}
