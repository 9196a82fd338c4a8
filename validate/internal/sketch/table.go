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

// A table is a hash table of keys and counts, which remembers the order of insertion. It uses linear probing, and few pointers,
// so that the garbage collector scans little.
type table struct {
	itemCount   int      // number of items
	keyBytes    int      // bytes of all keys
	slots       []uint32 // by hash: index of the item + 1 in the low bits, high bits of the item's hash; 0: empty
	items       [][]item // pages of pageItems items; the last page may be shorter
	keyChunks   [][]byte // memory for keys that do not fit into an item
	keyCapacity int      // allocated bytes of keys
}

// An item is a key and its count.
type item struct {
	count  float64
	hash   uint32
	size   uint32   // bytes of the key
	inline [16]byte // the key if it fits, else the index of its chunk and the offset in the chunk
}

const (
	pageItems     = 1024     // items of a full page
	minSlots      = 8        // initial size of slots and of the first page
	keyChunkBytes = 64 << 10 // maximum size of a chunk; a longer key gets its own chunk
)

// The seeds are random, so that an attacker cannot choose keys that collide.
var (
	seed         = maphash.MakeSeed()
	seedA, seedB = maphash.Comparable(seed, 1), maphash.Comparable(seed, 2)
	seedC, seedD = maphash.Comparable(seed, 3), maphash.Comparable(seed, 4)
)

// keyWords returns a key of up to 16 bytes as the two little-endian words of item.inline.
func keyWords(key []byte) (a, b uint64) {
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

// findOrAdd returns the item of a key. fresh means that the item was added, with count 0.
func (t *table) findOrAdd(key []byte) (entry *item, fresh bool) {
	if len(key) > len(item{}.inline) {
		return t.findOrAddHashed(key, uint32(maphash.Bytes(seed, key)))
	}
	a, b := keyWords(key)
	hi, lo := bits.Mul64(a^seedA, b^seedB)
	hi, lo = bits.Mul64(hi^seedC, lo^seedD^uint64(len(key)))
	h := uint32(hi ^ lo)
	if 4*t.itemCount >= 3*len(t.slots) {
		t.grow()
	}
	mask := uint32(len(t.slots) - 1)
	i := h & mask
	for t.slots[i] != 0 {
		if s := t.slots[i]; (s^h)&^mask == 0 {
			x := t.itemAt(int(s&mask - 1))
			if x.hash == h && int(x.size) == len(key) && binary.LittleEndian.Uint64(x.inline[:]) == a && binary.LittleEndian.Uint64(x.inline[8:]) == b {
				return x, false
			}
		}
		i = (i + 1) & mask
	}
	return t.addItem(key, h, i), true
}

// findOrAddHashed is findOrAdd for a key with a known hash, and for keys that do not fit into item.inline.
func (t *table) findOrAddHashed(key []byte, h uint32) (entry *item, fresh bool) {
	if 4*t.itemCount >= 3*len(t.slots) {
		t.grow()
	}
	mask := uint32(len(t.slots) - 1)
	i := h & mask
	for t.slots[i] != 0 {
		if s := t.slots[i]; (s^h)&^mask == 0 {
			x := t.itemAt(int(s&mask - 1))
			if x.hash == h && bytes.Equal(t.keyOf(x), key) {
				return x, false
			}
		}
		i = (i + 1) & mask
	}
	return t.addItem(key, h, i), true
}

// addItem adds an item for key to the empty slot i.
func (t *table) addItem(key []byte, h, i uint32) *item {
	page := t.itemCount / pageItems
	if page == len(t.items) {
		t.items = append(t.items, make([]item, 0, pageSize(t.itemCount+1)))
	}
	last := &t.items[page]
	if len(*last) == cap(*last) {
		*last = append(make([]item, 0, pageSize(t.itemCount+1)), *last...)
	}
	*last = append(*last, item{hash: h, size: uint32(len(key))})
	t.itemCount++
	t.keyBytes += len(key)
	mask := uint32(len(t.slots) - 1)
	t.slots[i] = h&^mask | uint32(t.itemCount)
	x := &(*last)[len(*last)-1]
	t.storeKey(x, key)
	return x
}

// storeKey copies the key into x, or into keyChunks.
func (t *table) storeKey(x *item, key []byte) {
	if len(key) <= len(x.inline) {
		copy(x.inline[:], key)
		return
	}
	last := len(t.keyChunks) - 1
	if last < 0 || cap(t.keyChunks[last])-len(t.keyChunks[last]) < len(key) {
		size := max(min(max(t.keyCapacity, 64), keyChunkBytes), len(key))
		t.keyChunks = append(t.keyChunks, make([]byte, 0, size))
		t.keyCapacity += size
		last++
	}
	binary.LittleEndian.PutUint64(x.inline[:], uint64(last))
	binary.LittleEndian.PutUint64(x.inline[8:], uint64(len(t.keyChunks[last])))
	t.keyChunks[last] = append(t.keyChunks[last], key...)
}

// itemAt returns the item with the index i.
func (t *table) itemAt(i int) *item { return &t.items[i/pageItems][i%pageItems] }

// keyOf returns the key of an item, which aliases the table.
func (t *table) keyOf(x *item) []byte {
	if int(x.size) <= len(x.inline) {
		return x.inline[:x.size:x.size]
	}
	piece, at := binary.LittleEndian.Uint64(x.inline[:]), int(binary.LittleEndian.Uint64(x.inline[8:]))
	return t.keyChunks[piece][at : at+int(x.size)]
}

// grow doubles the slots.
func (t *table) grow() {
	t.slots = make([]uint32, max(minSlots, 2*len(t.slots)))
	mask := uint32(len(t.slots) - 1)
	for n := range t.itemCount {
		h := t.itemAt(n).hash
		i := h & mask
		for t.slots[i] != 0 {
			i = (i + 1) & mask
		}
		t.slots[i] = h&^mask | uint32(n+1)
	}
}

// allItems returns the items in order of insertion.
func (t *table) allItems() iter.Seq[*item] {
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

// pageSize returns the capacity of the page that contains the last of n items.
func pageSize(n int) int {
	if n > pageItems {
		return pageItems
	}
	return max(minSlots, 1<<bits.Len(uint(n-1)))
}

// topLabels returns the n labels with the highest counts in descending order, equal counts in descending order of the
// labels.
func (t *table) topLabels(n int) []Label {
	items := slices.SortedFunc(t.allItems(), func(a, b *item) int {
		return cmp.Or(cmp.Compare(b.count, a.count), bytes.Compare(t.keyOf(b), t.keyOf(a)))
	})
	out := make([]Label, min(n, len(items)))
	for i := range out {
		out[i] = Label{string(t.keyOf(items[i])), items[i].count}
	}
	return out
}
