package stats

import (
	"cmp"
	"slices"
)

// freshLimit is how many bytes of records are added before memory is looked at, and
// fieldCost for how many of them a new feature or slice counts. It depends on nothing
// else, so that the same records are cut in the same way.
const (
	freshLimit = 256 << 10
	fieldCost  = 4096
)

// What a column must take before cutting it saves anything: one of numbers, and one of labels.
const (
	worthNumbers = 512 << 10
	worthLabels  = 192 << 10
)

// worth is what c must take before cutting it saves anything.
func (c *column) worth() int64 {
	if c.numbers == nil {
		return worthLabels
	}
	return worthNumbers
}

// Size is how many bytes of memory the accumulator takes: what it has for the values
// of features is counted exactly, the rest estimated. It looks at all features.
func (a *Accumulator) Size() int64 { return a.size() + int64(a.spare.bytes()) }

// size is Size without what is kept for the next Fresh.
func (a *Accumulator) size() int64 {
	total := a.tableSize()
	for _, d := range a.datasets() {
		total += d.size()
		d.columns(func(c *column) { total += int64(c.bytes()) })
	}
	return total
}

// tableSize is what is known of fields apart from their values.
func (a *Accumulator) tableSize() int64 {
	n := int64(4096)
	for i := range a.table.fields {
		n += fieldSize(&a.table.fields[i])
	}
	return n
}

func fieldSize(f *field) int64 { return 512 + 3*int64(len(f.name)) }

// size is what a dataset takes without its columns.
func (d *dataset) size() int64 { return 512 + 2*int64(len(d.name)) + 48*int64(cap(d.features)) }

// fit cuts columns, the largest first, until all fit into the memory.
func (a *Accumulator) fit() {
	a.settle()
	a.fresh = 0
	total := a.tableSize()
	type sized struct {
		c *column
		n int64
	}
	var large []sized
	for _, d := range a.datasets() {
		total += d.size()
		d.columns(func(c *column) {
			n := int64(c.bytes())
			total += n
			if n > c.worth() {
				large = append(large, sized{c, n})
			}
		})
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
	for more := true; more && total > a.opts.Memory; {
		more = false
		for _, d := range a.datasets() {
			d.columns(func(c *column) {
				if n := c.bytes(); total > a.opts.Memory && c.coarsen() {
					total -= int64(n - c.bytes())
					more = true
				}
			})
		}
	}
	a.full = a.full || total > a.opts.Memory
}

// leaveOut forgets the features and slices behind those that were known, the last
// ones first, until all the others fit into the memory.
func (a *Accumulator) leaveOut(fields, names int) {
	for size := a.size(); size > a.opts.Memory; a.left++ {
		switch {
		case len(a.names) > names:
			last := len(a.names) - 1
			d := a.slices[a.names[last]]
			size -= d.size()
			d.columns(func(c *column) { size -= int64(c.bytes()) })
			delete(a.slices, a.names[last])
			a.names = a.names[:last]
		case len(a.table.fields) > fields:
			last := len(a.table.fields) - 1
			for _, d := range a.datasets() {
				d.order = slices.DeleteFunc(d.order, func(id int32) bool { return id == int32(last) })
				if len(d.features) <= last {
					continue
				}
				for _, c := range d.features[last].kinds {
					if c != nil {
						size -= int64(c.bytes())
					}
				}
				d.features = d.features[:last]
			}
			size -= fieldSize(&a.table.fields[last])
			a.table.truncate(last)
		default:
			return
		}
	}
}

// LeftOut is how often Merge has left out a feature or a slice, since there was no
// memory for more.
func (a *Accumulator) LeftOut() uint64 { return a.left }

// RankError is by how much the ranks of quantiles may be off, as a part of all values of their feature:
// 0 where they are exact, a third of Options.Epsilon or more where memory was short.
func (a *Accumulator) RankError() (most float64) {
	for _, d := range a.datasets() {
		d.columns(func(c *column) {
			if c.numbers == nil {
				return
			}
			most = max(most, c.numbers.values.RankError())
			if w := c.numbers.weighted; w != nil {
				most = max(most, w.quantiles.RankError())
			}
		})
	}
	return most
}

// Exact reports whether nothing was cut or left out: all quantiles, counts of labels
// and numbers of different ones are exact.
func (a *Accumulator) Exact() bool {
	exact := true
	for _, d := range a.datasets() {
		d.columns(func(c *column) {
			if c.numbers != nil && c.numbers.values.Lossy() || c.labels != nil && c.labels.counts.Lossy() {
				exact = false
			}
		})
	}
	return exact && a.refused+a.left == 0
}
