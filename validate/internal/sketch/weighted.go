package sketch

import (
	"cmp"
	"maps"
	"math"
	"slices"
)

// WeightedRanks is a quantile sketch of numbers with weights. It is exact for few distinct numbers. For more numbers it is
// approximate, in bounded memory.
//
// It extends the KLL sketch of Ranks to fractional weights: a number with the weight w belongs to the level floor(log2 w).
// Compacting a level replaces each pair of neighbours by one number of the pair, chosen with a probability proportional
// to its weight. The number gets the weight of both and moves to the next level. That changes only the ranks of numbers
// between the two, by the weight of one.
type WeightedRanks struct {
	k           int          // the size, as in NewRanks
	buffer      []Weighted   // numbers not yet in exact or levels, in the order of Add
	exact       []Weighted   // all distinct numbers, sorted; used until levels is set
	levels      [][]Weighted // each sorted by value; weights in levels[i] are at least 2^(low+i); nil: exact is used
	low         int          // exponent of levels[0]
	items       int          // number of numbers in all levels
	least, most Weighted     // ends of exact and levels; weight 0: none
	coin        uint64       // state of the pseudorandom coin: a hash of all tosses
}

// A Weighted is a number and its weight, which is finite and above 0.
type Weighted struct{ Value, Weight float64 }

// maxBuffered is the size of WeightedRanks.buffer.
const maxBuffered = 1024

// NewWeightedRanks returns empty WeightedRanks. k is as for NewRanks.
func NewWeightedRanks(k int) *WeightedRanks { return &WeightedRanks{k: k} }

// RankError returns the maximum rank error as a fraction of the total weight; 0 if ranks are exact. One rank in a
// thousand may exceed it. TestWeightedRankError measures it.
func (r *WeightedRanks) RankError() float64 {
	if r.levels == nil {
		return 0
	}
	return min(rankErrorTimesK/float64(r.k), 1)
}

// Add adds v, which must not be NaN, with the weight w. It ignores numbers with w <= 0.
func (r *WeightedRanks) Add(v, w float64) {
	if !(w > 0) {
		return
	}
	if r.buffer = append(r.buffer, Weighted{v, w}); len(r.buffer) >= maxBuffered {
		r.flushBuffer()
	}
}

// sortAndJoin sorts numbers, and adds the weights of equal numbers.
func sortAndJoin(all []Weighted) []Weighted {
	slices.SortStableFunc(all, func(a, b Weighted) int { return cmp.Compare(a.Value, b.Value) })
	out := all[:0]
	for _, x := range all {
		if n := len(out); n > 0 && out[n-1].Value == x.Value {
			out[n-1].Weight += x.Weight
		} else {
			out = append(out, x)
		}
	}
	return out
}

// mergeWeighted merges two sorted lists into a new list. If join is true, it adds the weights of equal numbers.
func mergeWeighted(a, b []Weighted, join bool) []Weighted {
	out := make([]Weighted, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		switch {
		case join && a[0].Value == b[0].Value:
			out = append(out, Weighted{a[0].Value, a[0].Weight + b[0].Weight})
			a, b = a[1:], b[1:]
		case a[0].Value <= b[0].Value:
			out, a = append(out, a[0]), a[1:]
		default:
			out, b = append(out, b[0]), b[1:]
		}
	}
	return append(append(out, a...), b...)
}

// flushBuffer moves the buffer to exact or to levels.
func (r *WeightedRanks) flushBuffer() {
	r.addSorted(sortAndJoin(r.buffer))
	r.buffer = r.buffer[:0]
}

// addSorted adds distinct numbers, which are sorted. It does not retain the slice.
func (r *WeightedRanks) addSorted(all []Weighted) {
	if len(all) == 0 {
		return
	}
	r.extendRange(all[0], all[len(all)-1])
	if r.levels == nil {
		if r.exact = mergeWeighted(r.exact, all, true); len(r.exact) <= 2*r.k {
			return
		}
		all, r.exact = r.exact, nil
	}
	r.addByWeight(all)
	r.compress()
}

// extendRange updates the ends for new numbers from least to most.
func (r *WeightedRanks) extendRange(least, most Weighted) {
	for _, end := range []struct {
		current *Weighted
		fresh   Weighted
		order   int // cmp.Compare of fresh and current if fresh is the new end
	}{{&r.least, least, -1}, {&r.most, most, 1}} {
		switch c := cmp.Compare(end.fresh.Value, end.current.Value); {
		case end.current.Weight == 0 || c == end.order:
			*end.current = end.fresh
		case c == 0:
			end.current.Weight += end.fresh.Weight
		}
	}
}

// addByWeight adds sorted numbers to the levels of their weights.
func (r *WeightedRanks) addByWeight(all []Weighted) {
	byExponent := map[int][]Weighted{}
	for _, x := range all {
		e := math.Ilogb(x.Weight)
		byExponent[e] = append(byExponent[e], x)
	}
	for _, e := range slices.Sorted(maps.Keys(byExponent)) {
		r.addToLevel(e, byExponent[e])
	}
}

// addToLevel adds sorted numbers to the level of an exponent.
func (r *WeightedRanks) addToLevel(exponent int, all []Weighted) {
	if len(all) == 0 {
		return
	}
	switch {
	case r.levels == nil:
		r.low = exponent
		r.levels = make([][]Weighted, 1)
	case exponent < r.low:
		r.levels = append(make([][]Weighted, r.low-exponent), r.levels...)
		r.low = exponent
	case exponent >= r.low+len(r.levels):
		r.levels = append(r.levels, make([][]Weighted, exponent-r.low-len(r.levels)+1)...)
	}
	level := &r.levels[exponent-r.low]
	*level = mergeWeighted(*level, all, false)
	r.items += len(all)
}

// compress compacts levels until all numbers fit.
func (r *WeightedRanks) compress() {
	for level := overfullLevel(r.levels, r.k, r.items); level >= 0; level = overfullLevel(r.levels, r.k, r.items) {
		r.compactLevel(level)
	}
}

// compactLevel moves one number of each pair to the next level, with the weight of both.
func (r *WeightedRanks) compactLevel(level int) {
	all := r.levels[level]
	toss := r.tossCoin(all[0])
	r.levels[level] = nil
	if last := len(all) - 1; last%2 == 0 { // if the count is odd, the first or the last number stays
		stays := all[last]
		if toss&1 == 0 {
			all = all[:last]
		} else {
			stays, all = all[0], all[1:]
		}
		r.levels[level] = []Weighted{stays}
	}
	at := float64(toss>>11) / (1 << 53) // in [0, 1), the same for all pairs
	half := all[:0]
	for ; len(all) > 0; all = all[2:] {
		a, b := all[0], all[1]
		both := min(a.Weight+b.Weight, math.MaxFloat64)
		if at*both >= a.Weight {
			a = b
		}
		half = append(half, Weighted{a.Value, both})
	}
	r.items -= 2 * len(half)
	r.addToLevel(r.low+level+1, half)
}

// tossCoin returns pseudorandom bits that depend on x and on all tosses before.
func (r *WeightedRanks) tossCoin(x Weighted) uint64 {
	const k0, k1 = 0x9e3779b97f4a7c15, 0xbf58476d1ce4e5b9
	r.coin = mixHash(r.coin+k0^math.Float64bits(x.Value), k1)
	return mixHash(r.coin, k0)
}

// Merge adds all numbers of o. It may retain memory of o, which must not be used any more.
func (r *WeightedRanks) Merge(o *WeightedRanks) {
	if o.levels == nil {
		for _, x := range [][]Weighted{o.exact, o.buffer} {
			for _, x := range x {
				r.Add(x.Value, x.Weight)
			}
		}
		return
	}
	r.flushBuffer()
	o.flushBuffer()
	if r.levels == nil && len(r.exact) > 0 {
		r.addByWeight(r.exact)
		r.exact = nil
	}
	r.extendRange(o.least, o.most)
	for i, level := range o.levels {
		r.addToLevel(o.low+i, level)
	}
	r.coin ^= o.coin
	r.compress()
}

// Summary returns the numbers in ascending order: all numbers if ranks are exact, else a sample that includes the smallest
// and the largest number.
func (r *WeightedRanks) Summary() Summary {
	all := sortAndJoin(slices.Clone(r.buffer))
	ends := *r // including the buffer
	if len(all) > 0 {
		ends.extendRange(all[0], all[len(all)-1])
	}
	if r.levels == nil {
		all = mergeWeighted(r.exact, all, true)
	} else {
		all = slices.Concat(append(r.levels, all)...)
		all = sortAndJoin(all)
		if first := &all[0]; first.Value != ends.least.Value {
			w := min(ends.least.Weight, first.Weight/2)
			first.Weight -= w
			all = slices.Insert(all, 0, Weighted{ends.least.Value, w})
		}
		if last := &all[len(all)-1]; last.Value != ends.most.Value {
			w := min(ends.most.Weight, last.Weight/2)
			last.Weight -= w
			all = append(all, Weighted{ends.most.Value, w})
		}
	}
	s := make(Summary, 0, len(all))
	for _, x := range all {
		s = s.Append(x.Value, x.Weight)
	}
	return s
}

// AppendState appends the encoding of r.
func (r *WeightedRanks) AppendState(b []byte) []byte {
	list := func(all []Weighted) {
		b = AppendUint(b, uint64(len(all)))
		for _, x := range all {
			b = AppendFloat(AppendFloat(b, x.Value), x.Weight)
		}
	}
	list([]Weighted{r.least, r.most})
	list(r.buffer)
	list(r.exact)
	b = AppendInt(AppendUint(AppendUint(b, r.coin), uint64(len(r.levels))), int64(r.low))
	for _, level := range r.levels {
		list(level)
	}
	return b
}

// WeightedRanks decodes the state of a sketch that NewWeightedRanks returned for k.
func (d *Decoder) WeightedRanks(k int) *WeightedRanks {
	r := NewWeightedRanks(k)
	list := func(most int, ordered bool) (all []Weighted) {
		n := d.Count(16)
		if n > most {
			d.Fail()
			return nil
		}
		for i := range n {
			x := Weighted{d.readNumber(), d.readNumber()}
			if !(x.Weight > 0 && x.Weight <= math.MaxFloat64) || ordered && i > 0 && !(all[i-1].Value <= x.Value) {
				d.Fail()
			}
			all = append(all, x)
		}
		return all
	}
	if n := d.Count(16); n != 2 {
		d.Fail()
		return r
	}
	r.least, r.most = Weighted{d.readNumber(), d.readNumber()}, Weighted{d.readNumber(), d.readNumber()}
	r.buffer = list(maxBuffered-1, false)
	r.exact = list(2*k, true)
	r.coin = d.Uint()
	levels := d.Count(1)
	r.low = int(d.Int())
	if levels > 4096 || r.low < -1100 || r.low > 1100 || levels > 0 && len(r.exact) > 0 {
		d.Fail()
		return r
	}
	if levels > 0 {
		r.levels = make([][]Weighted, levels)
	}
	limit := 0
	for i := range r.levels {
		limit += levelCapacity(r.k, len(r.levels), i)
		r.levels[i] = list(math.MaxInt32, true)
		r.items += len(r.levels[i])
	}
	if levels > 0 && (r.items < 1 || r.items > limit) {
		d.Fail()
	}
	return r
}
