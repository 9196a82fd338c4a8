package canonical

import (
	"math"

	"github.com/tfparse/tfparse/internal/simd"
	"github.com/tfparse/tfparse/internal/wire"
)

// Values in place of the number of a key.
const (
	Unknown      = -1 // the key is not in the index
	notCanonical = -2 // the entry is not canonically encoded
)

// A Walk finds the values of the keys of an Index in the maps of one message after another. Most
// messages have the same keys in the same order, so the key that followed the same key last time
// is tried first, and any other is looked up in the index. A Walk belongs to one goroutine.
//
// It finds all values of a map before its caller reads any, because a kernel with AVX-512 finds
// most entries in one call. One value at a time, read as soon as it is found, was measured too:
// with that kernel ads were parsed at 0.87 times the speed, and at 0.63 times if their features
// are in any order; without kernels at 1.05 times, and in any order at 1.0 times.
type Walk struct {
	index *Index      // of the keys
	table simd.Map    // the index as the kernel reads it
	slots []simd.Slot // by key: the bounds of its value
	round uint64      // number of calls of Start: slots of other rounds are stale
	next  []int32     // by key: the key that followed it last time; the last element is for the start of a map
	order []int32     // memory of the result of Map
	wrong int         // how often, of late, another key than the expected one followed
	fast  bool        // the kernel is there, and there are enough keys for it
	names *Names      // of a Walk that learns, whose slots include keys that the index lacks; nil: the keys are fixed
}

const (
	kernelKeys = 8  // with fewer keys the call of the kernel takes longer than it gains
	mixedOrder = 16 // more wrong keys: keys come in any order, and none is expected until some are right
)

// NewWalk returns a Walk for the keys of x.
func (x *Index) NewWalk() Walk {
	n := len(x.heads) - 1
	w := Walk{index: x, table: x.table, slots: make([]simd.Slot, n), round: 1, next: make([]int32, n+1), order: make([]int32, n)}
	for i := range w.next {
		w.next[i] = int32(i + 1)
	}
	w.next[n] = 0
	w.table.Next = w.next
	w.fast = simd.FindsKeys() && n >= kernelKeys
	return w
}

// Start begins a message, or another message within it: no key has a value.
func (w *Walk) Start() {
	w.round++
	if w.names != nil {
		w.reindex()
	}
}

// Value returns where the value of a key is, if there is one since Start: b[lo:hi] of the b that
// Map was given.
func (w *Walk) Value(key int) (lo, hi int, ok bool) {
	s := &w.slots[key]
	return int(s.Lo), int(s.Hi), s.Round == w.round
}

// Map finds the values of the map b[i:]. It returns the keys in the order of their entries, which
// are good until it is called again, and how many entries have an unknown key: none if the Walk
// learns. It is not ok if an entry is not canonically encoded, a key of the index was found twice
// since Start, or a key is new and there are too many to learn it.
func (w *Walk) Map(b []byte, i int) (found []int32, unknown int, ok bool) {
	if len(b) > math.MaxInt32 {
		return nil, 0, false
	}
	start := len(w.next) - 1
	at, n, known := start, 0, true // at: the key before
	for i < len(b) {
		// When keys come in any order the first of a map shows whether there is an order again.
		// The kernel is not tried after an unknown key.
		if mixed := w.wrong > mixedOrder; w.fast && known && (!mixed || at != start) {
			if i, at, n = w.table.Find(b, i, mixed, at, w.slots, w.round, w.order, n); i == len(b) {
				break
			}
		}
		k, lo, hi := w.entry(b, i, at)
		if k == notCanonical {
			return nil, 0, false
		}
		if known = k >= 0; !known {
			if w.names == nil {
				i = hi
				unknown++
				continue
			}
			if k = w.learnKey(b[:hi], i); k < 0 {
				return nil, 0, false
			}
		}
		i = hi
		s := &w.slots[k]
		if s.Round == w.round {
			return nil, 0, false
		}
		*s = simd.Slot{Lo: int32(lo), Hi: int32(hi), Round: w.round}
		w.order[n] = int32(k)
		n++
		if at = k; k > start {
			at = start // the index has no key that follows it
		}
	}
	return w.order[:n], unknown, true
}

// entry returns the key of the entry at b[i], and the bounds of its value. at is the key before.
func (w *Walk) entry(b []byte, i, at int) (k, lo, hi int) {
	if len(b)-i < 2 || b[i] != Tag1 {
		return notCanonical, 0, 0
	}
	lo, hi = i+2, i+2+int(b[i+1])
	if b[i+1] >= 0x80 {
		lo, hi = wire.Length(b, i+1)
	}
	if lo < 0 || hi > len(b) {
		return notCanonical, 0, 0
	}
	k = len(w.next) - 1 // whose head matches nothing
	if w.wrong <= mixedOrder {
		k = int(w.next[at])
	}
	h := &w.index.heads[k]
	v := lo + h.size // where the length of the value is
	if !h.endsMatch(b, lo) || h.size > 16 && !h.innerMatches(b, lo) {
		if k, v = w.lookUp(b[:hi], lo, at); k == notCanonical {
			return notCanonical, 0, 0
		}
	}
	if v < hi && b[v] < 0x80 {
		if lo = v + 1; lo+int(b[v]) != hi {
			return notCanonical, 0, 0
		}
	} else if lo, v = wire.Length(b[:hi], v); lo < 0 || v != hi {
		return notCanonical, 0, 0
	}
	return k, lo, hi
}

// lookUp returns the key of the entry whose head is at b[i], and where the length of its value
// is. at is the key before.
func (w *Walk) lookUp(b []byte, i, at int) (k, v int) {
	if len(b)-i < 2 || b[i] != Tag1 {
		return notCanonical, 0
	}
	size := int(b[i+1]) + 3
	if v = i + size; size >= 0x80+3 || max(size, 8) > len(b)-i {
		return w.index.lookUpHead(b, i)
	}
	if b[v-1] != Tag2 {
		return notCanonical, 0
	}
	if k = w.index.find(b, i, size); k >= 0 {
		w.learn(k, at)
	}
	return k, v
}

// lookUpHead is Walk.lookUp for keys that are very long, or at the end of a message.
func (x *Index) lookUpHead(b []byte, i int) (k, v int) {
	name, v, ok := Message(b, i, Tag1)
	if !ok || v == len(b) || b[v] != Tag2 {
		return notCanonical, 0
	}
	if name-i != 1+wire.SizeVarint(uint64(v-name)) { // a length with padding
		return notCanonical, 0
	}
	return x.lookUp(b[name:v]), v + 1
}

// learn makes key k the one that is expected after another, unless keys come in any order.
func (w *Walk) learn(k, at int) {
	if w.wrong > mixedOrder && at < len(w.next)-1 {
		return
	}
	if int(w.next[at]) == k {
		w.wrong /= 2
		return
	}
	w.wrong = min(w.wrong+1, 4*mixedOrder)
	w.next[at] = int32(k)
}
