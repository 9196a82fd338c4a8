package sketch

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"hash/maphash"
	"iter"
	"math/bits"
	"slices"
)

// A table counts keys, in the order in which they came. What it holds has no
// pointers but to large pieces of memory.
type table struct {
	n     int      // items
	text  int      // bytes of all keys
	slots []uint32 // by hash: the number of an item, from 1, and above it bits of its hash; 0 where there is none
	items [][]item // pages of itemPage, the last one not full
	keys  [][]byte // pieces of memory that keys lie in
	space int      // allocated bytes for keys
}

// An item is a key and its count.
type item struct {
	count float64
	hash  uint32
	size  uint32   // of the key
	text  [16]byte // the key if it is not longer than this, else its piece and place
}

const (
	itemPage  = 1024
	leastSize = 8        // of slots, and of the first page
	keyPiece  = 64 << 10 // a longer key has a piece of its own
)

// seed differs from run to run, so that keys cannot be chosen to collide; so do the others.
var (
	seed         = maphash.MakeSeed()
	seedA, seedB = maphash.Comparable(seed, 1), maphash.Comparable(seed, 2)
	seedC, seedD = maphash.Comparable(seed, 3), maphash.Comparable(seed, 4)
)

// words are a key of up to 16 bytes as it lies in an item.
func words(key []byte) (a, b uint64) {
	switch n := len(key); {
	case n > 8:
		return binary.LittleEndian.Uint64(key), binary.LittleEndian.Uint64(key[n-8:]) >> (8 * (16 - n) & 63)
	case n == 8:
		return binary.LittleEndian.Uint64(key), 0
	case n >= 4:
		return uint64(binary.LittleEndian.Uint32(key)) | uint64(binary.LittleEndian.Uint32(key[n-4:]))<<(8*(n-4)&63), 0
	case n > 0:
		return uint64(key[0]) | uint64(key[n/2])<<(8*(n/2)&63) | uint64(key[n-1])<<(8*(n-1)&63), 0
	}
	return 0, 0
}

// at returns the item of a key, and whether it is a new one of count 0.
func (t *table) at(key []byte) (found *item, fresh bool) {
	if len(key) > len(item{}.text) {
		return t.long(key, uint32(maphash.Bytes(seed, key)))
	}
	a, b := words(key)
	hi, lo := bits.Mul64(a^seedA, b^seedB)
	hi, lo = bits.Mul64(hi^seedC, lo^seedD^uint64(len(key)))
	h := uint32(hi ^ lo)
	if 4*t.n >= 3*len(t.slots) {
		t.grow()
	}
	mask := uint32(len(t.slots) - 1)
	i := h & mask
	for t.slots[i] != 0 {
		if s := t.slots[i]; (s^h)&^mask == 0 {
			x := t.item(int(s&mask - 1))
			if x.hash == h && int(x.size) == len(key) && binary.LittleEndian.Uint64(x.text[:]) == a && binary.LittleEndian.Uint64(x.text[8:]) == b {
				return x, false
			}
		}
		i = (i + 1) & mask
	}
	return t.add(key, h, i), true
}

// long is at for a key that is longer than an item has room for, and any key of which the
// hash is known.
func (t *table) long(key []byte, h uint32) (found *item, fresh bool) {
	if 4*t.n >= 3*len(t.slots) {
		t.grow()
	}
	mask := uint32(len(t.slots) - 1)
	i := h & mask
	for t.slots[i] != 0 {
		if s := t.slots[i]; (s^h)&^mask == 0 {
			x := t.item(int(s&mask - 1))
			if x.hash == h && bytes.Equal(t.key(x), key) {
				return x, false
			}
		}
		i = (i + 1) & mask
	}
	return t.add(key, h, i), true
}

// add adds an item for a key whose slot is i.
func (t *table) add(key []byte, h, i uint32) *item {
	page := t.n / itemPage
	if page == len(t.items) {
		t.items = append(t.items, make([]item, 0, pageSize(t.n+1)))
	}
	last := &t.items[page]
	if len(*last) == cap(*last) {
		*last = append(make([]item, 0, pageSize(t.n+1)), *last...)
	}
	*last = append(*last, item{hash: h, size: uint32(len(key))})
	t.n++
	t.text += len(key)
	mask := uint32(len(t.slots) - 1)
	t.slots[i] = h&^mask | uint32(t.n)
	x := &(*last)[len(*last)-1]
	t.place(x, key)
	return x
}

// place copies the key of an item.
func (t *table) place(x *item, key []byte) {
	if len(key) <= len(x.text) {
		copy(x.text[:], key)
		return
	}
	last := len(t.keys) - 1
	if last < 0 || cap(t.keys[last])-len(t.keys[last]) < len(key) {
		size := max(min(max(t.space, 64), keyPiece), len(key))
		t.keys = append(t.keys, make([]byte, 0, size))
		t.space += size
		last++
	}
	binary.LittleEndian.PutUint64(x.text[:], uint64(last))
	binary.LittleEndian.PutUint64(x.text[8:], uint64(len(t.keys[last])))
	t.keys[last] = append(t.keys[last], key...)
}

func (t *table) item(i int) *item { return &t.items[i/itemPage][i%itemPage] }

func (t *table) key(x *item) []byte {
	if int(x.size) <= len(x.text) {
		return x.text[:x.size:x.size]
	}
	piece, at := binary.LittleEndian.Uint64(x.text[:]), int(binary.LittleEndian.Uint64(x.text[8:]))
	return t.keys[piece][at : at+int(x.size)]
}

// grow makes room for more keys.
func (t *table) grow() {
	t.slots = make([]uint32, max(leastSize, 2*len(t.slots)))
	mask := uint32(len(t.slots) - 1)
	for n := range t.n {
		h := t.item(n).hash
		i := h & mask
		for t.slots[i] != 0 {
			i = (i + 1) & mask
		}
		t.slots[i] = h&^mask | uint32(n+1)
	}
}

// all are the items, in the order in which they came.
func (t *table) all() iter.Seq[*item] {
	return func(yield func(*item) bool) {
		for _, page := range t.items {
			for i := range page {
				if !yield(&page[i]) {
					return
				}
			}
		}
	}
}

// pageSize is for how many items the page has room in which the last one of n is.
func pageSize(n int) int {
	if n > itemPage {
		return itemPage
	}
	return max(leastSize, 1<<bits.Len(uint(n-1)))
}

// top returns the n labels of the highest counts, the highest first and the larger one
// first among equals.
func (t *table) top(n int) []Label {
	items := slices.SortedFunc(t.all(), func(a, b *item) int {
		return cmp.Or(cmp.Compare(b.count, a.count), bytes.Compare(t.key(b), t.key(a)))
	})
	out := make([]Label, min(n, len(items)))
	for i := range out {
		out[i] = Label{string(t.key(items[i])), items[i].count}
	}
	return out
}
