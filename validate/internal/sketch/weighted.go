package sketch

import (
	"cmp"
	"maps"
	"math"
	"slices"
)

// WeightedRanks collects numbers that have weights, to ask which of them have some rank by weight: exactly, while different ones are
// few, and else near, in a bounded size.
//
// It is the sketch of Ranks for weights that are not whole: a number of the weight w is in the level floor(log2 w). Where a level is too
// large, of each two neighbours in it one stays, with a chance in proportion to its weight, and weighs as much as both: so it
// is in the next level. The rank of a number between two neighbours is off by the weight of one of them, all other ranks are as
// before.
type WeightedRanks struct {
	k           int
	buffer      []Weighted   // that wait for more, in the order in which they came
	few         []Weighted   // all different numbers, in order, if levels is nil
	levels      [][]Weighted // each in order of the numbers; the weights of levels[i] are from 2^(low+i) up
	low         int
	items       int      // of all levels
	least, most Weighted // of all numbers, if there is one
	coin        uint64   // a hash of all tosses
}

// Weighted is a number and its weight, which is finite and above 0.
type Weighted struct{ Value, Weight float64 }

// mostBuffered is how many numbers wait to be sorted together.
const mostBuffered = 1024

// NewWeightedRanks returns empty WeightedRanks. k is as for NewRanks.
func NewWeightedRanks(k int) *WeightedRanks { return &WeightedRanks{k: k} }

// RankError is by how much a rank may be off, as a part of the total weight; in one of a thousand questions it is
// more. It is 0 while nothing was lost. TestWeightedRankError measures it.
func (r *WeightedRanks) RankError() float64 {
	if r.levels == nil {
		return 0
	}
	return min(rankError/float64(r.k), 1)
}

// Add adds v, which must not be NaN. A weight that is not above 0 adds nothing.
func (r *WeightedRanks) Add(v, w float64) {
	if !(w > 0) {
		return
	}
	if r.buffer = append(r.buffer, Weighted{v, w}); len(r.buffer) >= mostBuffered {
		r.flush()
	}
}

// compact sorts numbers, and joins those that are equal.
func compact(all []Weighted) []Weighted {
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

// mergeWeighted returns a new list of both, which are in order; equal numbers are joined if join is set.
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

// flush adds what waits.
func (r *WeightedRanks) flush() {
	r.add(compact(r.buffer))
	r.buffer = r.buffer[:0]
}

// add adds different numbers, which are in order. It does not keep them.
func (r *WeightedRanks) add(all []Weighted) {
	if len(all) == 0 {
		return
	}
	r.reach(all[0], all[len(all)-1])
	if r.levels == nil {
		if r.few = mergeWeighted(r.few, all, true); len(r.few) <= 2*r.k {
			return
		}
		all, r.few = r.few, nil
	}
	r.spread(all)
	r.compress()
}

// reach says that there are numbers from least to most.
func (r *WeightedRanks) reach(least, most Weighted) {
	for _, end := range []struct {
		of    *Weighted
		x     Weighted
		order int
	}{{&r.least, least, -1}, {&r.most, most, 1}} {
		switch c := cmp.Compare(end.x.Value, end.of.Value); {
		case end.of.Weight == 0 || c == end.order:
			*end.of = end.x
		case c == 0:
			end.of.Weight += end.x.Weight
		}
	}
}

// spread puts numbers, which are in order, into the levels of their weights.
func (r *WeightedRanks) spread(all []Weighted) {
	of := map[int][]Weighted{}
	for _, x := range all {
		e := math.Ilogb(x.Weight)
		of[e] = append(of[e], x)
	}
	for _, e := range slices.Sorted(maps.Keys(of)) {
		r.join(e, of[e])
	}
}

// join adds numbers, which are in order, to the level of an exponent.
func (r *WeightedRanks) join(exponent int, all []Weighted) {
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

// compress makes levels smaller until all numbers have room together.
func (r *WeightedRanks) compress() {
	for level := overfull(r.levels, r.k, r.items); level >= 0; level = overfull(r.levels, r.k, r.items) {
		r.halve(level)
	}
}

// halve moves one of each two numbers of a level to the next one.
func (r *WeightedRanks) halve(level int) {
	all := r.levels[level]
	toss := r.toss(all[0])
	r.levels[level] = nil
	if last := len(all) - 1; last%2 == 0 { // one stays, of either end
		stays := all[last]
		if toss&1 == 0 {
			all = all[:last]
		} else {
			stays, all = all[0], all[1:]
		}
		r.levels[level] = []Weighted{stays}
	}
	at := float64(toss>>11) / (1 << 53) // one number for all of them: each two are weighed apart
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
	r.join(r.low+level+1, half)
}

// toss returns a number that depends on x and all tosses before.
func (r *WeightedRanks) toss(x Weighted) uint64 {
	const k0, k1 = 0x9e3779b97f4a7c15, 0xbf58476d1ce4e5b9
	r.coin = mix(r.coin+k0^math.Float64bits(x.Value), k1)
	return mix(r.coin, k0)
}

// Merge adds all that o has. It may keep memory of o, which must not be used any more.
func (r *WeightedRanks) Merge(o *WeightedRanks) {
	if o.levels == nil {
		for _, x := range [][]Weighted{o.few, o.buffer} {
			for _, x := range x {
				r.Add(x.Value, x.Weight)
			}
		}
		return
	}
	r.flush()
	o.flush()
	if r.levels == nil && len(r.few) > 0 {
		r.spread(r.few)
		r.few = nil
	}
	r.reach(o.least, o.most)
	for i, level := range o.levels {
		r.join(o.low+i, level)
	}
	r.coin ^= o.coin
	r.compress()
}

// Summary returns what was added, in order: all of it, with the least and the largest number, where the others are near.
func (r *WeightedRanks) Summary() Summary {
	all := compact(slices.Clone(r.buffer))
	ends := *r // with what waits
	if len(all) > 0 {
		ends.reach(all[0], all[len(all)-1])
	}
	if r.levels == nil {
		all = mergeWeighted(r.few, all, true)
	} else {
		all = slices.Concat(append(r.levels, all)...)
		all = compact(all)
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

// AppendState appends all that r holds.
func (r *WeightedRanks) AppendState(b []byte) []byte {
	list := func(all []Weighted) {
		b = AppendUint(b, uint64(len(all)))
		for _, x := range all {
			b = AppendFloat(AppendFloat(b, x.Value), x.Weight)
		}
	}
	list([]Weighted{r.least, r.most})
	list(r.buffer)
	list(r.few)
	b = AppendInt(AppendUint(AppendUint(b, r.coin), uint64(len(r.levels))), int64(r.low))
	for _, level := range r.levels {
		list(level)
	}
	return b
}

// WeightedRanks reads WeightedRanks that NewWeightedRanks has returned for k.
func (d *Decoder) WeightedRanks(k int) *WeightedRanks {
	r := NewWeightedRanks(k)
	list := func(most int, ordered bool) (all []Weighted) {
		n := d.Count(16)
		if n > most {
			d.Fail()
			return nil
		}
		for i := range n {
			x := Weighted{d.number(), d.number()}
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
	r.least, r.most = Weighted{d.number(), d.number()}, Weighted{d.number(), d.number()}
	r.buffer = list(mostBuffered-1, false)
	r.few = list(2*k, true)
	r.coin = d.Uint()
	levels := d.Count(1)
	r.low = int(d.Int())
	if levels > 4096 || r.low < -1100 || r.low > 1100 || levels > 0 && len(r.few) > 0 {
		d.Fail()
		return r
	}
	if levels > 0 {
		r.levels = make([][]Weighted, levels)
	}
	room := 0
	for i := range r.levels {
		room += capacity(r.k, len(r.levels), i)
		r.levels[i] = list(math.MaxInt32, true)
		r.items += len(r.levels[i])
	}
	if levels > 0 && (r.items < 1 || r.items > room) {
		d.Fail()
	}
	return r
}
