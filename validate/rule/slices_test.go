package rule_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"

	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/rule"
)

// sliced makes statistics of a feature x in all examples, which come second, and in slices: the maxima of
// x by slice, 0 for a slice that lacks x.
func sliced(all float64, names []string, maxima ...float64) *pb.DatasetFeatureStatisticsList {
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

// TestSlices holds in which slices rules are checked, with what they are compared, and what is not checked.
func TestSlices(t *testing.T) {
	now := sliced(9, []string{"city_Oslo", "city_Rome", "city_Bern"}, 9, 3, 0)
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
		{"max == max before", sliced(9, []string{"city_Rome", "city_Oslo"}, 4, 9), []string{"city_Rome: max is 3, wanted == max before (max before 4)", "city_Bern: 1 unchecked without before"}},
		{"has(x) before", sliced(9, []string{"city_Rome", "city_Bern"}, 0, 9), []string{"city_Rome: there is no feature x in the slice of the previous data set", "city_Oslo: 1 unchecked without before"}},
		{"max == max before", sliced(9, nil), []string{"city_Oslo: 1 unchecked without before", "city_Rome: 1 unchecked without before", "city_Bern: 1 unchecked without before"}},
		{"num_examples == num_examples before", sliced(9, nil), nil},
	} {
		set, err := rule.Parse(c.rule)
		if err != nil {
			t.Fatalf("%s: %v", c.rule, err)
		}
		all, unchecked, err := set.CheckSlices(rule.Data{Now: now, Before: c.before})
		if err != nil {
			t.Fatalf("%s: %v", c.rule, err)
		}
		var got []string
		for _, v := range all {
			got = append(got, v.Slice+": "+v.Text)
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
	set, err := rule.Parse("max < 5")
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range []rule.Data{{Now: twice}, {Now: now, Before: twice}} {
		if _, _, err := set.CheckSlices(d); err == nil {
			t.Error("statistics with two slices of one name were checked")
		}
	}
}

// TestAppend holds the names of features of slices in anomalies.
func TestAppend(t *testing.T) {
	a := &pb.Anomalies{}
	rule.Append(a, []rule.Violation{{Slice: "city_Oslo", Path: []string{"x", "y"}, Text: "is 5"}, {Slice: "city_Oslo", Warning: true, Text: "is 6"}, {Path: []string{"x"}, Text: "is 7"}, {Text: "is 8"}})
	var got []string
	for _, e := range a.GetAnomalyInfo() {
		got = append(got, fmt.Sprintf("%q: %s", e.GetValue().GetPath().GetStep(), e.GetValue().GetDescription()))
	}
	want := []string{`["slice(city_Oslo)::x" "y"]: is 5.`, `["slice(city_Oslo)::"]: is 6.`, `["x"]: is 7.`}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if got := a.GetDatasetAnomalyInfo().GetDescription(); got != "is 8." {
		t.Errorf("of the data set: %s", got)
	}
}
