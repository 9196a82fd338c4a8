package distance

import (
	"cmp"
	"math"
	"slices"

	"github.com/tfparse/tfparse/validate/internal/view"
)

// A labelPair is the counts of a label on both sides.
type labelPair struct {
	label string
	x, y  float64
}

// A cutList is the labels of one side, which may be only the most frequent ones.
type cutList struct {
	total float64 // of all labels
	rest  float64 // of the labels that are not listed
	least float64 // of the labels that are
}

func cutListOf(f *view.Feature, labels counts) cutList {
	c := cutList{total: labels.sum(), least: math.Inf(1)}
	for _, l := range labels {
		c.least = min(c.least, l.Count)
	}
	if total := f.Total(); total > c.total*(1+1e-9) {
		c.total, c.rest = total, total-c.total
	}
	return c
}

// take returns how many of a label that is not listed there are: as near to what is wanted as
// it may be, and takes them from the rest.
func (c *cutList) take(wanted float64) float64 {
	n := min(wanted, c.rest, c.least)
	c.rest -= n
	return n
}

// BetweenLabels compares the labels of two features. Where the list of a side is cut off, as
// rank histograms are, a label that is not listed is taken to be there as often as it may be to be as near
// to the other side as possible, and all other labels that are not listed are one. It is
// not ok if no side has labels.
//
// Without labels on one side there are only the measures of single labels.
func BetweenLabels(a, b *view.Feature, x, y Sample, alpha float64) (o Distances, ok bool) {
	first, second := positive(a.Labels()), positive(b.Labels())
	if len(first)+len(second) == 0 {
		return o, false
	}
	cut, other := cutListOf(a, first), cutListOf(b, second)
	var all []labelPair
	pairs(first, second, func(label string, n, m float64) { all = append(all, labelPair{label, n, m}) })
	slices.SortStableFunc(all, func(a, b labelPair) int { return cmp.Compare(b.x+b.y, a.x+a.y) }) // the frequent ones first have the rest
	share := func(n float64, c cutList) float64 {
		if c.total > 0 {
			return n / c.total
		}
		return 0
	}
	for i := range all {
		switch l := &all[i]; {
		case l.x == 0 && cut.rest > 0:
			l.x = cut.take(share(l.y, other) * cut.total)
		case l.y == 0 && other.rest > 0:
			l.y = other.take(share(l.x, cut) * other.total)
		}
	}
	var t table
	var largest, normalized Measurement
	level := alpha / float64(len(all)) // any label may be the one that differs most
	n, m := x.independent(), y.independent()
	for _, l := range all {
		c := cell{share(l.x, cut), share(l.y, other)}
		t.cells = append(t.cells, c)
		better := func(d float64, than Measurement) bool {
			return d > than.Value || d == than.Value && l.label > than.Label
		}
		if d := math.Abs(c.p - c.q); better(d, largest) {
			largest.Value, largest.Label = d, l.label
		}
		if d := share(math.Abs(l.x-l.y), cutList{total: cut.total + other.total}); better(d, normalized) {
			normalized.Value, normalized.Label = d, l.label
		}
		largest.Noise = max(largest.Noise, noiseOfShares(c.p, c.q, n, m, level))
		if n > 0 && m > 0 {
			pooled := (x.Values*c.p + y.Values*c.q) / (x.Values + y.Values)
			// Between data sets of different sizes all counts differ.
			of := pooled*math.Abs(x.Values-y.Values) + upper(level/2)*math.Sqrt((x.Values*x.Values/n+y.Values*y.Values/m)*pooled*(1-pooled))
			normalized.Noise = max(normalized.Noise, min(of/(x.Values+y.Values), 1))
		}
	}
	if cut.rest > 0 {
		largest.Error = max(largest.Error, min(cut.least, cut.total)/cut.total)
	}
	if other.rest > 0 {
		largest.Error = max(largest.Error, min(other.least, other.total)/other.total)
	}
	if len(first) > 0 && len(second) > 0 {
		t.cells = append(t.cells, cell{share(cut.rest, cut), share(other.rest, other)})
		o = t.divergences(x, y, alpha)
	}
	largest.Raw, normalized.Raw = largest.Value, normalized.Value
	o.Largest, o.Normalized = &largest, &normalized
	return o, true
}

// positive are the labels with a count above 0.
func positive(labels []view.Label) counts {
	return slices.DeleteFunc(labels, func(l view.Label) bool { return !(l.Count > 0) })
}
