// Package distance holds the measures of how far two sets of values are apart.
package distance

import (
	"math"
	"slices"
	"strings"

	"github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/internal/view"
)

// A counts is how often labels were seen, in byte order.
type counts []view.Label

func (c counts) sum() float64 {
	var s float64
	for _, l := range c {
		s += l.Count
	}
	return s
}

// scaled divides all counts; by 0 it divides none.
func (c counts) scaled(by float64) counts {
	if by == 0 {
		return c
	}
	s := slices.Clone(c)
	for i := range s {
		s[i].Count /= by
	}
	return s
}

// pairs calls f for every label of either, in byte order, with its two counts.
func pairs(a, b counts, f func(label string, a, b float64)) {
	for len(a) > 0 || len(b) > 0 {
		switch c := compareFirst(a, b); {
		case c < 0:
			f(a[0].Value, a[0].Count, 0)
			a = a[1:]
		case c > 0:
			f(b[0].Value, 0, b[0].Count)
			b = b[1:]
		default:
			f(a[0].Value, a[0].Count, b[0].Count)
			a, b = a[1:], b[1:]
		}
	}
}

// compareFirst compares the first labels; none comes last.
func compareFirst(a, b counts) int {
	switch {
	case len(b) == 0:
		return -1
	case len(a) == 0:
		return 1
	}
	return strings.Compare(a[0].Value, b[0].Value)
}

// largest is the largest absolute difference, and the label that has it: of several
// the last in byte order.
func largest(a, b counts) *Measurement {
	m := &Measurement{}
	pairs(a, b, func(l string, x, y float64) {
		if v := math.Abs(x - y); v >= m.Value {
			m.Label, m.Value, m.Raw = l, v, v
		}
	})
	return m
}

// Compatible measures what TensorFlow Data Validation 1.16.1 does, without noise levels: of labels, if any side has some, the
// largest difference between the shares of one, and between its counts divided by the sum of all; and the Jensen-Shannon
// divergence of the labels or, where a side has none, of the histograms of numbers: those of quantiles if asked for, else those of
// equal widths.
func Compatible(a, b *view.Feature, source metadatapb.HistogramSelection_Type) (o Distances) {
	x, y := counts(a.Labels()), counts(b.Labels())
	if len(x)+len(y) > 0 {
		total := x.sum() + y.sum()
		o.Largest, o.Normalized = largest(x.scaled(x.sum()), y.scaled(y.sum())), largest(x.scaled(total), y.scaled(total))
	}
	d, ok := 0.0, false
	if len(x) > 0 && len(y) > 0 {
		d, ok = labelDivergence(x, y)
	} else {
		t := metadatapb.Histogram_STANDARD
		if source == metadatapb.HistogramSelection_QUANTILES {
			t = metadatapb.Histogram_QUANTILES
		}
		if p, q := a.Histogram(t), b.Histogram(t); p != nil && q != nil {
			d, ok = histograms(p, q)
		}
	}
	if ok {
		o.JensenShannon = &Measurement{Value: d, Raw: d}
	}
	return o
}

// labelDivergence is the Jensen-Shannon divergence of two distributions of labels. There
// is none if a count is not positive.
func labelDivergence(a, b counts) (float64, bool) {
	for _, c := range []counts{a, b} {
		if len(c) == 0 || slices.ContainsFunc(c, func(l view.Label) bool { return !(l.Count > 0) }) {
			return 0, false
		}
	}
	sumA, sumB, kl := a.sum(), b.sum(), 0.
	pairs(a, b, func(_ string, x, y float64) {
		p, q := x/sumA, y/sumB
		m := (p + q) / 2
		if x != 0 {
			kl += p * math.Log2(p/m)
		}
		if y != 0 {
			kl += q * math.Log2(q/m)
		}
	})
	return min(kl/2, 1), true
}
