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

// LeastRanks is the least k.
const LeastRanks = 16

// rankError is k times what a rank is off by at most, as a part of all keys, with a
// probability of 99.9 percent. TestRankError measures it.
const rankError = 1.6

// RanksFor returns the k from which on a rank is off by at most a part off of all keys: a power
// of two.
func RanksFor(off float64) int {
	k := LeastRanks
	for rankError > off*float64(k) {
		k *= 2
	}
	return k
}

// NewRanks returns empty Ranks. k is a power of two, not less than LeastRanks.
func NewRanks(k int) *Ranks { return &Ranks{k: k} }

// K is the size: the k of NewRanks, and after each Coarsen half of it.
func (r *Ranks) K() int { return r.k }

// RankError is by how much a rank may be off, as a part of all keys; in one of a thousand
// questions it is more. It is 0 while nothing was lost.
func (r *Ranks) RankError() float64 {
	if r.levels == nil {
		return 0
	}
	return min(rankError/float64(r.k), 1)
}

// Bytes is about how much memory it takes.
func (r *Ranks) Bytes() int { return 128 + 16*RoundUp(len(r.few)) + 8*r.items + 24*len(r.levels) }

// RoundUp returns the next power of two, and 0 for 0.
func RoundUp(n int) int {
	if n == 0 {
		return 0
	}
	return 1 << bits.Len(uint(n-1))
}

// MinimumOfRanks is an upper bound on Bytes when Coarsen can do no more, for up to 2^32
// keys.
func MinimumOfRanks() int {
	const levels = 28
	return 128 + 8*(4*LeastRanks+2*levels) + 24*levels
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
		if runs := RunsOf(keys, r.mostFew()); runs != nil {
			r.AddRuns(runs)
			return
		}
		r.pour()
	}
	r.reach(keys[0], keys[len(keys)-1])
	level := 0
	for len(keys)>>level > r.capacity(level) {
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

// RunsOf counts keys that are in order; nil if more than most are different ones.
func RunsOf(keys []uint64, most int) (runs []Run) {
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
	fresh, i := 0, 0
	for _, x := range runs {
		var found bool
		if i, found = r.find(x.Key, i); !found {
			fresh++
		}
	}
	if fresh == 0 {
		i = 0
		for _, x := range runs {
			i, _ = r.find(x.Key, i)
			r.few[i].Count += x.Count
		}
		return
	}
	r.few = appendRuns(make([]Run, 0, RoundUp(len(r.few)+fresh)), r.few, runs)
}

// find returns where a key is, or would be, among the few from i on.
func (r *Ranks) find(key uint64, i int) (int, bool) {
	at, found := slices.BinarySearchFunc(r.few[i:], key, func(x Run, key uint64) int { return cmp.Compare(x.Key, key) })
	return i + at, found
}

// MergeRuns returns a new list of the runs of both, which are in order, as it is.
func MergeRuns(a, b []Run) []Run { return appendRuns(make([]Run, 0, len(a)+len(b)), a, b) }

func appendRuns(out, a, b []Run) []Run {
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0].Key < b[0].Key:
			out, a = append(out, a[0]), a[1:]
		case a[0].Key > b[0].Key:
			out, b = append(out, b[0]), b[1:]
		default:
			out = append(out, Run{a[0].Key, a[0].Count + b[0].Count})
			a, b = a[1:], b[1:]
		}
	}
	return append(append(out, a...), b...)
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

// capacity is how many keys a level has room for.
func (r *Ranks) capacity(level int) int {
	return max(r.k>>(max(len(r.levels)-1-level, 0)/2), 2)
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
	old := r.levels[level]
	out := make([]uint64, 0, len(old)+len(keys))
	for len(old) > 0 && len(keys) > 0 {
		if old[0] <= keys[0] {
			out, old = append(out, old[0]), old[1:]
		} else {
			out, keys = append(out, keys[0]), keys[1:]
		}
	}
	r.levels[level] = append(append(out, old...), keys...)
}

// compress makes levels smaller until all keys have room together.
func (r *Ranks) compress() {
	for {
		room, large := 0, -1
		for i := range r.levels {
			c := r.capacity(i)
			if room += c; large < 0 && len(r.levels[i]) > c {
				large = i
			}
		}
		if r.items <= room {
			return
		}
		r.halve(large)
	}
}

// halve moves every second key of a level to the next one.
func (r *Ranks) halve(level int) {
	keys := r.levels[level]
	toss := r.toss(keys[0])
	r.levels[level] = nil
	if last := len(keys) - 1; last%2 == 0 { // one stays, of either end
		stays := keys[last]
		if toss&2 == 0 {
			keys = keys[:last]
		} else {
			stays, keys = keys[0], keys[1:]
		}
		r.levels[level] = []uint64{stays}
	}
	half := keys[:0]
	for i := int(toss & 1); i < len(keys); i += 2 {
		half = append(half, keys[i])
	}
	r.items -= len(keys)
	r.join(level+1, half)
}

// toss returns a number that depends on key and all tosses before.
func (r *Ranks) toss(key uint64) uint64 {
	const k0, k1 = 0x9e3779b97f4a7c15, 0xbf58476d1ce4e5b9
	r.coin = mix(r.coin+k0^key, k1)
	return r.coin >> 16
}

// Merge adds all that o has. It may keep memory of o, which must not be used any more.
func (r *Ranks) Merge(o *Ranks) {
	for r.k > o.k && r.Coarsen() {
	}
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

// Coarsen halves k, and doubles the error. It reports whether that is possible.
func (r *Ranks) Coarsen() bool {
	if r.k < 2*LeastRanks {
		return false
	}
	r.k /= 2
	if r.levels != nil {
		r.compress()
	} else if len(r.few) > r.mostFew() {
		r.pour()
	}
	return true
}

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
	for _, v := range []uint64{uint64(r.k), r.least, r.most, r.coin, uint64(len(r.levels))} {
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
	is := d.Uint()
	for r.k > LeastRanks && uint64(r.k) > is {
		r.k /= 2
	}
	r.least, r.most, r.coin = d.Uint(), d.Uint(), d.Uint()
	levels := d.Count(1)
	if uint64(r.k) != is || levels > 64 {
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
		room += r.capacity(level)
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
