package report_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/internal/test/reports"
	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/report"
)

// TestSlices checks that slices of both sides are paired by name, and have their own anomalies.
func TestSlices(t *testing.T) {
	slice := func(name string, features ...*pb.FeatureNameStatistics) *pb.DatasetFeatureStatistics {
		d := reports.List(features...).Datasets[0]
		d.Name = name
		return d
	}
	a := &pb.DatasetFeatureStatisticsList{Datasets: []*pb.DatasetFeatureStatistics{slice("city_Oslo", reports.Numbers(1, "x")), slice("All Examples", reports.Numbers(2, "x")), slice("city_Rome", reports.Numbers(3, "x"))}}
	b := &pb.DatasetFeatureStatisticsList{Datasets: []*pb.DatasetFeatureStatistics{slice("city_Rome", reports.Numbers(4, "x")), slice("All Examples", reports.Numbers(5, "x"))}}
	in := &report.Input{Sides: []report.Side{{Name: "a", Statistics: a}, {Name: "b", Statistics: b}}, Anomalies: &pb.Anomalies{AnomalyInfo: []*pb.Anomalies_AnomalyInfoEntry{
		reports.Anomaly(pb.AnomalyInfo_ERROR, pb.AnomalyInfo_FLOAT_TYPE_BIG_FLOAT, "big", "", "slice(city_Rome)::x"),
		reports.Anomaly(pb.AnomalyInfo_ERROR, pb.AnomalyInfo_FLOAT_TYPE_BIG_FLOAT, "all", "'slice(All Examples)::x'"),
		reports.Anomaly(pb.AnomalyInfo_ERROR, pb.AnomalyInfo_SCHEMA_MISSING_COLUMN, "gone", "", "y"),
	}}}
	page := parse(t, write(t, in))
	same(t, "slices", texts(page.named("h2")), []string{"All Examples", "city_Oslo", "city_Rome"})
	var got []string
	for _, s := range page.class("slice") {
		for _, f := range s.class("feature") {
			got = append(got, strings.Join(append(append(texts(f.named("h3")), texts(f.class("only"))...), texts(f.named("li"))...), "|"))
		}
	}
	same(t, "features", got, []string{"x|Kolmogorov-Smirnov 0.657|error FLOAT_TYPE_BIG_FLOAT all", "y|error SCHEMA_MISSING_COLUMN gone", "x|only in a", "x|Kolmogorov-Smirnov 0.447|error FLOAT_TYPE_BIG_FLOAT big"})
}

// TestFindings checks that findings of single records and measurements are in the section of the feature.
func TestFindings(t *testing.T) {
	in := reports.Sample()
	in.Findings = []report.Finding{{Severity: "warning", Rule: "BAD_RECORD", Text: "record 3"}, {Feature: "'##SEQUENCE##'.stop", Severity: "error", Rule: "RAGGED", Text: "record 4"}}
	for range 100 {
		in.Findings = append(in.Findings, report.Finding{Feature: "age", Severity: "warning", Rule: "BIG", Text: "old"})
	}
	kind, value, threshold := pb.DriftSkewInfo_Measurement_L_INFTY, 0.25, 0.1
	in.Anomalies.DriftSkewInfo = []*pb.DriftSkewInfo{{Path: &pb.Path{Step: []string{"city"}}, SkewMeasurements: []*pb.DriftSkewInfo_Measurement{{Type: &kind, Value: &value, Threshold: &threshold}}}}
	page := parse(t, write(t, in))
	if got := texts(page.class("slice")[0].class("findings")[0].named("li")); len(got) != 1 || got[0] != "warning BAD_RECORD record 3" {
		t.Errorf("about all of the data: %q", got)
	}
	if got := texts(page.section(t, "##SEQUENCE## › stop").named("li")); len(got) != 1 || got[0] != "error RAGGED record 4" {
		t.Errorf("in a struct: %q", got)
	}
	if got := texts(page.section(t, "age").named("li")); len(got) != 31 || got[30] != "warning and 70 more" {
		t.Errorf("a hundred of them: %d, %q", len(got), got[len(got)-1])
	}
	same(t, "measured", texts(page.section(t, "city").class("stats")[1].named("tr")), []string{"Skew, L_INFTY0.25at most 0.1"})
}

// TestCounts checks that the table of findings has the exact counts, with the most frequent errors first,
// and that features with errors come first.
func TestCounts(t *testing.T) {
	rows := func(page *element) (rows []string) {
		for _, r := range page.class("wrong")[0].named("tbody")[0].named("tr") {
			rows = append(rows, strings.Join(texts(r.below), "|"))
		}
		return rows
	}
	in := reports.Sample()
	in.Findings = []report.Finding{{Feature: "age", Severity: "warning", Rule: "OLD", Text: "first"}, {Feature: "age", Severity: "warning", Rule: "OLD", Text: "second"}}
	page := parse(t, write(t, in))
	same(t, "counted by the page", rows(page), []string{"1|error|fare|FLOAT_TYPE_BIG_FLOAT|Unexpectedly large value: 25.", "1|error|gone|SCHEMA_MISSING_COLUMN|Column is completely missing.",
		"2|warning|age|OLD|first", "1|warning|state|SCHEMA_NEW_COLUMN|New column."})
	same(t, "sums", texts(page.class("wrong")[0].named("caption")), []string{"2 errors, 3 warnings in 4 features"}) // none is about all of the data
	same(t, "features", texts(page.named("h3"))[:4], []string{"fare", "gone", "age", "state"})

	in = &report.Input{Sides: reports.Sample().Sides, Findings: []report.Finding{{Feature: "age", Severity: "error", Rule: "OLD", Text: "record 3"}}, Counts: []report.Count{
		{Feature: "fare", Severity: "warning", Rule: "BIG", Findings: 98765, Records: 1234}, {Feature: "age", Severity: "error", Rule: "OLD", Findings: 1, Records: 1},
		{Feature: "age", Severity: "error", Rule: "YOUNG", Findings: 4000, Records: 3999}, {Severity: "error", Rule: "SHORT", Findings: 2}}}
	page = parse(t, write(t, in))
	same(t, "counted by the caller", rows(page), []string{"4,000|error|age|YOUNG|3,999|", "2|error|all of the data|SHORT||", "1|error|age|OLD|1|record 3", "98,765|warning|fare|BIG|1,234|"})
	same(t, "sums with all of the data", texts(page.class("wrong")[0].named("caption")), []string{"4,001 errors, 98,765 warnings in 2 features; 2 errors in all of the data"})
	same(t, "flags", texts(page.class("all")[0].class("flag")), []string{"4,001 errors", "98,765 warnings"})
	same(t, "features", texts(page.named("h3"))[:2], []string{"age", "fare"})
	if page.class("wrong")[0].named("a")[0].attr["href"] != "#s0f0" {
		t.Error("the table does not lead to the feature")
	}
}

// TestWeights checks that statistics by weight are next to the unweighted statistics.
func TestWeights(t *testing.T) {
	fare, city := reports.Numbers(2, "fare"), reports.Labels(3, reports.City, "city")
	for _, c := range []*pb.CommonStatistics{fare.GetNumStats().CommonStats, city.GetStringStats().CommonStats} {
		c.WeightedCommonStats = &pb.WeightedCommonStatistics{NumNonMissing: 30, NumMissing: 10, AvgNumValues: 1.5, TotNumValues: 45}
	}
	fare.GetNumStats().WeightedNumericStats = &pb.WeightedNumericStatistics{Mean: 3, StdDev: 4, Median: 5, Histograms: fare.GetNumStats().Histograms}
	s := city.GetStringStats()
	s.WeightedStringStats = &pb.WeightedStringStatistics{TopValues: []*pb.StringStatistics_FreqAndValue{{Value: "city 01", Frequency: 22.5}}}
	all := reports.List(fare, city)
	all.Datasets[0].WeightedNumExamples = 40
	page := parse(t, write(t, &report.Input{Sides: []report.Side{{Statistics: all}}}))
	same(t, "facts", texts(page.class("facts")[0].below[1].below), []string{"Weight", "40"})
	stats := page.class("feature")[0].class("stats")[0]
	same(t, "columns", texts(stats.named("thead")[0].named("th")), []string{"Value", "By weight"})
	same(t, "presence", texts(stats.named("tbody")[0].named("tr")[0].named("td")), []string{"90 (90.0%)", "30 (75.0%)"})
	same(t, "mean", texts(stats.named("tbody")[0].named("tr")[4].named("td")), []string{"2", "3"})
	var titles []string
	for _, f := range page.class("feature")[0].named("figcaption") {
		title, _, _ := strings.Cut(f.text, "(")
		titles = append(titles, strings.TrimSpace(title))
	}
	same(t, "figures", titles, []string{"Values", "Values, 1st to 99th percentile", "Values, logarithmic axis", "Values, in quantile bins", "Quantiles",
		"Values, by weight", "Values, by weight, 1st to 99th percentile", "Values, by weight, logarithmic axis", "Values, by weight, in quantile bins", "Quantiles, by weight"})
	top := page.class("feature")[1].class("top")[0]
	same(t, "columns of values", texts(top.named("thead")[0].named("th")), []string{"Value", "count", "share", "weight", "share"})
	same(t, "city 01", texts(top.named("tbody")[0].named("tr")[1].below), []string{"city 01", "", "333", "30.7%", "", "22.5", "50.0%"})
	same(t, "city 02", texts(top.named("tbody")[0].named("tr")[2].below), []string{"city 02", "", "250", "23.1%", "", "–", "–"})
}

// TestLeft checks that the page reports everything it omits.
func TestLeft(t *testing.T) {
	crowd := reports.Labels(2, reports.City, "crowd")
	for i := range 70 {
		crowd.CustomStats = append(crowd.CustomStats, &pb.CustomStatistic{Name: fmt.Sprint("statistic ", i), Val: &pb.CustomStatistic_Num{Num: float64(i)}})
	}
	crowd.CustomStats[1].Val = &pb.CustomStatistic_Histogram{Histogram: reports.Numbers(3).GetNumStats().Histograms[1]}
	crowd.CustomStats[2].Val = &pb.CustomStatistic_RankHistogram{RankHistogram: crowd.GetStringStats().RankHistogram}
	all := reports.List(&pb.FeatureNameStatistics{FieldId: reports.Path("struct"), Type: pb.FeatureNameStatistics_STRUCT, Stats: &pb.FeatureNameStatistics_StructStats{StructStats: &pb.StructStatistics{}}}, crowd)
	for i := range 103 {
		all.Datasets[0].Features = append(all.Datasets[0].Features, reports.Numbers(1, "struct", fmt.Sprint(i)))
	}
	for range report.MaxFeatures + 7 {
		all.Datasets[0].CrossFeatures = append(all.Datasets[0].CrossFeatures, &pb.CrossFeatureStatistics{PathX: &pb.Path{Step: []string{"a"}}, PathY: &pb.Path{Step: []string{"b"}},
			CrossStats: &pb.CrossFeatureStatistics_NumCrossStats{NumCrossStats: &pb.NumericCrossStatistics{Correlation: 0.5}}})
	}
	page := parse(t, write(t, &report.Input{Sides: []report.Side{{Statistics: all}}}))
	same(t, "pairs", texts(page.class("left")), []string{"and 7 more"})
	if got := texts(page.class("children"))[0]; !strings.HasSuffix(got, "98, 99 and 3 more") {
		t.Errorf("in the struct: %q", got)
	}
	rows := map[string]string{}
	for _, r := range page.class("feature")[1].class("stats")[0].named("tr") {
		rows[r.below[0].text] = r.below[1].text
	}
	for name, want := range map[string]string{"statistic 0": "0", "statistic 2": "2 labels", "statistic 49": "49", "Not shown": "20 more statistics"} {
		if rows[name] != want {
			t.Errorf("%s: %q, wanted %q", name, rows[name], want)
		}
	}
	same(t, "charts", texts(page.class("feature")[1].named("figcaption")), []string{"Values in each", "statistic 1"}[1:])
	// Slices beyond MaxFeatures.
	many := bare(report.MaxFeatures)
	many.Datasets = append(many.Datasets, reports.List(reports.Numbers(1, "a"), reports.Numbers(1, "b")).Datasets...)
	many.Datasets[0].Name, many.Datasets[1].Name = "All Examples", "part"
	if text := write(t, &report.Input{Sides: []report.Side{{Statistics: many}}}); !strings.Contains(text, "Not on this page: 2 more features, in 1 slices of which there is nothing here.") {
		t.Error("a slice is left out in silence")
	}
}

// TestSchema checks that the declaration of a feature is next to its statistics.
func TestSchema(t *testing.T) {
	in := reports.Sample()
	in.Schema = &pb.Schema{}
	mustText(t, `
		feature { name: "fare" type: FLOAT presence { min_fraction: 1 } value_count { min: 1 max: 1 } float_domain { min: 0 max: 20 } }
		feature { name: "city" type: BYTES domain: "cities" }
		feature { name: "##SEQUENCE##" type: STRUCT struct_domain { feature { name: "stop" type: FLOAT shape { dim { size: 2 } dim { size: 3 } } } } }
		string_domain { name: "cities" value: "city 00" value: "city 01" }`, in.Schema)
	page := parse(t, write(t, in))
	same(t, "declared", texts(page.class("declared")), []string{"Schema: FLOAT, always present, 1 value in each, 0 to 20", "Schema: BYTES, 2 allowed values", "Schema: STRUCT", "Schema: FLOAT, shape 2 × 3"})
	if n := len(page.class("outside")); n != 18 {
		t.Errorf("%d of 20 values are outside of a domain that has two of them", n)
	}
}

// TestOnlyNaN checks that a feature without other numbers has no mean, minimum, median or maximum of 0.
func TestOnlyNaN(t *testing.T) {
	f := reports.Numbers(0, "x")
	for _, h := range f.GetNumStats().Histograms {
		h.NumNan = f.GetNumStats().CommonStats.TotNumValues
	}
	page := parse(t, write(t, &report.Input{Sides: []report.Side{{Statistics: reports.List(f)}}}))
	var got []string
	for _, r := range page.class("feature")[0].class("stats")[0].named("tr") {
		switch row := texts(r.below); row[0] {
		case "Mean", "Standard deviation", "Minimum", "Median", "Maximum":
			got = append(got, strings.Join(row, ": "))
		}
	}
	same(t, "statistics", got, []string{"Mean: nothing but NaN"})
}
