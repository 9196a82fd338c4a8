package sketch

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
)

// A Label is a value and how often it was there, or what it weighs.
type Label struct {
	Key   string
	Count float64
}

// Labels counts the different values of a feature: exactly, while they are at most 65,536 and their text at most 4 MiB. From then on it
// keeps the most frequent ones and hashes for the number of different ones.
//
// No count is less than the truth, nor above it by more than Lost, which is at most
// the total over 1,024 (Misra and Gries), or over as many labels as
// the text has room for where they are long. Labels of half a MiB and more
// are not kept then, however frequent they are. Of the distinct hashes the smallest 16,384 are
// kept; above their number the standard error is one over its square root, 0.8 percent.
type Labels struct {
	table table
	shown int     // counters at least
	lossy bool    // not all is counted any more
	lost  float64 // what a label may have had more
	omits bool    // some were too long to be kept
	least distinct
}

const (
	mostExact    = 65536   // different labels that are counted
	mostText     = 4 << 20 // bytes of labels
	mostCounters = 1024    // kept at least, and at most twice as many, of more labels
	mostHashes   = 16384
	mostLength   = mostText / 8 // of a label that is kept then
)

// counters is how many labels are kept at least, and at most twice as many.
func (l *Labels) counters() int { return max(mostCounters, l.shown) }

// full reports whether there is more than is counted exactly.
func (l *Labels) full() bool { return l.table.n > mostExact || l.table.text > mostText }

// long reports whether a label is not kept because of its length.
func (l *Labels) long(key []byte) bool { return len(key) > mostLength }

// NewLabels returns an empty Labels that shows the n most frequent ones, if there is
// memory for as many.
func NewLabels(shown int) *Labels { return &Labels{shown: max(shown, 1)} }

// Add counts key, n times or with the weight n. It copies key if it is new.
func (l *Labels) Add(key []byte, n float64) {
	if l.lossy && l.long(key) {
		l.omit(key)
		return
	}
	item, fresh := l.table.at(key)
	item.count += n
	if fresh {
		l.met(key)
	}
}

// omit counts a key that is too long among the different ones.
func (l *Labels) omit(key []byte) {
	l.least.add(Hash(key), mostHashes)
	l.omits = true
}

// met counts a key that is new.
func (l *Labels) met(key []byte) {
	switch {
	case l.lossy:
		l.least.add(Hash(key), mostHashes)
		if l.table.n > 2*l.counters() || l.table.text > mostText {
			l.reduce()
		}
	case l.full():
		l.lose()
	}
}

// lose gives up exactness.
func (l *Labels) lose() {
	l.lossy = true
	for item := range l.table.all() {
		l.least.add(Hash(l.table.key(item)), mostHashes)
	}
	l.reduce()
}

// Merge adds all that o has counted.
func (l *Labels) Merge(o *Labels) {
	if o.lossy && !l.lossy {
		l.lose()
	}
	if l.table.n == 0 && !l.lossy {
		l.table, o.table = o.table, table{}
	} else {
		for item := range o.table.all() {
			key := o.table.key(item)
			if l.lossy && l.long(key) {
				l.omit(key)
				continue
			}
			to, fresh := l.table.long(key, item.hash)
			to.count += item.count
			if fresh {
				l.met(key)
			}
		}
	}
	l.lost += o.lost
	l.omits = l.omits || o.omits
	if o.lossy {
		l.least.merge(&o.least, mostHashes)
	}
}

// Reset makes l empty after it was merged. It keeps memory, if it is little.
func (l *Labels) Reset() {
	t := l.table
	if *l = (Labels{shown: l.shown}); len(t.slots) == 0 || len(t.slots) > mostSpare {
		return
	}
	clear(t.slots)
	l.table.slots, l.table.items = t.slots, append(t.items[:0], t.items[0][:0])
}

const mostSpare = 256 // slots of an empty table

// reduce keeps at most as many labels as there are counters, and have room: it takes
// the count of the next one from all.
func (l *Labels) reduce() {
	for again := true; again; again = l.table.text > mostText {
		var counts []float64
		text := 0
		for item := range l.table.all() {
			if key := l.table.key(item); !l.long(key) {
				text += len(key)
				counts = append(counts, item.count)
			}
		}
		keep := l.counters()
		if text > mostText {
			keep = min(keep, len(counts)/2)
		}
		if len(counts) <= keep && len(counts) == l.table.n {
			return
		}
		l.omits = l.omits || len(counts) < l.table.n
		cut, all := 0.0, len(counts) <= keep
		if !all {
			slices.SortFunc(counts, func(a, b float64) int { return cmp.Compare(b, a) })
			cut = counts[keep]
		}
		old := l.table
		l.table = table{}
		for item := range old.all() {
			if key := old.key(item); !l.long(key) && (all || item.count > cut) {
				kept, _ := l.table.at(key)
				kept.count = item.count - cut
			}
		}
		l.lost += max(cut, 0)
	}
}

// Lost is by how much counts may be too large.
func (l *Labels) Lost() float64 { return l.lost }

// Omits reports whether labels were not counted because of their length.
func (l *Labels) Omits() bool { return l.omits }

// UniqueError is the standard error of Unique, as a part of it.
func (l *Labels) UniqueError() float64 {
	if l.least.limit == 0 {
		return 0
	}
	return 1 / math.Sqrt(mostHashes)
}

// Unique is the number of different labels.
func (l *Labels) Unique() uint64 {
	if !l.lossy {
		return uint64(l.table.n)
	}
	return l.least.estimate(mostHashes)
}

// Keys calls see for every label that is kept, until it returns false.
func (l *Labels) Keys(see func(key []byte) bool) {
	for item := range l.table.all() {
		if !see(l.table.key(item)) {
			return
		}
	}
}

// Top returns the n most frequent labels, and the upper bounds of their counts, the
// most frequent first and the larger one first among equals. Without rename the
// labels are the keys; with it, keys of the same name are joined.
func (l *Labels) Top(n int, rename func(key string) string) []Label {
	from := &l.table
	if rename != nil {
		joined := &table{}
		for item := range from.all() {
			to, _ := joined.at([]byte(rename(string(from.key(item)))))
			to.count += item.count
		}
		from = joined
	}
	out := from.top(n)
	for i := range out {
		out[i].Count += l.lost
	}
	return out
}

// distinct keeps the smallest different hashes that were added, up to a limit.
type distinct struct {
	hashes []uint64
	limit  uint64 // no hash from here on matters; 0: all do
}

func (d *distinct) add(h uint64, keep int) {
	if d.limit != 0 && h >= d.limit {
		return
	}
	if len(d.hashes) >= 2*keep {
		d.shrink(keep)
	}
	d.hashes = append(d.hashes, h)
}

func (d *distinct) shrink(keep int) {
	slices.Sort(d.hashes)
	d.hashes = slices.Compact(d.hashes)
	if len(d.hashes) > keep {
		d.limit = d.hashes[keep]
		d.hashes = d.hashes[:keep]
	}
}

func (d *distinct) merge(o *distinct, keep int) {
	if o.limit != 0 && (d.limit == 0 || o.limit < d.limit) {
		d.limit = o.limit
		d.hashes = slices.DeleteFunc(d.hashes, func(h uint64) bool { return h >= d.limit })
	}
	for _, h := range o.hashes {
		d.add(h, keep)
	}
}

func (d distinct) estimate(keep int) uint64 {
	d.hashes = slices.Clone(d.hashes)
	d.shrink(keep)
	if d.limit == 0 {
		return uint64(len(d.hashes))
	}
	// The number of hashes below the limit gives the number of all.
	return uint64(math.Round(float64(len(d.hashes)) / (float64(d.limit) / (1 << 64))))
}

// Hash spreads strings over the integers, the same ones everywhere.
func Hash(b []byte) uint64 {
	const k0, k1 = 0x9e3779b97f4a7c15, 0xbf58476d1ce4e5b9
	h := uint64(len(b)) * k0
	for len(b) >= 8 {
		v := uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 | uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
		h = mix(h^v, k1)
		b = b[8:]
	}
	v := uint64(len(b)) << 56
	for i, c := range b {
		v |= uint64(c) << (8 * i)
	}
	return mix(mix(h^v, k1)^k0, k1)
}

func mix(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a^a>>32, b)
	return hi ^ lo ^ a
}
