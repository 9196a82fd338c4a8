// Package sketch holds the mergeable parts of statistics: sums, quantiles and
// counts of labels.
//
// Each has a bounded size, and says how far it is from exact: quantiles and labels are exact while different ones are few. All are
// deterministic: the same calls in the same order leave the same state, and the state that is written and read back is the one
// that was written.
package sketch

import (
	"cmp"
	"math/bits"
	"slices"
)

// Ranks collects integers to ask which of them have some rank: exactly, while different
// ones are few, and else near, in a size that grows with the logarithm of their number.
//
// It is the sketch of Karnin, Lang and Liberty (Optimal Quantile Approximation in Streams,
// FOCS 2016): a key of level h stands for 2^h keys. When keys are too many, those of a level
// that is too large are sorted, and every second one goes to the next level, the first or
// the second of each two by the toss of a coin. The highest level has room for k keys, and
// every two below it for half as many. A sorted batch goes at once to the level where it
// fits.
//
// The coin is a hash of what it is tossed for and of all tosses before: the same calls
// leave the same state.
type Ranks struct {
	k           int
	few         []Run      // all keys, in order, if levels is nil
	levels      [][]uint64 // each in order
	items       int        // of all levels
	least, most uint64     // of all keys, if there is one
	coin        uint64
}

// A Run is a key and how often it is there.
type Run struct{ Key, Count uint64 }

// rankError is k times what a rank is off by at most, as a part of all keys, with a
// probability of 99.9 percent. TestRankError measures it.
const rankError = 1.6

// NewRanks returns empty Ranks. k is a power of two, at least 16: twice as many different keys are counted exactly, and
// 1.6/k is by how much ranks of more may be off.
func NewRanks(k int) *Ranks { return &Ranks{k: k} }

// RankError is by how much a rank may be off, as a part of all keys; in one of a thousand
// questions it is more. It is 0 while nothing was lost.
func (r *Ranks) RankError() float64 {
	if r.levels == nil {
		return 0
	}
	return min(rankError/float64(r.k), 1)
}

// RoundUp returns the next power of two, and 0 for 0.
func RoundUp(n int) int {
	if n == 0 {
		return 0
	}
	return 1 << bits.Len(uint(n-1))
}

// Add adds a key.
func (r *Ranks) Add(key uint64) {
	lo, hi := 0, len(r.few)
	for lo < hi {
		if mid := int(uint(lo+hi) / 2); r.few[mid].Key < key {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo < len(r.few) && r.few[lo].Key == key {
		r.few[lo].Count++
		return
	}
	r.AddRuns([]Run{{key, 1}})
}

// AddSorted adds keys that are in order. It does not keep them.
func (r *Ranks) AddSorted(keys []uint64) {
	if len(keys) == 0 {
		return
	}
	if r.levels == nil {
		if runs := runsOf(keys, r.mostFew()); runs != nil {
			r.AddRuns(runs)
			return
		}
		r.pour()
	}
	r.reach(keys[0], keys[len(keys)-1])
	level := 0
	for len(keys)>>level > capacity(r.k, len(r.levels), level) {
		level++
	}
	if level > 0 {
		keys = r.pick(keys, level)
	}
	r.join(level, keys)
	r.compress()
}

// pick returns one of each 2^level keys, all from the same place. It adds one of those that are
// left, which lie somewhere between, for all of them.
func (r *Ranks) pick(keys []uint64, level int) []uint64 {
	size, count := 1<<level, len(keys)>>level
	left := len(keys) - count<<level
	at := int(r.toss(keys[0]) % uint64(size))
	out := make([]uint64, 0, count)
	if left > 0 {
		gap := int(r.toss(keys[at])%uint64(count+1)) << level
		r.spread([]Run{{keys[gap+int(r.toss(keys[gap])%uint64(left))], uint64(left)}})
		for i := at; i < gap; i += size {
			out = append(out, keys[i])
		}
		keys = keys[gap+left:]
	}
	for i := at; i < len(keys); i += size {
		out = append(out, keys[i])
	}
	return out
}

// runsOf counts keys that are in order; nil if more than most are different ones.
func runsOf(keys []uint64, most int) (runs []Run) {
	different := 1
	for i := 1; i < len(keys); i++ {
		if keys[i] != keys[i-1] {
			if different++; different > most {
				return nil
			}
		}
	}
	runs = make([]Run, 0, different)
	for _, k := range keys {
		if n := len(runs); n > 0 && runs[n-1].Key == k {
			runs[n-1].Count++
		} else {
			runs = append(runs, Run{k, 1})
		}
	}
	return runs
}

// AddRuns adds keys that are in order, each as often as it says. It does not keep them.
func (r *Ranks) AddRuns(runs []Run) {
	if len(runs) == 0 {
		return
	}
	r.reach(runs[0].Key, runs[len(runs)-1].Key)
	if r.levels == nil {
		r.addFew(runs)
		if len(r.few) > r.mostFew() {
			r.pour()
		}
		return
	}
	r.spread(runs)
	r.compress()
}

// mostFew is how many different keys are counted.
func (r *Ranks) mostFew() int { return 2 * r.k }

// addFew counts keys.
func (r *Ranks) addFew(runs []Run) {
	var fresh []Run
	i, dense := 0, 8*len(runs) > len(r.few)
	for _, x := range runs {
		if dense {
			for i < len(r.few) && r.few[i].Key < x.Key {
				i++
			}
		} else {
			at, _ := slices.BinarySearchFunc(r.few[i:], x.Key, func(x Run, key uint64) int { return cmp.Compare(x.Key, key) })
			i += at
		}
		if i < len(r.few) && r.few[i].Key == x.Key {
			r.few[i].Count += x.Count
		} else {
			fresh = append(fresh, x)
		}
	}
	// From the end, in the memory that there is.
	n := len(r.few)
	if n+len(fresh) > cap(r.few) {
		r.few = append(make([]Run, 0, RoundUp(n+len(fresh))), r.few...)
	}
	r.few = r.few[:n+len(fresh)]
	for at := len(r.few) - 1; len(fresh) > 0; at-- {
		last := fresh[len(fresh)-1]
		if n > 0 && r.few[n-1].Key > last.Key {
			n--
			r.few[at] = r.few[n]
		} else {
			r.few[at], fresh = last, fresh[:len(fresh)-1]
		}
	}
}

// pour puts what was counted into levels.
func (r *Ranks) pour() {
	few := r.few
	r.few, r.levels = nil, make([][]uint64, 1)
	r.spread(few)
	r.compress()
}

// spread puts keys into the levels that make up their counts.
func (r *Ranks) spread(runs []Run) {
	most := uint64(0)
	for _, x := range runs {
		most |= x.Count
	}
	var keys []uint64
	for ; most != 0; most &= most - 1 {
		level := bits.TrailingZeros64(most)
		keys = keys[:0]
		for _, x := range runs {
			if x.Count>>level&1 != 0 {
				keys = append(keys, x.Key)
			}
		}
		r.join(level, keys)
	}
}

// reach says that there are keys from least to most.
func (r *Ranks) reach(least, most uint64) {
	if len(r.few)+r.items == 0 {
		r.least, r.most = least, most
	}
	r.least, r.most = min(r.least, least), max(r.most, most)
}

// capacity is how many items one of some levels of a KLL sketch has room for.
func capacity(k, levels, level int) int {
	return max(k>>(max(levels-1-level, 0)/2), 2)
}

// overfull returns the lowest level with more items than its capacity, and -1 if all levels together have room for all items.
func overfull[T any](levels [][]T, k, items int) int {
	room, large := 0, -1
	for i := range levels {
		c := capacity(k, len(levels), i)
		if room += c; large < 0 && len(levels[i]) > c {
			large = i
		}
	}
	if items <= room {
		return -1
	}
	return large
}

// join adds keys, which are in order, to a level.
func (r *Ranks) join(level int, keys []uint64) {
	if len(keys) == 0 {
		return
	}
	if len(r.levels) <= level {
		r.levels = append(make([][]uint64, 0, level+1), r.levels...)[:level+1]
	}
	r.items += len(keys)
	// From the end, in the memory that the level has: a new piece each time took a fifth of statistics.
	old := r.levels[level]
	i, j, n := len(old)-1, len(keys)-1, len(old)+len(keys)
	if n > cap(old) {
		old = append(make([]uint64, 0, n+n/8), old...)
	}
	out := old[:n]
	for at := len(out) - 1; j >= 0; at-- {
		if i >= 0 && out[i] > keys[j] {
			out[at] = out[i]
			i--
		} else {
			out[at] = keys[j]
			j--
		}
	}
	r.levels[level] = out
}

// compress makes levels smaller until all keys have room together.
func (r *Ranks) compress() {
	for level := overfull(r.levels, r.k, r.items); level >= 0; level = overfull(r.levels, r.k, r.items) {
		r.halve(level)
	}
}

// halve moves every second key of a level to the next one.
func (r *Ranks) halve(level int) {
	keys := r.levels[level]
	toss := r.toss(keys[0])
	memory, odd, stays := keys[:0], len(keys)%2 == 1, uint64(0)
	if last := len(keys) - 1; odd { // one stays, of either end
		stays = keys[last]
		if toss&2 == 0 {
			keys = keys[:last]
		} else {
			stays, keys = keys[0], keys[1:]
		}
	}
	half := keys[:0]
	for i := int(toss & 1); i < len(keys); i += 2 {
		half = append(half, keys[i])
	}
	r.items -= len(keys)
	r.join(level+1, half)
	if cap(memory) > 3*capacity(r.k, len(r.levels), level) { // it was a higher level, or got more than it has room for
		memory = nil
	}
	if r.levels[level] = memory; odd {
		r.levels[level] = append(memory, stays)
	}
}

// toss returns a number that depends on key and all tosses before.
func (r *Ranks) toss(key uint64) uint64 {
	const k0, k1 = 0x9e3779b97f4a7c15, 0xbf58476d1ce4e5b9
	r.coin = mix(r.coin+k0^key, k1)
	return r.coin >> 16
}

// Merge adds all that o has. It may keep memory of o, which must not be used any more.
func (r *Ranks) Merge(o *Ranks) {
	if len(o.few)+o.items == 0 {
		return
	}
	if o.levels == nil {
		r.AddRuns(o.few)
		return
	}
	if r.levels == nil {
		r.pour()
	}
	r.reach(o.least, o.most)
	for level, keys := range o.levels {
		r.join(level, keys)
	}
	r.coin ^= o.coin
	r.compress()
}

// Clone returns a copy, to which more can be added.
func (r *Ranks) Clone() *Ranks {
	out := *r
	out.few, out.levels = slices.Clone(r.few), nil
	if r.levels != nil {
		out.levels = make([][]uint64, len(r.levels))
		for i := range r.levels {
			out.levels[i] = slices.Clone(r.levels[i])
		}
	}
	return &out
}

// Ends returns the least and the largest key, if there is one.
func (r *Ranks) Ends() (least, most uint64, ok bool) { return r.least, r.most, len(r.few)+r.items > 0 }

// Runs returns what was added, in order: all of it, with the least and the largest key, where
// the others are near.
func (r *Ranks) Runs() []Run {
	if r.levels == nil {
		return slices.Clone(r.few)
	}
	all := make([]Run, 0, r.items+2)
	for level, keys := range r.levels {
		for _, k := range keys {
			all = append(all, Run{k, 1 << level})
		}
	}
	slices.SortFunc(all, func(a, b Run) int { return cmp.Compare(a.Key, b.Key) })
	if all[0].Key != r.least {
		all[0].Count--
		all = slices.Insert(all, 0, Run{r.least, 1})
	}
	if last := len(all) - 1; all[last].Key != r.most {
		all[last].Count--
		all = append(all, Run{r.most, 1})
	}
	out := all[:0]
	for _, x := range all {
		switch n := len(out); {
		case n > 0 && out[n-1].Key == x.Key:
			out[n-1].Count += x.Count
		case x.Count > 0:
			out = append(out, x)
		}
	}
	return out
}

// AppendState appends all that r holds.
func (r *Ranks) AppendState(b []byte) []byte {
	for _, v := range []uint64{r.least, r.most, r.coin, uint64(len(r.levels))} {
		b = AppendUint(b, v)
	}
	last := uint64(0)
	if r.levels == nil {
		b = AppendUint(b, uint64(len(r.few)))
		for _, x := range r.few {
			b = AppendUint(AppendUint(b, x.Key-last), x.Count)
			last = x.Key
		}
	}
	for _, keys := range r.levels {
		b, last = AppendUint(b, uint64(len(keys))), 0
		for _, k := range keys {
			b = AppendUint(b, k-last)
			last = k
		}
	}
	return b
}

// Ranks reads Ranks that NewRanks has returned for k.
func (d *Decoder) Ranks(k int) *Ranks {
	r := NewRanks(k)
	r.least, r.most, r.coin = d.Uint(), d.Uint(), d.Uint()
	levels := d.Count(1)
	if levels > 64 {
		d.Fail()
		return r
	}
	key := func(last uint64) uint64 {
		k := last + d.Uint()
		if k < last || k < r.least || k > r.most {
			d.Fail()
		}
		return k
	}
	if levels == 0 {
		n, last := d.Count(2), uint64(0)
		if n > r.mostFew() {
			d.Fail()
			return r
		}
		for i := range n {
			x := Run{key(last), d.Uint()}
			if i > 0 && x.Key == last || x.Count == 0 {
				d.Fail()
			}
			r.few, last = append(r.few, x), x.Key
		}
		return r
	}
	r.levels = make([][]uint64, levels)
	room := 0
	for level := range r.levels {
		room += capacity(r.k, len(r.levels), level)
		n, last := d.Count(1), uint64(0)
		for range n {
			last = key(last)
			r.levels[level] = append(r.levels[level], last)
		}
		r.items += n
	}
	if r.items > room || r.items < 2 {
		d.Fail()
	}
	return r
}
