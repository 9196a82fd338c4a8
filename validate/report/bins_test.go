package report_test

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/internal/test/browser"
	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/report"
)

// ofValues makes statistics of one feature with the histograms that the values really have.
func ofValues(values []float64, quantiles int) *pb.DatasetFeatureStatisticsList {
	values = slices.Sorted(slices.Values(values))
	n := len(values)
	least, most := values[0], values[n-1]
	standard, q := &pb.Histogram{}, &pb.Histogram{Type: pb.Histogram_QUANTILES}
	for i := range 10 {
		low, high := least+(most-least)*float64(i)/10, least+(most-least)*float64(i+1)/10
		standard.Buckets = append(standard.Buckets, &pb.Histogram_Bucket{LowValue: low, HighValue: high, SampleCount: float64(within(values, low, high, i == 0))})
	}
	for i := range quantiles {
		low, high := values[i*(n-1)/quantiles], values[(i+1)*(n-1)/quantiles]
		q.Buckets = append(q.Buckets, &pb.Histogram_Bucket{LowValue: low, HighValue: high, SampleCount: float64(within(values, low, high, i == 0))})
	}
	f := numbers(0, "trip_miles")
	f.GetNumStats().Histograms = []*pb.Histogram{standard, q}
	return list(f)
}

// within counts the values above low, or also those at low, up to high.
func within(values []float64, low, high float64, first bool) (n int) {
	for _, v := range values {
		if (v > low || first && v == low) && v <= high {
			n++
		}
	}
	return n
}

// skewed are n values from 1 to 2n with a median of 2, and a tail as 1/v: one of ten values
// is above 10, one of a hundred above 100.
func skewed(n int) (values []float64) {
	for i := range n {
		values = append(values, 1/(1-(float64(i)+0.5)/float64(n)))
	}
	return values
}

func evenly(n int, low, high float64) (values []float64) {
	for i := range n {
		values = append(values, low+(high-low)*float64(i)/float64(n-1))
	}
	return values
}

// view returns the chart of the only feature for a choice of the reader; without one, as it is
// drawn without the script.
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

// bars reads the rows of the table under a chart.
func bars(figure *element) (rows [][]string) {
	for _, r := range figure.named("tbody")[0].named("tr") {
		rows = append(rows, texts(r.named("td")))
	}
	return rows
}

func percent(t *testing.T, s string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(strings.Trim(s, "<>%"), 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestSkewed holds that the histogram of a skewed feature is not one bar: it has bins between
// the percentiles, and the tails in bins with labels. The shares are those of the values.
func TestSkewed(t *testing.T) {
	values := skewed(10000)
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
			page := parse(t, write(t, &report.Input{Sides: []report.Side{{Statistics: ofValues(values, c.quantiles)}}}))
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
				want := 100 * float64(within(values, low, high, i == 0)) / float64(len(values))
				if got := percent(t, r[2]); got > 85 || math.Abs(got-want) > 2 {
					t.Errorf("%s to %s: %g%%, but %.1f%% of the values are there", r[0], r[1], got, want)
				}
			}
		})
	}
}

// TestUsualBins holds which histogram is drawn unless the reader chooses one.
func TestUsualBins(t *testing.T) {
	far := append(evenly(990, 0, 1), evenly(10, 500, 1000)...)
	for _, c := range []struct {
		name   string
		values []float64
		want   string // class of the chart
	}{
		{"evenly", evenly(1000, 0, 100), "full"},
		{"a long tail", skewed(1000), "inner"},
		{"a tail below", append(evenly(5, -1000, -500), evenly(995, 0, 1)...), "inner"},
		{"more than 80% in one bar, but no tail to leave out", append(evenly(700, 0, 0.1), evenly(100, 0.1, 1)...), "full"},
		{"few far away", far, "inner"},
		{"one value in front of others", append(make([]float64, 900), evenly(100, 0, 1000)...), "full"},
	} {
		page := parse(t, write(t, &report.Input{Sides: []report.Side{{Statistics: ofValues(c.values, 100)}}}))
		if g := view(t, page, "usual"); g != view(t, page, c.want) {
			t.Errorf("%s: the usual histogram has the classes %q, wanted %s", c.name, g.attr["class"], c.want)
		}
		view(t, page, "quantiles")
		// The small chart in the table is the usual one.
		if got, want := page.class("mini")[0].named("path")[0].attr["d"], view(t, page, "usual").named("path")[0].attr["d"]; got != want {
			t.Errorf("%s: the chart in the table is %s, wanted %s", c.name, got, want)
		}
	}
	// Of one value there is one histogram.
	page := parse(t, write(t, &report.Input{Sides: []report.Side{{Statistics: ofValues([]float64{7, 7, 7}, 10)}}}))
	if n := len(page.class("view")); n != 0 {
		t.Errorf("%d ways to draw one value", n)
	}
	// A page of many features draws only what is needed.
	many := large(300)
	many.Datasets[0].Features = append(many.Datasets[0].Features, ofValues(far, 100).Datasets[0].Features...)
	page = parse(t, write(t, &report.Input{Sides: []report.Side{{Statistics: many}}}))
	if n := len(page.class("view")); n != 3 {
		t.Errorf("%d histograms to choose from, wanted the 3 of the skewed feature", n)
	}
}

// TestQuantileBins holds that a value which fills several quantiles has one bin.
func TestQuantileBins(t *testing.T) {
	values := append(make([]float64, 350), evenly(651, 1, 651)...)
	page := parse(t, write(t, &report.Input{Sides: []report.Side{{Statistics: ofValues(values, 10)}}}))
	var got []string
	for _, r := range bars(view(t, page, "quantiles")) {
		got = append(got, strings.Join(r, " "))
	}
	same(t, "bins", got, []string{"0 0 35.0%", "0 51 5.1%", "51 151 10.0%", "151 251 10.0%", "251 351 10.0%", "351 451 10.0%", "451 551 10.0%", "551 651 10.0%"})
}

// TestCommonBins holds that two data sets are drawn in the same bins.
func TestCommonBins(t *testing.T) {
	a, b := skewed(1000), evenly(1000, -5, 40)
	page := parse(t, write(t, &report.Input{Sides: []report.Side{{Statistics: ofValues(a, 100)}, {Statistics: ofValues(b, 100)}}}))
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
			if want := 100 * float64(within(values, low, high, i == 0)) / 1000; math.Abs(percent(t, r[3])-want) > 2.5 {
				t.Errorf("%s: %q, but %.1f%% of the values are there", choice, r, want)
			}
		}
		same(t, choice, edges["A"], edges["B"])
		for side, s := range sum {
			if math.Abs(s-100) > 5 { // each is rounded
				t.Errorf("%s: the shares of %s are %.1f%%", choice, side, s)
			}
		}
	}
	if got := bars(view(t, page, "quantiles"))[0]; got[1] != "below 1.0005" || got[3] != "0.0%" {
		t.Errorf("below the quantiles of A: %q", got)
	}
}

// testBins holds that the reader chooses how histograms are drawn, and that it is remembered.
func testBins(t *testing.T, b *browser.Browser) {
	in := &report.Input{Sides: []report.Side{{Statistics: ofValues(skewed(1000), 100)}}}
	p := open(t, b, in, 1300)
	t.Cleanup(func() { must(t, p.Eval(`localStorage.clear()`, nil)) }) // the other tests have the same browser
	const visible = `[...document.querySelectorAll('.view')].filter(f => f.checkVisibility()).map(f => f.querySelector('figcaption').firstChild.data.trim())`
	choose := func(choice string) {
		must(t, p.Eval(fmt.Sprintf(`{const e = document.querySelector('#bins'); e.value = %q; e.dispatchEvent(new Event('input', {bubbles: true}))}`, choice), nil))
	}
	same(t, "automatic", eval[[]string](t, p, visible), []string{"Values, 1st to 99th percentile"})
	picture(t, p, "bins")
	for _, step := range [][2]string{{"quantiles", "Values, in quantile bins"}, {"inner", "Values, 1st to 99th percentile"}, {"", "Values, 1st to 99th percentile"}, {"full", "Values"}} {
		choose(step[0])
		same(t, "chosen "+step[0], eval[[]string](t, p, visible), step[1:])
	}
	again := open(t, b, in, 1300)
	same(t, "remembered", eval[[]string](t, again, visible), []string{"Values"})
	if got := eval[string](t, again, `document.querySelector('#bins').value`); got != "full" {
		t.Errorf("the control says %q, wanted full", got)
	}
	must(t, again.Eval(`localStorage.setItem('tfparse.bins', 'of tomorrow')`, nil))
	same(t, "an unknown choice", eval[[]string](t, open(t, b, in, 1300), visible), []string{"Values, 1st to 99th percentile"})
	// The pointer reads bins of equal width by their order, and the tail by its label.
	choose("inner")
	at := eval[[]float64](t, p, `(() => { const e = document.querySelector('.inner svg'); e.scrollIntoView({behavior: 'instant', block: 'center'}); const r = e.getBoundingClientRect(); return [r.right - 2, r.top + 10] })()`)
	must(t, p.Call("Input.dispatchMouseEvent", map[string]any{"type": "mouseMoved", "x": at[0], "y": at[1]}, nil))
	if got := eval[string](t, p, `document.querySelector('.inner .at').textContent`); !strings.HasPrefix(got, "above ") || !strings.HasSuffix(got, "%") {
		t.Errorf("over the tail: %q", got)
	}
}
