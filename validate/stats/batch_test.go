package stats_test

import (
	"math"
	"testing"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/validate/stats"
)

// With TFDV the struct of feature lists is in the batches that have some, and weighs what
// their records do.
func TestWeightOfStructs(t *testing.T) {
	var records [][]byte
	for _, s := range []example.Sequence{
		{Context: example.Example{"w": example.Floats(2)}},
		{Context: example.Example{"w": example.Floats(3)}, Lists: map[string][]example.Value{"x": {example.Int64s(1)}}},
	} {
		b, err := s.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		records = append(records, b)
	}
	_, tfdv := both(t, stats.Options{RecordType: stats.SequenceExamples, WeightFeature: "w", DesiredBatchSize: 1}, records...)
	c := tfdv.Datasets[0].Features[1].GetStructStats().GetCommonStats()
	if w := c.GetWeightedCommonStats(); c.NumNonMissing != 1 || c.NumMissing != 1 || w.GetNumNonMissing() != 3 || w.GetNumMissing() != 2 {
		t.Errorf("%v", c)
	}
}

// With TFDV a mean is infinite, or none, as the batches come.
func TestInfinityInBatches(t *testing.T) {
	inf := float32(math.Inf(1))
	o := stats.Options{DesiredBatchSize: 1}
	_, last := both(t, o, floats(1), floats(2), floats(inf))
	_, first := both(t, o, floats(inf), floats(1), floats(2))
	if a, b := numbers(last), numbers(first); !math.IsInf(a.Mean, 1) || !math.IsNaN(b.Mean) || a.StdDev != 0 || b.StdDev != 0 {
		t.Errorf("mean %v ± %v, and %v ± %v", a.Mean, a.StdDev, b.Mean, b.StdDev)
	}
}
