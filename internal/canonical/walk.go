package canonical

import (
	"math"

	"github.com/tfparse/tfparse/internal/simd"
	"github.com/tfparse/tfparse/internal/wire"
)

// Special values of a key.
const (
	Unknown      = -1 // the key is not in the index
	notCanonical = -2 // the entry is not canonically encoded
)

// Walk finds the values of the keys of an Index in the maps of one message after another. Most
// messages have the same keys in the same order, so Walk first tries the key that followed the same
// key last time, and looks up any other key in the index. Not safe for concurrent use.
//
// It finds all values of a map before the caller reads any, because a kernel with AVX-512 finds most entries in one
// call. Reading each value as soon as it is found changed the parse speed of the benchmark "ads" to 87% with that
// kernel (63% with features in random order), and to 105% without kernels (100% in random order).
type Walk struct {
	index *Index      // the keys
	table simd.Map    // the index, as the kernel needs it
	slots []simd.Slot // by key: the bounds of its value
	round uint64      // number of calls of Start; a slot with another round is stale
	next  []int32     // by key: the key that followed it last time; the last element: the first key of a map
	order []int32     // buffer for the result of Map
	wrong int         // recent mispredictions of the next key: see learn
	fast  bool        // the machine has the kernel, and the index has enough keys for it
	names *Names      // names that the walk learns, including keys that index lacks; nil if the keys are fixed
}

const (
	kernelKeys = 8  // with fewer keys the kernel is slower than Go code
	mixedOrder = 16 // above this value of wrong the keys count as unordered and are not predicted
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

// Start begins a message, or a message nested in it, and forgets all values.
func (w *Walk) Start() {
	w.round++
	if w.names != nil {
		w.reindex()
	}
}

// Value returns the bounds of the value of a key in the b that Map was called with. ok is false if
// no map had the key since Start.
func (w *Walk) Value(key int) (lo, hi int, ok bool) {
	s := &w.slots[key]
	return int(s.Lo), int(s.Hi), s.Round == w.round
}

// Map finds the values of the map b[i:]. It returns the keys in the order of their entries, valid
// until the next call, and the number of entries with an unknown key: 0 if the Walk learns. ok is
// false if an entry is not in canonical encoding, a key was found twice since Start, or a new key
// exceeds the limits of Names.
func (w *Walk) Map(b []byte, i int) (found []int32, unknown int, ok bool) {
	if len(b) > math.MaxInt32 {
		return nil, 0, false
	}
	start := len(w.next) - 1
	at, n, known := start, 0, true // at: the previous key
	for i < len(b) {
		// While the keys are unordered, only the first key of each map is predicted, to notice when
		// they are ordered again. The kernel is not called after an unknown key.
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
			at = start // a learned key has no predicted next key
		}
	}
	return w.order[:n], unknown, true
}

// entry returns the key of the entry at b[i], and the bounds of its value. at is the previous key.
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
	k = len(w.next) - 1 // its head matches nothing
	if w.wrong <= mixedOrder {
		k = int(w.next[at])
	}
	h := &w.index.heads[k]
	v := lo + h.size // position of the value's length
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

// lookUp returns the index of the key of the entry whose key field begins at b[i], and the
// position of its value's length. at is the key of the previous entry.
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

// lookUpHead is Walk.lookUp for very long keys, and for the end of a message.
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

// learn records that key k followed key at, unless the keys are unordered.
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
