package sketch

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
)

// A Label is a value and its count, or its total weight.
type Label struct {
	Key   string
	Count float64
}

// Labels counts the distinct values of a feature. Counts are exact up to 65,536 distinct values and 4 MiB of text.
// Beyond that, counts are approximate: Labels keeps the most frequent values (Misra-Gries), and a sample of hashes to
// estimate the number of distinct values.
//
// A reported count is at least the true count and exceeds it by at most MaxMissed. That is at most the total divided by
// 1,024, or by a smaller number of counters if long labels fill the text. Once counts are approximate, labels above
// half a MiB are not counted. The estimate of distinct values uses the 16,384 smallest hashes; its standard error
// is 1/sqrt(16,384), 0.8 percent.
type Labels struct {
	table       table      // the counters
	minShown    int        // minimum number of counters when approximate
	approximate bool       // the limits of exact counts were exceeded
	maxMissed   float64    // upper bound of the count that a counter lacks; Top adds it
	omittedAny  bool       // a label was too long to be counted
	hashes      hashSample // sample of the hashes of all labels; empty while counts are exact
}

const (
	maxExactLabels = 65536            // maximum number of labels with exact counts
	maxTextBytes   = 4 << 20          // maximum bytes of all labels
	minCounters    = 1024             // minimum of counterLimit
	maxHashes      = 16384            // size of a hashSample
	maxLabelBytes  = maxTextBytes / 8 // maximum bytes of a label once counts are approximate
)

// counterLimit returns how many counters reduceCounters keeps. reduceCounters runs when there are more than twice as many.
func (l *Labels) counterLimit() int { return max(minCounters, l.minShown) }

// exceedsExact reports whether there are too many labels, or too much text, for exact counts.
func (l *Labels) exceedsExact() bool {
	return l.table.itemCount > maxExactLabels || l.table.keyBytes > maxTextBytes
}

// tooLong reports whether a label is too long to be counted once counts are approximate.
func (l *Labels) tooLong(key []byte) bool { return len(key) > maxLabelBytes }

// NewLabels returns empty Labels, which keep at least shown counters within the limit of text.
func NewLabels(shown int) *Labels { return &Labels{minShown: max(shown, 1)} }

// Add adds n to the count of key; n may be a weight. It copies a new key.
func (l *Labels) Add(key []byte, n float64) {
	if l.approximate && l.tooLong(key) {
		l.countOmitted(key)
		return
	}
	item, fresh := l.table.findOrAdd(key)
	item.count += n
	if fresh {
		l.countNewKey(key)
	}
}

// countOmitted adds a key that is too long to the distinct values only.
func (l *Labels) countOmitted(key []byte) {
	l.hashes.addHash(Hash(key), maxHashes)
	l.omittedAny = true
}

// countNewKey updates the distinct values and the limits after a new key was added to the table.
func (l *Labels) countNewKey(key []byte) {
	switch {
	case l.approximate:
		l.hashes.addHash(Hash(key), maxHashes)
		if l.table.itemCount > 2*l.counterLimit() || l.table.keyBytes > maxTextBytes {
			l.reduceCounters()
		}
	case l.exceedsExact():
		l.becomeApproximate()
	}
}

// becomeApproximate switches from exact to approximate counts.
func (l *Labels) becomeApproximate() {
	l.approximate = true
	for item := range l.table.allItems() {
		l.hashes.addHash(Hash(l.table.keyOf(item)), maxHashes)
	}
	l.reduceCounters()
}

// Merge adds the counts of o. Only Reset may be called on o afterwards.
func (l *Labels) Merge(o *Labels) {
	if o.approximate && !l.approximate {
		l.becomeApproximate()
	}
	if l.table.itemCount == 0 && !l.approximate {
		l.table, o.table = o.table, table{}
	} else {
		for item := range o.table.allItems() {
			key := o.table.keyOf(item)
			if l.approximate && l.tooLong(key) {
				l.countOmitted(key)
				continue
			}
			to, fresh := l.table.findOrAddHashed(key, item.hash)
			to.count += item.count
			if fresh {
				l.countNewKey(key)
			}
		}
	}
	l.maxMissed += o.maxMissed
	l.omittedAny = l.omittedAny || o.omittedAny
	if o.approximate {
		l.hashes.mergeHashes(&o.hashes, maxHashes)
	}
}

// Reset makes l empty after it was merged into other Labels. It reuses a small table.
func (l *Labels) Reset() {
	t := l.table
	if *l = (Labels{minShown: l.minShown}); len(t.slots) == 0 || len(t.slots) > maxSpareSlots {
		return
	}
	clear(t.slots)
	l.table.slots, l.table.items = t.slots, append(t.items[:0], t.items[0][:0])
}

const maxSpareSlots = 256 // maximum size of a table that Reset keeps

// reduceCounters keeps the largest counters that fit, and subtracts the largest dropped count from each kept counter (Misra-Gries).
func (l *Labels) reduceCounters() {
	for again := true; again; again = l.table.keyBytes > maxTextBytes {
		var counts []float64
		text := 0
		for item := range l.table.allItems() {
			if key := l.table.keyOf(item); !l.tooLong(key) {
				text += len(key)
				counts = append(counts, item.count)
			}
		}
		keep := l.counterLimit()
		if text > maxTextBytes {
			keep = min(keep, len(counts)/2)
		}
		if len(counts) <= keep && len(counts) == l.table.itemCount {
			return
		}
		l.omittedAny = l.omittedAny || len(counts) < l.table.itemCount
		cut, all := 0.0, len(counts) <= keep
		if !all {
			slices.SortFunc(counts, func(a, b float64) int { return cmp.Compare(b, a) })
			cut = counts[keep]
		}
		old := l.table
		l.table = table{}
		for item := range old.allItems() {
			if key := old.keyOf(item); !l.tooLong(key) && (all || item.count > cut) {
				counter, _ := l.table.findOrAdd(key)
				counter.count = item.count - cut
			}
		}
		l.maxMissed += max(cut, 0)
	}
}

// MaxMissed returns the maximum error of the counts of Top, which may be too large by this amount.
func (l *Labels) MaxMissed() float64 { return l.maxMissed }

// OmitsLong reports whether labels were left out because of their length.
func (l *Labels) OmitsLong() bool { return l.omittedAny }

// UniqueError returns the relative standard error of Unique; 0 if Unique is exact.
func (l *Labels) UniqueError() float64 {
	if l.hashes.limit == 0 {
		return 0
	}
	return 1 / math.Sqrt(maxHashes)
}

// Unique returns the number of distinct labels, which is an estimate if counts are approximate.
func (l *Labels) Unique() uint64 {
	if !l.approximate {
		return uint64(l.table.itemCount)
	}
	return l.hashes.estimateCount(maxHashes)
}

// Keys calls yield for every label with a counter, until yield returns false.
func (l *Labels) Keys(yield func(key []byte) bool) {
	for item := range l.table.allItems() {
		if !yield(l.table.keyOf(item)) {
			return
		}
	}
}

// Top returns the n most frequent labels in descending order of their counts, equal counts in descending order of the
// labels. A count is an upper bound if counts are approximate. rename may be nil; it changes keys to labels, and the
// counts of equal labels are added.
func (l *Labels) Top(n int, rename func(key string) string) []Label {
	from := &l.table
	if rename != nil {
		joined := &table{}
		for item := range from.allItems() {
			to, _ := joined.findOrAdd([]byte(rename(string(from.keyOf(item)))))
			to.count += item.count
		}
		from = joined
	}
	out := from.topLabels(n)
	for i := range out {
		out[i].Count += l.maxMissed
	}
	return out
}

// A hashSample estimates the number of distinct hashes from the smallest hashes (k minimum values). The parameter keep of
// its methods is k, the size of the sample.
type hashSample struct {
	hashes []uint64 // hashes below limit; unsorted, with duplicates; at most 2*keep
	limit  uint64   // hashes of at least limit are ignored; 0: no limit
}

func (d *hashSample) addHash(h uint64, keep int) {
	if d.limit != 0 && h >= d.limit {
		return
	}
	if len(d.hashes) >= 2*keep {
		d.keepSmallest(keep)
	}
	d.hashes = append(d.hashes, h)
}

// keepSmallest removes duplicates, and then keeps the smallest hashes only.
func (d *hashSample) keepSmallest(keep int) {
	slices.Sort(d.hashes)
	d.hashes = slices.Compact(d.hashes)
	if len(d.hashes) > keep {
		d.limit = d.hashes[keep]
		d.hashes = d.hashes[:keep]
	}
}

func (d *hashSample) mergeHashes(o *hashSample, keep int) {
	if o.limit != 0 && (d.limit == 0 || o.limit < d.limit) {
		d.limit = o.limit
		d.hashes = slices.DeleteFunc(d.hashes, func(h uint64) bool { return h >= d.limit })
	}
	for _, h := range o.hashes {
		d.addHash(h, keep)
	}
}

// estimateCount returns the number of distinct hashes that were added: exact up to keep, estimated above.
func (d hashSample) estimateCount(keep int) uint64 {
	d.hashes = slices.Clone(d.hashes)
	d.keepSmallest(keep)
	if d.limit == 0 {
		return uint64(len(d.hashes))
	}
	// Hashes are uniform: the share of hashes below the limit is limit/2^64.
	return uint64(math.Round(float64(len(d.hashes)) / (float64(d.limit) / (1 << 64))))
}

// Hash returns a 64-bit hash of b. It is part of encoded states and must never change.
func Hash(b []byte) uint64 {
	const k0, k1 = 0x9e3779b97f4a7c15, 0xbf58476d1ce4e5b9
	h := uint64(len(b)) * k0
	for len(b) >= 8 {
		v := uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 | uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
		h = mixHash(h^v, k1)
		b = b[8:]
	}
	v := uint64(len(b)) << 56
	for i, c := range b {
		v |= uint64(c) << (8 * i)
	}
	return mixHash(mixHash(h^v, k1)^k0, k1)
}

// mixHash multiplies to 128 bits and folds the product, as wyhash does.
func mixHash(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a^a>>32, b)
	return hi ^ lo ^ a
}
