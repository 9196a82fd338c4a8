package distance

import (
	"cmp"
	"math"
	"slices"

	"github.com/tfparse/tfparse/validate/internal/view"
)

// A labelPair is a label with its counts on both sides.
type labelPair struct {
	label string
	x, y  float64
}

// truncatedLabels describes the label counts of one side, whose list may be truncated to the most frequent labels.
type truncatedLabels struct {
	total float64 // count of all values
	rest  float64 // count of the values whose labels are not listed; takeFromRest reduces it
	least float64 // smallest count of a listed label
}

// truncate returns the truncatedLabels of a feature from its listed labels.
func truncate(f *view.Feature, labels labelCounts) truncatedLabels {
	c := truncatedLabels{total: labels.total(), least: math.Inf(1)}
	for _, l := range labels {
		c.least = min(c.least, l.Count)
	}
	if total := f.Total(); total > c.total*(1+1e-9) {
		c.total, c.rest = total, total-c.total
	}
	return c
}

// takeFromRest returns the assumed count of an unlisted label, as near to wanted as possible, and subtracts that count from
// rest.
func (c *truncatedLabels) takeFromRest(wanted float64) float64 {
	n := min(wanted, c.rest, c.least)
	c.rest -= n
	return n
}

// BetweenLabels compares the labels of two features. Rank histograms may be truncated to the most frequent labels. An
// unlisted label is then assumed to have the possible count that is nearest to the other side, and all remaining unlisted
// labels are compared as one. ok is false if neither side has labels.
//
// If only one side has labels, the result has only Largest and Normalized.
func BetweenLabels(a, b *view.Feature, x, y Sample, alpha float64) (o Distances, ok bool) {
	first, second := positiveLabels(a.Labels()), positiveLabels(b.Labels())
	if len(first)+len(second) == 0 {
		return o, false
	}
	cut, other := truncate(a, first), truncate(b, second)
	var all []labelPair
	eachLabelPair(first, second, func(label string, n, m float64) { all = append(all, labelPair{label, n, m}) })
	slices.SortStableFunc(all, func(a, b labelPair) int { return cmp.Compare(b.x+b.y, a.x+a.y) }) // frequent labels take from the rest first
	share := func(n float64, c truncatedLabels) float64 {
		if c.total > 0 {
			return n / c.total
		}
		return 0
	}
	for i := range all {
		switch l := &all[i]; {
		case l.x == 0 && cut.rest > 0:
			l.x = cut.takeFromRest(share(l.y, other) * cut.total)
		case l.y == 0 && other.rest > 0:
			l.y = other.takeFromRest(share(l.x, cut) * other.total)
		}
	}
	var t cellTable
	var largest, normalized Measurement
	level := alpha / float64(len(all)) // Bonferroni correction: Largest is the maximum of all labels
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
		if d := share(math.Abs(l.x-l.y), truncatedLabels{total: cut.total + other.total}); better(d, normalized) {
			normalized.Value, normalized.Label = d, l.label
		}
		largest.Noise = max(largest.Noise, noiseOfShares(c.p, c.q, n, m, level))
		if n > 0 && m > 0 {
			pooled := (x.Values*c.p + y.Values*c.q) / (x.Values + y.Values)
			// If the data sets differ in size, all counts differ by their share of the difference.
			noise := pooled*math.Abs(x.Values-y.Values) + normalQuantile(level/2)*math.Sqrt((x.Values*x.Values/n+y.Values*y.Values/m)*pooled*(1-pooled))
			normalized.Noise = max(normalized.Noise, min(noise/(x.Values+y.Values), 1))
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

// positiveLabels returns the labels with a positive count.
func positiveLabels(labels []view.Label) labelCounts {
	return slices.DeleteFunc(labels, func(l view.Label) bool { return !(l.Count > 0) })
}
