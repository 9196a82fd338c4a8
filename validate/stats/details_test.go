package stats_test

import (
	"fmt"
	"maps"
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

// TestIntegersInFull checks that Details has the integers that are not exact in a float64: without merging, after
// merging, and if a sketch has only the ends exactly.
func TestIntegersInFull(t *testing.T) {
	const top = math.MaxInt64
	records := [][]byte{ints(top-7, top-6), ints(top - 5), ints(top - 4), ints(top), ints(-top, -top-1)}
	sorted := []int64{-top - 1, -top, top - 7, top - 6, top - 5, top - 4, top}
	o := stats.Options{Quantiles: 3, Buckets: 2}
	a := run(t, &o, records, 1, 3)
	var again stats.Accumulator
	if err := again.UnmarshalBinary(state(t, a)); err != nil {
		t.Fatal(err)
	}
	for _, a := range []*stats.Accumulator{run(t, &o, records), a, &again} {
		l, details, err := a.Detailed(2)
		if err != nil || !proto.Equal(l, list(t, a)) {
			t.Fatalf("%v, %v, wanted what Statistics has", l, err)
		}
		n := numbers(l)
		standard, quantiles := n.Histograms[0].Buckets, n.Histograms[1].Buckets
		want := map[stats.Figure]int64{
			{Message: n, Field: "min"}: sorted[0], {Message: n, Field: "max"}: sorted[6], {Message: n, Field: "median"}: sorted[3],
			{Message: standard[0], Field: "low_value"}: sorted[0], {Message: standard[1], Field: "high_value"}: sorted[6],
			// Two distinct float64 numbers, with a bucket each.
			{Message: quantiles[0], Field: "low_value"}: sorted[0], {Message: quantiles[0], Field: "high_value"}: sorted[1],
			{Message: quantiles[1], Field: "low_value"}: sorted[2], {Message: quantiles[1], Field: "high_value"}: sorted[6],
		}
		if !maps.Equal(details.Integers, want) {
			t.Errorf("%v, wanted %v of %v", details.Integers, want, l)
		}
	}
	for _, c := range []struct {
		name    string
		records [][]byte
		want    int
	}{
		{"all are float64", [][]byte{ints(1<<53-1, 0, 1-1<<53)}, 0},
		{"two in the middle", [][]byte{ints(1<<60, 1<<60+1)}, 4 + 2}, // 4 ends of both histograms, and 2 of the values; no median
		{"floats", [][]byte{floats(1 << 60)}, 0},
		{"many, of which a sketch has all but the ends", nil, 6},
	} {
		o := stats.Options{}
		records := c.records
		if records == nil {
			rnd := rand.New(rand.NewPCG(4, 4))
			for range 30 {
				v := make([]int64, 10_000)
				for i := range v {
					v[i] = 1<<60 + rnd.Int64()>>1
				}
				records = append(records, ints(v...))
			}
		}
		a := run(t, &o, records)
		_, details, err := a.Detailed(2)
		if err != nil || len(details.Integers) != c.want || (a.Errors() == stats.Errors{}) == (c.records == nil) {
			t.Errorf("%s: %d figures, wanted %d: %v, %v", c.name, len(details.Integers), c.want, details, err)
		}
	}
}

// TestLabelsNotUTF8 checks that values that are not UTF-8 have different, short labels.
func TestLabelsNotUTF8(t *testing.T) {
	o := stats.Options{Weight: "w"}
	r := func(v ...string) []byte {
		return record(example.Example{"x": example.Strings(v...), "w": example.Floats(2)})
	}
	image := "\x89PNG\r\n\x1a\n" + strings.Repeat("\x00", 100)
	l, err := run(t, &o, [][]byte{r("\xff\x01", "é", "\xff\x01"), r("\xff\x01", "\xfe", "é", "__BYTES_VALUE__", image)}).Statistics()
	if err != nil {
		t.Fatal(err)
	}
	want := []string{ // the digests are those of sha256sum
		`\xff\x01 (2 bytes, sha256 437cb43a30226e639b33d84533cfc3dd)`,
		"é",
		`\xfe (1 bytes, sha256 aa687b58b0e73e2e383f8c500d75b591)`,
		`PNG (cut) (108 bytes, sha256 a1f76d954944aa5baf6d59cbc3379343)`,
		"__BYTES_VALUE__",
	}
	s := l.Datasets[0].Features[1].GetStringStats()
	for i, w := range want {
		for of, got := range map[string]string{
			"top_values": s.TopValues[i].Value, "rank_histogram": s.RankHistogram.Buckets[i].Label,
			"weighted": s.WeightedStringStats.TopValues[i].Value, "weighted ranks": s.WeightedStringStats.RankHistogram.Buckets[i].Label,
		} {
			if got != w {
				t.Errorf("%s: label %d is %q, wanted %q", of, i, got, w)
			}
		}
	}
}

// TestDefaultQuantiles checks that statistics of many values have 100 quantiles.
func TestDefaultQuantiles(t *testing.T) {
	var v []float32
	for i := range 200 {
		v = append(v, float32(i))
	}
	if got := len(numbers(describe(t, stats.Options{}, floats(v...))).Histograms[1].Buckets); got != 100 {
		t.Errorf("%d quantiles", got)
	}
}

// TestFewValues checks that few distinct values have a bucket each, with their count.
func TestFewValues(t *testing.T) {
	l, err := run(t, &stats.Options{Quantiles: 3}, [][]byte{floats(5, 1, 5), floats(5), floats(2.5, float32(math.NaN()))}).Statistics()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	n := numbers(l)
	for _, h := range []*metadatapb.Histogram{n.Histograms[1], n.CommonStats.NumValuesHistogram} {
		for _, b := range h.Buckets {
			got = append(got, fmt.Sprint(b.LowValue, b.HighValue, b.SampleCount))
		}
	}
	if want := []string{"1 1 1", "2.5 2.5 1", "5 5 3", "1 1 1", "2 2 1", "3 3 1"}; !slices.Equal(got, want) {
		t.Errorf("%q, wanted %q", got, want)
	}
}
