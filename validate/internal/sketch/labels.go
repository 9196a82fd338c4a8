package sketch

import (
	"cmp"
	"math"
	"slices"
)

// A Label is a value and how often it was there, or what it weighs.
type Label struct {
	Key   string
	Count float64
}

// Labels counts the different values of a feature: exactly, until Coarsen is
// called. From then on it keeps the most frequent ones and hashes for the number
// of different ones.
//
// No count is less than the truth, nor above it by more than Lost, which is at most
// the total over the number of counters (Misra and Gries), or over as many labels as
// the text has room for where they are long. Labels that take an eighth of that room
// are not kept, however frequent they are. Of the distinct hashes the smallest are
// kept; up to their number the answer is exact, and above its standard error is
// one over its square root: 0.8 percent, and more with each Coarsen.
type Labels struct {
	table table
	shown int     // counters at least
	stage int     // 0 while exact, and more with each step to less memory
	lost  float64 // what a label may have had more
	omits bool    // some were too long to be kept
	least distinct
}

// What is kept after the first Coarsen; with each other one half of it, and a fourth of the text.
const (
	mostCounters = 1024
	mostHashes   = 16384
	mostText     = 4 << 20
	leastText    = 1 << 10
	lastStage    = 7
)

// counters is how many labels are kept at least, and at most twice as many.
func (l *Labels) counters() int { return max(mostCounters>>(l.stage-1), l.shown) }

// hashes is how many hashes are kept.
func (l *Labels) hashes() int { return mostHashes >> (l.stage - 1) }

// text is how many bytes of labels are kept.
func (l *Labels) text() int { return max(mostText>>(2*(l.stage-1)), leastText) }

// long reports whether a label is not kept because of its length.
func (l *Labels) long(key []byte) bool { return len(key) > l.text()/8 }

// NewLabels returns an empty Labels that shows the n most frequent ones, if there is
// memory for as many.
func NewLabels(shown int) *Labels { return &Labels{shown: max(shown, 1)} }

// Add counts key, n times or with the weight n. It copies key if it is new.
func (l *Labels) Add(key []byte, n float64) {
	if l.stage > 0 && l.long(key) {
		l.omit(key)
		return
	}
	item, fresh := l.table.at(key)
	item.count += n
	if fresh && l.stage > 0 {
		l.met(key)
	}
}

// omit counts a key that is too long among the different ones.
func (l *Labels) omit(key []byte) {
	l.least.add(Hash(key), l.hashes())
	l.omits = true
}

// met counts a key that is new, after Coarsen.
func (l *Labels) met(key []byte) {
	l.least.add(Hash(key), l.hashes())
	if l.table.n > 2*l.counters() || l.table.text > l.text() {
		l.reduce()
	}
}

// Merge adds all that o has counted.
func (l *Labels) Merge(o *Labels) {
	for l.stage < o.stage && l.Coarsen() {
	}
	if l.table.n == 0 && l.stage == 0 {
		l.table, o.table = o.table, table{}
	} else {
		for item := range o.table.all() {
			key := o.table.key(item)
			if l.stage > 0 && l.long(key) {
				l.omit(key)
				continue
			}
			to, fresh := l.table.long(key, item.hash)
			to.count += item.count
			if fresh && l.stage > 0 {
				l.met(key)
			}
		}
	}
	l.lost += o.lost
	l.omits = l.omits || o.omits
	if o.stage > 0 {
		l.least.merge(&o.least, l.hashes())
	}
}

// Coarsen gives up exactness for a bounded size, and then a part of that size, as often as
// it is called. It reports whether that was possible.
func (l *Labels) Coarsen() bool {
	if l.stage == lastStage {
		return false
	}
	if l.stage++; l.stage == 1 {
		for item := range l.table.all() {
			l.least.add(Hash(l.table.key(item)), l.hashes())
		}
	} else {
		l.least.shrink(l.hashes())
		l.least.hashes = slices.Clip(slices.Clone(l.least.hashes))
	}
	l.reduce()
	return true
}

// MinimumOfLabels is an upper bound on Bytes when Coarsen can do no more, if shown labels
// are shown.
func MinimumOfLabels(shown int) int {
	l := Labels{shown: shown, stage: lastStage}
	items := RoundUp(2*l.counters() + 1)
	return 256 + (itemSize+8)*items + 3*leastText + 8*2*l.hashes()
}

// reduce keeps at most as many labels as there are counters, and have room: it takes
// the count of the next one from all.
func (l *Labels) reduce() {
	for again := true; again; again = l.table.text > l.text() {
		var counts []float64
		text := 0
		for item := range l.table.all() {
			if key := l.table.key(item); !l.long(key) {
				text += len(key)
				counts = append(counts, item.count)
			}
		}
		keep := l.counters()
		if text > l.text() {
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

// Lossy reports whether Coarsen was called.
func (l *Labels) Lossy() bool { return l.stage > 0 }

// Lost is by how much counts may be too large.
func (l *Labels) Lost() float64 { return l.lost }

// Omits reports whether labels were not counted because of their length.
func (l *Labels) Omits() bool { return l.omits }

// UniqueError is the standard error of Unique, as a part of it.
func (l *Labels) UniqueError() float64 {
	if l.least.limit == 0 {
		return 0
	}
	return 1 / math.Sqrt(float64(l.hashes()))
}

// Bytes is how much memory it takes.
func (l *Labels) Bytes() int {
	hashes := RoundUp(len(l.least.hashes))
	if l.least.limit > 0 {
		hashes = 2 * l.hashes()
	}
	return 128 + l.table.bytes() + 8*hashes
}

// Unique is the number of different labels.
func (l *Labels) Unique() uint64 {
	if l.stage == 0 {
		return uint64(l.table.n)
	}
	return l.least.estimate(l.hashes())
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
