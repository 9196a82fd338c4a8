package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/internal/view"
	"github.com/tfparse/tfparse/validate/report/internal/chart"
)

// A figure is a chart and its numbers.
type figure struct {
	Title   string  // name of the histogram, and of its view
	Desc    string  // description in a sentence, for screen readers
	Height  int     // height of the chart's area
	Bars    []mark  // one for each side with the histogram; nil: a figure of Strips
	Strips  []strip // one for each side with the histogram; nil: a figure of Bars
	Low     string  // label at the left end of the axis
	Middle  string  // the only value, if the axis is a single value: then Low and High are empty
	High    string  // label at the right end
	Numbers table   // bins of all sides with their counts or shares; may be coarser than Bars
	Note    string  // remarks on the data, separated by commas; may be empty
	Even    bool    // all bars have the same width, even if their bins do not
	Cuts    string  // path of the lines that separate the bars for values outside
	Peak    string  // share of the highest bar, at the top of the vertical axis; empty: bars have no common scale
	Hits    []hit   // areas over the bars that link to the records
	Shown   string  // view classes for which the figure is shown; empty: all
	Ticks   []tick  // numbers on the axis whose texts overlap neither each other nor the labels

	bins, before int // number of bars, and of bars below the first edge, if Even
}

// A mark contains the bars of one side, as SVG paths. Side is its class.
type mark struct{ Side, Linear, Log string }

// A hit is the area over a bar that leads to its records.
type hit struct {
	X, Width string // in the units of the chart
	Side     string // class of the side
	Row      int    // index of the bar in figure.Numbers
	Link     string
	Name     string // what a pointer shows
}

// A strip contains the quantiles of one side.
type strip struct {
	Side string
	chart.Strip
}

var sideClasses = [MaxSides]string{"a", "b", "c", "d", "e", "f"}

// Charts with more bars merge neighbours. Statistics have 100 quantiles by default: their strips and
// tables would be half of the page.
const (
	maxBars  = 100 // bars of a histogram
	maxParts = 20  // parts of equal weight in a strip of quantiles
	maxRanks = 50  // bars of a chart of labels by rank
	rankRows = 15  // rows of the table of that chart
)

// A series is a histogram of a side.
type series struct {
	side    int
	buckets []chart.Bucket
	merged  int // number of original buckets per bucket
}

func bucketsOf(h *pb.Histogram) []chart.Bucket {
	all := make([]chart.Bucket, 0, len(h.GetBuckets()))
	for _, b := range h.GetBuckets() {
		all = append(all, chart.Bucket{Low: b.GetLowValue(), High: b.GetHighValue(), Count: b.GetSampleCount()})
	}
	return all
}

// addFigures adds the charts of all histograms of a feature.
func (f *feature) addFigures() {
	numbers := func(weight bool, t pb.Histogram_HistogramType) func(i int) *pb.Histogram {
		return func(i int) *pb.Histogram {
			s := f.sides[i].Stats.GetNumStats()
			if weight {
				return view.HistogramOf(s.GetWeightedNumericStats().GetHistograms(), t)
			}
			return view.HistogramOf(s.GetHistograms(), t)
		}
	}
	f.addHistograms("Values", false, numbers(false, pb.Histogram_STANDARD), numbers(false, pb.Histogram_QUANTILES))
	f.addStrip("Quantiles", numbers(false, pb.Histogram_QUANTILES))
	f.addHistograms("Values, by weight", true, numbers(true, pb.Histogram_STANDARD), numbers(true, pb.Histogram_QUANTILES))
	f.addStrip("Quantiles, by weight", numbers(true, pb.Histogram_QUANTILES))
	f.addStrip("Values in each", func(i int) *pb.Histogram {
		c := f.sides[i].Common()
		if c.GetMinNumValues() == c.GetMaxNumValues() {
			return nil // the table of statistics shows the number
		}
		return c.GetNumValuesHistogram()
	})
	f.addStrip("Length of feature lists", func(i int) *pb.Histogram { return f.sides[i].Common().GetFeatureListLengthHistogram() })
	for _, name := range f.customNames() {
		histogramOf := func(i int) *pb.Histogram { return customHistogram(f.sides[i].Custom(name)) }
		for _, s := range f.sideSeries(histogramOf) {
			if histogramOf(s.side).GetType() == pb.Histogram_QUANTILES {
				f.addStrip(cutText(name, maxNameChars), histogramOf)
			} else {
				f.addBars(cutText(name, maxNameChars), false, histogramOf)
			}
			break
		}
	}
}

// customHistogram returns the histogram of a custom statistic, nil if it is empty or a single value.
func customHistogram(s *pb.CustomStatistic) *pb.Histogram {
	h := s.GetHistogram()
	if buckets := h.GetBuckets(); len(buckets) == 0 || buckets[0].GetLowValue() == buckets[len(buckets)-1].GetHighValue() {
		return nil
	}
	return h
}

// sideSeries returns the histograms of the sides that have one.
func (f *feature) sideSeries(histogramOf func(i int) *pb.Histogram) (all []series) {
	for i, v := range f.sides {
		if v == nil {
			continue
		}
		if h := histogramOf(i); len(h.GetBuckets()) > 0 {
			buckets, merged := chart.Merge(bucketsOf(h), maxBars)
			all = append(all, series{i, buckets, merged})
		}
	}
	return all
}

// addBars adds a chart of a histogram. linked says that it counts the values of the records.
func (f *feature) addBars(title string, linked bool, histogramOf func(i int) *pb.Histogram) {
	all := f.sideSeries(histogramOf)
	if len(all) == 0 {
		return
	}
	drawn := chart.Bars(bucketsIn(all), 0)
	g := figure{Title: title, Height: chart.Height, Bars: marks(all, drawn.Series)}
	g.setAxis(drawn.Low, drawn.High)
	g.setPeak(drawn.Peak)
	g.Desc = describe(all, func(s series) string {
		most, total := chart.Bucket{Count: -1}, chart.Total(s.buckets)
		for _, b := range s.buckets {
			if b.Count > most.Count {
				most = b
			}
		}
		return fmt.Sprintf("%s from %s to %s; most, %s, from %s to %s", plural(len(s.buckets), "bar"), number(s.buckets[0].Low),
			number(s.buckets[len(s.buckets)-1].High), share(most.Count, total), number(most.Low), number(most.High))
	})
	g.addNumbers(f, all)
	if linked {
		g.linkBars(f, all, drawn.Series, func(i, k int) string {
			b := all[i].buckets[k]
			return f.links.toRange(all[i].side, b.Low, b.High, k == 0 || b.Low == b.High || math.IsInf(all[i].buckets[k-1].High, 0))
		})
	}
	f.noteOmitted(&g, histogramOf)
	f.Figures = append(f.Figures, g)
}

// setPeak labels the vertical axis.
func (g *figure) setPeak(part float64) {
	if part > 0 {
		g.Peak = share(part, 1)
	}
}

// linkBars adds links to the bars of drawn series. link returns the link of bar k of series i.
func (g *figure) linkBars(f *feature, all []series, drawn []chart.Series, link func(i, k int) string) {
	if f.links == nil {
		return
	}
	row := 0
	for i, s := range drawn {
		for k, span := range s.Spans {
			if to := link(i, k); to != "" && all[i].buckets[k].Count > 0 {
				width := (span[1] - span[0]) * chart.Width / float64(len(drawn))
				cells := g.Numbers.Rows[row]
				text := strings.Join(slices.DeleteFunc(slices.Clone(cells[len(cells)-3:len(cells)-1]), func(s string) bool { return s == "" }), " to ") + ": " + cells[len(cells)-1]
				g.Hits = append(g.Hits, hit{X: tenths(span[0]*chart.Width + width*float64(i)), Width: tenths(width), Side: sideClasses[all[i].side], Row: row, Link: to, Name: text})
			}
			row++
		}
	}
}

// tenths formats a coordinate.
func tenths(v float64) string { return strconv.FormatFloat(math.Round(v*10)/10, 'f', -1, 64) }

func (f *feature) addStrip(title string, histogramOf func(i int) *pb.Histogram) {
	all := f.sideSeries(histogramOf)
	if len(all) == 0 {
		return
	}
	for i := range all {
		if all[i].merged == 1 {
			all[i].buckets = parts(all[i].buckets, maxParts)
		}
		merged := 1
		all[i].buckets, merged = chart.Merge(all[i].buckets, maxParts)
		all[i].merged *= merged
	}
	drawn, lo, hi := chart.Strips(bucketsIn(all))
	g := figure{Title: title, Height: chart.Lane * len(all)}
	g.setAxis(lo, hi)
	for i, s := range drawn {
		g.Strips = append(g.Strips, strip{sideClasses[all[i].side], s})
	}
	g.Desc = describe(all, func(s series) string {
		middle := s.buckets[(len(s.buckets)-1)/2]
		text := fmt.Sprintf("%s of equal weight from %s to %s", plural(len(s.buckets), "part"), number(s.buckets[0].Low), number(s.buckets[len(s.buckets)-1].High))
		if len(s.buckets)%2 == 0 {
			text += "; half lie below " + number(middle.High)
		}
		return text
	})
	g.addNumbers(f, all)
	f.noteOmitted(&g, histogramOf)
	f.Figures = append(f.Figures, g)
}

// parts divides buckets of one value each into n buckets of equal weight. It returns buckets of several
// values, and buckets of equal weight, unchanged.
func parts(values []chart.Bucket, n int) []chart.Bucket {
	total, equal := 0.0, true
	for i, b := range values {
		if b.Low != b.High || i > 0 && !(values[i-1].High < b.Low) {
			return values
		}
		total += b.Count
		equal = equal && b.Count == values[0].Count
	}
	if len(values) == 0 || equal && len(values) > 1 {
		return values
	}
	out, at, sum := make([]chart.Bucket, n), 0, values[0].Count
	low := values[0].Low
	for k := range out {
		for sum < total*float64(k+1)/float64(n)*(1-1e-9) && at+1 < len(values) {
			at++
			sum += values[at].Count
		}
		out[k] = chart.Bucket{Low: low, High: values[at].Low, Count: total / float64(n)}
		low = values[at].Low
	}
	return out
}

// noteOmitted adds remarks on values that a chart cannot show.
func (f *feature) noteOmitted(g *figure, histogramOf func(i int) *pb.Histogram) {
	var nan, undefined, infinite float64
	for i, v := range f.sides {
		if v == nil {
			continue
		}
		nan += float64(histogramOf(i).GetNumNan())
		undefined += float64(histogramOf(i).GetNumUndefined())
		for _, b := range histogramOf(i).GetBuckets() {
			if math.IsInf(b.GetLowValue(), 0) && b.GetLowValue() == b.GetHighValue() && b.GetSampleCount() > 0 {
				infinite += b.GetSampleCount()
			}
		}
	}
	for _, part := range []struct {
		n    float64
		text string
	}{{nan, "without %s NaN"}, {undefined, "without %s undefined"}, {infinite, "%s infinite, at the ends"}} {
		if part.n > 0 {
			g.addRemark(fmt.Sprintf(part.text, count(round(part.n))))
		}
	}
}

// addRemark appends a remark to the note.
func (g *figure) addRemark(text string) {
	if g.Note != "" {
		g.Note += ", "
	}
	g.Note += text
}

func bucketsIn(all []series) (buckets [][]chart.Bucket) {
	for _, s := range all {
		buckets = append(buckets, s.buckets)
	}
	return buckets
}

func describe(all []series, describeSide func(series) string) string {
	var texts []string
	for _, s := range all {
		text := describeSide(s)
		if len(all) > 1 {
			text = letters[s.side] + ": " + text
		}
		texts = append(texts, text+".")
	}
	return strings.Join(texts, " ")
}

// addNumbers fills the table of a chart's numbers.
func (g *figure) addNumbers(f *feature, all []series) {
	g.Numbers.Head = f.tableCells("Data set", "From", "To", "Count")
	merged := 1
	for _, s := range all {
		for _, b := range s.buckets {
			g.Numbers.Rows = append(g.Numbers.Rows, f.tableCells(letters[s.side], number(b.Low), number(b.High), count(round(b.Count))))
		}
		merged = max(merged, s.merged)
	}
	if merged > 1 {
		g.addRemark(fmt.Sprintf("%d buckets each", merged))
	}
}

// tableCells returns a line of a table of numbers, with the side if there are several.
func (f *feature) tableCells(side string, cells ...string) []string {
	if len(f.sides) == 1 {
		return cells
	}
	return append([]string{side}, cells...)
}

// marks returns the marks for drawn series.
func marks(all []series, drawn []chart.Series) []mark {
	var m []mark
	for i, s := range drawn {
		m = append(m, mark{Side: sideClasses[all[i].side], Linear: s.Linear, Log: s.Log})
	}
	return m
}

// setAxis sets the labels and ticks of an axis from lo to hi.
func (g *figure) setAxis(lo, hi float64) {
	g.Low, g.High = number(lo), number(hi)
	if lo == hi {
		g.Low, g.Middle, g.High = "", number(lo), ""
	}
	g.linearTicks(lo, hi)
}

// round removes the rounding errors of sums of integers.
func round(v float64) float64 {
	if r := math.Round(v); math.Abs(r-v) < 1e-9*math.Abs(v) {
		return r
	}
	return v
}

// Mini returns the bars of the feature's chart in the table of all features.
func (f *feature) Mini() []mark {
	if f.Labels != nil {
		return f.Labels.mini
	}
	for _, g := range f.Figures {
		if len(g.Bars) > 0 && (g.Shown == "" || strings.HasPrefix(g.Shown, usualView)) {
			return g.Bars
		}
	}
	return nil
}

// A tick is a number on the axis of a chart.
type tick struct {
	At   string // percent of the width
	Text string

	from, to float64 // extent of the text, as fractions of the width
}

// character is the approximate width of a digit, as a fraction of the width of a chart in a column.
const character = 0.024

// addTick adds a number to the axis, unless its text would overlap another text. at is a fraction of
// the width.
func (g *figure) addTick(at float64, text string) {
	width := func(s string) float64 { return character * float64(utf8.RuneCountInString(s)+1) }
	t := tick{At: percentage(at), Text: text, from: at - width(text)/2, to: at + width(text)/2}
	if low, high := g.Low != "", g.High != ""; math.IsNaN(at) || low && t.from < width(g.Low) || high && t.to > 1-width(g.High) {
		return
	}
	for _, other := range g.Ticks {
		if t.from < other.to && other.from < t.to {
			return
		}
	}
	g.Ticks = append(g.Ticks, t)
}

func percentage(part float64) string {
	return strconv.FormatFloat(math.Round(part*1000)/10, 'f', -1, 64) + "%"
}

// linearTicks adds round numbers to an axis from lo to hi.
func (g *figure) linearTicks(lo, hi float64) {
	span := hi - lo
	if !(span > 0) || math.IsInf(span, 0) {
		return
	}
	step := math.Pow(10, math.Floor(math.Log10(span)))
	for _, part := range []float64{0.5, 0.4, 0.5, 0.5} { // 5, 2, 1 and 0.5 of a power of ten
		if span/step >= 3 {
			break
		}
		step *= part
	}
	if !(step > 0) || math.IsInf(step, 0) {
		return
	}
	for i := math.Ceil(lo / step); i*step < hi && len(g.Ticks) < 10; i++ {
		v, err := strconv.ParseFloat(strconv.FormatFloat(i*step, 'g', 12, 64), 64) // remove the rounding error of the product
		if err != nil || i+1 == i {
			return
		}
		g.addTick((v-lo)/span, number(v))
	}
}

// powerTicks adds powers of ten to a logarithmic axis with bins between edges.
func (g *figure) powerTicks(edges, powers []float64) {
	g.Ticks = nil
	for _, v := range powers {
		part := (math.Log10(v) - math.Log10(edges[0])) / (math.Log10(edges[len(edges)-1]) - math.Log10(edges[0]))
		g.addTick((float64(g.before)+part*float64(len(edges)-1))/float64(g.bins), number(v))
	}
}
