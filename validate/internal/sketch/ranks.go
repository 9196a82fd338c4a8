// Package sketch has the mergeable parts of statistics: sums, quantiles and label counts.
//
// Each sketch has a bounded size. Quantiles and labels are exact for few distinct values, and report their errors. All
// sketches are deterministic: the same calls in the same order give the same state, and so does decoding an encoded state.
package sketch

import (
	"cmp"
	"math/bits"
	"slices"
)

// Ranks is a quantile sketch of integer keys. It is exact for few distinct keys. For more keys it is approximate, in memory
// that grows with the logarithm of the number of keys.
//
// It is the KLL sketch (Karnin, Lang and Liberty, Optimal Quantile Approximation in Streams, FOCS 2016): a key in
// level h has the weight 2^h. If all levels together exceed their capacity, the lowest level above its own capacity is compacted:
// the toss of a coin decides whether the first or the second key of each pair of neighbours moves to the next level, and
// the other key of each pair is dropped. The capacity of the highest level is k, and halves every two levels below. A sorted
// batch is sampled so that it fits into one level.
//
// The coin is a hash of the key and of all tosses before: the same calls give the same state.
type Ranks struct {
	k           int        // the size, as in NewRanks
	exact       []Run      // all distinct keys, sorted; used until levels is set
	levels      [][]uint64 // sorted keys of each level; nil: exact is used
	items       int        // number of keys in all levels
	least, most uint64     // smallest and largest key; undefined without keys
	coin        uint64     // state of the pseudorandom coin
}

// A Run is a key and its count.
type Run struct{ Key, Count uint64 }

// rankErrorTimesK is the maximum rank error times k, with a probability of 99.9 percent. TestRankError measures it.
const rankErrorTimesK = 1.6

// NewRanks returns empty Ranks. k is a power of two, at least 16: up to 2*k distinct keys are counted exactly; above, the
// rank error is 1.6/k.
func NewRanks(k int) *Ranks { return &Ranks{k: k} }

// RankError returns the maximum rank error as a fraction of all keys; 0 if ranks are exact. One rank in a thousand may
// exceed it.
func (r *Ranks) RankError() float64 {
	if r.levels == nil {
		return 0
	}
	return min(rankErrorTimesK/float64(r.k), 1)
}

// RoundUp returns the smallest power of two that is at least n, and 0 for 0.
func RoundUp(n int) int {
	if n == 0 {
		return 0
	}
	return 1 << bits.Len(uint(n-1))
}

// Add adds a key.
func (r *Ranks) Add(key uint64) {
	lo, hi := 0, len(r.exact)
	for lo < hi {
		if mid := int(uint(lo+hi) / 2); r.exact[mid].Key < key {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo < len(r.exact) && r.exact[lo].Key == key {
		r.exact[lo].Count++
		return
	}
	r.AddRuns([]Run{{key, 1}})
}

// AddSorted adds keys, which are sorted. It does not retain the slice.
func (r *Ranks) AddSorted(keys []uint64) {
	if len(keys) == 0 {
		return
	}
	if r.levels == nil {
		if runs := countRuns(keys, r.maxExactKeys()); runs != nil {
			r.AddRuns(runs)
			return
		}
		r.startLevels()
	}
	r.extendRange(keys[0], keys[len(keys)-1])
	level := 0
	for len(keys)>>level > levelCapacity(r.k, len(r.levels), level) {
		level++
	}
	if level > 0 {
		keys = r.pickSample(keys, level)
	}
	r.addToLevel(level, keys)
	r.compress()
}

// pickSample returns one key of each block of 2^level keys, at the same offset in every block. The keys that do not fill a
// block are a gap at a random position between blocks; one key of the gap is added to r with the weight of the gap.
func (r *Ranks) pickSample(keys []uint64, level int) []uint64 {
	size, count := 1<<level, len(keys)>>level
	left := len(keys) - count<<level
	at := int(r.tossCoin(keys[0]) % uint64(size))
	out := make([]uint64, 0, count)
	if left > 0 {
		gap := int(r.tossCoin(keys[at])%uint64(count+1)) << level
		r.addByCount([]Run{{keys[gap+int(r.tossCoin(keys[gap])%uint64(left))], uint64(left)}})
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

// countRuns counts sorted keys. It returns nil if there are more than most distinct keys.
func countRuns(keys []uint64, most int) (runs []Run) {
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

// AddRuns adds keys, which are sorted, with their counts. It does not retain the slice.
func (r *Ranks) AddRuns(runs []Run) {
	if len(runs) == 0 {
		return
	}
	r.extendRange(runs[0].Key, runs[len(runs)-1].Key)
	if r.levels == nil {
		r.addExact(runs)
		if len(r.exact) > r.maxExactKeys() {
			r.startLevels()
		}
		return
	}
	r.addByCount(runs)
	r.compress()
}

// maxExactKeys returns how many distinct keys are counted exactly.
func (r *Ranks) maxExactKeys() int { return 2 * r.k }

// addExact adds sorted keys to exact.
func (r *Ranks) addExact(runs []Run) {
	var fresh []Run
	i, dense := 0, 8*len(runs) > len(r.exact)
	for _, x := range runs {
		if dense {
			for i < len(r.exact) && r.exact[i].Key < x.Key {
				i++
			}
		} else {
			at, _ := slices.BinarySearchFunc(r.exact[i:], x.Key, func(x Run, key uint64) int { return cmp.Compare(x.Key, key) })
			i += at
		}
		if i < len(r.exact) && r.exact[i].Key == x.Key {
			r.exact[i].Count += x.Count
		} else {
			fresh = append(fresh, x)
		}
	}
	// Merge from the end, in place.
	n := len(r.exact)
	if n+len(fresh) > cap(r.exact) {
		r.exact = append(make([]Run, 0, RoundUp(n+len(fresh))), r.exact...)
	}
	r.exact = r.exact[:n+len(fresh)]
	for at := len(r.exact) - 1; len(fresh) > 0; at-- {
		last := fresh[len(fresh)-1]
		if n > 0 && r.exact[n-1].Key > last.Key {
			n--
			r.exact[at] = r.exact[n]
		} else {
			r.exact[at], fresh = last, fresh[:len(fresh)-1]
		}
	}
}

// startLevels moves the exact counts to levels.
func (r *Ranks) startLevels() {
	few := r.exact
	r.exact, r.levels = nil, make([][]uint64, 1)
	r.addByCount(few)
	r.compress()
}

// addByCount adds each key to one level for each set bit of its count: bit h is level h.
func (r *Ranks) addByCount(runs []Run) {
	used := uint64(0) // the bits of all counts
	for _, x := range runs {
		used |= x.Count
	}
	var keys []uint64
	for ; used != 0; used &= used - 1 {
		level := bits.TrailingZeros64(used)
		keys = keys[:0]
		for _, x := range runs {
			if x.Count>>level&1 != 0 {
				keys = append(keys, x.Key)
			}
		}
		r.addToLevel(level, keys)
	}
}

// extendRange updates the ends for new keys from least to most.
func (r *Ranks) extendRange(least, most uint64) {
	if len(r.exact)+r.items == 0 {
		r.least, r.most = least, most
	}
	r.least, r.most = min(r.least, least), max(r.most, most)
}

// levelCapacity returns the capacity of one level of a KLL sketch.
func levelCapacity(k, levels, level int) int {
	return max(k>>(max(levels-1-level, 0)/2), 2)
}

// overfullLevel returns the lowest level above its capacity, or -1 if all items fit into all levels together.
func overfullLevel[T any](levels [][]T, k, items int) int {
	total, large := 0, -1
	for i := range levels {
		c := levelCapacity(k, len(levels), i)
		if total += c; large < 0 && len(levels[i]) > c {
			large = i
		}
	}
	if items <= total {
		return -1
	}
	return large
}

// addToLevel adds sorted keys to a level.
func (r *Ranks) addToLevel(level int, keys []uint64) {
	if len(keys) == 0 {
		return
	}
	if len(r.levels) <= level {
		r.levels = append(make([][]uint64, 0, level+1), r.levels...)[:level+1]
	}
	r.items += len(keys)
	// Merge from the end, in place: new memory for each call took a fifth of the time of statistics.
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

// compress compacts levels until all keys fit.
func (r *Ranks) compress() {
	for level := overfullLevel(r.levels, r.k, r.items); level >= 0; level = overfullLevel(r.levels, r.k, r.items) {
		r.compactLevel(level)
	}
}

// compactLevel moves every second key of a level to the next level and drops the other keys.
func (r *Ranks) compactLevel(level int) {
	keys := r.levels[level]
	toss := r.tossCoin(keys[0])
	memory, odd, stays := keys[:0], len(keys)%2 == 1, uint64(0)
	if last := len(keys) - 1; odd { // the first or the last key stays
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
	r.addToLevel(level+1, half)
	if cap(memory) > 3*levelCapacity(r.k, len(r.levels), level) { // allocated for a higher level, or for a large batch
		memory = nil
	}
	if r.levels[level] = memory; odd {
		r.levels[level] = append(memory, stays)
	}
}

// tossCoin returns pseudorandom bits that depend on key and on all tosses before.
func (r *Ranks) tossCoin(key uint64) uint64 {
	const k0, k1 = 0x9e3779b97f4a7c15, 0xbf58476d1ce4e5b9
	r.coin = mixHash(r.coin+k0^key, k1)
	return r.coin >> 16
}

// Merge adds all keys of o. It may retain memory of o, which must not be used any more.
func (r *Ranks) Merge(o *Ranks) {
	if len(o.exact)+o.items == 0 {
		return
	}
	if o.levels == nil {
		r.AddRuns(o.exact)
		return
	}
	if r.levels == nil {
		r.startLevels()
	}
	r.extendRange(o.least, o.most)
	for level, keys := range o.levels {
		r.addToLevel(level, keys)
	}
	r.coin ^= o.coin
	r.compress()
}

// Clone returns an independent copy.
func (r *Ranks) Clone() *Ranks {
	out := *r
	out.exact, out.levels = slices.Clone(r.exact), nil
	if r.levels != nil {
		out.levels = make([][]uint64, len(r.levels))
		for i := range r.levels {
			out.levels[i] = slices.Clone(r.levels[i])
		}
	}
	return &out
}

// Ends returns the smallest and the largest key. ok is false without keys.
func (r *Ranks) Ends() (least, most uint64, ok bool) {
	return r.least, r.most, len(r.exact)+r.items > 0
}

// Runs returns the keys in ascending order: all keys if ranks are exact, else a sample that includes the smallest and the
// largest key.
func (r *Ranks) Runs() []Run {
	if r.levels == nil {
		return slices.Clone(r.exact)
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

// AppendState appends the encoding of r.
func (r *Ranks) AppendState(b []byte) []byte {
	for _, v := range []uint64{r.least, r.most, r.coin, uint64(len(r.levels))} {
		b = AppendUint(b, v)
	}
	last := uint64(0)
	if r.levels == nil {
		b = AppendUint(b, uint64(len(r.exact)))
		for _, x := range r.exact {
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

// Ranks decodes the state of a sketch that NewRanks returned for k.
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
		if n > r.maxExactKeys() {
			d.Fail()
			return r
		}
		for i := range n {
			x := Run{key(last), d.Uint()}
			if i > 0 && x.Key == last || x.Count == 0 {
				d.Fail()
			}
			r.exact, last = append(r.exact, x), x.Key
		}
		return r
	}
	r.levels = make([][]uint64, levels)
	limit := 0
	for level := range r.levels {
		limit += levelCapacity(r.k, len(r.levels), level)
		n, last := d.Count(1), uint64(0)
		for range n {
			last = key(last)
			r.levels[level] = append(r.levels[level], last)
		}
		r.items += n
	}
	if r.items > limit || r.items < 2 {
		d.Fail()
	}
	return r
}
