package stats_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/stats"
)

// mixed returns n records with many kinds of features, and with values whose sums are prone to rounding.
func mixed(rnd *rand.Rand, n int) (out [][]byte) {
	for i := range n {
		e := example.Example{
			"id":     {Int64s: []int64{1<<40 + int64(i)}},
			"weight": {Floats: []float32{rnd.Float32()}},
			"group":  {Bytes: [][]byte{fmt.Appendf(nil, "g%d", rnd.IntN(3))}},
		}
		if rnd.IntN(3) > 0 {
			v := make([]float32, rnd.IntN(5))
			for k := range v {
				v[k] = float32(rnd.NormFloat64() * math.Pow(10, float64(rnd.IntN(12)-6)))
			}
			e["numbers"] = example.Value{Floats: v}
		}
		if rnd.IntN(2) > 0 {
			e["words"] = example.Value{Bytes: [][]byte{fmt.Appendf(nil, "w%d", rnd.IntN(2000)), {0xff, byte(i)}}}
		}
		out = append(out, record(e))
	}
	return out
}

// run adds records in parts that end before the given indices, and merges the parts in order.
func run(t testing.TB, o *stats.Options, records [][]byte, ends ...int) *stats.Accumulator {
	t.Helper()
	all, err := stats.New(o)
	if err != nil {
		t.Fatal(err)
	}
	from := 0
	for _, end := range append(ends, len(records)) {
		part, err := stats.New(o)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range records[from:end] {
			if err := part.Add(r); err != nil {
				t.Fatal(err)
			}
		}
		if err := all.Merge(part); err != nil {
			t.Fatal(err)
		}
		from = end
	}
	return all
}

func state(t testing.TB, a *stats.Accumulator) []byte {
	t.Helper()
	b, err := a.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func list(t testing.TB, a *stats.Accumulator) *metadatapb.DatasetFeatureStatisticsList {
	t.Helper()
	l, err := a.Statistics()
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// TestSameShards checks that the same parts, merged in the same order, give the same bytes, even if each part is
// encoded and decoded.
func TestSameShards(t *testing.T) {
	records := mixed(rand.New(rand.NewPCG(1, 1)), 3000)
	for _, o := range []*stats.Options{nil, {Weight: "weight", Slices: []stats.Slice{{"group": nil}}}} {
		a := run(t, o, records, 100, 1700, 1700, 2500)
		b := run(t, o, records, 100, 1700, 1700, 2500)
		if !bytes.Equal(state(t, a), state(t, b)) {
			t.Errorf("%+v: two runs give other bytes", o)
		}
		sum, err := stats.New(o)
		if err != nil {
			t.Fatal(err)
		}
		from := 0
		for _, end := range []int{100, 1700, 1700, 2500, 3000} {
			part := run(t, o, records[from:end])
			var read stats.Accumulator
			before := state(t, part)
			if err := read.UnmarshalBinary(before); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(before, state(t, &read)) {
				t.Errorf("%+v: what is read is not what was written", o)
			}
			if err := sum.Merge(&read); err != nil {
				t.Fatal(err)
			}
			from = end
		}
		if !proto.Equal(list(t, a), list(t, sum)) {
			t.Errorf("%+v: parts that were written and read give other statistics", o)
		}
	}
}

// TestStatisticsWith checks that the number of goroutines does not change the statistics.
func TestStatisticsWith(t *testing.T) {
	records := mixed(rand.New(rand.NewPCG(5, 5)), 3000)
	for _, o := range []*stats.Options{nil, {Weight: "weight", Slices: []stats.Slice{{"group": nil}}}, {DetectDomains: true}} {
		a := run(t, o, records)
		want := list(t, a)
		for _, jobs := range []int{0, 2, 100} {
			got, err := a.StatisticsWith(jobs)
			if err != nil || !proto.Equal(got, want) {
				t.Errorf("%+v: %d goroutines give other statistics, or %v", o, jobs, err)
			}
			whole, err := proto.MarshalOptions{Deterministic: true}.Marshal(want)
			if err != nil {
				t.Fatal(err)
			}
			if b, err := a.AppendStatistics([]byte("before"), jobs); err != nil || string(b) != "before"+string(whole) {
				t.Errorf("%+v: %d goroutines write other statistics, or %v", o, jobs, err)
			}
		}
	}
}

// TestAnySplit checks that any split of the records gives the same counts, and the same means and deviations within
// 1e-12.
func TestAnySplit(t *testing.T) {
	rnd := rand.New(rand.NewPCG(2, 2))
	records := mixed(rnd, 2000)
	o := &stats.Options{Weight: "weight", Slices: []stats.Slice{{"group": nil}}}
	want := list(t, run(t, o, records))
	for range 5 {
		var ends []int
		for at := 0; ; {
			if at += rnd.IntN(700); at > len(records) {
				break
			}
			ends = append(ends, at)
		}
		got := list(t, run(t, o, records, ends...))
		for i, w := range want.Datasets {
			sameNumbers(t, w.Name, w.ProtoReflect().Interface(), got.Datasets[i].ProtoReflect().Interface())
		}
	}
}

// sameNumbers compares two messages exactly, except for the means, which must be close.
func sameNumbers(t *testing.T, name string, want, got proto.Message) {
	t.Helper()
	w := proto.CloneOf(want.(*metadatapb.DatasetFeatureStatistics))
	g := got.(*metadatapb.DatasetFeatureStatistics)
	close := func(a *float64, b float64) {
		if math.Abs(*a-b) <= 1e-12*math.Abs(*a) {
			*a = b
		}
	}
	close(&w.WeightedNumExamples, g.WeightedNumExamples)
	for i, f := range w.Features {
		a, b := f.GetNumStats(), g.Features[i].GetNumStats()
		if a == nil || b == nil {
			weightsNear(close, f.GetStringStats().GetCommonStats(), g.Features[i].GetStringStats().GetCommonStats())
			x, y := f.GetStringStats().GetWeightedStringStats(), g.Features[i].GetStringStats().GetWeightedStringStats()
			for k := range min(len(x.GetTopValues()), len(y.GetTopValues())) {
				close(&x.TopValues[k].Frequency, y.TopValues[k].Frequency)
			}
			for k := range min(len(x.GetRankHistogram().GetBuckets()), len(y.GetRankHistogram().GetBuckets())) {
				close(&x.RankHistogram.Buckets[k].SampleCount, y.RankHistogram.Buckets[k].SampleCount)
			}
			continue
		}
		close(&a.Mean, b.Mean)
		close(&a.StdDev, b.StdDev)
		weightsNear(close, a.CommonStats, b.CommonStats)
		close(&a.WeightedNumericStats.Mean, b.WeightedNumericStats.Mean)
		close(&a.WeightedNumericStats.StdDev, b.WeightedNumericStats.StdDev)
		for k, h := range a.WeightedNumericStats.Histograms {
			for j, bucket := range h.Buckets {
				o := b.WeightedNumericStats.Histograms[k].Buckets[j]
				if math.Abs(bucket.SampleCount-o.SampleCount) <= 1e-9*w.WeightedNumExamples {
					bucket.SampleCount = o.SampleCount
				}
			}
		}
	}
	if !proto.Equal(w, g) {
		t.Errorf("%q: another split gives other statistics:\n%v\n%v", name, w, g)
	}
}

func weightsNear(close func(*float64, float64), a, b *metadatapb.CommonStatistics) {
	if x, y := a.GetWeightedCommonStats(), b.GetWeightedCommonStats(); x != nil && y != nil {
		close(&x.NumNonMissing, y.NumNonMissing)
		close(&x.AvgNumValues, y.AvgNumValues)
		close(&x.TotNumValues, y.TotNumValues)
		if math.Abs(x.NumMissing-y.NumMissing) < 1e-9 {
			x.NumMissing = y.NumMissing
		}
	}
}

// TestManyValues checks that counts are exact with many distinct values, and that approximate statistics are within the
// reported errors.
func TestManyValues(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 3))
	const n = 300000
	a, err := stats.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	frequent := 0
	for i := range n {
		name := fmt.Sprintf("label number %d", i)
		if rnd.IntN(10) == 0 {
			name = "frequent"
			frequent++
		}
		if err := a.Add(record(example.Example{"x": {Floats: []float32{rnd.Float32()}}, "s": {Bytes: [][]byte{[]byte(name)}}})); err != nil {
			t.Fatal(err)
		}
	}
	if e := a.Errors(); e == (stats.Errors{}) || e.Rank > 0.0004 || e.Count > 0.001 || e.Unique > 0.008 {
		t.Errorf("the errors are %+v", e)
	}
	if size := len(state(t, a)); size > 1<<20 {
		t.Errorf("the state has %d bytes", size)
	}
	features := list(t, a).Datasets[0].Features
	words, numbers := features[0].GetStringStats(), features[1].GetNumStats()
	if top := words.TopValues[0]; top.Value != "frequent" || top.Frequency < float64(frequent) || top.Frequency > float64(frequent)+n/1000 {
		t.Errorf("%q %v times, there are %d", top.Value, top.Frequency, frequent)
	}
	if distinct := float64(n - frequent + 1); math.Abs(float64(words.Unique)-distinct) > 0.032*distinct {
		t.Errorf("%d different labels, there are %v", words.Unique, distinct)
	}
	if words.CommonStats.TotNumValues != n || numbers.CommonStats.NumNonMissing != n {
		t.Errorf("counts are not exact: %v", numbers.CommonStats)
	}
	for i, b := range numbers.Histograms[1].Buckets {
		if want := float64(i+1) / stats.DefaultQuantiles; math.Abs(b.HighValue-want) > 0.004 { // includes the error of a random sample
			t.Errorf("quantile %d is %v, wanted %v", i+1, b.HighValue, want)
		}
	}
}

// TestMergeEmpties checks that a merged accumulator is empty, and later has only what is added later: features with
// other names, and with the same names but other kinds, lengths and slices.
func TestMergeEmpties(t *testing.T) {
	first := []example.Example{
		{"a": example.Int64s(1, 2), "b": example.Strings("x", "a text that is longer than sixteen bytes"), "s": example.Int64s(1)},
		{"a": example.Floats(1), "c": example.Int64s(make([]int64, 300)...), "s": example.Int64s(2)},
		{"z": {}, "s": example.Int64s(3)},
	}
	then := []example.Example{
		{"d": example.Floats(1.5), "b": example.Strings("y"), "s": example.Int64s(9)},
		{"c": example.Int64s(7), "a": example.Int64s(), "s": example.Int64s(9)},
	}
	for _, o := range []*stats.Options{nil, {Slices: []stats.Slice{{"s": nil}}}, {Weight: "s"}, {DetectDomains: true}, {Features: []string{"b", "c"}}, {MaxFeatures: 9}} {
		begin := func() *stats.Accumulator {
			a, err := stats.New(o)
			if err != nil {
				t.Fatal(err)
			}
			return a
		}
		add := func(a *stats.Accumulator, all []example.Example) {
			for _, e := range all {
				if err := a.Add(record(e)); err != nil {
					t.Fatal(err)
				}
			}
		}
		used, fresh := begin(), begin()
		add(used, first)
		if err := begin().Merge(used); err != nil {
			t.Fatal(err)
		}
		if n := used.Examples(); n != 0 || len(used.Features()) != 0 || len(used.Conflicts()) != 0 || !bytes.Equal(state(t, used), state(t, begin())) {
			t.Errorf("%+v: what was merged is not empty: %d records, %v", o, n, used.Features())
		}
		add(used, then)
		add(fresh, then)
		if !bytes.Equal(state(t, used), state(t, fresh)) || !proto.Equal(list(t, used), list(t, fresh)) {
			t.Errorf("%+v: what is used again has other statistics", o)
		}
	}
}

// TestMergeOfOtherOptions checks that the error names the option and both values.
func TestMergeOfOtherOptions(t *testing.T) {
	schema := &metadatapb.Schema{Feature: []*metadatapb.Feature{{}}}
	for _, c := range []struct {
		a, b *stats.Options
		want stats.OptionError
		text string
	}{
		{nil, &stats.Options{TopValues: 5}, stats.OptionError{Option: "top_values", Have: "20", Got: "5"}, "stats: options: the accumulators have a different top_values: 20 and 5"},
		{&stats.Options{MaxFeatures: 200}, &stats.Options{MaxFeatures: 100}, stats.OptionError{Option: "max_features", Have: "200", Got: "100"}, ""},
		{&stats.Options{Weight: "w"}, nil, stats.OptionError{Option: "weight", Have: `"w"`}, `stats: options: the accumulators have a different weight: "w" and not set`},
		{nil, &stats.Options{Slices: []stats.Slice{{"a": nil}}}, stats.OptionError{Option: "slices", Got: `[{"a":null}]`}, ""},
		{nil, &stats.Options{Schema: schema}, stats.OptionError{Option: "schema"}, "stats: options: the accumulators have a different schema"},
		{nil, &stats.Options{Message: example.TypeSequence}, stats.OptionError{Option: "message", Have: `"example"`, Got: `"sequence"`}, ""},
	} {
		a, errA := stats.New(c.a)
		b, errB := stats.New(c.b)
		if errA != nil || errB != nil {
			t.Fatal(errA, errB)
		}
		err := a.Merge(b)
		e, ok := errors.AsType[*stats.OptionError](err)
		if !ok || *e != c.want || !errors.Is(err, stats.ErrOptions) || c.text != "" && err.Error() != c.text {
			t.Errorf("%v, wanted %+v %s", err, c.want, c.text)
		}
	}
}

// TestFeatures checks that Features returns all features, also from a decoded state, but none of rejected records.
func TestFeatures(t *testing.T) {
	a, err := stats.New(&stats.Options{Message: example.TypeSequence, Features: []string{"b"}, Weight: "w"})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []example.Sequence{
		{Context: example.Example{"w": example.Int64s(1), "b": example.Int64s(1)}, Lists: map[string][]example.Value{"x": {example.Int64s(1)}}},
		{Context: example.Example{"w": example.Int64s(1), "a": example.Value{}}},
		{Context: example.Example{"refused": example.Int64s(1)}},
	} {
		b, err := s.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		_ = a.Add(b) // the last record has no weight
	}
	var again stats.Accumulator
	if err := again.UnmarshalBinary(state(t, a)); err != nil {
		t.Fatal(err)
	}
	for _, a := range []*stats.Accumulator{a, &again} {
		want := [][]string{{"a"}, {"b"}, {"w"}, {"##SEQUENCE##", "x"}}
		if got := a.Features(); a.Bad() != 1 || !slices.EqualFunc(got, want, slices.Equal) {
			t.Errorf("%q, wanted %q", got, want)
		}
	}
}

// TestStateOfAnotherVersion checks the error about the state of another version.
func TestStateOfAnotherVersion(t *testing.T) {
	a, err := stats.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"tfparse stats 1\n and more": `unsupported version "tfparse stats 1"`,
		"tfparse stats":              "unknown header",
		"something else\n":           "unknown header",
		"":                           "unknown header",
	} {
		if err := a.UnmarshalBinary([]byte(text)); !errors.Is(err, stats.ErrState) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
}
