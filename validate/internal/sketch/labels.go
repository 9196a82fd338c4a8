package sketch

import (
	"cmp"
	"slices"
)

// A Label is a value and how often it was there, or what it weighs.
type Label struct {
	Key   string
	Count float64
}

// Labels counts the different values of a feature: exactly, until Compact is
// called. From then on it keeps the most frequent ones and hashes for the number
// of different ones.
//
// With keep counters no count is less than the truth, nor above it by more than
// the total over keep (Misra and Gries), or over as many as mostText has room for
// where labels are long. Of the distinct hashes the smallest are
// kept; up to their number the answer is exact, and above its standard error is
// one over its square root: 0.8 percent.
type Labels struct {
	table table
	keep  int     // counters; 0 while exact
	lost  float64 // what a label may have had more
	least distinct
}

// mostText is how many bytes of labels are kept after Compact.
const mostText = 4 << 20

// NewLabels returns an empty Labels.
func NewLabels() *Labels { return &Labels{} }

// Add counts key, n times or with the weight n. It copies key if it is new.
func (l *Labels) Add(key []byte, n float64) {
	item, fresh := l.table.at(key)
	item.count += n
	if fresh && l.keep > 0 {
		l.met(key)
	}
}

// met counts a key that is new, after Compact.
func (l *Labels) met(key []byte) {
	l.least.add(Hash(key))
	if l.table.n > 2*l.keep || l.table.text > mostText && l.table.n > 1 {
		l.reduce()
	}
}

// Merge adds all that o has counted.
func (l *Labels) Merge(o *Labels) {
	if o.keep > 0 {
		l.Compact(o.keep)
	}
	if l.table.n == 0 && l.keep == 0 {
		l.table, o.table = o.table, table{}
	} else {
		for item := range o.table.all() {
			key := o.table.key(item)
			to, fresh := l.table.long(key, item.hash)
			to.count += item.count
			if fresh && l.keep > 0 {
				l.met(key)
			}
		}
	}
	l.lost += o.lost
	if o.keep > 0 {
		l.least.merge(&o.least)
	}
}

// Compact gives up exactness for a bounded size: at least keep counters.
func (l *Labels) Compact(keep int) {
	if l.keep > 0 {
		return
	}
	l.keep = max(keep, 1)
	for item := range l.table.all() {
		l.least.add(Hash(l.table.key(item)))
	}
	if l.table.n > l.keep || l.table.text > mostText {
		l.reduce()
	}
}

// reduce keeps at most as many labels as there are counters, and have room: it takes
// the count of the next one from all.
func (l *Labels) reduce() {
	counts := make([]float64, 0, l.table.n)
	for item := range l.table.all() {
		counts = append(counts, item.count)
	}
	slices.SortFunc(counts, func(a, b float64) int { return cmp.Compare(b, a) })
	keep := l.keep
	if l.table.text > mostText {
		keep = min(keep, len(counts)/2)
	}
	if len(counts) <= keep {
		return
	}
	cut := counts[keep]
	old := l.table
	l.table = table{}
	for item := range old.all() {
		if item.count > cut {
			kept, _ := l.table.at(old.key(item))
			kept.count = item.count - cut
		}
	}
	l.lost += max(cut, 0)
}

// Lossy reports whether Compact was called.
func (l *Labels) Lossy() bool { return l.keep > 0 }

// Bytes is how much memory it takes.
func (l *Labels) Bytes() int { return 128 + l.table.bytes() + 8*cap(l.least.hashes) }

// Unique is the number of different labels.
func (l *Labels) Unique() uint64 {
	if l.keep == 0 {
		return uint64(l.table.n)
	}
	return l.least.estimate()
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
