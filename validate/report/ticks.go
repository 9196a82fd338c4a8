package report

import (
	"math"
	"strconv"
	"unicode/utf8"
)

// A tick is a number on the axis of a chart.
type tick struct {
	At   string // percent of the width
	Text string

	from, to float64 // what its text takes, in parts of the width
}

// character is about how much of the width of a chart in a column of the page a digit takes.
const character = 0.024

// tick adds a number to the axis, if there is room beside those that are there and the ends. The
// place is in parts of the width.
func (g *figure) tick(at float64, text string) {
	width := func(s string) float64 { return character * float64(utf8.RuneCountInString(s)+1) }
	t := tick{At: percentage(at), Text: text, from: at - width(text)/2, to: at + width(text)/2}
	if math.IsNaN(at) || t.from < width(g.Low) || t.to > 1-width(g.High) {
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
		v, err := strconv.ParseFloat(strconv.FormatFloat(i*step, 'g', 12, 64), 64) // without the noise of the product
		if err != nil || i+1 == i {
			return
		}
		g.tick((v-lo)/span, number(v))
	}
}

// powerTicks adds powers of ten to a logarithmic axis with bins between edges.
func (g *figure) powerTicks(edges, powers []float64) {
	g.Ticks = nil
	for _, v := range powers {
		part := (math.Log10(v) - math.Log10(edges[0])) / (math.Log10(edges[len(edges)-1]) - math.Log10(edges[0]))
		g.tick((float64(g.before)+part*float64(len(edges)-1))/float64(g.bins), number(v))
	}
}
