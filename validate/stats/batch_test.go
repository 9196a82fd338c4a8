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
	_, tfdv := both(t, stats.Options{Message: example.TypeSequence, WeightFeature: "w", DesiredBatchSize: 1}, records...)
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

// With TFDV what ends a batch ends one that is left out, too.
func TestEndOfBatchLeftOut(t *testing.T) {
	o := &stats.Options{TFDV: true, SampleRate: .5, DesiredBatchSize: 10}
	var in, out []byte // of which one is in the sample, and the other is not
	for i := int64(0); in == nil || out == nil; i++ {
		r := ints(i)
		if run(t, o, [][]byte{r}).Examples() == 1 {
			in = r
		} else {
			out = r
		}
	}
	for _, c := range []struct {
		name string
		end  func(*stats.Accumulator)
		want uint64
	}{
		{"nothing", func(*stats.Accumulator) {}, 0},
		{"statistics", func(a *stats.Accumulator) { list(t, a) }, 1},
		{"a state", func(a *stats.Accumulator) { state(t, a) }, 1},
		{"a merge", func(a *stats.Accumulator) {
			if err := a.Merge(a.Fresh()); err != nil {
				t.Fatal(err)
			}
		}, 1},
		{"its size", func(a *stats.Accumulator) {
			for range 7 {
				if err := a.Add(in); err != nil { // whatever it is
					t.Fatal(err)
				}
			}
		}, 1},
	} {
		a, err := stats.New(o)
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			if err := a.Add(out); err != nil {
				t.Fatal(err)
			}
		}
		c.end(a)
		if err := a.Add(in); err != nil || a.Examples() != c.want {
			t.Errorf("behind a batch that %s ends: %d records, wanted %d: %v", c.name, a.Examples(), c.want, err)
		}
	}
}
