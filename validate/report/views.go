package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/report/internal/chart"
)

// The histogram of a feature is drawn several times, and one of them is shown: that
// which the reader chose for the whole page, or else the usual one of the feature.
//
//   - full: the buckets of the statistics, from the minimum to the maximum. Several data sets
//     whose buckets differ have common bins, so that equal data look equal.
//   - inner: bins of equal width between the 1st and the 99th percentile, and one bin for
//     all below and one for all above.
//   - powers: bins whose ends are a constant factor apart, on a logarithmic axis; one bin for
//     zero and all that is negative.
//   - quantiles: a bin for each quantile, all drawn with the same width.
//
// Integers have one chart instead, with a bar for each, where they lie between two that are less than maxIntegers
// apart. So have those that are up to maxIntegers different ones, of all data sets together, wherever they lie, if they were counted: statistics
// alone do not say how many different ones there are.
//
// The usual one is full, unless that is nearly one bar: more than 80% of the values of a
// data set are in one bucket, and the bins between the percentiles take at most half of
// the full range. Then it is inner. A page of many features has the others only for
// features whose full histogram is such a bar, so that it does not grow by half.
const (
	crowded   = 0.8 // share of the values in one bucket
	innerBins = 20

	maxIntegers = 50
	maxDecades  = 15 // of a logarithmic axis
)

// usualView is the class of the view that is shown unless the reader chose another one.
const usualView = "usual"

// The percentiles between which the inner bins lie.
const (
	lowPercentile  = 0.01
	highPercentile = 0.99
)

// values draws the histograms of numbers in all ways.
func (f *feature) values(title string, weighted bool, standard, quantiles func(i int) *pb.Histogram) {
	at := len(f.Figures)
	f.bars(title, standard)
	if len(f.Figures) == at {
		return
	}
	var all []distribution
	var sides []series
	counted := true
	for _, s := range f.series(standard) {
		d, ok := newDistribution(standard(s.side), quantiles(s.side), f.Kind == "int")
		if !ok {
			return
		}
		if details := f.details[s.side]; details != nil {
			if d.counted = details.Numbers(f.of[s.side].Stats.GetNumStats(), weighted); d.counted != nil {
				d.total = d.counted.Finite + d.counted.Negative + d.counted.Positive
			}
		}
		counted = counted && d.counted != nil
		all = append(all, d)
		sides = append(sides, series{side: s.side})
	}
	least, most := f.fullRange(standard)
	if f.Kind == "int" && least < most {
		if g, ok := f.integers(title, least, most, all, sides); ok {
			f.note(&g, standard)
			f.Figures[at] = g
			return
		}
	}
	// bins draws all data sets in bins with common edges.
	bins := func(title, shown string, edges []float64, of func(i int) *pb.Histogram, remarks ...string) figure {
		g := f.even(title, edges, all, sides)
		g.Shown = shown
		f.note(&g, of)
		for _, text := range remarks {
			g.remark(text)
		}
		return g
	}
	var estimates []string // remarks on bars that were not counted
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
		return // of one value there is one bar, whatever the bins are
	}
	lo, hi = rounded(lo, hi, f.Kind == "int")
	full, inner := usualView+" full", "inner"
	if f.crowded(standard, hi/2-lo/2) {
		full, inner = "full", usualView+" inner"
	} else if f.sparing {
		return
	}
	powers, ticks := powerEdges(all)
	if powers == nil { // the usual one stands for it
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

// innerRange returns the range that holds those between the percentiles of all data sets.
func innerRange(all []distribution) (lo, hi float64, coarse bool) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, d := range all {
		low, high, c := d.ends()
		lo, hi, coarse = min(lo, low), max(hi, high), coarse || c
	}
	return lo, hi, coarse
}

// rounded widens a range to numbers of about three digits, which are easier to read than
// those of an estimate. Integers stay integers.
func rounded(lo, hi float64, integers bool) (low, high float64) {
	const noise = 1e-9 // of the division of what is rounded already
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

// fullBins returns how many common bins the full range of several data sets has: the number of
// bins of the finest of their histograms.
func (f *feature) fullBins(of func(i int) *pb.Histogram) int {
	n := 10
	for _, s := range f.series(of) {
		n = max(n, min(len(s.buckets), 50))
	}
	return n
}

// evenEdges returns the ends of n bins of equal width.
func evenEdges(lo, hi float64, n int) []float64 {
	edges := make([]float64, n+1)
	for i := range edges {
		t := float64(i) / float64(n)
		edges[i] = lo*(1-t) + hi*t
	}
	return edges
}

// fullRange returns the finite ends of all histograms.
func (f *feature) fullRange(of func(i int) *pb.Histogram) (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, s := range f.series(of) {
		for _, b := range s.buckets {
			if !math.IsInf(b.Low, 0) && !math.IsInf(b.High, 0) {
				lo, hi = min(lo, b.Low), max(hi, b.High)
			}
		}
	}
	return lo, hi
}

// sameBorders reports whether the histograms of all data sets have the same buckets.
func (f *feature) sameBorders(of func(i int) *pb.Histogram) bool {
	all := f.series(of)
	for _, s := range all[1:] {
		if !slices.EqualFunc(s.buckets, all[0].buckets, func(a, b chart.Bucket) bool { return a.Low == b.Low && a.High == b.High }) {
			return false
		}
	}
	return true
}

// integers draws a bar for each integer from the least to the most, or for each that there is, if these are few.
func (f *feature) integers(title string, least, most float64, all []distribution, sides []series) (g figure, ok bool) {
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
	g = f.evenNamed(title, edges, all, sides, func(i int) [2]string { return [2]string{number(values[i]), number(values[i])} })
	g.Low, g.High = number(values[0]), number(values[n-1])
	for i := 1; i < n-1; i++ {
		g.tick((float64(i)+0.5)/float64(n), number(values[i]))
	}
	exact := true
	for _, d := range all {
		for _, v := range values {
			before, _ := d.around(v)
			exact = exact && (d.counted != nil || before.at == v || before.count == d.total || before.count == 0)
		}
	}
	if !exact {
		g.remark("estimated from the histograms")
	}
	if most-least >= float64(n) {
		g.remark("a bar for each value, not to scale")
	}
	return g, true
}

// distinct returns the different values of all data sets, in order; nil if they are more than maxIntegers, or if these are not known.
func distinct(all []distribution) (values []float64) {
	for _, d := range all {
		if d.counted == nil {
			return nil
		}
		some := d.counted.Distinct(maxIntegers)
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

// powerEdges returns the ends of bins on a logarithmic axis for what is above zero, and powers of
// ten between them; nil if the values span less than two powers.
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
	each := max(1, innerBins/decades) // bins of one power
	for i := range decades*each + 1 {
		edges = append(edges, math.Pow(10, first+float64(i/each)+float64(i%each)/float64(each)))
	}
	for i := range decades + 1 {
		ticks = append(ticks, math.Pow(10, first+float64(i)))
	}
	return edges, ticks
}

// crowded reports whether the full histogram is nearly one bar, and one from percentile to
// percentile (half its width is given) would show more.
func (f *feature) crowded(standard func(i int) *pb.Histogram, half float64) bool {
	lo, hi := f.fullRange(standard)
	return half <= (hi/2-lo/2)/2 && slices.ContainsFunc(f.series(standard), func(s series) bool {
		total := chart.Total(s.buckets)
		return slices.ContainsFunc(s.buckets, func(b chart.Bucket) bool { return b.Count > crowded*total })
	})
}

// quantileEdges returns the ends of quantiles. A value that fills several of them is the
// upper edge of one bin; if it is the least of all, it has a bin of its own.
func quantileEdges(buckets []chart.Bucket) []float64 {
	edges := []float64{buckets[0].Low}
	for i, b := range buckets {
		if b.High > edges[len(edges)-1] || i == 0 {
			edges = append(edges, b.High)
		}
	}
	return edges
}

// even draws bins of equal width on the page, the same for all data sets. The values outside
// are in a bin of their own at either end, if there are any.
func (f *feature) even(title string, edges []float64, all []distribution, sides []series) figure {
	return f.evenNamed(title, edges, all, sides, func(i int) [2]string { return [2]string{number(edges[i]), number(edges[i+1])} })
}

// evenNamed is even with names for the bins, which are their ends, or twice the only value of one.
func (f *feature) evenNamed(title string, edges []float64, all []distribution, sides []series, name func(i int) [2]string) figure {
	g := figure{Title: title, Height: chart.Height, Even: true}
	sides = slices.Clone(sides)
	var counts [][]float64
	first, end := 1, len(edges) // of the bins that are drawn
	for _, d := range all {
		n := d.counts(edges)
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
	if bins := len(edges) - 1; names[1][0] != names[1][1] {
		for i := 1; i < 4; i++ {
			at := bins * i / 4
			g.tick(float64(at+1-first)/float64(end-first), number(edges[at]))
		}
	}
	g.bins, g.before = end-first, 1-first
	g.Numbers.Head = f.line("Data set", "From", "To", "Share")
	for i, d := range all {
		for k := first; k < end; k++ {
			sides[i].buckets = append(sides[i].buckets, chart.Bucket{Low: float64(k), High: float64(k + 1), Count: counts[i][k]})
			g.Numbers.Rows = append(g.Numbers.Rows, f.line(letters[sides[i].side], names[k][0], names[k][1], share(counts[i][k], d.total)))
		}
	}
	drawn, _, _ := chart.Bars(bucketsIn(sides))
	g.Bars = marks(sides, drawn)
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
