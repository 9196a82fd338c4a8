package stats

import (
	"cmp"
	"slices"
)

// freshLimit is how many bytes of records are added before memory is looked at.
// It depends on nothing else, so that the same records are cut in the same way.
const freshLimit = 1 << 20

// worthIt is what a column must take before cutting it saves anything.
const worthIt = 512 << 10

// fit cuts columns, the largest first, until all fit into the memory.
func (a *Accumulator) fit() {
	a.fresh = 0
	total := int64(0)
	type sized struct {
		c *column
		n int64
	}
	var large []sized
	for _, d := range a.datasets() {
		total += 256 + int64(len(d.name)) + int64(len(d.features))*40
		d.columns(func(c *column) {
			n := int64(c.bytes())
			total += n
			if n > worthIt {
				large = append(large, sized{c, n})
			}
		})
	}
	for i := range a.table.fields {
		total += 300 + 2*int64(len(a.table.fields[i].name))
	}
	slices.SortStableFunc(large, func(x, y sized) int { return cmp.Compare(y.n, x.n) })
	for _, l := range large {
		if total <= a.opts.Memory {
			break
		}
		if l.c.compact(a.opts) {
			total -= l.n - int64(l.c.bytes())
		}
	}
	a.full = a.full || total > a.opts.Memory
}

// Exact reports whether nothing was cut: all quantiles, counts of labels and
// numbers of different ones are exact.
func (a *Accumulator) Exact() bool {
	exact := true
	for _, d := range a.datasets() {
		d.columns(func(c *column) {
			if c.numbers != nil && c.numbers.values.Lossy() || c.labels != nil && c.labels.counts.Lossy() {
				exact = false
			}
		})
	}
	return exact && a.refused == 0
}
