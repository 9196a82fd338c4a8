package stats_test

import (
	"maps"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/stats"
)

// TestIntegersInFull proves that integers that no float64 is are known in full: whole, in
// parts, and where a sketch has taken all but the ends.
func TestIntegersInFull(t *testing.T) {
	const top = math.MaxInt64
	records := [][]byte{ints(top-7, top-6), ints(top - 5), ints(top - 4), ints(top), ints(-top, -top-1)}
	sorted := []int64{-top - 1, -top, top - 7, top - 6, top - 5, top - 4, top}
	o := stats.Options{NumQuantilesHistogramBuckets: 3, NumHistogramBuckets: 2}
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
			{Message: quantiles[0], Field: "low_value"}: sorted[0], {Message: quantiles[0], Field: "high_value"}: sorted[7/3],
			{Message: quantiles[1], Field: "low_value"}: sorted[7/3], {Message: quantiles[1], Field: "high_value"}: sorted[14/3],
			{Message: quantiles[2], Field: "low_value"}: sorted[14/3], {Message: quantiles[2], Field: "high_value"}: sorted[6],
		}
		if !maps.Equal(details.Integers, want) {
			t.Errorf("%v, wanted %v of %v", details.Integers, want, l)
		}
	}
	o.TFDV = true
	if _, details, err := run(t, &o, records).Detailed(2); err != nil || len(details.Integers) != 0 {
		t.Errorf("with TFDV %v, %v", details, err)
	}
	for _, c := range []struct {
		name    string
		records [][]byte
		want    int
	}{
		{"all are float64", [][]byte{ints(1<<53-1, 0, 1-1<<53)}, 0},
		{"two in the middle", [][]byte{ints(1<<60, 1<<60+1)}, 4 + 2*stats.DefaultQuantiles},
		{"floats", [][]byte{floats(1 << 60)}, 0},
		{"many, of which a sketch has all but the ends", nil, 6},
	} {
		o := stats.Options{}
		records := c.records
		if records == nil {
			o.Memory = 1 << 20
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
		if err != nil || len(details.Integers) != c.want || a.Exact() == (c.records == nil) {
			t.Errorf("%s: %d figures, wanted %d: %v, %v", c.name, len(details.Integers), c.want, details, err)
		}
	}
}

// TestLabelsNotUTF8 proves that values that are not UTF-8 have labels that differ, and that are short.
func TestLabelsNotUTF8(t *testing.T) {
	o := stats.Options{WeightFeature: "w"}
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
		`\x89PNG\r\n\x1a\n\x00\x00\x00\x00\x00\x00\x00\x00… (108 bytes, sha256 a1f76d954944aa5baf6d59cbc3379343)`,
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

// TestDefaultQuantiles: statistics have 100 quantiles, and with TFDV its 10.
func TestDefaultQuantiles(t *testing.T) {
	native, tfdv := both(t, stats.Options{}, floats(1, 2, 3))
	for name, c := range map[string]struct {
		list *metadatapb.DatasetFeatureStatisticsList
		want int
	}{"native": {native, 100}, "TFDV": {tfdv, 10}} {
		if got := len(numbers(c.list).Histograms[1].Buckets); got != c.want {
			t.Errorf("%s: %d quantiles, wanted %d", name, got, c.want)
		}
	}
}
