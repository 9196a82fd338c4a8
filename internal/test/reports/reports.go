// Package reports makes inputs for the page that package report writes: its own tests use
// them, and those in a browser.
package reports

import (
	"fmt"
	"math"
	"slices"
	"strings"

	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/report"
)

func Path(steps ...string) *pb.FeatureNameStatistics_Path {
	return &pb.FeatureNameStatistics_Path{Path: &pb.Path{Step: steps}}
}

// Numbers makes statistics of a feature of numbers around a middle.
func Numbers(middle float64, steps ...string) *pb.FeatureNameStatistics {
	h, q := &pb.Histogram{}, &pb.Histogram{Type: pb.Histogram_QUANTILES}
	for i := range 10 {
		low := middle - 5 + float64(i)
		h.Buckets = append(h.Buckets, &pb.Histogram_Bucket{LowValue: low, HighValue: low + 1, SampleCount: 10 * math.Exp(-math.Pow(float64(i)-4.5, 2)/8)})
		low = middle + 5*math.Pow(float64(i-5)/5, 3)
		q.Buckets = append(q.Buckets, &pb.Histogram_Bucket{LowValue: low, HighValue: middle + 5*math.Pow(float64(i-4)/5, 3), SampleCount: 9})
	}
	return &pb.FeatureNameStatistics{FieldId: Path(steps...), Type: pb.FeatureNameStatistics_FLOAT, Stats: &pb.FeatureNameStatistics_NumStats{NumStats: &pb.NumericStatistics{
		CommonStats: &pb.CommonStatistics{NumNonMissing: 90, NumMissing: 10, MinNumValues: 1, MaxNumValues: 1, AvgNumValues: 1, TotNumValues: 90},
		Mean:        middle, StdDev: 2.5, Min: middle - 5, Median: middle, Max: middle + 5, NumZeros: 1, Histograms: []*pb.Histogram{h, q}}}}
}

// Labels makes statistics of a feature of n different strings.
func Labels(n int, value func(i int) string, steps ...string) *pb.FeatureNameStatistics {
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
	return &pb.FeatureNameStatistics{FieldId: Path(steps...), Type: pb.FeatureNameStatistics_STRING, Stats: &pb.FeatureNameStatistics_StringStats{StringStats: s}}
}

func City(i int) string { return fmt.Sprintf("city %02d", i) }

func List(features ...*pb.FeatureNameStatistics) *pb.DatasetFeatureStatisticsList {
	return &pb.DatasetFeatureStatisticsList{Datasets: []*pb.DatasetFeatureStatistics{{NumExamples: 100, Features: features}}}
}

// Anomaly is one that is wrong with a feature.
func Anomaly(severity pb.AnomalyInfo_Severity, typ pb.AnomalyInfo_Type, text, key string, steps ...string) *pb.Anomalies_AnomalyInfoEntry {
	return &pb.Anomalies_AnomalyInfoEntry{Key: &key, Value: &pb.AnomalyInfo{Path: &pb.Path{Step: steps}, Severity: &severity,
		Reason: []*pb.AnomalyInfo_Reason{{Type: &typ, Description: &text}}}}
}

// Sample is a page with something of everything.
func Sample() *report.Input {
	blob := &pb.FeatureNameStatistics{FieldId: Path("picture"), Type: pb.FeatureNameStatistics_BYTES, Stats: &pb.FeatureNameStatistics_BytesStats{
		BytesStats: &pb.BytesStatistics{CommonStats: &pb.CommonStatistics{NumNonMissing: 100, MinNumValues: 1, MaxNumValues: 1, AvgNumValues: 1, TotNumValues: 100},
			AvgNumBytes: 20000, MinNumBytes: 100, MaxNumBytes: 40000}}}
	group := &pb.FeatureNameStatistics{FieldId: Path("##SEQUENCE##"), Type: pb.FeatureNameStatistics_STRUCT, Stats: &pb.FeatureNameStatistics_StructStats{
		StructStats: &pb.StructStatistics{CommonStats: &pb.CommonStatistics{NumNonMissing: 100, MinNumValues: 1, MaxNumValues: 1, AvgNumValues: 1, TotNumValues: 100}}}}
	return &report.Input{
		Title: "Trips of a week",
		Sides: []report.Side{{Name: "monday", Statistics: List(Numbers(20, "fare"), Labels(60, City, "city"), Labels(3, City, "state"), blob, group, Numbers(3, "##SEQUENCE##", "stop"), Numbers(-7, "age"))}},
		Anomalies: &pb.Anomalies{AnomalyInfo: []*pb.Anomalies_AnomalyInfoEntry{
			Anomaly(pb.AnomalyInfo_ERROR, pb.AnomalyInfo_FLOAT_TYPE_BIG_FLOAT, "Unexpectedly large value: 25.", "fare", "fare"),
			Anomaly(pb.AnomalyInfo_WARNING, pb.AnomalyInfo_SCHEMA_NEW_COLUMN, "New column.", "state", "state"),
			Anomaly(pb.AnomalyInfo_ERROR, pb.AnomalyInfo_SCHEMA_MISSING_COLUMN, "Column is completely missing.", "gone", "gone"),
		}},
	}
}

// TwoSides is a page of two data sets.
func TwoSides() *report.Input {
	in := Sample()
	in.Anomalies = nil
	in.Sides = append(in.Sides, report.Side{Name: "tuesday", Statistics: List(Numbers(22, "fare"), Labels(60, func(i int) string { return City(59 - i) }, "city"),
		Labels(4, City, "state"), Numbers(1, "new"))})
	return in
}

var Nasty = []string{
	"</script><img src=x onerror=alert(1)>", "</title><script>alert(2)</script>", "</style><style>*{display:none}</style>", "javascript:alert(3)", `" onmouseover="alert(4)`,
	"' onfocus='alert(5)' autofocus='", "<svg/onload=alert(6)>", "<!--", "]]>", "{{.Policy}}", "abc\u202egnp.exe", "\u200b\u200d", "nul\x00byte", "bytes \xff\xfe\x80",
	strings.Repeat("long ", 2048), strings.Repeat("\u0301", 300), "  ", "", "line\nbreak", "&amp;&lt;", "مرحبا بالعالم", "שלום", "👩‍🚀", `"quoted"`, "a.b('c')", "__proto__", "constructor", "<base href=//evil.example>",
	"<meta http-equiv=refresh content=0;url=http://evil.example>", "<iframe srcdoc='<script>alert(7)</script>'>", "${alert(8)}", "`+alert(9)+`", "\u2028alert(10)\u2029",
}

// Hostile is a page whose every text is made to harm.
func Hostile() *report.Input {
	var features []*pb.FeatureNameStatistics
	a := &pb.Anomalies{}
	for i, s := range Nasty {
		features = append(features, Labels(2, func(i int) string { return Nasty[(i+7)%len(Nasty)] }, s))
		features = append(features, Numbers(float64(i), s, s))
		a.AnomalyInfo = append(a.AnomalyInfo, Anomaly(pb.AnomalyInfo_ERROR, pb.AnomalyInfo_ENUM_TYPE_INVALID_UTF8, s+" "+s, s, s))
	}
	features[0].CustomStats = []*pb.CustomStatistic{{Name: Nasty[0], Val: &pb.CustomStatistic_Str{Str: Nasty[1]}}}
	all := List(features...)
	all.Datasets[0].Name = Nasty[0]
	all.Datasets[0].CrossFeatures = []*pb.CrossFeatureStatistics{{PathX: &pb.Path{Step: Nasty[:3]}, PathY: &pb.Path{Step: Nasty[3:]}, Count: 3}}
	other := List(features[:9]...)
	other.Datasets[0].Name = Nasty[1]
	all.Datasets = append(all.Datasets, other.Datasets...)
	return &report.Input{Title: Nasty[1], Note: Nasty[0], Sides: []report.Side{{Name: Nasty[0], Statistics: all}, {Name: Nasty[2], Statistics: other}}, Anomalies: a}
}

// Large makes statistics of many features, half of them strings.
func Large(n int) *pb.DatasetFeatureStatisticsList {
	var features []*pb.FeatureNameStatistics
	for i := range n {
		name := fmt.Sprintf("feature_%03d", i)
		if i%2 == 0 {
			features = append(features, Numbers(float64(i), name))
		} else {
			features = append(features, Labels(60, City, name))
		}
	}
	return List(features...)
}

// OfValues makes statistics of one feature with the histograms that the values really have.
func OfValues(values []float64, quantiles int) *pb.DatasetFeatureStatisticsList {
	values = slices.Sorted(slices.Values(values))
	n := len(values)
	least, most := values[0], values[n-1]
	standard, q := &pb.Histogram{}, &pb.Histogram{Type: pb.Histogram_QUANTILES}
	for i := range 10 {
		low, high := least+(most-least)*float64(i)/10, least+(most-least)*float64(i+1)/10
		standard.Buckets = append(standard.Buckets, &pb.Histogram_Bucket{LowValue: low, HighValue: high, SampleCount: float64(Count(values, low, high, i == 0))})
	}
	for i := range quantiles {
		low, high := values[i*(n-1)/quantiles], values[(i+1)*(n-1)/quantiles]
		q.Buckets = append(q.Buckets, &pb.Histogram_Bucket{LowValue: low, HighValue: high, SampleCount: float64(Count(values, low, high, i == 0))})
	}
	f := Numbers(0, "trip_miles")
	f.GetNumStats().Histograms = []*pb.Histogram{standard, q}
	return List(f)
}

// Count counts the values above low, or also those at low, up to high.
func Count(values []float64, low, high float64, first bool) (n int) {
	for _, v := range values {
		if (v > low || first && v == low) && v <= high {
			n++
		}
	}
	return n
}

// Skewed are n values from 1 to 2n with a median of 2, and a tail as 1/v: one of ten values
// is above 10, one of a hundred above 100.
func Skewed(n int) (values []float64) {
	for i := range n {
		values = append(values, 1/(1-(float64(i)+0.5)/float64(n)))
	}
	return values
}

func Evenly(n int, low, high float64) (values []float64) {
	for i := range n {
		values = append(values, low+(high-low)*float64(i)/float64(n-1))
	}
	return values
}
