package report_test

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"

	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/pbtext"
	"github.com/tfparse/tfparse/validate/report"
)

func write(t testing.TB, in *report.Input) string {
	t.Helper()
	var b bytes.Buffer
	if err := report.Write(&b, in); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func path(steps ...string) *pb.FeatureNameStatistics_Path {
	return &pb.FeatureNameStatistics_Path{Path: &pb.Path{Step: steps}}
}

// numbers makes statistics of a feature of numbers around a middle.
func numbers(middle float64, steps ...string) *pb.FeatureNameStatistics {
	h, q := &pb.Histogram{}, &pb.Histogram{Type: pb.Histogram_QUANTILES}
	for i := range 10 {
		low := middle - 5 + float64(i)
		h.Buckets = append(h.Buckets, &pb.Histogram_Bucket{LowValue: low, HighValue: low + 1, SampleCount: 10 * math.Exp(-math.Pow(float64(i)-4.5, 2)/8)})
		low = middle + 5*math.Pow(float64(i-5)/5, 3)
		q.Buckets = append(q.Buckets, &pb.Histogram_Bucket{LowValue: low, HighValue: middle + 5*math.Pow(float64(i-4)/5, 3), SampleCount: 9})
	}
	return &pb.FeatureNameStatistics{FieldId: path(steps...), Type: pb.FeatureNameStatistics_FLOAT, Stats: &pb.FeatureNameStatistics_NumStats{NumStats: &pb.NumericStatistics{
		CommonStats: &pb.CommonStatistics{NumNonMissing: 90, NumMissing: 10, MinNumValues: 1, MaxNumValues: 1, AvgNumValues: 1, TotNumValues: 90},
		Mean:        middle, StdDev: 2.5, Min: middle - 5, Median: middle, Max: middle + 5, NumZeros: 1, Histograms: []*pb.Histogram{h, q}}}}
}

// labels makes statistics of a feature of n different strings.
func labels(n int, value func(i int) string, steps ...string) *pb.FeatureNameStatistics {
	s := &pb.StringStatistics{Unique: uint64(n), AvgLength: 5, RankHistogram: &pb.RankHistogram{},
		CommonStats: &pb.CommonStatistics{NumNonMissing: 100, MinNumValues: 1, MaxNumValues: 3, AvgNumValues: 2}}
	total := 0.0
	for i := range n {
		f := math.Round(1000 / float64(i+2))
		total += f
		if i < 20 {
			s.TopValues = append(s.TopValues, &pb.StringStatistics_FreqAndValue{Value: value(i), Frequency: f})
		}
		s.RankHistogram.Buckets = append(s.RankHistogram.Buckets, &pb.RankHistogram_Bucket{LowRank: uint64(i), HighRank: uint64(i), Label: value(i), SampleCount: f})
	}
	s.CommonStats.TotNumValues = uint64(total)
	return &pb.FeatureNameStatistics{FieldId: path(steps...), Type: pb.FeatureNameStatistics_STRING, Stats: &pb.FeatureNameStatistics_StringStats{StringStats: s}}
}

func city(i int) string { return fmt.Sprintf("city %02d", i) }

func list(features ...*pb.FeatureNameStatistics) *pb.DatasetFeatureStatisticsList {
	return &pb.DatasetFeatureStatisticsList{Datasets: []*pb.DatasetFeatureStatistics{{NumExamples: 100, Features: features}}}
}

// anomaly is one that is wrong with a feature.
func anomaly(severity pb.AnomalyInfo_Severity, typ pb.AnomalyInfo_Type, text, key string, steps ...string) *pb.Anomalies_AnomalyInfoEntry {
	return &pb.Anomalies_AnomalyInfoEntry{Key: &key, Value: &pb.AnomalyInfo{Path: &pb.Path{Step: steps}, Severity: &severity,
		Reason: []*pb.AnomalyInfo_Reason{{Type: &typ, Description: &text}}}}
}

// sample is a page with something of everything.
func sample() *report.Input {
	blob := &pb.FeatureNameStatistics{FieldId: path("picture"), Type: pb.FeatureNameStatistics_BYTES, Stats: &pb.FeatureNameStatistics_BytesStats{
		BytesStats: &pb.BytesStatistics{CommonStats: &pb.CommonStatistics{NumNonMissing: 100, MinNumValues: 1, MaxNumValues: 1, AvgNumValues: 1, TotNumValues: 100},
			AvgNumBytes: 20000, MinNumBytes: 100, MaxNumBytes: 40000}}}
	group := &pb.FeatureNameStatistics{FieldId: path("##SEQUENCE##"), Type: pb.FeatureNameStatistics_STRUCT, Stats: &pb.FeatureNameStatistics_StructStats{
		StructStats: &pb.StructStatistics{CommonStats: &pb.CommonStatistics{NumNonMissing: 100, MinNumValues: 1, MaxNumValues: 1, AvgNumValues: 1, TotNumValues: 100}}}}
	return &report.Input{
		Title: "Trips of a week",
		Sides: []report.Side{{Name: "monday", Statistics: list(numbers(20, "fare"), labels(60, city, "city"), labels(3, city, "state"), blob, group, numbers(3, "##SEQUENCE##", "stop"), numbers(-7, "age"))}},
		Anomalies: &pb.Anomalies{AnomalyInfo: []*pb.Anomalies_AnomalyInfoEntry{
			anomaly(pb.AnomalyInfo_ERROR, pb.AnomalyInfo_FLOAT_TYPE_BIG_FLOAT, "Unexpectedly large value: 25.", "fare", "fare"),
			anomaly(pb.AnomalyInfo_WARNING, pb.AnomalyInfo_SCHEMA_NEW_COLUMN, "New column.", "state", "state"),
			anomaly(pb.AnomalyInfo_ERROR, pb.AnomalyInfo_SCHEMA_MISSING_COLUMN, "Column is completely missing.", "gone", "gone"),
		}},
	}
}

// twoSides is a page of two data sets.
func twoSides() *report.Input {
	in := sample()
	in.Anomalies = nil
	in.Sides = append(in.Sides, report.Side{Name: "tuesday", Statistics: list(numbers(22, "fare"), labels(60, func(i int) string { return city(59 - i) }, "city"),
		labels(4, city, "state"), numbers(1, "new"))})
	return in
}

var nasty = []string{
	"</script><img src=x onerror=alert(1)>", "</title><script>alert(2)</script>", "</style><style>*{display:none}</style>", "javascript:alert(3)", `" onmouseover="alert(4)`,
	"' onfocus='alert(5)' autofocus='", "<svg/onload=alert(6)>", "<!--", "]]>", "{{.Policy}}", "abc\u202egnp.exe", "\u200b\u200d", "nul\x00byte", "bytes \xff\xfe\x80",
	strings.Repeat("long ", 2048), strings.Repeat("\u0301", 300), "  ", "", "line\nbreak", "&amp;&lt;", "مرحبا بالعالم", "שלום", "👩‍🚀", `"quoted"`, "a.b('c')", "__proto__", "constructor", "<base href=//evil.example>",
	"<meta http-equiv=refresh content=0;url=http://evil.example>", "<iframe srcdoc='<script>alert(7)</script>'>", "${alert(8)}", "`+alert(9)+`", "\u2028alert(10)\u2029",
}

// hostile is a page whose every text is made to harm.
func hostile() *report.Input {
	var features []*pb.FeatureNameStatistics
	a := &pb.Anomalies{}
	for i, s := range nasty {
		features = append(features, labels(2, func(i int) string { return nasty[(i+7)%len(nasty)] }, s))
		features = append(features, numbers(float64(i), s, s))
		a.AnomalyInfo = append(a.AnomalyInfo, anomaly(pb.AnomalyInfo_ERROR, pb.AnomalyInfo_ENUM_TYPE_INVALID_UTF8, s+" "+s, s, s))
	}
	features[0].CustomStats = []*pb.CustomStatistic{{Name: nasty[0], Val: &pb.CustomStatistic_Str{Str: nasty[1]}}}
	all := list(features...)
	all.Datasets[0].Name = nasty[0]
	all.Datasets[0].CrossFeatures = []*pb.CrossFeatureStatistics{{PathX: &pb.Path{Step: nasty[:3]}, PathY: &pb.Path{Step: nasty[3:]}, Count: 3}}
	other := list(features[:9]...)
	other.Datasets[0].Name = nasty[1]
	all.Datasets = append(all.Datasets, other.Datasets...)
	return &report.Input{Title: nasty[1], Note: nasty[0], Sides: []report.Side{{Name: nasty[0], Statistics: all}, {Name: nasty[2], Statistics: other}}, Anomalies: a}
}

func mustText(t testing.TB, text string, s *pb.Schema) {
	t.Helper()
	if err := pbtext.Unmarshal([]byte(text), s); err != nil {
		t.Fatal(err)
	}
}
