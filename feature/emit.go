package feature

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/tfparse/tfparse/internal/canonical"
	"github.com/tfparse/tfparse/internal/wire"
)

// The fast way to write what one column says. A message stands behind its length, and
// so do those that it lies in, but the length is known only when the message is
// written: so room is left that is most likely what the lengths need, and if it is not,
// the message is moved. entry and field in encode.go write the same in the obvious way,
// from the inside out.

// A wrap is what stands around values, from the outside in.
type wrap struct {
	head   string // of a map entry: key, and the tag of its value; "" for a frame, which has none
	list   byte   // the tag of the list in the Feature; 0 if the values are no Feature
	packed bool   // the list is one packed chunk
}

// A habit is what a key was written with the last time, and is likely to be again.
type habit struct {
	bytes  uint8  // how many its integers had each
	size   int    // of its floats
	before []byte // what stands before so many bytes of floats; nil if there were none
}

// sizes returns the sizes of the messages around n bytes of values, and that of all
// there is before the values.
func (w *wrap) sizes(n int) (list, feature, outer, before int) {
	if most := n + len(w.head) + 5; most < 0x80 { // all lengths have one byte
		list = n
		if w.packed {
			list += 2
		}
		feature = list
		if w.list != 0 {
			feature += 2
		}
		outer = feature
		if w.head != "" {
			outer += len(w.head) + 1
		}
		return list, feature, outer, 2 + outer - n
	}
	all := n
	list = n
	if w.packed {
		list = 1 + wire.SizeVarint(uint64(n)) + n
	}
	feature = list
	if w.list != 0 {
		feature = 1 + wire.SizeVarint(uint64(list)) + list
	}
	outer = feature
	if w.head != "" {
		outer = len(w.head) + wire.SizeVarint(uint64(feature)) + feature
	}
	return list, feature, outer, 1 + wire.SizeVarint(uint64(outer)) + outer - all
}

// open leaves room for what stands before about n bytes of values. It returns where
// the values begin.
func (w *wrap) open(dst []byte, n int) ([]byte, int) {
	_, _, _, before := w.sizes(n)
	dst = slices.Grow(dst, before)
	return dst[:len(dst)+before], len(dst) + before
}

// close writes what stands before the values, which begin at values and end where dst
// ends. The whole began at start.
func (w *wrap) close(dst []byte, start, values int) []byte {
	n := len(dst) - values
	list, feature, outer, before := w.sizes(n)
	if start+before != values {
		dst = slices.Grow(dst, before)
		copy(dst[start+before:start+before+n], dst[values:])
	}
	w.put(dst[:start], n, list, feature, outer)
	return dst[:start+before+n]
}

// begin appends what stands before n bytes of values.
func (w *wrap) begin(dst []byte, n int) []byte {
	list, feature, outer, before := w.sizes(n)
	return w.put(slices.Grow(dst, before+n), n, list, feature, outer)
}

// put appends what stands before n bytes of values, when the sizes are known.
func (w *wrap) put(b []byte, n, list, feature, outer int) []byte {
	b = wire.AppendVarint(append(b, canonical.Tag1), uint64(outer))
	if w.head != "" {
		b = wire.AppendVarint(append(b, w.head...), uint64(feature))
	}
	if w.list != 0 {
		b = wire.AppendVarint(append(b, w.list), uint64(list))
	}
	if w.packed {
		b = wire.AppendVarint(append(b, canonical.Tag1), uint64(n))
	}
	return b
}

// small appends what stands before n bytes of values that are one chunk, or one string,
// if all lengths have one byte, and leaves room for the values.
func (w *wrap) small(dst []byte, n int) (b []byte, ok bool) {
	if !w.isSmall(n) {
		return dst, false
	}
	at := len(dst) + w.smallSize()
	dst = slices.Grow(dst, w.smallSize()+n+wire.PackRoom)
	w.putSmall(dst[len(dst):at], n)
	return dst[:at], true
}

// isSmall reports whether all lengths have one byte.
func (w *wrap) isSmall(n int) bool { return len(w.head)+5+n < 0x80 }

// smallSize is how many bytes stand before the values then.
func (w *wrap) smallSize() int {
	if w.head == "" {
		return 6
	}
	return 7 + len(w.head)
}

// putSmall writes them.
func (w *wrap) putSmall(b []byte, n int) {
	b[0], b[1] = canonical.Tag1, byte(len(b)+n-2)
	b = b[2:]
	if w.head != "" {
		at := copy(b, w.head)
		b[at] = byte(n + 4)
		b = b[at+1:]
	}
	binary.LittleEndian.PutUint32(b, uint32(w.list)|canonical.Tag1<<16|uint32(n+2)<<8|uint32(n)<<24)
}

// emit appends the Feature of one column, in a map entry or in a frame.
func (e *encoder) emit(dst []byte, u *use, head string, frame int) []byte {
	r := u.by[0]
	c := &e.b.cols[r.column]
	h := &e.habits[u.number]
	if r.part >= 0 || r.index >= 0 {
		w := wrap{head: head, list: canonical.Int64Tag}
		return w.ints(dst, e.source(u, r, frame).ints, h)
	}
	n := e.row
	if c.nested {
		n = c.levels[0].limit(n) + frame
	}
	return c.emit(dst, n, head, h)
}

// emit appends the Feature of unit n.
func (c *column) emit(dst []byte, n int, head string, h *habit) []byte {
	levels := c.levels
	if c.nested {
		levels = levels[1:]
	}
	lo, hi := n, n+1
	for i := range levels {
		lo, hi = levels[i].limit(lo), levels[i].limit(hi)
	}
	if c.cell != 1 {
		lo, hi = lo*c.cell, hi*c.cell
	}
	switch c.dtype {
	case Int64:
		w := wrap{head: head, list: canonical.Int64Tag}
		return w.ints(dst, c.ints[lo:hi], h)
	case Float32:
		w := wrap{head: head, list: canonical.FloatTag}
		return w.floats(dst, c.floats[lo:hi], h)
	}
	w := wrap{head: head, list: canonical.BytesTag}
	return w.strings(dst, c.strings[lo:hi])
}

// ints appends a list.
func (w *wrap) ints(dst []byte, v []int64, h *habit) []byte {
	if n := 10 * len(v); 0 < n && w.isSmall(n) { // whatever the values are
		start, before := len(dst), w.smallSize()
		dst = slices.Grow(dst, before+n+wire.PackRoom)
		dst = wire.AppendPackedInt64s(dst[:start+before], v)
		w.putSmall(dst[start:start+before], len(dst)-start-before)
		return dst
	}
	w.packed = len(v) > 0
	start := len(dst)
	dst = slices.Grow(dst, 10*min(len(v), 64)+8)
	dst, values := w.open(dst, len(v)*int(h.bytes))
	dst = wire.AppendPackedInt64s(dst, v)
	if len(v) > 0 {
		h.bytes = uint8((len(dst) - values + len(v)/2) / len(v))
	}
	return w.close(dst, start, values)
}

func (w *wrap) floats(dst []byte, v []float32, h *habit) []byte {
	n := 4 * len(v)
	if n > 0 {
		if b, ok := w.small(dst, n); ok {
			return wire.AppendPackedFloats(b, v)
		}
	}
	w.packed = n > 0
	if n != h.size || h.before == nil {
		list, feature, outer, _ := w.sizes(n)
		h.size, h.before = n, w.put(h.before[:0], n, list, feature, outer)
	}
	return wire.AppendPackedFloats(append(slices.Grow(dst, len(h.before)+n), h.before...), v)
}

func (w *wrap) strings(dst []byte, v []string) []byte {
	if len(v) == 1 {
		if b, ok := w.small(dst, len(v[0])); ok {
			return append(b, v[0]...)
		}
	}
	n := 0
	for _, t := range v {
		n += 1 + wire.SizeVarint(uint64(len(t))) + len(t)
	}
	dst = w.begin(dst, n)
	for _, t := range v {
		dst = append(wire.AppendVarint(append(dst, canonical.Tag1), uint64(len(t))), t...)
	}
	return dst
}

// emitList appends the entry of a feature list.
func (e *encoder) emitList(dst []byte, u *use, frames int) []byte {
	w := wrap{head: u.head}
	start := len(dst)
	dst, values := w.open(dst, 1<<7) // lengths of two bytes
	if r := u.by[0]; r.part < 0 {
		c := &e.b.cols[r.column]
		first := c.levels[0].limit(e.row)
		dst = c.emitFrames(dst, first, first+frames, &e.habits[u.number])
	} else {
		for n := range frames {
			dst = e.emit(dst, u, "", n)
		}
	}
	return w.close(dst, start, values)
}

// emitFrames appends the frames that are the units from first up to end. It does what emit
// does for each, but with less ado where lengths have one byte.
func (c *column) emitFrames(dst []byte, first, end int, h *habit) []byte {
	var splits []int64 // of the units; nil if all have one size
	scale := c.cell
	for i := len(c.levels) - 1; i > 0; i-- {
		if l := &c.levels[i]; l.length >= 0 && splits == nil {
			scale *= int(l.length)
		} else if i == 1 {
			splits = l.splits
		} else {
			for n := first; n < end; n++ {
				dst = c.emit(dst, n, "", h)
			}
			return dst
		}
	}
	hi := first * scale
	if splits != nil {
		hi = int(splits[first]) * scale
	}
	for n := first; n < end; n++ {
		lo := hi
		if splits != nil {
			hi = int(splits[n+1]) * scale
		} else {
			hi += scale
		}
		switch c.dtype {
		case Int64:
			dst = frameOfInts(dst, c.ints[lo:hi], h)
		case Float32:
			dst = frameOfFloats(dst, c.floats[lo:hi], h)
		default:
			dst = frameOfStrings(dst, c.strings[lo:hi])
		}
	}
	return dst
}

// What a frame has behind its head at most, if it is small.
const smallFrame = 0x80 - 1 - 4

func frameOfInts(dst []byte, v []int64, h *habit) []byte {
	if len(v) == 0 || 10*len(v) > smallFrame {
		w := wrap{list: canonical.Int64Tag}
		return w.ints(dst, v, h)
	}
	start := len(dst)
	dst = wire.AppendPackedInt64s(slices.Grow(dst, smallFrame+wire.PackRoom)[:start+canonical.FrameHeadSize], v)
	var head [8]byte
	putHead(head[:], canonical.Int64Tag, len(dst)-start-canonical.FrameHeadSize)
	copy(dst[start:], head[:canonical.FrameHeadSize])
	return dst
}

func frameOfFloats(dst []byte, v []float32, h *habit) []byte {
	if len(v) == 0 || 4*len(v) > smallFrame {
		w := wrap{list: canonical.FloatTag}
		return w.floats(dst, v, h)
	}
	start, size := len(dst), canonical.FrameHeadSize+4*len(v)
	if cap(dst)-start < size {
		dst = slices.Grow(dst, size)
	}
	putHead(dst[start:start+size], canonical.FloatTag, 4*len(v))
	if len(v) == 1 {
		return binary.LittleEndian.AppendUint32(dst[:start+canonical.FrameHeadSize], math.Float32bits(v[0]))
	}
	return wire.AppendPackedFloats(dst[:start+canonical.FrameHeadSize], v)
}

func frameOfStrings(dst []byte, v []string) []byte {
	if len(v) != 1 || len(v[0]) > smallFrame {
		w := wrap{list: canonical.BytesTag}
		return w.strings(dst, v)
	}
	start, s := len(dst), v[0]
	if cap(dst)-start < 8+len(s) {
		dst = slices.Grow(dst, 8+len(s))
	}
	putHead(dst[start:start+8], canonical.BytesTag, len(s))
	return append(dst[:start+canonical.FrameHeadSize], s...)
}

// putHead writes the head of a small frame, and two bytes more.
func putHead(dst []byte, tag byte, n int) {
	binary.LittleEndian.PutUint64(dst, canonical.FrameHead(tag, uint64(n)+4))
}

// emitMap appends a map, whose entries body appends, as a field. It leaves room for a
// length of as many bytes as the last one of that number had.
func (e *encoder) emitMap(dst []byte, num int32, body func([]byte) []byte) []byte {
	room := max(2, e.room[num])
	start := len(dst)
	dst = slices.Grow(dst, room)
	dst = body(dst[:start+room])
	n := len(dst) - start - room
	before := int(wire.SizeField(int64(n))) - n
	e.room[num] = before
	if before != room {
		dst = slices.Grow(dst, before)
		copy(dst[start+before:start+before+n], dst[start+room:])
	}
	wire.AppendHeader(dst[:start], num, int64(n))
	return dst[:start+before+n]
}
