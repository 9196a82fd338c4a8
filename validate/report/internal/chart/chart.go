// Package chart works out where the marks of a small chart lie: paths in the form of
// SVG, from numbers of any kind. It draws nothing and knows no text.
package chart

import (
	"math"
	"strconv"
)

// Width and Height are those of the area that bars fill; a lane of a strip is Lane
// high.
const (
	Width  = 300
	Height = 100
	Lane   = 16
)

// A Bucket is a number of things between two numbers, or of one rank.
type Bucket struct{ Low, High, Count float64 }

// Total is the sum of the counts, without those that are no counts.
func Total(buckets []Bucket) float64 {
	sum := 0.0
	for _, b := range buckets {
		sum += count(b.Count)
	}
	return sum
}

// Merge puts neighbours together until there are at most most of them, and says
// how many are in one. It shares memory with its argument only if all stay.
func Merge(buckets []Bucket, most int) (merged []Bucket, of int) {
	of = (len(buckets) + most - 1) / most
	if of <= 1 {
		return buckets, 1
	}
	for i := 0; i < len(buckets); i += of {
		part := buckets[i:min(i+of, len(buckets))]
		merged = append(merged, Bucket{part[0].Low, part[len(part)-1].High, Total(part)})
	}
	return merged, of
}

// A Series is one set of marks, with heights that grow with the number of things,
// and with its logarithm.
type Series struct{ Linear, Log string }

// decades is how many powers of ten a logarithmic height spans.
const decades = 3

// Bars draws histograms over one axis, from lo to hi. The area of a bar is the share
// of the things of its series.
func Bars(all [][]Bucket) (series []Series, lo, hi float64) {
	axis := newAxis(all)
	heights := make([][]float64, len(all))
	top := 0.0
	for i, buckets := range all {
		total := Total(buckets)
		for _, b := range buckets {
			from, to := axis.span(b)
			h := 0.0
			if total > 0 {
				width := to - from
				if math.IsInf(b.Low, 0) || math.IsInf(b.High, 0) {
					width = max(width, 1/float64(len(buckets))) // it has none, and must not dwarf the others
				}
				h = count(b.Count) / total / width
			}
			heights[i] = append(heights[i], h)
			top = max(top, h)
		}
	}
	for i, buckets := range all {
		var linear, log path
		for j, b := range buckets {
			from, to := axis.span(b)
			h := 0.0
			if top > 0 {
				h = heights[i][j] / top
			}
			linear.bar(from*Width, to*Width, h)
			log.bar(from*Width, to*Width, logarithm(h))
		}
		series = append(series, Series{linear.String(), log.String()})
	}
	return series, axis.lo, axis.hi
}

// Cut draws a line behind the first k of n bars of equal width.
func Cut(k, n int) string {
	var p path
	p.move(float64(k)*Width/float64(n), 0)
	p.to('V', Height)
	return p.String()
}

// Ranks draws how often the labels of a rank are there, the most frequent first, as bars of one width.
func Ranks(all [][]Bucket) []Series {
	ranks := make([][]Bucket, len(all))
	for i, buckets := range all {
		for k, b := range buckets {
			ranks[i] = append(ranks[i], Bucket{float64(k), float64(k + 1), b.Count})
		}
	}
	series, _, _ := Bars(ranks)
	return series
}

// A Strip is a series of buckets in one lane: all of them, every second, and a tick at
// every end.
type Strip struct{ All, Boxes, Ticks string }

// Strips draws histograms of equal weights over one axis, a lane for each.
func Strips(all [][]Bucket) (strips []Strip, lo, hi float64) {
	axis := newAxis(all)
	for lane, buckets := range all {
		var all, boxes, ticks path
		y := float64(lane * Lane)
		last := math.Inf(-1)
		tick := func(x float64) {
			if x-last >= 0.5 {
				ticks.move(x, y+2)
				ticks.to('V', y+Lane-2)
				last = x
			}
		}
		for i, b := range buckets {
			from, to := axis.at(b.Low)*Width, axis.at(b.High)*Width
			if i%2 == 1 && to-from >= 0.05 {
				boxes.box(from, to, y+4, y+Lane-4)
			}
			tick(from)
			tick(to)
		}
		if len(buckets) > 0 {
			all.box(axis.at(buckets[0].Low)*Width, axis.at(buckets[len(buckets)-1].High)*Width, y+4, y+Lane-4)
		}
		strips = append(strips, Strip{all.String(), boxes.String(), ticks.String()})
	}
	return strips, axis.lo, axis.hi
}

// count makes a height of what a message claims to be one.
func count(v float64) float64 {
	if v > 0 && v < math.MaxFloat64/(1<<20) {
		return v
	}
	return 0
}

func logarithm(h float64) float64 {
	scale := math.Pow(10, decades) - 1
	return math.Log1p(scale*h) / math.Log1p(scale)
}

// An axis maps numbers to 0 up to 1. What is infinite lies at its ends.
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

func (a axis) at(v float64) float64 {
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

// least is how much of the axis the narrowest bar takes.
const least = 1.0 / 150

// span is where a bar lies. All have some width, so that none has an endless height.
func (a axis) span(b Bucket) (from, to float64) {
	from, to = a.at(b.Low), a.at(b.High)
	if to-from < least {
		middle := max(least/2, min(1-least/2, from/2+to/2))
		from, to = middle-least/2, middle+least/2
	}
	return from, to
}

// A path is the data of an SVG path, in tenths.
type path struct {
	b     []byte
	open  bool    // an outline of bars is not ended
	right float64 // where its last bar ends, in tenths
}

func (p *path) String() string {
	p.close()
	return string(p.b)
}

func tenths(v float64) float64 { return math.Round(v * 10) }

func (p *path) number(v float64) {
	p.b = strconv.AppendFloat(p.b, tenths(v)/10, 'f', -1, 64)
}

func (p *path) move(x, y float64) {
	p.b = append(p.b, 'M')
	p.number(x)
	p.b = append(p.b, ' ')
	p.number(y)
}

func (p *path) to(op byte, v float64) {
	p.b = append(p.b, op)
	p.number(v)
}

func (p *path) box(x0, x1, y0, y1 float64) {
	p.move(x0, y1)
	p.to('V', y0)
	p.to('H', x1)
	p.to('V', y1)
	p.b = append(p.b, 'z')
}

// bar adds a bar of a height of 0 to 1. One that is not nothing can be seen. Bars that
// touch have one outline.
func (p *path) bar(x0, x1, h float64) {
	if !(h > 0) {
		return
	}
	if p.open && tenths(x0) == p.right {
		p.to('V', Height-max(1, h*Height))
	} else {
		p.close()
		p.move(x0, Height)
		p.to('V', Height-max(1, h*Height))
		p.open = true
	}
	p.to('H', x1)
	p.right = tenths(x1)
}

// close ends the outline of bars.
func (p *path) close() {
	if p.open {
		p.to('V', Height)
		p.b = append(p.b, 'z')
		p.open = false
	}
}
