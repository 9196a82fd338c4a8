package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/report/internal/chart"
)

// The histogram of a feature is drawn three times, and one of the three is shown: that
// which the reader chose for the whole page, or else the usual one of the feature.
//
//   - full: the buckets of the statistics, from the minimum to the maximum.
//   - inner: bins of equal width between the 1st and the 99th percentile, and one bin for
//     all below and one for all above.
//   - quantiles: a bin for each quantile, all drawn with the same width.
//
// The usual one is full, unless that is nearly one bar: more than 80% of the values of a
// data set are in one bucket, and the bins between the percentiles take at most half of
// the full range. Then it is inner. A page of many features has the other two only for
// features whose full histogram is such a bar, so that it does not grow by half.
const (
	crowded   = 0.8 // share of the values in one bucket
	innerBins = 20
)

// usualView is the class of the view that is shown unless the reader chose another one.
const usualView = "usual"

// The percentiles between which the inner bins lie.
const (
	lowPercentile  = 0.01
	highPercentile = 0.99
)

// A distribution is what the histograms of one data set say about where values lie: the
// number of values up to each of some points, in ascending order. Two points at the same
// place are a value that is there many times. Values between two points are taken to be
// spread evenly.
type distribution struct {
	points []point
	total  float64
}

// A point is a number of values up to a place, with those at the place.
type point struct{ at, count float64 }

// newDistribution combines the ends of the quantiles with those of the buckets of equal
// width: the former are close together where most values are, the latter are the only ones
// to say how few values there are in a long tail. It fails if the histograms cannot be drawn
// in this way: without values, or not in order.
func newDistribution(standard, quantiles *pb.Histogram) (d distribution, ok bool) {
	sound := func(h *pb.Histogram) bool {
		last := math.Inf(-1)
		for _, b := range h.GetBuckets() {
			low, high, n := b.GetLowValue(), b.GetHighValue(), b.GetSampleCount()
			if !(last <= low && low <= high && n >= 0 && n < 1e300) {
				return false
			}
			last = high
		}
		return len(h.GetBuckets()) > 0
	}
	if !sound(standard) || !sound(quantiles) {
		return d, false
	}
	d.points = []point{{quantiles.GetBuckets()[0].GetLowValue(), 0}}
	for _, b := range quantiles.GetBuckets() {
		d.total += b.GetSampleCount()
		d.points = append(d.points, point{b.GetHighValue(), d.total})
	}
	most := chart.Total(bucketsOf(standard))
	if !(d.total > 0) || !(most > 0) {
		return d, false
	}
	sum := 0.0
	of := d
	for _, b := range standard.GetBuckets() {
		sum += b.GetSampleCount()
		// The histograms may be estimates that do not agree: the quantiles come first.
		before, after := of.around(b.GetHighValue())
		if before.at < b.GetHighValue() && b.GetHighValue() < after.at {
			d.points = append(d.points, point{b.GetHighValue(), min(max(sum/most*d.total, before.count), after.count)})
		}
	}
	slices.SortStableFunc(d.points, func(a, b point) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.count, b.count))
	})
	return d, true
}

// around returns the last point that is not above v, and the first one above it. Both are at
// v if there are points at v.
func (d distribution) around(v float64) (before, after point) {
	i, found := slices.BinarySearchFunc(d.points, v, func(p point, v float64) int { return cmp.Compare(p.at, v) })
	switch {
	case found:
		return d.points[i], d.points[i]
	case i == 0:
		return point{math.Inf(-1), 0}, d.points[0]
	case i == len(d.points):
		return d.points[i-1], point{math.Inf(1), d.total}
	}
	return d.points[i-1], d.points[i]
}

// below returns the number of values less than v.
func (d distribution) below(v float64) float64 {
	a, b := d.around(v)
	if a.count == b.count || math.IsInf(a.at, 0) || math.IsInf(b.at, 0) {
		return a.count // how the values are spread between is not known
	}
	return a.count + (b.count-a.count)*min(1, (v/2-a.at/2)/(b.at/2-a.at/2)) // halves, too
}

// upTo returns the number of values up to v, with those at v.
func (d distribution) upTo(v float64) float64 {
	n := d.below(v)
	for _, p := range d.points {
		if p.at == v {
			n = p.count
		}
	}
	return n
}

// quantile returns the place below which a part of the values is, and the points around it:
// the farther they are apart, the less is known.
func (d distribution) quantile(part float64) (at float64, from, to point) {
	want := part * d.total
	i := slices.IndexFunc(d.points, func(p point) bool { return p.count >= want })
	if i <= 0 {
		return d.points[0].at, d.points[0], d.points[0]
	}
	a, b := d.points[i-1], d.points[i]
	switch t := (want - a.count) / (b.count - a.count); {
	case t == 1 || math.IsInf(a.at, 0):
		return b.at, a, b
	case math.IsInf(b.at, 0):
		return a.at, a, b
	default:
		return a.at*(1-t) + b.at*t, a, b
	}
}

// ends returns the 1st and the 99th percentile. Where the histograms are too coarse to say
// where one lies, because the gap between their points is wider than three times the range
// of the 10th to the 90th percentile, it is the point before the gap. So that range keeps a
// quarter of the bins or more, even if the gap ends at a value that is far away.
func (d distribution) ends() (low, high float64, coarse bool) {
	p10, _, _ := d.quantile(0.1)
	p90, _, _ := d.quantile(0.9)
	wide := func(from, to point) bool { return p10 < p90 && !(to.at/2-from.at/2 <= 3*(p90/2-p10/2)) } // halves do not overflow
	// The ends of quantiles are values, which seldom are at exactly 1% and 99%.
	near := func(p point, part float64) bool { return math.Abs(p.count-part*d.total) <= 0.002*d.total }
	low, from, to := d.quantile(lowPercentile)
	if wide(from, to) {
		switch {
		case near(from, lowPercentile):
			low = from.at
		case to.at < p90:
			low, coarse = to.at, coarse || !near(to, lowPercentile)
		}
	}
	high, from, to = d.quantile(highPercentile)
	if wide(from, to) {
		switch {
		case near(to, highPercentile):
			high = to.at
		case from.at > low:
			high, coarse = from.at, coarse || !near(from, highPercentile)
		}
	}
	return low, high, coarse
}

// counts returns the values in each bin, with those below the first edge in front and those
// above the last one at the end. A bin reaches up to its upper edge, the first one also from
// its lower edge.
func (d distribution) counts(edges []float64) []float64 {
	n := []float64{d.below(edges[0])}
	sum := n[0]
	for _, e := range edges[1:] {
		c := d.upTo(e)
		n = append(n, max(0, c-sum))
		sum = c
	}
	return append(n, max(0, d.total-sum))
}

// values draws the histograms of numbers in the three ways.
func (f *feature) values(title string, standard, quantiles func(i int) *pb.Histogram) {
	at := len(f.Figures)
	f.bars(title, standard)
	if len(f.Figures) == at {
		return
	}
	var all []distribution
	var sides []series
	for _, s := range f.series(standard) {
		d, ok := newDistribution(standard(s.side), quantiles(s.side))
		if !ok {
			return
		}
		all = append(all, d)
		sides = append(sides, series{side: s.side})
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
	f.Figures[at].Shown = full
	edges := make([]float64, innerBins+1)
	for i := range edges {
		t := float64(i) / innerBins
		edges[i] = lo*(1-t) + hi*t
	}
	g := f.even(title+", 1st to 99th percentile", edges, all, sides)
	g.Shown = inner
	f.note(&g, standard)
	g.remark("estimated from the quantiles")
	if coarse {
		g.remark("which are too far apart for the percentiles")
	}
	f.Figures = append(f.Figures, g)

	buckets, _ := chart.Merge(bucketsOf(quantiles(sides[0].side)), maxBars)
	edges = quantileEdges(buckets)
	g = f.even(title+", in quantile bins", edges, all, sides)
	g.Shown = "quantiles"
	f.note(&g, quantiles)
	if len(sides) > 1 {
		g.remark("of " + letters[sides[0].side])
	}
	f.Figures = append(f.Figures, g)
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

// crowded reports whether the full histogram is nearly one bar, and one from percentile to
// percentile (half its width is given) would show more.
func (f *feature) crowded(standard func(i int) *pb.Histogram, half float64) bool {
	lo, hi, one := math.Inf(1), math.Inf(-1), false
	for _, s := range f.series(standard) {
		total := chart.Total(s.buckets)
		for _, b := range s.buckets {
			one = one || b.Count > crowded*total
			if !math.IsInf(b.Low, 0) && !math.IsInf(b.High, 0) {
				lo, hi = min(lo, b.Low), max(hi, b.High)
			}
		}
	}
	return one && half <= (hi/2-lo/2)/2
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
		names[i+1] = [2]string{number(edges[i]), number(edges[i+1])}
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
	g.Numbers.Head = []string{"From", "To", "Share"}
	if len(f.of) > 1 {
		g.Numbers.Head = append([]string{"Data set"}, g.Numbers.Head...)
	}
	for i, d := range all {
		for k := first; k < end; k++ {
			sides[i].buckets = append(sides[i].buckets, chart.Bucket{Low: float64(k), High: float64(k + 1), Count: counts[i][k]})
			r := []string{names[k][0], names[k][1], share(counts[i][k], d.total)}
			if len(f.of) > 1 {
				r = append([]string{letters[sides[i].side]}, r...)
			}
			g.Numbers.Rows = append(g.Numbers.Rows, r)
		}
	}
	drawn, _, _ := chart.Bars(bucketsIn(sides))
	for i, s := range drawn {
		g.Bars = append(g.Bars, mark{Side: sideClasses[sides[i].side], Linear: s.Linear, Log: s.Log})
	}
	g.Desc = describe(sides, func(s series) string {
		most := slices.MaxFunc(s.buckets, func(a, b chart.Bucket) int { return cmp.Compare(a.Count, b.Count) })
		total := chart.Total(s.buckets)
		said := func(k int) string {
			if names[k][1] == "" {
				return names[k][0]
			}
			return "from " + names[k][0] + " to " + names[k][1]
		}
		text := fmt.Sprintf("%s from %s to %s; most, %s, %s", plural(len(edges)-1, "bar"), number(edges[0]), number(edges[len(edges)-1]), share(most.Count, total), said(int(most.Low)))
		for _, b := range s.buckets {
			if k := int(b.Low); names[k][1] == "" && b != most && b.Count > 0 {
				text += "; " + share(b.Count, total) + " " + names[k][0]
			}
		}
		return text
	})
	return g
}
