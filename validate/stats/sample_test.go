package stats_test

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/stats"
)

// TestSampleRate proves that a sample is of single records, about as many as it should have,
// and the same ones whatever their order and however they are split; and that with TFDV it
// is of whole batches.
func TestSampleRate(t *testing.T) {
	const n, batch = 8000, 50 // numbers: so few are exact
	records := make([][]byte, n)
	for i := range records {
		records[i] = ints(int64(i))
	}
	rnd := rand.New(rand.NewPCG(6, 6))
	for _, rate := range []float64{.01, .1, .5, .9, 1} {
		o := stats.Options{SampleRate: rate}
		whole := run(t, &o, records)
		count := whole.Examples()
		if far := math.Abs(float64(count) - rate*n); far > 5*math.Sqrt(n*rate*(1-rate)) || count+whole.Skipped() != n {
			t.Errorf("%v: %d of %d, and %d skipped", rate, count, n, whole.Skipped())
		}
		want := list(t, whole)
		other := slices.Clone(records)
		rnd.Shuffle(n, func(i, j int) { other[i], other[j] = other[j], other[i] })
		for _, ends := range [][]int{nil, {1, 2, 7000, 7001}} {
			a := run(t, &o, other, ends...)
			if a.Skipped() != n-count || !proto.Equal(list(t, a), want) {
				t.Errorf("%v: in another order, split at %v, it is another sample", rate, ends)
			}
		}
		o.TFDV, o.DesiredBatchSize = true, batch
		a := run(t, &o, records)
		batches := map[int64]int{} // met: how many records of them
		numbered := run(t, &stats.Options{TFDV: true, SampleRate: rate, DesiredBatchSize: batch, Schema: categories, NumTopValues: n}, records)
		for _, v := range list(t, numbered).Datasets[0].GetFeatures() {
			for _, top := range v.GetStringStats().GetTopValues() {
				i, err := strconv.ParseInt(top.Value, 10, 64)
				if err != nil {
					t.Fatal(err)
				}
				batches[i/batch]++
			}
		}
		for b, met := range batches {
			if met != batch {
				t.Errorf("%v: batch %d has %d of %d records with TFDV", rate, b, met, batch)
			}
		}
		count = a.Examples()
		if far := math.Abs(float64(count)/batch - rate*n/batch); far > 5*math.Sqrt(n/batch*rate*(1-rate)) || count+a.Skipped() != n || uint64(len(batches)) != count/batch {
			t.Errorf("%v: %d of %d with TFDV, %d skipped, %d batches", rate, count, n, a.Skipped(), len(batches))
		}
		var again stats.Accumulator
		if err := again.UnmarshalBinary(state(t, a)); err != nil || again.Skipped() != a.Skipped() {
			t.Errorf("%v: read, %d are skipped, and %d before: %v", rate, again.Skipped(), a.Skipped(), err)
		}
	}
	for _, o := range []stats.Options{{SampleRate: .5}, {SampleRate: .5, TFDV: true, DesiredBatchSize: 1}} {
		same := make([][]byte, 100)
		for i := range same {
			same[i] = records[0]
		}
		if n := run(t, &o, same).Examples(); n != 0 && n != 100 {
			t.Errorf("%d of 100 equal records are in the sample", n)
		}
	}
	if a, b := run(t, nil, records[:9]), run(t, &stats.Options{SampleRate: 1}, records[:9]); !bytes.Equal(state(t, a), state(t, b)) {
		t.Error("a sample of all is not as none")
	}
	for _, rate := range []float64{-.1, math.SmallestNonzeroFloat64 - 1, 1.0001, math.NaN(), math.Inf(1)} {
		if _, err := stats.New(&stats.Options{SampleRate: rate}); !errors.Is(err, stats.ErrOptions) {
			t.Errorf("a rate of %v: %v", rate, err)
		}
	}
}

var categories = &metadatapb.Schema{Feature: []*metadatapb.Feature{{
	Name: proto.String("x"), Type: metadatapb.FeatureType_INT.Enum(),
	DomainInfo: &metadatapb.Feature_IntDomain{IntDomain: &metadatapb.IntDomain{IsCategorical: proto.Bool(true)}},
}}}

// TestSampleOfBadRecords proves that what is not in the sample is not looked at, that what is
// counts as bad, and that records are numbered as they were given.
func TestSampleOfBadRecords(t *testing.T) {
	const n = 1000
	for _, tfdv := range []bool{false, true} {
		o := stats.Options{SampleRate: .5, TFDV: tfdv, DesiredBatchSize: 1}
		sum, err := stats.New(&o)
		if err != nil {
			t.Fatal(err)
		}
		bad, ended := uint64(0), false
		for i := range byte(250) {
			a := sum.Fresh()
			if err := a.Add([]byte{0xff, i}); err != nil {
				bad++
				ended = ended || tfdv
			} else if a.Skipped() != 1 {
				t.Errorf("%v: a damaged record is neither bad nor skipped", tfdv)
			}
			if tfdv {
				continue
			}
			if err := sum.Merge(a); err != nil {
				t.Fatal(err)
			}
		}
		if bad < 80 || bad > 170 || tfdv != ended || !tfdv && (sum.Bad() != bad || sum.Skipped() != 250-bad) {
			t.Errorf("%v: of 250 damaged records %d are bad, and %d skipped", tfdv, bad, sum.Skipped())
		}
	}
	var records [][]byte
	for i := range n {
		records = append(records, ints(int64(i)))
	}
	records = append(records, floats(1), floats(2), floats(3), floats(4), floats(5), floats(6), floats(7))
	o := stats.Options{SampleRate: .5}
	for _, ends := range [][]int{nil, {300, 900}, {n, n}} {
		c := run(t, &o, records, ends...).Conflicts()
		if len(c) != 1 || c[0].First[example.FloatList] < n || c[0].First[example.FloatList] >= n+7 {
			t.Errorf("split at %v: the first float of those in the sample is in %v, wanted from record %d on", ends, c, n)
		}
	}
}

// TestDomainSampleRate proves that domains are looked for in a sample of the records, the same
// one in any order and however they are split, and that all else is of all records.
func TestDomainSampleRate(t *testing.T) {
	const n = 4000 // a domain needs 100 values
	dates := make([][]byte, n)
	for i := range dates {
		dates[i] = record(example.Example{"x": example.Strings("2024-01-02"), "n": example.Int64s(int64(i))})
	}
	without := func(a *stats.Accumulator) (l *metadatapb.DatasetFeatureStatisticsList, found int) {
		l = list(t, a)
		for _, f := range l.Datasets[0].Features {
			found += len(f.CustomStats)
			f.CustomStats = nil
		}
		return l, found
	}
	want, _ := without(run(t, nil, dates))
	for _, c := range []struct {
		rate  float64
		tfdv  bool
		found bool
	}{{1, false, true}, {0.5, false, true}, {0.001, false, false}, {1, true, true}, {0.5, true, true}, {1e-9, true, false}} {
		o := stats.Options{EnableSemanticDomainStats: true, SemanticDomainStatsSampleRate: c.rate, TFDV: c.tfdv, DesiredBatchSize: 50}
		whole := list(t, run(t, &o, dates))
		l, found := without(run(t, &o, dates))
		if (found > 0) != c.found {
			t.Errorf("%+v: %d custom statistics", c, found)
		}
		if l.Datasets[0].NumExamples != n || !c.tfdv && !proto.Equal(l, want) {
			t.Errorf("%+v: other statistics differ", c)
		}
		if c.tfdv {
			continue
		}
		other := slices.Clone(dates)
		rand.New(rand.NewPCG(7, 7)).Shuffle(n, func(i, j int) { other[i], other[j] = other[j], other[i] })
		for _, ends := range [][]int{nil, {1, 700, 701}} {
			if got := list(t, run(t, &o, other, ends...)); !proto.Equal(got, whole) {
				t.Errorf("%+v: in another order, split at %v, it is another sample", c, ends)
			}
		}
	}
	// One value of ten is no time: which ones were looked at shows in the ratio. A sample of a
	// sample is another one than the sample.
	share := func(o stats.Options) float64 {
		o.EnableSemanticDomainStats = true
		mixed := make([][]byte, n)
		for i := range mixed {
			v := "2024-01-02"
			if i%10 == 0 {
				v = "no time at all"
			}
			mixed[i] = record(example.Example{"x": example.Strings(v), "n": example.Int64s(int64(i))})
		}
		for _, f := range list(t, run(t, &o, mixed)).Datasets[0].Features {
			for _, s := range f.CustomStats {
				if s.GetName() == "time_match_ratio" {
					return s.GetNum()
				}
			}
		}
		return math.NaN()
	}
	all, some, none := share(stats.Options{}), share(stats.Options{SemanticDomainStatsSampleRate: 0.2}), share(stats.Options{SampleRate: 0.2, SemanticDomainStatsSampleRate: 0.2})
	if all != 0.9 || some == all || math.Abs(some-0.9) > 0.05 || none == some || math.Abs(none-0.9) > 0.1 {
		t.Errorf("ratios are %v, %v of a fifth, %v of a fifth of a fifth", all, some, none)
	}
	for _, rate := range []float64{-.1, 1.0001, math.NaN()} {
		if _, err := stats.New(&stats.Options{SemanticDomainStatsSampleRate: rate}); !errors.Is(err, stats.ErrOptions) {
			t.Errorf("a rate of %v: %v", rate, err)
		}
	}
}
