package numbers

import (
	"cmp"
	"math"
	"slices"
	"sort"
	"sync"

	"github.com/tfparse/tfparse/validate/internal/sketch"
)

const (
	fewKeys  = 1 << 13 // that are sorted as they are
	mostKeys = 1 << 19 // that are sorted together
)

// A finder makes a Summary of those numbers of a store that are asked for. It counts
// keys in buckets, looks only into buckets with something that is wanted, and where
// one is too large counts again in it.
type finder struct {
	*store
	float  bool // keys are those of the numbers as float64
	pages  []counted
	ranks  []uint64 // of wanted numbers: how many come before; ascending
	edges  []uint64 // keys before which the last number is wanted; ascending
	total  uint64
	found  []uint16 // buckets of all numbers in blocks, if they are not too many
	memory [chunkSize]uint64
	bucket [chunkSize]uint16
	out    []run
}

// finders are done: what they have found in is used again.
var finders = sync.Pool{New: func() any { return &finder{} }}

// summary is what Numbers.Summary returns, of the store alone.
func (s *store) summary(parts int, below []float64, positive uint64) sketch.Summary {
	pages := s.counted()
	if len(s.blocks) == 0 {
		return s.entries(pages)
	}
	total := s.total(pages)
	f := finders.Get().(*finder)
	defer func() {
		*f = finder{found: f.found}
		finders.Put(f)
	}()
	f.store, f.pages, f.total = s, pages, total
	least, most := s.ends(pages)
	d := f.divide(least, most)
	if f.float {
		least, most = orderedInt(least), orderedInt(most)
		f.pages = slices.Clone(pages)
		for i := range f.pages {
			f.pages[i].key = orderedInt(f.pages[i].key)
		}
	}
	add := func(rank float64) {
		for d := -1.0; d <= 1; d++ {
			f.ranks = append(f.ranks, uint64(max(0, min(rank+d, float64(total-1)))))
		}
	}
	for k := range parts + 1 {
		add(math.Floor(float64(k) * float64(total) / float64(parts)))
	}
	add(float64(total / 2))
	add(float64(total - positive))
	slices.Sort(f.ranks)
	f.ranks = slices.Compact(f.ranks)
	for _, v := range below {
		f.edges = append(f.edges, min(max(f.edge(v), least), most))
	}
	slices.Sort(f.edges)
	f.findAll(d)
	out := make(sketch.Summary, 0, len(f.out))
	for _, r := range f.sorted() {
		out = append(out, sketch.Entry{V: f.number(r.key), W: float64(r.count), Min: float64(r.before), Max: float64(r.before + r.count)})
	}
	return out
}

// sorted returns what was found, in order.
func (f *finder) sorted() []run {
	slices.SortFunc(f.out, func(a, b run) int { return cmp.Compare(a.before, b.before) })
	return f.out
}

// at returns the integers that so many come before when all are sorted; nil if there are
// not as many.
func (s *store) at(ranks []uint64) []int64 {
	pages := s.counted()
	f := finders.Get().(*finder)
	defer func() {
		*f = finder{found: f.found}
		finders.Put(f)
	}()
	f.store, f.pages, f.total = s, pages, s.total(pages)
	f.ranks = slices.Compact(slices.Sorted(slices.Values(ranks)))
	least, most := s.ends(pages)
	d := newDivision(least, most, f.total)
	d.all = true
	f.findAll(d)
	found := f.sorted()
	out := make([]int64, len(ranks))
	for i, rank := range ranks {
		k := sort.Search(len(found), func(k int) bool { return found[k].before > rank }) - 1
		if k < 0 || rank-found[k].before >= found[k].count {
			return nil
		}
		out[i] = int64(found[k].key ^ signBit)
	}
	return out
}

// edge is a key near v: there is none between it and v.
func (f *finder) edge(v float64) uint64 {
	switch {
	case f.float:
		return orderedFloat(v)
	case f.store.float:
		return uint64(keyOf(float32(v)))
	case v >= 1<<62:
		return math.MaxUint64
	case v <= -1<<62:
		return 0
	}
	return uint64(int64(math.Floor(v))) ^ signBit
}

// orderedZero is how far the integers of orderedFloat are below the bits of positive
// numbers.
const orderedZero = 0x3fe << 52

// orderedFloat maps numbers to integers of the same order. All between -0.5 and 0.5 are 0
// there: between two integers there need not be room for other numbers.
func orderedFloat(v float64) uint64 {
	b := math.Float64bits(v)
	sign := int64(b) >> 63
	k := max(int64(b&^signBit)-orderedZero, 0)
	return uint64((k^sign)-sign) ^ signBit
}

// fromOrdered returns the number of an integer.
func fromOrdered(key uint64) float64 {
	k := int64(key ^ signBit)
	if k == 0 {
		return 0
	}
	sign := k >> 63
	return math.Float64frombits(uint64((k^sign)-sign+orderedZero) | uint64(sign)&signBit)
}

// orderedInt is orderedFloat for the key of an integer.
func orderedInt(key uint64) uint64 { return orderedFloat(float64(int64(key ^ signBit))) }

// key is what the finder has for the key of a number.
func (f *finder) key(k uint64) uint64 {
	if f.float {
		return orderedInt(k)
	}
	return k
}

// number is the number of a key.
func (f *finder) number(key uint64) float64 {
	if f.float {
		return fromOrdered(key)
	}
	return f.value(key)
}

// scan calls see for the keys of every block that has some from least to most.
func (f *finder) scan(least, most uint64, see func(keys []uint64)) {
	for i := range f.blocks {
		b := &f.blocks[i]
		lo, hi := b.least, b.most
		if f.float {
			lo, hi = orderedInt(lo), orderedInt(hi)
		}
		if hi < least || lo > most {
			continue
		}
		keys := b.keys(&f.memory)
		if f.float {
			for k, key := range keys {
				keys[k] = orderedInt(key)
			}
		}
		see(keys)
	}
}

// findAll adds to the Summary what is wanted of all numbers.
func (f *finder) findAll(d division) {
	if f.total <= fewKeys && d.shift > 0 {
		f.take(d.whole(), []uint8{1}, []uint64{0}, f.total)
		return
	}
	counts := f.countAll(&d)
	if d.linear && slices.Max(counts) > mostKeys {
		d.linear = false // one bucket has to be divided again
		counts = f.countAll(&d)
	}
	f.look(d, counts, 0)
}

// find adds to the Summary what is wanted of the n numbers from least to most, which
// so many come before.
func (f *finder) find(least, most, before, n uint64) {
	d := newDivision(least, most, n)
	if n <= fewKeys && d.shift > 0 {
		f.take(d.whole(), []uint8{1}, []uint64{before}, n)
		return
	}
	f.found = f.found[:0]
	counts := make([]uint64, d.buckets())
	f.scan(least, most, func(keys []uint64) {
		for _, k := range keys {
			if k -= least; k <= d.width {
				counts[k>>d.shift]++
			}
		}
	})
	f.countPages(&d, counts)
	f.look(d, counts, before)
}

// countPages adds what is in pages to the counts of buckets.
func (f *finder) countPages(d *division, counts []uint64) {
	for _, c := range f.pages {
		if c.key-d.least <= d.width {
			counts[d.of(c.key)] += c.count
		}
	}
}

// look looks into the buckets with something that is wanted. Numbers so many come before
// are in none of them.
func (f *finder) look(d division, counts []uint64, before uint64) {
	ranks := make([]uint64, len(counts)) // of the first number of each bucket
	for i, c := range counts {
		ranks[i] = before
		before += c
	}
	marks := f.wanted(&d, counts, ranks)
	var group []uint64
	grouped := uint64(0)
	flush := func() {
		if len(group) == 0 {
			return
		}
		in := make([]uint8, len(counts))
		for _, i := range group {
			in[i] = 1
		}
		f.take(d, in, ranks, grouped)
		group, grouped = group[:0], 0
	}
	var only uint64
	for i, c := range counts {
		switch {
		case !marks[i] || c == 0:
		case d.shift == 0:
			f.emit(run{d.least + uint64(i), ranks[i], c})
		case f.float && d.one(i, &only):
			f.emit(run{only, ranks[i], c})
		case c > mostKeys:
			flush()
			from := d.least + uint64(i)<<d.shift
			f.find(from, min(from+1<<d.shift-1, d.least+d.width), ranks[i], c)
		default:
			if grouped+c > mostKeys {
				flush()
			}
			group = append(group, uint64(i))
			grouped += c
		}
	}
	flush()
}

// wanted marks the buckets that have something wanted in them.
func (f *finder) wanted(d *division, counts, ranks []uint64) []bool {
	marks := make([]bool, len(counts))
	at, _ := slices.BinarySearch(f.ranks, ranks[0])
	for i, c := range counts {
		for at < len(f.ranks) && f.ranks[at] < ranks[i]+c {
			marks[i] = true
			at++
		}
	}
	for _, e := range f.edges {
		if e-d.least > d.width {
			continue
		}
		i := d.of(e)
		marks[i] = true
		for i--; i >= 0; i-- {
			if counts[i] > 0 {
				marks[i] = true
				break
			}
		}
	}
	return marks
}

// take adds the n numbers of those buckets that are in to the Summary. Ranks says how
// many come before each bucket.
func (f *finder) take(d division, in []uint8, ranks []uint64, n uint64) {
	keys := f.collect(&d, in, make([]uint64, 0, n))
	sketch.SortKeys(keys)
	at := sort.Search(len(f.pages), func(i int) bool { return f.pages[i].key >= d.least })
	bucket, sum, begun := 0, uint64(0), false
	var last run // that was not emitted
	rank, edge := 0, 0
	for len(keys) > 0 || at < len(f.pages) && f.pages[at].key-d.least <= d.width {
		k := uint64(math.MaxUint64)
		if len(keys) > 0 {
			k = keys[0]
		}
		counted := at < len(f.pages) && f.pages[at].key <= k
		if counted {
			k = f.pages[at].key
		}
		i := d.of(k)
		if counted && in[i] == 0 {
			at++
			continue
		}
		if i != bucket || !begun {
			last = f.emit(last) // something in front of the next bucket may be wanted
			bucket, begun = i, true
			sum = max(sum, ranks[i])
			rank, _ = slices.BinarySearch(f.ranks, sum)
		}
		r := run{key: k, before: sum}
		for ; at < len(f.pages) && f.pages[at].key == k; at++ {
			r.count += f.pages[at].count
		}
		n := 0
		for n < len(keys) && keys[n] == k {
			n++
		}
		keys = keys[n:]
		r.count += uint64(n)
		sum += r.count
		wanted := rank < len(f.ranks) && f.ranks[rank] < sum
		for rank < len(f.ranks) && f.ranks[rank] < sum {
			rank++
		}
		if edge < len(f.edges) && f.edges[edge] <= k {
			f.emit(last)
			wanted = true
			for edge < len(f.edges) && f.edges[edge] <= k {
				edge++
			}
		}
		last = r
		if wanted {
			last = f.emit(r)
		}
	}
	f.emit(last)
}

// A run is a number and how often it is there.
type run struct{ key, before, count uint64 }

// emit adds a run to what was found, if it has any numbers. It returns one without.
func (f *finder) emit(r run) run {
	if r.count > 0 {
		f.out = append(f.out, r)
	}
	return run{}
}
