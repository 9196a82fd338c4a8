package quality

import (
	"strings"
	"testing"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/console"
	pb "github.com/tfparse/tfparse/proto/metadatapb"
)

// standardHistogram returns numeric statistics with a histogram of equal buckets.
func standardHistogram(counts ...float64) *pb.NumericStatistics {
	h := &pb.Histogram{Type: pb.Histogram_STANDARD}
	for _, n := range counts {
		h.Buckets = append(h.Buckets, &pb.Histogram_Bucket{SampleCount: n})
	}
	quantiles := &pb.Histogram{Type: pb.Histogram_QUANTILES, Buckets: []*pb.Histogram_Bucket{{HighValue: 1, SampleCount: 1}}}
	return &pb.NumericStatistics{Histograms: []*pb.Histogram{h, quantiles}}
}

// TestHistogramText checks the heights of the columns of a histogram.
func TestHistogramText(t *testing.T) {
	many := make([]float64, 24)
	many[0], many[1], many[23] = 2, 2, 1
	for _, c := range []struct {
		proves string
		counts []float64
		want   string
	}{
		{"eight heights", []float64{1, 2, 3, 4, 5, 6, 7, 8}, "▁▂▃▄▅▆▇█"},
		{"an empty bucket, and one of few values", []float64{1000, 0, 1}, "█ ▁"},
		{"one bucket", []float64{3}, "█"},
		{"no values", []float64{0, 0}, "  "},
		{"no buckets", nil, ""},
		{"more buckets than columns", many, "█          ▂"},
	} {
		if got := histogramText(standardHistogram(c.counts...), false); got != c.want {
			t.Errorf("%s: got %q, want %q", c.proves, got, c.want)
		}
	}
}

// TestValueBars checks the bars of frequent values, and that names and values cannot change the terminal.
func TestValueBars(t *testing.T) {
	labels := func(total, unique uint64, top ...*pb.StringStatistics_FreqAndValue) *pb.StringStatistics {
		return &pb.StringStatistics{CommonStats: &pb.CommonStatistics{TotNumValues: total, NumNonMissing: total}, Unique: unique, TopValues: top}
	}
	value := func(text string, n float64) *pb.StringStatistics_FreqAndValue {
		return &pb.StringStatistics_FreqAndValue{Value: text, Frequency: n}
	}
	for _, c := range []struct {
		proves string
		s      *pb.StringStatistics
		want   string
	}{
		{"shares of all values", labels(1000, 5, value("a", 500), value("b", 260), value("c", 1), value("d", 1)),
			"  ██████        \"a\" 50%\n  ███▏          \"b\" 26%\n  ▏             \"c\" 0.1%\n                2 more values"},
		{"one value", labels(4, 1, value("x", 4)), "  ████████████  \"x\" 100%"},
		{"escape sequences", labels(2, 1, value("\x1b[31m\u202e", 2)), `  ████████████  "\x1b[31m\u202e" 100%`},
		{"values that occur once", labels(2, 2, value("x", 1), value("y", 1)), ""},
		{"no values", labels(0, 0), ""},
	} {
		if got := strings.Join(valueBars(c.s), "\n"); got != c.want {
			t.Errorf("%s: got\n%s\nwant\n%s", c.proves, got, c.want)
		}
	}
	invalid := labels(4, 3, value("x", 2))
	invalid.InvalidUtf8Count = 2
	if got := valueBars(invalid); len(got) != 2 || strings.TrimSpace(got[1]) != "2 more values, 2 not UTF-8" {
		t.Errorf("got %q", got)
	}

	features := []*pb.FeatureNameStatistics{
		{FieldId: &pb.FeatureNameStatistics_Path{Path: &pb.Path{Step: []string{"料理の名前\x1b[2J" + strings.Repeat("/name", 30)}}}, Type: pb.FeatureNameStatistics_STRING,
			Stats: &pb.FeatureNameStatistics_StringStats{StringStats: labels(4, 1, value(strings.Repeat("料理", 20), 4))}},
		{FieldId: &pb.FeatureNameStatistics_Path{Path: &pb.Path{Step: []string{"n"}}}, Type: pb.FeatureNameStatistics_INT,
			Stats: &pb.FeatureNameStatistics_NumStats{NumStats: standardHistogram(1, 2)}},
	}
	features[1].GetNumStats().CommonStats = &pb.CommonStatistics{TotNumValues: 3, NumNonMissing: 3, MinNumValues: 1, MaxNumValues: 3}
	for _, width := range []int{40, 80, 200} {
		text := string(appendDrawn(nil, features, nil, width))
		if strings.Count(text, "\n") != 5 || strings.Contains(text, "\x1b") || !strings.Contains(text, "\n  ▄█            0 .. 0 .. 0") {
			t.Errorf("width %d: got\n%s", width, text)
		}
		for line := range strings.Lines(text) {
			if n := console.TextWidth(strings.TrimSuffix(line, "\n")); n > width {
				t.Errorf("width %d: a line has %d columns: %s", width, n, line)
			}
		}
	}
}

// TestIntegerHistogram checks that bins of integers cover the same number of integers, so that no gap is drawn where there is none.
func TestIntegerHistogram(t *testing.T) {
	for _, c := range []struct {
		proves            string
		first, last, step int
		want              string
	}{
		{"as many columns as integers", 1, 7, 1, "███████"},
		{"one integer", 5, 5, 1, "█"},
		{"12 integers", 0, 11, 1, "████████████"},
		{"two integers in each bin", -10, 13, 1, "████████████"},
		{"values with gaps", 0, 10, 5, "█    █    █"},
	} {
		s := standardHistogram(3, 0, 1)
		h := s.Histograms[1]
		h.Buckets = nil
		for v := c.first; v <= c.last; v += c.step {
			h.Buckets = append(h.Buckets, &pb.Histogram_Bucket{LowValue: float64(v), HighValue: float64(v), SampleCount: 2})
		}
		if got := histogramText(s, true); got != c.want {
			t.Errorf("%s: got %q, want %q", c.proves, got, c.want)
		}
	}
}
