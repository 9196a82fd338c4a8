package sketch

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"strings"
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
// the total over keep (Misra and Gries). Of the distinct hashes the smallest are
// kept; up to their number the answer is exact, and above its standard error is
// one over its square root: 0.8 percent.
type Labels struct {
	index map[string]int32
	items []Label
	bytes int
	keep  int     // counters; 0 while exact
	lost  float64 // what a label may have had more
	least distinct
}

// NewLabels returns an empty Labels.
func NewLabels() *Labels { return &Labels{index: map[string]int32{}} }

// Add counts key, n times or with the weight n. It copies key if it is new.
func (l *Labels) Add(key []byte, n float64) {
	if i, ok := l.index[string(key)]; ok {
		l.items[i].Count += n
		return
	}
	l.insert(string(key), n)
}

func (l *Labels) insert(key string, n float64) {
	if l.keep > 0 {
		l.least.add(hash([]byte(key)))
		if len(l.items) >= 2*l.keep {
			l.reduce()
		}
	}
	l.index[key] = int32(len(l.items))
	l.items = append(l.items, Label{key, n})
	l.bytes += len(key)
}

// Merge adds all that o has counted.
func (l *Labels) Merge(o *Labels) {
	if o.keep > 0 {
		l.Compact(o.keep)
	}
	for _, item := range o.items {
		if i, ok := l.index[item.Key]; ok {
			l.items[i].Count += item.Count
		} else {
			l.insert(item.Key, item.Count)
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
	for _, item := range l.items {
		l.least.add(hash([]byte(item.Key)))
	}
	if len(l.items) > l.keep {
		l.reduce()
	}
}

// reduce keeps at most as many labels as there are counters: it takes the count
// of the next one from all.
func (l *Labels) reduce() {
	counts := make([]float64, len(l.items))
	for i, item := range l.items {
		counts[i] = item.Count
	}
	slices.SortFunc(counts, func(a, b float64) int { return cmp.Compare(b, a) })
	if len(counts) <= l.keep {
		return
	}
	cut := counts[l.keep]
	kept := make([]Label, 0, len(l.items))
	l.bytes = 0
	l.index = make(map[string]int32, len(l.items))
	for _, item := range l.items {
		if item.Count > cut {
			l.index[item.Key] = int32(len(kept))
			kept = append(kept, Label{item.Key, item.Count - cut})
			l.bytes += len(item.Key)
		}
	}
	l.items = kept
	l.lost += max(cut, 0)
}

// Lossy reports whether Compact was called.
func (l *Labels) Lossy() bool { return l.keep > 0 }

// Bytes is about how much memory it takes.
func (l *Labels) Bytes() int { return l.bytes + 72*len(l.items) + 8*cap(l.least.hashes) }

// Unique is the number of different labels.
func (l *Labels) Unique() uint64 {
	if l.keep == 0 {
		return uint64(len(l.items))
	}
	return l.least.estimate()
}

// All returns the labels, and the upper bounds of their counts, the most
// frequent first and the larger one first among equals. Without rename the
// labels are the keys; with it, keys of the same name are joined.
func (l *Labels) All(rename func(key string) string) []Label {
	out := slices.Clone(l.items)
	if rename != nil {
		at := make(map[string]int, len(out))
		joined := out[:0]
		for _, item := range out {
			item.Key = rename(item.Key)
			if i, ok := at[item.Key]; ok {
				joined[i].Count += item.Count
				continue
			}
			at[item.Key] = len(joined)
			joined = append(joined, item)
		}
		out = joined
	}
	for i := range out {
		out[i].Count += l.lost
	}
	slices.SortFunc(out, func(a, b Label) int {
		if c := cmp.Compare(b.Count, a.Count); c != 0 {
			return c
		}
		return strings.Compare(b.Key, a.Key)
	})
	return out
}

// distinct keeps the smallest different hashes that were added.
type distinct struct {
	hashes []uint64
	limit  uint64 // no hash from here on matters; 0: all do
}

const distinctKept = 16384

func (d *distinct) add(h uint64) {
	if d.limit != 0 && h >= d.limit {
		return
	}
	if len(d.hashes) >= 2*distinctKept {
		d.shrink()
	}
	d.hashes = append(d.hashes, h)
}

func (d *distinct) shrink() {
	slices.Sort(d.hashes)
	d.hashes = slices.Compact(d.hashes)
	if len(d.hashes) > distinctKept {
		d.limit = d.hashes[distinctKept]
		d.hashes = d.hashes[:distinctKept]
	}
}

func (d *distinct) merge(o *distinct) {
	if o.limit != 0 && (d.limit == 0 || o.limit < d.limit) {
		d.limit = o.limit
		d.hashes = slices.DeleteFunc(d.hashes, func(h uint64) bool { return h >= d.limit })
	}
	for _, h := range o.hashes {
		d.add(h)
	}
}

func (d distinct) estimate() uint64 {
	d.hashes = slices.Clone(d.hashes)
	d.shrink()
	if d.limit == 0 {
		return uint64(len(d.hashes))
	}
	// So many hashes below the limit: so many in all.
	return uint64(math.Round(float64(len(d.hashes)) / (float64(d.limit) / (1 << 64))))
}

// hash spreads strings over the integers, the same ones everywhere.
func hash(b []byte) uint64 {
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
