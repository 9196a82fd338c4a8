package numbers

import (
	"math"
	"math/bits"
	"slices"
	"sort"

	"github.com/tfparse/tfparse/validate/internal/sketch"
)

// summary is what Numbers.Summary returns.
func (s *store) summary(parts int, below []float64, positive uint64) sketch.Summary {
	total := s.total()
	switch {
	case total == 0:
		return nil
	case s.count <= sortedKeys:
		memory := scratches.Get().(*scratch)
		defer scratches.Put(memory)
		return s.summaryOf(s.sorted(memory))
	}
	f := newFinder(s, false)
	near := func(rank float64) {
		for d := -1.0; d <= 1; d++ {
			f.ranks = append(f.ranks, uint64(max(0, min(rank+d, float64(total-1)))))
		}
	}
	for k := range parts + 1 {
		near(math.Floor(float64(k) * float64(total) / float64(parts)))
	}
	near(float64(total / 2))
	near(float64(total - positive))
	for _, v := range below {
		f.edges = append(f.edges, f.firstPlace(func(x float64) bool { return x >= v }), f.firstPlace(func(x float64) bool { return x > v }))
	}
	found := f.findAll()
	out := make(sketch.Summary, len(found))
	for i, r := range found {
		out[i] = sketch.Entry{V: f.value(r.key), W: float64(r.count), Min: float64(r.before), Max: float64(r.before + r.count)}
	}
	return out
}

// sorted returns all numbers in order. A scratch must have room for those in chunks.
func (s *store) sorted(memory *scratch) []sketch.Run {
	keys := memory[:0]
	chunk := scratches.Get().(*scratch)
	defer scratches.Put(chunk)
	for i := range s.chunks {
		keys = append(keys, s.chunks[i].keys(chunk)...)
	}
	sketch.SortKeys(keys)
	return sketch.MergeRuns(s.few, sketch.RunsOf(keys, len(keys)))
}

// summaryOf is the Summary of all numbers, which are given in order.
func (s *store) summaryOf(runs []sketch.Run) sketch.Summary {
	out := make(sketch.Summary, 0, len(runs))
	sum := 0.0
	for _, r := range runs {
		v, w := s.value(r.Key), float64(r.Count)
		if k := len(out); k > 0 && out[k-1].V == v { // integers that are the same float64
			out[k-1].W += w
			out[k-1].Max += w
		} else {
			out = append(out, sketch.Entry{V: v, W: w, Min: sum, Max: sum + w})
		}
		sum += w
	}
	return out
}

// integers returns the integers at the given ranks when all are sorted; nil if there
// are not as many.
func (s *store) integers(ranks []uint64) []int64 {
	f := newFinder(s, true)
	f.ranks = slices.Clone(ranks)
	found := f.findAll()
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

// A finder finds the numbers of some ranks, and those next to some values. It counts all
// in buckets, which are equal parts of the places that keys have, and sorts what is in those
// buckets where something is wanted. A bucket with too much in it is divided again.
//
// The place of a key is the key. If there are integers that no float64 is, it is that of the
// nearest float64: then numbers that are the same there are in one bucket, and as many
// buckets lie between 1 and 2 as between 2^62 and 2^63, which suits integers of all sizes.
type finder struct {
	*store
	exact   bool     // integers that are the same float64 are different numbers
	rounded bool     // places are those of float64
	ranks   []uint64 // of the numbers that are wanted: how many come before
	edges   []uint64 // places before which the last number is wanted
	found   []found
	keys    []uint64 // memory of take
}

// A found is a number, and how often it is there.
type found struct{ key, before, count uint64 }

const (
	sortedKeys = 1 << 10 // all are sorted, as most features have no more where there are thousands
	fewKeys    = 1 << 13 // that are sorted and not divided
	mostKeys   = 1 << 19 // that are sorted together, and a sixteenth of all
)

func newFinder(s *store, exact bool) *finder {
	const whole = 1 << 53 // a float64 is every integer up to here
	least, most := s.ends()
	return &finder{store: s, exact: exact, rounded: !s.float && (least < signBit-whole || most > signBit+whole)}
}

// ends are the least and the largest key; there is one.
func (s *store) ends() (least, most uint64) {
	least = math.MaxUint64
	for i := range s.chunks {
		least, most = min(least, s.chunks[i].least), max(most, s.chunks[i].most)
	}
	if n := len(s.few); n > 0 {
		least, most = min(least, s.few[0].Key), max(most, s.few[n-1].Key)
	}
	return least, most
}

// place returns the place of a key.
func (f *finder) place(key uint64) uint64 {
	if f.rounded {
		return rounded(key)
	}
	return key
}

// rounded is the place of the float64 that is next to an integer: its bits, changed so that
// they are of the order of the numbers.
func rounded(key uint64) uint64 {
	b := math.Float64bits(float64(int64(key ^ signBit)))
	return b ^ (uint64(int64(b)>>63) | signBit)
}

// firstPlace returns the least place of a number with some property, which all larger numbers
// have; the largest place if none has it.
func (f *finder) firstPlace(has func(v float64) bool) uint64 {
	lo, hi := uint64(0), uint64(math.MaxUint64)
	if f.float {
		lo, hi = keyNegative, keyPositive+1
	}
	for lo < hi {
		if mid := lo + (hi-lo)/2; has(f.value(mid)) {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return f.place(lo)
}

// findAll finds all that is wanted, in order.
func (f *finder) findAll() []found {
	slices.Sort(f.ranks)
	f.ranks = slices.Compact(f.ranks)
	slices.Sort(f.edges)
	least, most := f.ends()
	f.find(f.place(least), f.place(most), f.few, 0, f.total())
	return f.found
}

// find finds what is wanted of the n keys with places from least to most, of which few are
// those that are counted. below come before them.
func (f *finder) find(least, most uint64, few []sketch.Run, before, n uint64) {
	shift := 63 // all in one bucket, or two
	if n > fewKeys {
		shift = max(0, bits.Len64(most-least)-min(bits.Len64(n)-4, 16))
	}
	d := division{finder: f, least: least, width: most - least, shift: shift, few: few}
	d.ranks = make([]uint64, d.width>>shift+2)
	counts := d.ranks[1:]
	d.count(counts)
	for i := range d.ranks {
		before += d.ranks[i]
		d.ranks[i] = before
	}
	d.marks = make([]bool, len(counts))
	together, limit := uint64(0), mostKeys+f.total()/16
	for _, i := range d.wanted() {
		switch c := d.ranks[i+1] - d.ranks[i]; {
		case c == 0:
		case shift == 0 && !f.rounded: // all that is in it is one number
			f.found = append(f.found, found{least + uint64(i), d.ranks[i], c})
		case c > limit && shift > 0:
			d.take()
			together = 0
			from := least + uint64(i)<<shift
			to := min(from+1<<shift-1, most)
			f.find(from, to, d.between(from, to), d.ranks[i], c)
		default:
			if together+c > limit {
				d.take()
				together = 0
			}
			d.marks[i] = true
			together += c
		}
	}
	d.take()
}

// A division is buckets of places from least to least+width.
type division struct {
	*finder
	least, width uint64
	shift        int
	few          []sketch.Run // the keys that are counted
	ranks        []uint64     // of the first key of each bucket, and of what is behind the last
	marks        []bool       // buckets to look into
}

// of returns the bucket of a key.
func (d *division) of(key uint64) int { return int((d.place(key) - d.least) >> d.shift) }

// between returns those of few with places from least to most.
func (d *division) between(least, most uint64) []sketch.Run {
	lo := sort.Search(len(d.few), func(i int) bool { return d.place(d.few[i].Key) >= least })
	hi := sort.Search(len(d.few), func(i int) bool { return d.place(d.few[i].Key) > most })
	return d.few[lo:hi]
}

// outside reports whether no key of a chunk is in a bucket.
func (d *division) outside(c *chunk) bool {
	return d.place(c.most) < d.least || d.place(c.least) > d.least+d.width
}

// count counts keys in buckets.
func (d *division) count(counts []uint64) {
	least, width, shift, rounds := d.least, d.width, d.shift, d.rounded
	var s scratch
	for i := range d.chunks {
		if d.outside(&d.chunks[i]) {
			continue
		}
		for _, k := range d.chunks[i].keys(&s) {
			if rounds {
				k = rounded(k)
			}
			if at := k - least; at <= width {
				counts[at>>(shift&63)]++
			}
		}
	}
	for _, r := range d.few {
		counts[d.of(r.Key)] += r.Count
	}
}

// wanted returns the buckets with something wanted in them, in order.
func (d *division) wanted() (buckets []int) {
	f := d.finder
	ranks := d.ranks
	at, _ := slices.BinarySearch(f.ranks, ranks[0])
	for i := range len(ranks) - 1 {
		if at < len(f.ranks) && f.ranks[at] < ranks[i+1] {
			buckets = append(buckets, i)
		}
		for at < len(f.ranks) && f.ranks[at] < ranks[i+1] {
			at++
		}
	}
	for _, e := range f.edges { // the last number before it is in its bucket or in the last one before that has any
		if e <= d.least {
			continue
		}
		i := int(min(e-1-d.least, d.width) >> d.shift)
		buckets = append(buckets, i)
		for i--; i >= 0; i-- {
			if ranks[i] < ranks[i+1] {
				buckets = append(buckets, i)
				break
			}
		}
	}
	slices.Sort(buckets)
	return slices.Compact(buckets)
}

// take finds what is wanted in the buckets that are marked, and takes the marks away.
func (d *division) take() {
	if !slices.Contains(d.marks, true) {
		return
	}
	f := d.finder
	keys := f.keys[:0]
	least, width, shift, rounds, marks := d.least, d.width, d.shift, d.rounded, d.marks
	var s scratch
	for i := range d.chunks {
		if d.outside(&d.chunks[i]) {
			continue
		}
		for _, k := range d.chunks[i].keys(&s) {
			at := k - least
			if rounds {
				at = rounded(k) - least
			}
			if at <= width && marks[at>>(shift&63)] {
				keys = append(keys, k)
			}
		}
	}
	f.keys = keys
	sketch.SortKeys(f.keys)
	runs := slices.DeleteFunc(slices.Clone(d.few), func(r sketch.Run) bool { return !d.marks[d.of(r.Key)] })
	if len(f.keys) > 0 {
		runs = sketch.MergeRuns(runs, sketch.RunsOf(f.keys, len(f.keys)))
	}
	bucket, before := -1, uint64(0)
	for len(runs) > 0 {
		r := runs[0]
		place := d.place(r.Key)
		runs = runs[1:]
		for len(runs) > 0 && !d.exact && d.place(runs[0].Key) == place {
			r.Count += runs[0].Count
			runs = runs[1:]
		}
		if b := d.of(r.Key); b != bucket {
			bucket, before = b, d.ranks[b]
		}
		k, _ := slices.BinarySearch(f.ranks, before)
		e, _ := slices.BinarySearch(f.edges, place+1)
		if k < len(f.ranks) && f.ranks[k] < before+r.Count || e < len(f.edges) && (len(runs) == 0 || d.place(runs[0].Key) >= f.edges[e]) {
			f.found = append(f.found, found{r.Key, before, r.Count})
		}
		before += r.Count
	}
	clear(d.marks)
}
