// Package chart computes the marks of small charts as SVG path data, without axes and text.
package chart

import (
	"math"
	"strconv"
)

// Width and Height are the size of the area for bars. Lane is the height of a strip.
const (
	Width  = 300
	Height = 100
	Lane   = 16
)

// A Bucket is a bucket of a histogram.
type Bucket struct{ Low, High, Count float64 }

// Total returns the sum of the valid counts.
func Total(buckets []Bucket) float64 {
	sum := 0.0
	for _, b := range buckets {
		sum += validCount(b.Count)
	}
	return sum
}

// Merge merges neighbours until there are at most most buckets. size is the number of buckets merged
// into one bucket. Merge returns its argument if it need not merge.
func Merge(buckets []Bucket, most int) (merged []Bucket, size int) {
	size = (len(buckets) + most - 1) / most
	if size <= 1 {
		return buckets, 1
	}
	for i := 0; i < len(buckets); i += size {
		part := buckets[i:min(i+size, len(buckets))]
		merged = append(merged, Bucket{part[0].Low, part[len(part)-1].High, Total(part)})
	}
	return merged, size
}

// A Series contains the bars of a histogram, with linear and with logarithmic heights.
type Series struct {
	Linear, Log string
	Spans       [][2]float64 // where each bar begins and ends, as fractions of the width, with half of the gap on each side
}

// A Drawing contains several histograms over one axis.
type Drawing struct {
	Series    []Series
	Low, High float64 // ends of the axis
	Peak      float64 // share of the histogram's total that the highest bar has; 0 if bars differ in width, whose areas are shares
}

// decades is the number of powers of ten of a logarithmic height.
const decades = 3

// Bars draws histograms over a common axis. The area of a bar is proportional to its share of the histogram's total. gap is the
// part of each bar's width that is left free between bars.
func Bars(all [][]Bucket, gap float64) Drawing {
	axis := newAxis(all)
	d := Drawing{Low: axis.lo, High: axis.hi}
	heights := make([][]float64, len(all))
	top, narrowest, widest := 0.0, 1.0, 0.0
	for i, buckets := range all {
		total := Total(buckets)
		for _, b := range buckets {
			from, to := axis.barSpan(b)
			h := 0.0
			if total > 0 {
				width := to - from
				if math.IsInf(b.Low, 0) || math.IsInf(b.High, 0) {
					width = max(width, 1/float64(len(buckets))) // without a width it would dwarf the other bars
				}
				h = validCount(b.Count) / total / width
			}
			heights[i] = append(heights[i], h)
			top = max(top, h)
			narrowest, widest = min(narrowest, to-from), max(widest, to-from)
			if total > 0 {
				d.Peak = max(d.Peak, validCount(b.Count)/total)
			}
		}
	}
	if widest-narrowest > 1e-6 {
		d.Peak = 0
	}
	for i, buckets := range all {
		var linear, log path
		var spans [][2]float64
		for j, b := range buckets {
			from, to := axis.barSpan(b)
			spans = append(spans, [2]float64{from, to})
			from, to = from+(to-from)*gap/2, to-(to-from)*gap/2
			h := 0.0
			if top > 0 {
				h = heights[i][j] / top
			}
			linear.addBar(from*Width, to*Width, h)
			log.addBar(from*Width, to*Width, logHeight(h))
		}
		d.Series = append(d.Series, Series{linear.String(), log.String(), spans})
	}
	return d
}

// Cut draws a line after the first k of n bars of equal width.
func Cut(k, n int) string {
	var p path
	p.moveTo(float64(k)*Width/float64(n), 0)
	p.lineTo('V', Height)
	return p.String()
}

// Ranks draws the counts of labels by rank as bars of equal width.
func Ranks(all [][]Bucket) []Series {
	ranks := make([][]Bucket, len(all))
	for i, buckets := range all {
		for k, b := range buckets {
			ranks[i] = append(ranks[i], Bucket{float64(k), float64(k + 1), b.Count})
		}
	}
	return Bars(ranks, 0).Series
}

// A Strip contains buckets of equal weight in one lane: a box around all buckets, a box for every second
// bucket, and a tick at every edge.
type Strip struct{ All, Boxes, Ticks string }

// Strips draws histograms of equal weights over a common axis, each in its own lane.
func Strips(all [][]Bucket) (strips []Strip, lo, hi float64) {
	axis := newAxis(all)
	for lane, buckets := range all {
		var all, boxes, ticks path
		y := float64(lane * Lane)
		last := math.Inf(-1)
		tick := func(x float64) {
			if x-last >= 0.5 {
				ticks.moveTo(x, y+2)
				ticks.lineTo('V', y+Lane-2)
				last = x
			}
		}
		for i, b := range buckets {
			from, to := axis.position(b.Low)*Width, axis.position(b.High)*Width
			if i%2 == 1 && to-from >= 0.05 {
				boxes.addBox(from, to, y+4, y+Lane-4)
			}
			tick(from)
			tick(to)
		}
		if len(buckets) > 0 {
			all.addBox(axis.position(buckets[0].Low)*Width, axis.position(buckets[len(buckets)-1].High)*Width, y+4, y+Lane-4)
		}
		strips = append(strips, Strip{all.String(), boxes.String(), ticks.String()})
	}
	return strips, axis.lo, axis.hi
}

// validCount returns v, or 0 if v is not a valid count: a message may contain any number.
func validCount(v float64) float64 {
	if v > 0 && v < math.MaxFloat64/(1<<20) {
		return v
	}
	return 0
}

func logHeight(h float64) float64 {
	scale := math.Pow(10, decades) - 1
	return math.Log1p(scale*h) / math.Log1p(scale)
}

// An axis maps numbers to the range from 0 to 1. Infinities are at its ends.
type axis struct{ lo, hi float64 }

func newAxis(all [][]Bucket) axis {
	a := axis{math.Inf(1), math.Inf(-1)}
	for _, buckets := range all {
		for _, b := range buckets {
			for _, v := range [2]float64{b.Low, b.High} {
				if !math.IsNaN(v) && !math.IsInf(v, 0) {
					a.lo, a.hi = min(a.lo, v), max(a.hi, v)
				}
			}
		}
	}
	if a.lo > a.hi {
		a.lo, a.hi = 0, 0
	}
	return a
}

func (a axis) position(v float64) float64 {
	switch {
	case math.IsNaN(v):
		return 0
	case a.lo == a.hi:
		return 0.5
	}
	span := a.hi - a.lo
	if math.IsInf(span, 1) {
		v, a.lo, span = v/2, a.lo/2, a.hi/2-a.lo/2
	}
	return max(0, min(1, (v-a.lo)/span))
}

// minBarWidth is the minimum width of a bar, as a fraction of the axis.
const minBarWidth = 1.0 / 150

// barSpan returns the extent of a bar on the axis. A minimum width keeps the height finite.
func (a axis) barSpan(b Bucket) (from, to float64) {
	from, to = a.position(b.Low), a.position(b.High)
	if to-from < minBarWidth {
		middle := max(minBarWidth/2, min(1-minBarWidth/2, from/2+to/2))
		from, to = middle-minBarWidth/2, middle+minBarWidth/2
	}
	return from, to
}

// A path is the data of an SVG path, rounded to tenths.
type path struct {
	b     []byte
	open  bool    // the outline of bars is not closed
	right float64 // right end of the outline's last bar, in tenths
}

func (p *path) String() string {
	p.closeOutline()
	return string(p.b)
}

func tenths(v float64) float64 { return math.Round(v * 10) }

func (p *path) addNumber(v float64) {
	p.b = strconv.AppendFloat(p.b, tenths(v)/10, 'f', -1, 64)
}

func (p *path) moveTo(x, y float64) {
	p.b = append(p.b, 'M')
	p.addNumber(x)
	p.b = append(p.b, ' ')
	p.addNumber(y)
}

func (p *path) lineTo(op byte, v float64) {
	p.b = append(p.b, op)
	p.addNumber(v)
}

func (p *path) addBox(x0, x1, y0, y1 float64) {
	p.moveTo(x0, y1)
	p.lineTo('V', y0)
	p.lineTo('H', x1)
	p.lineTo('V', y1)
	p.b = append(p.b, 'z')
}

// addBar adds a bar with a height from 0 to 1. A height above 0 is at least one unit, to be visible.
// Bars that touch share an outline.
func (p *path) addBar(x0, x1, h float64) {
	if !(h > 0) {
		return
	}
	if p.open && tenths(x0) == p.right {
		p.lineTo('V', Height-max(1, h*Height))
	} else {
		p.closeOutline()
		p.moveTo(x0, Height)
		p.lineTo('V', Height-max(1, h*Height))
		p.open = true
	}
	p.lineTo('H', x1)
	p.right = tenths(x1)
}

// closeOutline closes the outline of bars.
func (p *path) closeOutline() {
	if p.open {
		p.lineTo('V', Height)
		p.b = append(p.b, 'z')
		p.open = false
	}
}
