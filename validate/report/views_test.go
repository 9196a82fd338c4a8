package report_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/test/reports"
	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/report"
	"github.com/tfparse/tfparse/validate/stats"
)

// integers makes statistics of a feature of integers.
func integers(values []float64) *pb.DatasetFeatureStatisticsList {
	list := reports.OfValues(values, 100)
	list.Datasets[0].Features[0].Type = pb.FeatureNameStatistics_INT
	// All buckets except the last include their lower ends only.
	for i, b := range list.Datasets[0].Features[0].GetNumStats().Histograms[0].Buckets {
		b.SampleCount = 0
		for _, v := range values {
			if v >= b.LowValue && (v < b.HighValue || i == 9 && v == b.HighValue) {
				b.SampleCount++
			}
		}
	}
	return list
}

// TestIntegers checks that integers of a small range have a bar each.
func TestIntegers(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		most  int
		exact bool
	}{{1, true}, {4, true}, {9, true}, {23, false}, {49, false}} {
		var values []float64
		for range 10000 {
			v := r.IntN(c.most + 1)
			if v == 3 {
				v = 0 // a gap in the values
			}
			values = append(values, float64(v))
		}
		values = append(values, 0, float64(c.most))
		page := parse(t, write(t, &report.Input{Sides: []report.Side{{Statistics: integers(values)}}}))
		g := page.class("feature")[0].named("figure")[0]
		rows := bars(g)
		if len(rows) != c.most+1 {
			t.Errorf("%d bars of 0 to %d", len(rows), c.most)
			continue
		}
		if exact := !strings.Contains(g.named("figcaption")[0].text, "estimated"); exact != c.exact {
			t.Errorf("0 to %d: exact %v, wanted %v", c.most, exact, c.exact)
		}
		for v, row := range rows {
			want := 100 * float64(reports.Count(values, float64(v)-0.5, float64(v), false)) / float64(len(values))
			off := 2.5 // quantiles of 1%, and two or three integers in a bucket
			if c.exact {
				off = 0.06
			}
			if got := percent(t, row[2]); row[0] != fmt.Sprint(v) || row[1] != row[0] || math.Abs(got-want) > off {
				t.Errorf("0 to %d: %q, wanted %.1f%% at %d", c.most, row, want, v)
			}
		}
	}
	// More than fifty integers, or numbers that are not integers, have buckets.
	for _, values := range [][]float64{reports.Evenly(51, 0, 50), reports.Evenly(21, 0, 10)} {
		page := parse(t, write(t, &report.Input{Sides: []report.Side{{Statistics: integers(values)}}}))
		if n := len(bars(page.class("feature")[0].named("figure")[0])); n == 51 {
			t.Errorf("%d bars of 0 to 50", n)
		}
	}
}

// TestPowers checks the counts of bins on a logarithmic axis, and the bin for zero and negative values.
func TestPowers(t *testing.T) {
	values := append(reports.Skewed(2000), make([]float64, 100)...)
	values = append(values, -3, -2)
	page := parse(t, write(t, &report.Input{Sides: []report.Side{{Statistics: reports.OfValues(values, 100)}}}))
	g := view(t, page, "powers")
	rows := bars(g)
	if got := percent(t, rows[0][2]); rows[0][1] != "" || math.Abs(got-100*102/2102.0) > 1 {
		t.Errorf("not above zero: %q", rows[0])
	}
	for _, row := range rows[1:] {
		low, err1 := strconv.ParseFloat(row[0], 64)
		high, err2 := strconv.ParseFloat(row[1], 64)
		if err1 != nil || err2 != nil {
			t.Fatalf("bin %q", row)
		}
		want := 100 * float64(reports.Count(values, low, high, false)) / float64(len(values))
		if got := percent(t, row[2]); math.Abs(got-want) > 2.5 {
			t.Errorf("%q, but %.1f%% of the values are there", row, want)
		}
	}
	if ticks := texts(g.named("text")); !slices.Contains(ticks, "100") {
		t.Errorf("numbers on the axis: %q", ticks)
	}
	// A range of one power of ten has no logarithmic chart: that choice shows the usual chart.
	page = parse(t, write(t, &report.Input{Sides: []report.Side{{Statistics: reports.OfValues(reports.Evenly(100, 10, 20), 100)}}}))
	if view(t, page, "powers") != view(t, page, "usual") {
		t.Error("10 to 20 has a logarithmic axis")
	}
}

// TestEqualLooksEqual checks that halves of one data set look alike, although one of them has an outlier.
func TestEqualLooksEqual(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var halves [2][]float64
	for i := range 20000 {
		halves[i%2] = append(halves[i%2], r.NormFloat64()*2+5)
	}
	halves[1] = append(halves[1], 25)
	page := parse(t, write(t, &report.Input{Sides: []report.Side{{Statistics: reports.OfValues(halves[0], 100)}, {Statistics: reports.OfValues(halves[1], 100)}}}))
	rows := bars(view(t, page, "full"))
	n := len(rows) / 2
	if n < 10 {
		t.Fatalf("%d bars", n)
	}
	for i := range n {
		a, b := rows[i], rows[n+i]
		if a[0] != "A" || b[0] != "B" || a[1] != b[1] || a[2] != b[2] || math.Abs(percent(t, a[3])-percent(t, b[3])) > 2 {
			t.Errorf("%q and %q", a, b)
		}
	}
}

// TestSeveralSides checks a page with more than two data sets, and the distance of each from the first.
func TestSeveralSides(t *testing.T) {
	in := reports.TwoSides()
	in.Sides = append(in.Sides, report.Side{Name: "wednesday", Statistics: reports.List(reports.Numbers(30, "fare"), reports.Numbers(1, "new"))})
	page := parse(t, write(t, in))
	same(t, "sides", texts(page.class("key")[0].named("li")), []string{"A monday", "B tuesday", "C wednesday"})
	fare := page.section(t, "fare")
	same(t, "columns", texts(fare.class("stats")[0].named("thead")[0].named("th")), []string{"A", "B", "C"})
	same(t, "beside the name", texts(fare.class("only")), []string{"Kolmogorov-Smirnov 1 to C", "Kolmogorov-Smirnov 0.579 to B"})
	same(t, "beside another", texts(page.section(t, "new").class("only")), []string{"not in monday"})
	var classes []string
	for _, p := range fare.named("figure")[0].named("path") {
		classes = append(classes, p.attr["class"])
	}
	same(t, "marks", classes, []string{"a lin", "a log", "b lin", "b log", "c lin", "c log"})
}

// TestQuantileParts checks that a hundred quantiles are drawn and listed as twenty.
func TestQuantileParts(t *testing.T) {
	values := make([]float64, 1001)
	for i := range values {
		values[i] = float64(i)
	}
	page := write(t, &report.Input{Sides: []report.Side{{Statistics: reports.OfValues(values, 100)}}})
	for _, want := range []string{"20 parts of equal weight from 0 to 1000; half lie below 500", "5 buckets each"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
}

// TestTypeWithoutValues checks that a feature has the type of the first side with values.
func TestTypeWithoutValues(t *testing.T) {
	none := counted(t, "none", []int64{1, 2}, nil)
	for _, f := range none.Statistics.Datasets[0].Features {
		if f.GetPath().GetStep()[0] == "x" { // as statistics describe a feature without values
			f.Type, f.Stats = pb.FeatureNameStatistics_STRING, &pb.FeatureNameStatistics_StringStats{StringStats: &pb.StringStatistics{CommonStats: &pb.CommonStatistics{NumMissing: 2}}}
		}
	}
	none.Details = nil
	values := counted(t, "values", []int64{1, 2}, nil)
	for _, sides := range [][]report.Side{{none, values}, {values, none}} {
		page := write(t, &report.Input{Sides: sides})
		if strings.Contains(page, "1 string") || strings.Count(page, "1 float, 1 int") != 2 {
			t.Errorf("%s first: the types are not a float and an int on both sides", sides[0].Name)
		}
	}
}

// counted makes a side of records with a feature x of integers, and a weight.
func counted(t *testing.T, name string, values []int64, opts *stats.Options) report.Side {
	t.Helper()
	acc, err := stats.New(opts)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range values {
		rec, err := example.Example{"x": {Int64s: []int64{v}}, "w": {Floats: []float32{float32(1 + i%2)}}}.MarshalBinary()
		if err == nil {
			err = acc.Add(rec)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	list, details, err := acc.Detailed(1)
	if err != nil {
		t.Fatal(err)
	}
	return report.Side{Name: name, Statistics: list, Details: details}
}

// TestFewIntegers checks that integers with few different values have a bar for each value in any range.
func TestFewIntegers(t *testing.T) {
	repeated := func(n int, values ...int64) (all []int64) {
		for range n {
			all = append(all, values...)
		}
		return all
	}
	many := func(n int, far int64) (all []int64) {
		for i := range n {
			all = append(all, int64(i)*1000)
		}
		return append(all, far)
	}
	rows := func(sides ...report.Side) (all []string) {
		page := parse(t, write(t, &report.Input{Sides: sides}))
		for _, r := range bars(page.section(t, "x").named("figure")[0]) {
			all = append(all, strings.Join(r, " "))
		}
		return all
	}
	values := append(repeated(498, 1, 7), 1000, -3)
	a := counted(t, "a", values, nil)
	want := []string{"-3 -3 0.1%", "1 1 49.9%", "7 7 49.9%", "1000 1000 0.1%"}
	same(t, "one data set", rows(a), want)
	// A page of statistics alone has buckets.
	a.Details = nil
	if got := rows(a); slices.Equal(got, want) || len(got) < 10 {
		t.Errorf("without details: %q", got)
	}
	// Each data set has a bar for each value of any data set.
	a, b := counted(t, "a", repeated(10, 1, 70), nil), counted(t, "b", repeated(10, 70, 1<<40), nil)
	same(t, "two data sets", rows(a, b), []string{"A 1 1 50.0%", "A 70 70 50.0%", "A 1099511627776 1099511627776 0.0%", "B 1 1 0.0%", "B 70 70 50.0%", "B 1099511627776 1099511627776 50.0%"})
	// 50 values have bars, 51 have not.
	if got := rows(counted(t, "a", many(49, 7), nil)); len(got) != 50 {
		t.Errorf("50 values have %d bars", len(got))
	}
	if got := rows(counted(t, "a", many(50, 7), nil)); got[1] == "7 7 2.0%" {
		t.Errorf("51 values have %d bars: %q", len(got), got)
	}
	if got := rows(counted(t, "a", many(29, 7), nil), counted(t, "b", many(29, 5007), nil)); len(got) != 2*31 {
		t.Errorf("31 values of two data sets have %d bars", len(got))
	}
	// With a weight there are also bars of weights.
	page := parse(t, write(t, &report.Input{Sides: []report.Side{counted(t, "a", repeated(10, 1, 70, 1, 900), &stats.Options{Weight: "w"})}}))
	var weighted []string
	for _, g := range page.section(t, "x").named("figure") {
		if strings.Contains(g.named("figcaption")[0].text, "by weight") && len(g.class("text")) > 0 {
			for _, r := range bars(g) {
				weighted = append(weighted, strings.Join(r, " "))
			}
			break
		}
	}
	same(t, "by weight", weighted, []string{"1 1 33.3%", "70 70 33.3%", "900 900 33.3%"})
}
