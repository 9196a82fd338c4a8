package numbers

import (
	"math"
	"math/bits"
	"slices"
	"sort"

	"github.com/tfparse/tfparse/validate/internal/sketch"
)

const (
	fewKeys    = 1 << 13 // that are sorted as they are
	mostKeys   = 1 << 19 // that are sorted together
	mostFound  = 1 << 22 // whose buckets are kept
	bucketBits = 13
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
	found  []uint16 // buckets of all numbers in blocks, if they were counted just now and are not too many
	memory [chunkSize]uint64
	out    sketch.Summary
}

// summary is what Numbers.Summary returns, of the store alone.
func (s *store) summary(parts int, below []float64, positive uint64) sketch.Summary {
	pages := s.counted()
	if len(s.blocks) == 0 {
		return s.entries(pages)
	}
	total := s.total(pages)
	f := &finder{store: s, pages: pages, total: total}
	least, most := s.ends(pages)
	// Buckets of equal width are for numbers near each other. Floats have keys that
	// suit all, and so have integers once they are floats.
	const exact = 1 << 53 // a float64 is every integer up to here
	if !s.float && (most-least >= 1<<32 || least < signBit-exact || most > signBit+exact) {
		f.float = true
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
	f.find(least, most, 0, total)
	return f.out
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

// orderedFloat maps numbers to integers of the same order.
func orderedFloat(v float64) uint64 {
	b := math.Float64bits(v)
	return b ^ (uint64(int64(b)>>63) | signBit)
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
		return math.Float64frombits(key ^ (uint64(int64(^key)>>63) | signBit))
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

// find adds to the Summary what is wanted of the n numbers from least to most, which
// so many come before.
func (f *finder) find(least, most, before, n uint64) {
	width := most - least
	size := min(max(bits.Len64(n)-4, 8), bucketBits)
	shift := max(0, bits.Len64(width)-size)
	if n <= fewKeys && shift > 0 {
		f.take(least, width, 64, []bool{true}, []uint64{before}, n)
		return
	}
	counts := make([]uint64, width>>shift+1)
	f.found = f.found[:0]
	all := n <= mostFound && before == 0 && n == f.total
	if all && cap(f.found) < int(n) {
		f.found = make([]uint16, 0, n)
	}
	f.scan(least, most, func(keys []uint64) {
		if all {
			found := f.found[len(f.found) : len(f.found)+len(keys)]
			for i, k := range keys {
				b := (k - least) >> shift
				counts[b]++
				found[i] = uint16(b)
			}
			f.found = f.found[:len(f.found)+len(keys)]
			return
		}
		for _, k := range keys {
			if k -= least; k <= width {
				counts[k>>shift]++
			}
		}
	})
	for _, c := range f.pages {
		if k := c.key - least; k <= width {
			counts[k>>shift] += c.count
		}
	}
	ranks := make([]uint64, len(counts)) // of the first number of each bucket
	sum := before
	for i, c := range counts {
		ranks[i] = sum
		sum += c
	}
	marks := f.wanted(least, width, shift, counts, ranks)
	var group []uint64
	grouped := uint64(0)
	flush := func() {
		if len(group) == 0 {
			return
		}
		in := make([]bool, len(counts))
		for _, i := range group {
			in[i] = true
		}
		f.take(least, width, shift, in, ranks, grouped)
		group, grouped = group[:0], 0
	}
	for i, c := range counts {
		switch {
		case !marks[i] || c == 0:
		case shift == 0:
			f.emit(run{least + uint64(i), ranks[i], c})
		case c > mostKeys:
			flush()
			from := least + uint64(i)<<shift
			f.find(from, min(from+1<<shift-1, most), ranks[i], c)
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
func (f *finder) wanted(least, width uint64, shift int, counts, ranks []uint64) []bool {
	marks := make([]bool, len(counts))
	at, _ := slices.BinarySearch(f.ranks, ranks[0])
	for i, c := range counts {
		for at < len(f.ranks) && f.ranks[at] < ranks[i]+c {
			marks[i] = true
			at++
		}
	}
	for _, e := range f.edges {
		if e -= least; e > width {
			continue
		}
		i := int(e >> shift)
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
func (f *finder) take(least, width uint64, shift int, in []bool, ranks []uint64, n uint64) {
	keys := make([]uint64, 0, n)
	if found := f.found; len(found) > 0 {
		for i := range f.blocks {
			b := &f.blocks[i]
			for k, bucket := range found[:b.count] {
				if in[bucket] {
					keys = append(keys, f.key(b.key(k)))
				}
			}
			found = found[b.count:]
		}
	} else {
		f.scan(least, least+width, func(found []uint64) {
			for _, k := range found {
				if d := k - least; d <= width && in[d>>shift] {
					keys = append(keys, k)
				}
			}
		})
	}
	sketch.SortKeys(keys)
	at := sort.Search(len(f.pages), func(i int) bool { return f.pages[i].key >= least })
	bucket, sum, begun := uint64(0), uint64(0), false
	var last run // that was not emitted
	rank, edge := 0, 0
	for len(keys) > 0 || at < len(f.pages) && f.pages[at].key-least <= width {
		k := uint64(math.MaxUint64)
		if len(keys) > 0 {
			k = keys[0]
		}
		counted := at < len(f.pages) && f.pages[at].key <= k
		if counted {
			k = f.pages[at].key
		}
		i := (k - least) >> shift
		if counted && !in[i] {
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

// emit adds a run to the Summary, if it has any numbers. It returns one without.
func (f *finder) emit(r run) run {
	if r.count > 0 {
		f.out = append(f.out, sketch.Entry{V: f.number(r.key), W: float64(r.count), Min: float64(r.before), Max: float64(r.before + r.count)})
	}
	return run{}
}
