package keys

import (
	"math"

	"github.com/tfparse/tfparse/internal/canonical"
	"github.com/tfparse/tfparse/internal/simd"
	"github.com/tfparse/tfparse/internal/wire"
)

// Instead of the number of a key.
const (
	None = -1 // it is not in the index
	odd  = -2 // the entry has another form
)

// A Walk goes through maps, and remembers which key followed which. It is for one
// goroutine.
type Walk struct {
	// Slots has by key what stood under it last: the value is b[Lo:Hi] of the map.
	Slots []simd.Slot

	x      *Index
	quick  simd.Map
	next   []int32 // by key, and the first of a map
	order  []int32
	misses int  // wrong guesses of late
	kernel bool // there is one, and enough keys for it
}

// NewWalk returns a Walk for the keys of x.
func (x *Index) NewWalk() Walk {
	n := len(x.heads) - 1
	w := Walk{Slots: make([]simd.Slot, n), x: x, quick: x.quick, next: make([]int32, n+1), order: make([]int32, n)}
	for i := range w.next {
		w.next[i] = int32(i + 1)
	}
	w.next[n] = 0
	w.quick.Next = w.next
	w.kernel = simd.Walks && n >= fewKeys
	return w
}

// Map puts the values of the map of features b[i:] into the slots of their keys, with a
// round, which must not be 0. It returns the keys in the order of the entries, which stay
// until it is called again, and how many entries have a key that is not known. It reports
// whether all entries have the usual form, and no key had the round before.
func (w *Walk) Map(round uint64, b []byte, i int) (found []int32, others int, ok bool) {
	if len(b) > math.MaxInt32 {
		return nil, 0, false
	}
	nowhere := len(w.Slots)
	at, n, known := nowhere, 0, true
	for i < len(b) {
		// When keys come in any order the first shows whether there is one again. The
		// kernel is tried where the last entry gives hope.
		if mixed := w.misses > manyMisses; w.kernel && known && (!mixed || at != nowhere) {
			if i, at, n = w.quick.Walk(b, i, mixed, at, w.Slots, round, w.order, n); i == len(b) {
				break
			}
		}
		k, lo, hi := w.entry(b, i, at)
		if k == odd {
			return nil, 0, false
		}
		i = hi
		if known = k >= 0; !known {
			others++
			continue
		}
		s := &w.Slots[k]
		if s.Round == round {
			return nil, 0, false
		}
		*s = simd.Slot{Lo: int32(lo), Hi: int32(hi), Round: round}
		w.order[n] = int32(k)
		n++
		at = k
	}
	return w.order[:n], others, true
}

// entry returns the key of the entry at b[i], and the bounds of its value.
func (w *Walk) entry(b []byte, i, at int) (k, lo, hi int) {
	if len(b)-i < 2 || b[i] != canonical.Tag1 {
		return odd, 0, 0
	}
	lo, hi = i+2, i+2+int(b[i+1])
	if b[i+1] >= 0x80 {
		lo, hi = wire.Length(b, i+1)
	}
	if lo < 0 || hi > len(b) {
		return odd, 0, 0
	}
	k = len(w.Slots)
	if w.misses <= manyMisses {
		k = int(w.next[at])
	}
	h := &w.x.heads[k]
	v := lo + h.size // where the length of the value stands
	if !h.stands(b, lo) || h.size > 16 && !h.between(b, lo) {
		if k, v = w.find(b[:hi], lo, at); k == odd {
			return odd, 0, 0
		}
	}
	if v < hi && b[v] < 0x80 {
		if lo = v + 1; lo+int(b[v]) != hi {
			return odd, 0, 0
		}
	} else if lo, v = wire.Length(b[:hi], v); lo < 0 || v != hi {
		return odd, 0, 0
	}
	return k, lo, hi
}

// fewKeys are not worth the call of a kernel.
const fewKeys = 8

// manyMisses is after how many wrong guesses none is made until some would have been
// right.
const manyMisses = 16

// find returns the number of the key of the entry that is b[i:], and where the length of
// its value stands. at is the key before.
func (w *Walk) find(b []byte, i, at int) (k, v int) {
	if len(b)-i < 2 || b[i] != canonical.Tag1 {
		return odd, 0
	}
	size := int(b[i+1]) + 3
	if v = i + size; size >= 0x80+3 || max(size, 8) > len(b)-i {
		return w.x.findAny(b, i)
	}
	if b[v-1] != canonical.Tag2 {
		return odd, 0
	}
	if k = w.x.find(b, i, size); k >= 0 {
		w.learn(k, at)
	}
	return k, v
}

// learn says that a key followed another, which was not expected. When keys come in
// any order the first of a map shows whether there is one again.
func (w *Walk) learn(k, at int) {
	if w.misses > manyMisses && at < len(w.next)-1 {
		return
	}
	if int(w.next[at]) == k {
		w.misses /= 2
		return
	}
	w.misses = min(w.misses+1, 4*manyMisses)
	w.next[at] = int32(k)
}
