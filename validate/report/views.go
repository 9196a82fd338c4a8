package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/report/internal/chart"
)

// The histogram of a feature has several views. The page shows one of them: the view that the reader
// chose for the whole page, or else the usual view of the feature.
//
//   - full: the buckets of the statistics, from the minimum to the maximum. If the buckets of
//     several data sets differ, all use common bins, so that equal data look equal.
//   - inner: bins of equal width between the 1st and the 99th percentile, and one bin each for
//     the values below and above.
//   - powers: bins with a constant ratio of their edges, on a logarithmic axis, and one bin for
//     zero and negative values.
//   - quantiles: a bin for each quantile, all drawn with the same width.
//
// Integers have a single chart with a bar for each value if their range is below maxIntegers, or if
// all data sets together have at most maxIntegers different values. The latter is known only if
// the values were counted.
//
// The usual view is full, unless the full histogram is nearly one bar: more than 80% of the values
// of a data set are in one bucket, and the inner bins cover at most half of the full range. Then
// it is inner. A page with many features has the other views only for features whose usual view is
// inner; otherwise the page would be half as large again.
const (
	crowded   = 0.8 // share of the values in one bucket
	innerBins = 20

	maxIntegers = 50  // bars of a chart of integers
	separation  = 0.3 // of the width of such a bar: single values are not a range
	maxDecades  = 15  // powers of ten on a logarithmic axis
)

// usualView is the class of the usual view.
const usualView = "usual"

// The range of the inner bins.
const (
	lowPercentile  = 0.01
	highPercentile = 0.99
)

// addHistograms adds all views of a histogram of numbers.
func (f *feature) addHistograms(title string, weighted bool, standard, quantiles func(i int) *pb.Histogram) {
	at := len(f.Figures)
	f.addBars(title, !weighted, standard)
	if len(f.Figures) == at {
		return
	}
	var all []distribution
	var sides []series
	counted := true
	for _, s := range f.sideSeries(standard) {
		d, ok := newDistribution(standard(s.side), quantiles(s.side), f.Kind == "int")
		if !ok {
			return
		}
		if details := f.details[s.side]; details != nil {
			if d.numbers = details.Numbers(f.sides[s.side].Stats.GetNumStats(), weighted); d.numbers != nil {
				d.total = d.numbers.Finite + d.numbers.Negative + d.numbers.Positive
			}
		}
		counted = counted && d.numbers != nil
		all = append(all, d)
		sides = append(sides, series{side: s.side})
	}
	least, most := f.fullRange(standard)
	if f.Kind == "int" && least < most {
		if g, ok := f.integerFigure(title, weighted, least, most, all, sides); ok {
			f.noteOmitted(&g, standard)
			f.Figures[at] = g
			return
		}
	}
	// bins draws all data sets in common bins.
	bins := func(title, shown string, edges []float64, histogramOf func(i int) *pb.Histogram, remarks ...string) figure {
		g := f.evenFigure(title, edges, weighted, all, sides)
		g.Shown = shown
		f.noteOmitted(&g, histogramOf)
		for _, text := range remarks {
			g.addRemark(text)
		}
		return g
	}
	var estimates []string // remarks on estimated bars
	if !counted {
		estimates = []string{"estimated from the quantiles"}
	}
	if len(sides) > 1 && least < most && most/2-least/2 < math.MaxFloat64/4 && !f.sameBorders(standard) {
		g := bins(title, "", evenEdges(least, most, f.fullBins(standard)), standard, append([]string{"in common bins"}, estimates...)...)
		g.Ticks = nil
		g.linearTicks(least, most)
		f.Figures[at] = g
	}
	lo, hi, coarse := innerRange(all)
	if !(lo < hi) || math.IsInf(lo, 0) || math.IsInf(hi, 0) {
		return // a single value has one bar with any bins
	}
	lo, hi = rounded(lo, hi, f.Kind == "int")
	full, inner := usualView+" full", "inner"
	if f.crowded(standard, hi/2-lo/2) {
		full, inner = "full", usualView+" inner"
	} else if f.manyFeatures {
		return
	}
	powers, ticks := powerEdges(all)
	if powers == nil { // show the usual view instead
		if inner == "inner" {
			full += " powers"
		} else {
			inner += " powers"
		}
	}
	f.Figures[at].Shown = full
	remarks := slices.Clone(estimates)
	if coarse && !counted {
		remarks = append(remarks, "which are too far apart for the percentiles")
	}
	f.Figures = append(f.Figures, bins(title+", 1st to 99th percentile", inner, evenEdges(lo, hi, innerBins), standard, remarks...))
	if powers != nil {
		g := bins(title+", logarithmic axis", "powers", powers, standard, estimates...)
		g.powerTicks(powers, ticks)
		f.Figures = append(f.Figures, g)
	}
	remarks = nil
	if len(sides) > 1 {
		remarks = []string{"of " + letters[sides[0].side]}
	}
	buckets, _ := chart.Merge(bucketsOf(quantiles(sides[0].side)), maxBars)
	f.Figures = append(f.Figures, bins(title+", in quantile bins", "quantiles", quantileEdges(buckets), quantiles, remarks...))
}

// innerRange returns the smallest range that contains the percentiles of all data sets.
func innerRange(all []distribution) (lo, hi float64, coarse bool) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, d := range all {
		low, high, c := d.percentiles()
		lo, hi, coarse = min(lo, low), max(hi, high), coarse || c
	}
	return lo, hi, coarse
}

// rounded widens a range to numbers of about three digits, which are easier to read. Integers stay
// integers.
func rounded(lo, hi float64, integers bool) (low, high float64) {
	const noise = 1e-9 // absorbs the rounding error of dividing a rounded number
	step := math.Pow(10, math.Floor(math.Log10(hi-lo))-2)
	if integers {
		step = max(step, 1)
	}
	low, high = min(lo, math.Floor(lo/step+noise)*step), max(hi, math.Ceil(hi/step-noise)*step)
	if span := high - low; math.IsNaN(span) || math.IsInf(span, 0) {
		return lo, hi // the step is too small or too large for a number
	}
	return low, high
}

// fullBins returns the number of common bins for the full range: the number of buckets of the finest
// histogram, from 10 to 50.
func (f *feature) fullBins(histogramOf func(i int) *pb.Histogram) int {
	n := 10
	for _, s := range f.sideSeries(histogramOf) {
		n = max(n, min(len(s.buckets), 50))
	}
	return n
}

// evenEdges returns the edges of n bins of equal width.
func evenEdges(lo, hi float64, n int) []float64 {
	edges := make([]float64, n+1)
	for i := range edges {
		t := float64(i) / float64(n)
		edges[i] = lo*(1-t) + hi*t
	}
	return edges
}

// fullRange returns the finite minimum and maximum of all histograms.
func (f *feature) fullRange(histogramOf func(i int) *pb.Histogram) (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, s := range f.sideSeries(histogramOf) {
		for _, b := range s.buckets {
			if !math.IsInf(b.Low, 0) && !math.IsInf(b.High, 0) {
				lo, hi = min(lo, b.Low), max(hi, b.High)
			}
		}
	}
	return lo, hi
}

// sameBorders reports whether the histograms of all data sets have the same buckets.
func (f *feature) sameBorders(histogramOf func(i int) *pb.Histogram) bool {
	all := f.sideSeries(histogramOf)
	for _, s := range all[1:] {
		if !slices.EqualFunc(s.buckets, all[0].buckets, func(a, b chart.Bucket) bool { return a.Low == b.Low && a.High == b.High }) {
			return false
		}
	}
	return true
}

// integerFigure draws a bar for each integer from least to most, or for each value that occurs if the
// range is too large. ok is false if there are too many such values, or if they are unknown.
func (f *feature) integerFigure(title string, weighted bool, least, most float64, all []distribution, sides []series) (g figure, ok bool) {
	var values []float64
	if most-least < maxIntegers && least == math.Trunc(least) && most == math.Trunc(most) {
		for v := least; v <= most; v++ {
			values = append(values, v)
		}
	} else if values = distinct(all); values == nil {
		return g, false
	}
	n := len(values)
	edges := append([]float64{math.Nextafter(values[0], math.Inf(-1))}, values...)
	g = f.namedFigure(title, edges, true, weighted, all, sides, func(i int) [2]string { return [2]string{number(values[i]), number(values[i])} })
	g.Low, g.High = "", ""
	middle := func(i int) float64 { return (float64(i) + 0.5) / float64(n) }
	g.addTick(middle(0), number(values[0]))
	g.addTick(middle(n-1), number(values[n-1]))
	for i := 1; i < n-1; i++ {
		g.addTick(middle(i), number(values[i]))
	}
	exact := true
	for _, d := range all {
		for _, v := range values {
			before, _ := d.neighbours(v)
			exact = exact && (d.numbers != nil || before.at == v || before.count == d.total || before.count == 0)
		}
	}
	if !exact {
		g.addRemark("estimated from the histograms")
	}
	if most-least >= float64(n) {
		g.addRemark("a bar for each value, not to scale")
	}
	return g, true
}

// distinct returns the different values of all data sets in order, nil if there are more than
// maxIntegers or if they are unknown.
func distinct(all []distribution) (values []float64) {
	for _, d := range all {
		if d.numbers == nil {
			return nil
		}
		some := d.numbers.Distinct(maxIntegers)
		if some == nil {
			return nil
		}
		values = append(values, some...)
	}
	slices.Sort(values)
	if values = slices.Compact(values); len(values) > maxIntegers {
		return nil
	}
	return values
}

// powerEdges returns the edges of bins on a logarithmic axis for the positive values, and the powers of
// ten among them. It returns nil if the values span less than two powers of ten.
func powerEdges(all []distribution) (edges, ticks []float64) {
	lo, hi := math.Inf(1), 0.0
	for _, d := range all {
		for _, p := range d.points {
			if p.at > 0 && !math.IsInf(p.at, 0) {
				lo, hi = min(lo, p.at), max(hi, p.at)
			}
		}
	}
	lo = max(lo, hi/math.Pow(10, maxDecades))
	first, last := math.Floor(math.Log10(lo)), math.Ceil(math.Log10(hi))
	if !(last-first >= 2) || math.Pow(10, first) == 0 || math.IsInf(math.Pow(10, last), 0) {
		return nil, nil
	}
	decades := int(last - first)
	each := max(1, innerBins/decades) // bins per power of ten
	for i := range decades*each + 1 {
		edges = append(edges, math.Pow(10, first+float64(i/each)+float64(i%each)/float64(each)))
	}
	for i := range decades + 1 {
		ticks = append(ticks, math.Pow(10, first+float64(i)))
	}
	return edges, ticks
}

// crowded reports whether the full histogram is nearly one bar and the inner view would show more. half
// is half the width of the inner range.
func (f *feature) crowded(standard func(i int) *pb.Histogram, half float64) bool {
	lo, hi := f.fullRange(standard)
	return half <= (hi/2-lo/2)/2 && slices.ContainsFunc(f.sideSeries(standard), func(s series) bool {
		total := chart.Total(s.buckets)
		return slices.ContainsFunc(s.buckets, func(b chart.Bucket) bool { return b.Count > crowded*total })
	})
}

// quantileEdges returns the edges of quantile bins. A value that fills several quantiles is the upper
// edge of one bin; if it is the minimum, it has a separate bin.
func quantileEdges(buckets []chart.Bucket) []float64 {
	edges := []float64{buckets[0].Low}
	for i, b := range buckets {
		if b.High > edges[len(edges)-1] || i == 0 {
			edges = append(edges, b.High)
		}
	}
	return edges
}

// evenFigure draws all data sets in bins with the given edges, all drawn with the same width. Values
// outside the edges are in one more bin at each end.
func (f *feature) evenFigure(title string, edges []float64, weighted bool, all []distribution, sides []series) figure {
	return f.namedFigure(title, edges, false, weighted, all, sides, func(i int) [2]string { return [2]string{number(edges[i]), number(edges[i+1])} })
}

// namedFigure is evenFigure with a function that returns the names of a bin's edges. If single is set, each bin has only the value of
// its upper edge, and both names are equal.
func (f *feature) namedFigure(title string, edges []float64, single, weighted bool, all []distribution, sides []series, name func(i int) [2]string) figure {
	g := figure{Title: title, Height: chart.Height, Even: true}
	sides = slices.Clone(sides)
	var counts [][]float64
	first, end := 1, len(edges) // bins to draw
	for _, d := range all {
		n := d.binCounts(edges)
		counts = append(counts, n)
		if n[0] > 0 {
			first = 0
		}
		if n[len(n)-1] > 0 {
			end = len(n)
		}
	}
	names := make([][2]string, len(edges)+1)
	names[0][0] = "below " + number(edges[0])
	for i := range edges[1:] {
		names[i+1] = name(i)
	}
	names[len(edges)][0] = "above " + number(edges[len(edges)-1])
	g.Low, g.High = number(edges[0]), number(edges[len(edges)-1])
	if first == 0 {
		g.Low = names[0][0]
		g.Cuts += chart.Cut(1, end-first)
	}
	if end == len(names) {
		g.High = names[len(edges)][0]
		g.Cuts += chart.Cut(end-first-1, end-first)
	}
	if bins := len(edges) - 1; !single {
		for i := 1; i < 4; i++ {
			at := bins * i / 4
			g.addTick(float64(at+1-first)/float64(end-first), number(edges[at]))
		}
	}
	g.bins, g.before = end-first, 1-first
	g.Numbers.Head = f.tableCells("Data set", "From", "To", "Share")
	for i, d := range all {
		for k := first; k < end; k++ {
			sides[i].buckets = append(sides[i].buckets, chart.Bucket{Low: float64(k), High: float64(k + 1), Count: counts[i][k]})
			g.Numbers.Rows = append(g.Numbers.Rows, f.tableCells(letters[sides[i].side], names[k][0], names[k][1], share(counts[i][k], d.total)))
		}
	}
	gap := 0.0
	if single {
		gap = separation
	}
	drawn := chart.Bars(bucketsIn(sides), gap)
	g.Bars = marks(sides, drawn.Series)
	g.setPeak(drawn.Peak)
	if !weighted {
		g.linkBars(f, sides, drawn.Series, func(i, k int) string {
			switch k += first; {
			case k == 0:
				return f.links.to(sides[i].side, Selection{What: RangeMark, Low: math.Inf(-1), High: edges[0], HighOpen: true})
			case k == len(edges):
				return f.links.to(sides[i].side, Selection{What: RangeMark, Low: edges[k-1], High: math.Inf(1), LowOpen: true})
			case single:
				return f.links.toRange(sides[i].side, edges[k], edges[k], true)
			default:
				return f.links.toRange(sides[i].side, edges[k-1], edges[k], k == 1)
			}
		})
	}
	g.Desc = describe(sides, func(s series) string {
		most := slices.MaxFunc(s.buckets, func(a, b chart.Bucket) int { return cmp.Compare(a.Count, b.Count) })
		total := chart.Total(s.buckets)
		said := func(k int) string {
			if names[k][1] == "" {
				return names[k][0]
			}
			if names[k][0] == names[k][1] {
				return "at " + names[k][0]
			}
			return "from " + names[k][0] + " to " + names[k][1]
		}
		text := fmt.Sprintf("%s from %s to %s; most, %s, %s", plural(len(edges)-1, "bar"), names[1][0], names[len(edges)-1][1], share(most.Count, total), said(int(most.Low)))
		for _, b := range s.buckets {
			if k := int(b.Low); names[k][1] == "" && b != most && b.Count > 0 {
				text += "; " + share(b.Count, total) + " " + names[k][0]
			}
		}
		return text
	})
	return g
}
