package anomaly_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"

	"github.com/tfparse/tfparse/expr"
	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/anomaly"
)

// statisticsOf returns statistics of trip_miles.
func statisticsOf(examples uint64, max float64) *pb.DatasetFeatureStatisticsList {
	miles := &pb.FeatureNameStatistics{
		FieldId: &pb.FeatureNameStatistics_Name{Name: "trip_miles"},
		Type:    pb.FeatureNameStatistics_FLOAT,
		Stats:   &pb.FeatureNameStatistics_NumStats{NumStats: &pb.NumericStatistics{Max: max, CommonStats: &pb.CommonStatistics{NumNonMissing: examples, TotNumValues: examples}}},
	}
	return &pb.DatasetFeatureStatisticsList{Datasets: []*pb.DatasetFeatureStatistics{{NumExamples: examples, Features: []*pb.FeatureNameStatistics{miles}}}}
}

// slicedMaxima makes statistics of a feature x in all examples, which come second, and in slices: the maxima of
// x by slice, 0 for a slice that lacks x.
func slicedMaxima(all float64, names []string, maxima ...float64) *pb.DatasetFeatureStatisticsList {
	of := func(name string, largest float64) *pb.DatasetFeatureStatistics {
		d := statisticsOf(100, largest).GetDatasets()[0]
		d.Name = name
		d.Features[0].FieldId = &pb.FeatureNameStatistics_Name{Name: "x"}
		if largest == 0 {
			d.Features = nil
		}
		return d
	}
	l := &pb.DatasetFeatureStatisticsList{}
	for i, name := range names {
		l.Datasets = append(l.Datasets, of(name, maxima[i]))
	}
	if len(l.Datasets) > 0 {
		l.Datasets = append(l.Datasets[:1:1], append([]*pb.DatasetFeatureStatistics{of("All Examples", all)}, l.Datasets[1:]...)...)
	} else {
		l.Datasets = append(l.Datasets, of("", all))
	}
	return l
}

// TestRulesOfSlices checks in which slices rules are evaluated, their control data, and the unchecked rules.
func TestRulesOfSlices(t *testing.T) {
	now := slicedMaxima(9, []string{"city_Oslo", "city_Rome", "city_Bern"}, 9, 3, 0)
	for _, c := range []struct {
		rule   string
		before *pb.DatasetFeatureStatisticsList
		want   []string
	}{
		{"max(x) < 5", nil, []string{": max(x) is 9, wanted < 5", "city_Oslo: max(x) is 9, wanted < 5", "city_Bern: there is no feature x in the slice, wanted max(x) < 5"}},
		{"!has(x) || max(x) < 5", nil, []string{": has(x) is true, wanted false; and max(x) is 9, wanted < 5", "city_Oslo: has(x) is true, wanted false; and max(x) is 9, wanted < 5"}},
		{"max < 5", nil, []string{": max is 9, wanted < 5", "city_Oslo: max is 9, wanted < 5"}}, // of every feature that a slice has
		{`slice != "city_Oslo" || max(x) < 5`, nil, []string{`city_Oslo: slice is "city_Oslo", wanted != "city_Oslo"; and max(x) is 9, wanted < 5`}},
		{`slice == "" || !has(x) || max(x) < 5`, nil, []string{`city_Oslo: slice is "city_Oslo", wanted == ""; and has(x) is true, wanted false; and max(x) is 9, wanted < 5`}},
		{"num_examples > 1000", nil, []string{": num_examples is 100, wanted > 1000"}},
		{`slice !~ "Rome" || num_examples > 1000`, nil, []string{`city_Rome: slice is "city_Rome", wanted !~ "Rome"; and num_examples is 100, wanted > 1000`}},
		{"max == max before", slicedMaxima(9, []string{"city_Rome", "city_Oslo"}, 4, 9), []string{"city_Rome: max is 3, wanted == max before (max before 4)", "city_Bern: 1 unchecked without before"}},
		{"has(x) before", slicedMaxima(9, []string{"city_Rome", "city_Bern"}, 0, 9), []string{"city_Rome: there is no feature x in the slice of the previous data set", "city_Oslo: 1 unchecked without before"}},
		{"max == max before", slicedMaxima(9, nil), []string{"city_Oslo: 1 unchecked without before", "city_Rome: 1 unchecked without before", "city_Bern: 1 unchecked without before"}},
		{"num_examples == num_examples before", slicedMaxima(9, nil), nil},
	} {
		rules, err := expr.ParseRules(c.rule)
		if err != nil {
			t.Fatalf("%s: %v", c.rule, err)
		}
		var got []string
		opts := &anomaly.Options{Slices: true, Previous: c.before, Report: func(f anomaly.Finding) { got = append(got, f.Slice+": "+f.Text) }}
		unchecked, err := anomaly.CheckRules(&pb.Anomalies{}, rules, now, nil, opts)
		if err != nil {
			t.Fatalf("%s: %v", c.rule, err)
		}
		for _, u := range unchecked {
			got = append(got, fmt.Sprintf("%s: %d unchecked without %s", u.Slice, u.Rules, u.Data))
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s: %s", c.rule, d)
		}
	}
	twice := proto.CloneOf(now)
	twice.Datasets[2].Name = "city_Oslo"
	rules, err := expr.ParseRules("max < 5")
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range [][2]*pb.DatasetFeatureStatisticsList{{twice, nil}, {now, twice}} {
		if _, err := anomaly.CheckRules(&pb.Anomalies{}, rules, d[0], nil, &anomaly.Options{Slices: true, Previous: d[1]}); err == nil {
			t.Error("statistics with two slices of one name were checked")
		}
	}
}

// TestRuleAnomalies checks the anomalies of rules: names of features of slices, severities, texts.
func TestRuleAnomalies(t *testing.T) {
	rules, err := expr.ParseRules("max(x) < 5\nwarning: slice == \"\" || num_examples > 1000\nnum_examples < 100")
	if err != nil {
		t.Fatal(err)
	}
	a := &pb.Anomalies{}
	if _, err := anomaly.CheckRules(a, rules, slicedMaxima(9, []string{"city_Oslo"}, 9), nil, &anomaly.Options{Slices: true}); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range a.GetAnomalyInfo() {
		info := e.GetValue()
		got = append(got, fmt.Sprintf("%q: %v: %s", info.GetPath().GetStep(), info.GetSeverity(), info.GetDescription()))
	}
	want := []string{`["x"]: ERROR: max(x) is 9, wanted < 5.`, `["slice(city_Oslo)::x"]: ERROR: max(x) is 9, wanted < 5.`,
		`["slice(city_Oslo)::"]: WARNING: slice is "city_Oslo", wanted == ""; and num_examples is 100, wanted > 1000.`}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if got := a.GetDatasetAnomalyInfo().GetDescription(); got != "num_examples is 100, wanted < 100." {
		t.Errorf("of the data set: %s", got)
	}
}
