package report_test

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/internal/test/reports"
	"github.com/tfparse/tfparse/validate/report"
)

// view returns the chart of the only feature for a view; "" is the chart without the script.
func view(t *testing.T, page *element, choice string) *element {
	t.Helper()
	var shown []*element
	for _, f := range page.class("view") {
		if slices.Contains(strings.Fields(f.attr["class"]), choice) {
			shown = append(shown, f)
		}
	}
	if len(shown) != 1 {
		t.Fatalf("%d charts are shown for %s, wanted 1", len(shown), choice)
	}
	return shown[0]
}

// bars reads the numbers under a chart, without their heading.
func bars(figure *element) (rows [][]string) {
	for line := range strings.SplitSeq(figure.class("text")[0].text, "\n") {
		rows = append(rows, strings.Split(line, "\t"))
	}
	return rows[1:]
}

func percent(t *testing.T, s string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(strings.Trim(s, "<>%"), 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestSkewed checks that the histogram of a skewed feature is not one bar: it has bins between
// the percentiles, and labelled bins for the tails. The shares are those of the values.
func TestSkewed(t *testing.T) {
	values := reports.Skewed(10000)
	for _, c := range []struct {
		quantiles    int
		above, title string
		tail         float64
	}{
		{100, "above 99.6", "Values, 1st to 99th percentile (estimated from the quantiles)", 1},
		// Ten quantiles say nothing about the values between the 90th percentile and the end of
		// the first of ten buckets, 2000.
		{10, "above 10", "Values, 1st to 99th percentile (estimated from the quantiles, which are too far apart for the percentiles)", 10},
	} {
		t.Run(fmt.Sprint(c.quantiles, " quantiles"), func(t *testing.T) {
			page := parse(t, write(t, &report.Input{Sides: []report.Side{{Statistics: reports.OfValues(values, c.quantiles)}}}))
			g := view(t, page, "usual")
			if g != view(t, page, "inner") {
				t.Fatalf("drawn with the classes %q, wanted the bins between the percentiles", g.attr["class"])
			}
			if got := strings.TrimSpace(g.named("figcaption")[0].text); got != c.title {
				t.Errorf("title %q, wanted %q", got, c.title)
			}
			rows := bars(g)
			last := rows[len(rows)-1]
			if last[0] != c.above || math.Abs(percent(t, last[2])-c.tail) > 0.1 {
				t.Errorf("the last bin is %q, wanted %s with %g%%", last, c.above, c.tail)
			}
			axis := texts(g.class("axis")[0].named("span"))
			if axis[2] != c.above {
				t.Errorf("labels %q, wanted %q at the right end", axis, c.above)
			}
			for i, r := range rows {
				if r[1] == "" {
					continue
				}
				low, err1 := strconv.ParseFloat(r[0], 64)
				high, err2 := strconv.ParseFloat(r[1], 64)
				if err1 != nil || err2 != nil {
					t.Fatalf("bin %q", r)
				}
				want := 100 * float64(reports.Count(values, low, high, i == 0)) / float64(len(values))
				if got := percent(t, r[2]); got > 85 || math.Abs(got-want) > 2 {
					t.Errorf("%s to %s: %g%%, but %.1f%% of the values are there", r[0], r[1], got, want)
				}
			}
		})
	}
}

// TestUsualBins checks the usual view.
func TestUsualBins(t *testing.T) {
	far := append(reports.Evenly(990, 0, 1), reports.Evenly(10, 500, 1000)...)
	for _, c := range []struct {
		name   string
		values []float64
		want   string // class of the chart
	}{
		{"evenly", reports.Evenly(1000, 0, 100), "full"},
		{"a long tail", reports.Skewed(1000), "inner"},
		{"a tail below", append(reports.Evenly(5, -1000, -500), reports.Evenly(995, 0, 1)...), "inner"},
		{"more than 80% in one bar, but no tail to leave out", append(reports.Evenly(700, 0, 0.1), reports.Evenly(100, 0.1, 1)...), "full"},
		{"few far away", far, "inner"},
		{"one value in front of others", append(make([]float64, 900), reports.Evenly(100, 0, 1000)...), "full"},
	} {
		page := parse(t, write(t, &report.Input{Sides: []report.Side{{Statistics: reports.OfValues(c.values, 100)}}}))
		if g := view(t, page, "usual"); g != view(t, page, c.want) {
			t.Errorf("%s: the usual histogram has the classes %q, wanted %s", c.name, g.attr["class"], c.want)
		}
		view(t, page, "quantiles")
		// The small chart in the table shows the usual view.
		if got, want := page.class("mini")[0].named("path")[0].attr["d"], view(t, page, "usual").named("path")[0].attr["d"]; got != want {
			t.Errorf("%s: the chart in the table is %s, wanted %s", c.name, got, want)
		}
	}
	// A feature with one distinct value has one histogram.
	page := parse(t, write(t, &report.Input{Sides: []report.Side{{Statistics: reports.OfValues([]float64{7, 7, 7}, 10)}}}))
	if n := len(page.class("view")); n != 0 {
		t.Errorf("%d ways to draw one value", n)
	}
	// A page of many features has only the necessary views.
	many := reports.Large(300)
	many.Datasets[0].Features = append(many.Datasets[0].Features, reports.OfValues(far, 100).Datasets[0].Features...)
	page = parse(t, write(t, &report.Input{Sides: []report.Side{{Statistics: many}}}))
	if n := len(page.class("view")); n != 4 {
		t.Errorf("%d histograms to choose from, wanted the 4 of the skewed feature", n)
	}
}

// TestQuantileBins checks that a value that fills several quantiles has one bin.
func TestQuantileBins(t *testing.T) {
	values := append(make([]float64, 350), reports.Evenly(651, 1, 651)...)
	page := parse(t, write(t, &report.Input{Sides: []report.Side{{Statistics: reports.OfValues(values, 10)}}}))
	var got []string
	for _, r := range bars(view(t, page, "quantiles")) {
		got = append(got, strings.Join(r, " "))
	}
	same(t, "bins", got, []string{"0 0 35.0%", "0 51 5.1%", "51 151 10.0%", "151 251 10.0%", "251 351 10.0%", "351 451 10.0%", "451 551 10.0%", "551 651 10.0%"})
}

// TestCommonBins checks that two data sets are drawn in the same bins.
func TestCommonBins(t *testing.T) {
	a, b := reports.Skewed(1000), reports.Evenly(1000, -5, 40)
	page := parse(t, write(t, &report.Input{Sides: []report.Side{{Statistics: reports.OfValues(a, 100)}, {Statistics: reports.OfValues(b, 100)}}}))
	for _, choice := range []string{"inner", "quantiles"} {
		edges := map[string][]string{}
		sum := map[string]float64{}
		for i, r := range bars(view(t, page, choice)) {
			side := r[0]
			edges[side] = append(edges[side], r[1]+" "+r[2])
			sum[side] += percent(t, r[3])
			low, err1 := strconv.ParseFloat(r[1], 64)
			high, err2 := strconv.ParseFloat(r[2], 64)
			if err1 != nil || err2 != nil {
				continue
			}
			values := map[string][]float64{"A": a, "B": b}[side]
			if want := 100 * float64(reports.Count(values, low, high, i == 0)) / 1000; math.Abs(percent(t, r[3])-want) > 2.5 {
				t.Errorf("%s: %q, but %.1f%% of the values are there", choice, r, want)
			}
		}
		same(t, choice, edges["A"], edges["B"])
		for side, s := range sum {
			if math.Abs(s-100) > 5 { // each share is rounded
				t.Errorf("%s: the shares of %s are %.1f%%", choice, side, s)
			}
		}
	}
	if got := bars(view(t, page, "quantiles"))[0]; got[1] != "below 1.0005" || got[3] != "0.0%" {
		t.Errorf("below the quantiles of A: %q", got)
	}
}
