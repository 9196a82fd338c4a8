package stats

import (
	"container/heap"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/validate/internal/numbers"
	"github.com/tfparse/tfparse/validate/internal/sketch"
)

// Memory is bounded by two rules. What columns take is looked at after some bytes of records, and
// where it is too much the largest column is coarsened, again and again. And what columns take when
// there is nothing more to coarsen, their minimum, is reserved before they are made: records with
// features whose minimums do not fit into the memory are refused. For a slice less is reserved, since
// most slices are small: if they grow, and nothing is left to coarsen, those of the Slice that has the most are left out.

// freshLimit is how many bytes of records are added before memory is looked at when it is
// short, and fieldCost for how many of them a new feature or slice counts. It depends on nothing
// but the memory, so that the same records are cut in the same way.
const fieldCost = 4096

func (a *Accumulator) freshLimit() int64 {
	const least, most = 16 << 10, 256 << 10
	return min(max(a.opts.Memory/16, least), most)
}

// Size is how many bytes of memory the accumulator takes: what it has for the values
// of features is counted exactly, the rest estimated. It looks at all features.
func (a *Accumulator) Size() int64 {
	total := a.fixedSize() + a.rec.memory()
	for _, d := range a.datasets() {
		d.columns(func(c *column) { total += int64(c.bytes()) })
	}
	return total
}

// fixedSize is Size without columns and the memory for the next record.
func (a *Accumulator) fixedSize() int64 {
	return a.table.size + a.named + int64(1+len(a.names))*a.placesSize()
}

// What is taken by other things than the values of columns, on either side of the pointers to it.
const (
	tableSize    = 4096 // of an Accumulator without features
	columnSize   = 320
	domainSize   = 512
	featureSize  = 64   // of a dataset, for each feature
	sliceMinimum = 1024 // reserved for a column of a slice
)

// fieldSize is what is known of a feature apart from its values.
func fieldSize(name string) int64 { return 448 + 3*int64(len(name)) }

// placesSize is what a dataset takes for features without columns.
func (a *Accumulator) placesSize() int64 { return featureSize * int64(len(a.table.fields)) }

// datasetSize is what a dataset takes without features.
func (a *Accumulator) datasetSize(name string) int64 {
	n := 512 + 2*int64(len(name)) + 16*int64(len(a.weights))
	for _, p := range a.pairs {
		n += 64 + 32*int64(len(p.others))
	}
	return n
}

// minimumOf is an upper bound on what a column of a field takes when coarsen can do no more.
func (a *Accumulator) minimumOf(id int32, kind example.Kind) int64 {
	f, o := &a.table.fields[id], a.opts
	n := columnSize + minimumOfCommon(a.nested(f))
	if kind == example.Unset {
		return n
	}
	switch f.content(kind) {
	case ofNumbers:
		n += int64(numbers.Minimum(kind == example.FloatList))
		if f.weight >= 0 {
			n += weightedSize + int64(sketch.MinimumOfQuantiles())
		}
	case ofLabels:
		n += int64(sketch.MinimumOfLabels(o.shown()))
		if f.weight >= 0 || o.weighsBatches() {
			n += int64(sketch.MinimumOfLabels(o.shown()))
		}
	}
	if o.EnableSemanticDomainStats {
		n += domainSize
	}
	if f.readsTokens(kind) {
		n += tokensSize + 2*maxReported*mostReported + int64(sketch.MinimumOfLabels(o.shown())+2*minimumOfLengths())
	}
	return n
}

// nested reports whether a field has lists of lists.
func (a *Accumulator) nested(f *field) bool {
	return f.group == childGroup && a.opts.Message == example.TypeSequence
}

// available is how many bytes of memory are left for minimums.
func (a *Accumulator) available() int64 {
	reserved := a.table.size + a.named + int64(1+len(a.names))*a.placesSize() + a.minimums + int64(len(a.names))*a.columns*sliceMinimum
	return a.opts.Memory - reserved
}

// sliceSize is what a new slice needs at least.
func (a *Accumulator) sliceSize(name string) int64 {
	return a.datasetSize(name) + a.placesSize() + a.columns*sliceMinimum
}

// perFresh is how many bytes of memory are assumed to be taken for each byte of fresh, when there is
// memory left: far more than records take.
const perFresh = 64

// mustFit reports whether memory must be looked at again. To look at it takes as long as there are
// features, so that it is done seldom where much memory is left.
func (a *Accumulator) mustFit() bool { return a.fresh >= max(a.freshLimit(), a.spare/perFresh) }

// fit coarsens columns, always the largest one, until all fit into the memory.
func (a *Accumulator) fit() {
	a.fresh, a.spare = 0, 0
	if a.rec.memory() > a.freshLimit() { // a record was large
		a.rec = record{}
	}
	total := a.fixedSize()
	for _, d := range a.datasets() {
		d.columns(func(c *column) { total += int64(c.bytes()) })
	}
	if total <= a.opts.Memory {
		a.spare = a.opts.Memory - total
		return
	}
	var h largest
	for _, d := range a.datasets() {
		d.columns(func(c *column) { h = append(h, sized{c, int64(c.bytes()), len(h)}) })
	}
	heap.Init(&h)
	for total > a.opts.Memory && len(h) > 0 {
		top := &h[0]
		if !top.column.coarsen() {
			heap.Pop(&h)
			continue
		}
		total -= top.size
		top.size = int64(top.column.bytes())
		total += top.size
		heap.Fix(&h, 0)
	}
	for total > a.opts.Memory && len(a.names) > 0 {
		total -= a.leaveOutLargest(nil)
	}
}

// A sized is a column, what it takes, and which one it is.
type sized struct {
	column *column
	size   int64
	number int
}

// largest is a heap whose root is the largest column, and of equal ones the first.
type largest []sized

func (h largest) Len() int { return len(h) }
func (h largest) Less(i, j int) bool {
	return h[i].size > h[j].size || h[i].size == h[j].size && h[i].number < h[j].number
}
func (h largest) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *largest) Push(x any)   { *h = append(*h, x.(sized)) }
func (h *largest) Pop() any {
	last := len(*h) - 1
	x := (*h)[last]
	*h = (*h)[:last]
	return x
}

// LeftOut is how often Merge has left out a feature, since there was no memory for more.
func (a *Accumulator) LeftOut() uint64 { return a.left }

// Errors say how far statistics are from exact: all zero where they are exact, and more where memory was
// short, each for the feature that is known least of.
type Errors struct {
	// Rank is by how much ranks of quantiles may be off, as a part of all values of their feature. Of a
	// thousand quantiles one may be off by more.
	Rank float64
	// Count is by how much counts of frequent values may be too large, as a part of all values.
	Count float64
	// Unique is the standard error of the numbers of different values, as a part of them.
	Unique float64
	// Long: some values were too long to be counted.
	Long bool
}

// Errors returns how far statistics are from exact.
func (a *Accumulator) Errors() (e Errors) {
	labels := func(l *sketch.Labels, values uint64) {
		e.Count = max(e.Count, ratio(l.Lost(), float64(values)))
		e.Unique = max(e.Unique, l.UniqueError())
		e.Long = e.Long || l.Omits()
	}
	for _, d := range a.datasets() {
		d.columns(func(c *column) {
			e.Rank = max(e.Rank, c.common.rankError())
			if n := c.numbers; n != nil {
				e.Rank = max(e.Rank, n.values.RankError())
				if n.weighted != nil {
					e.Rank = max(e.Rank, n.weighted.quantiles.RankError())
				}
			}
			if c.labels != nil {
				labels(&c.labels.counts, c.common.values())
			}
			if c.tokens != nil {
				labels(c.tokens.ranks, c.tokens.inside)
				e.Rank = max(e.Rank, c.tokens.tokenLengths.rankError(), c.tokens.sequenceLengths.rankError())
			}
		})
	}
	return e
}

// Exact reports whether nothing was lost or left out: all quantiles, counts of labels
// and numbers of different ones are exact.
func (a *Accumulator) Exact() bool {
	return a.Errors() == Errors{} && a.refused+a.left == 0 && len(a.LostSlices()) == 0
}
