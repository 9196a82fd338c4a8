package example_test

import (
	"encoding/binary"
	"math/rand/v2"
)

// An oddWriter writes mostly correct messages, with a random choice of all unusual encodings that the dialect
// describes.
type oddWriter struct {
	*rand.Rand
	odd float64 // the probability of each unusual encoding
}

func newOddWriter(seed uint64, odd float64) oddWriter {
	return oddWriter{rand.New(rand.NewPCG(seed, 1)), odd}
}

// happens decides at random whether to write an unusual encoding here.
func (w oddWriter) happens() bool { return w.Float64() < w.odd }

func (w oddWriter) pick(b ...[]byte) []byte { return b[w.IntN(len(b))] }

// varint writes v, sometimes padded, and very rarely too long.
func (w oddWriter) varint(v uint64) []byte {
	b := binary.AppendUvarint(nil, v)
	if !w.happens() {
		return b
	}
	for range 1 + w.IntN(9) {
		b[len(b)-1] |= 0x80
		b = append(b, 0)
	}
	if len(b) >= 10 && w.IntN(2) == 0 {
		b[9] = byte(w.IntN(256))
	}
	return b
}

func (w oddWriter) field(num, wire int, body []byte) []byte {
	b := w.varint(uint64(num<<3 | wire))
	if wire == 2 {
		n := uint64(len(body))
		if w.happens() && w.IntN(3) == 0 {
			n = [...]uint64{n + 1, n - 1, n + 1<<32, 1 << 31, 1<<64 - 1, 0}[w.IntN(6)]
		}
		b = append(b, w.varint(n)...)
	}
	return append(b, body...)
}

// unknown writes a field that no message has, or an invalid field.
func (w oddWriter) unknown() []byte {
	num := 4 + w.IntN(9)
	switch w.IntN(12) {
	case 0, 1:
		return w.field(num, 0, w.varint(uint64(w.IntN(300))))
	case 2:
		return w.field(num, 5, []byte("abcd"))
	case 3:
		return w.field(num, 1, []byte("abcdefgh"))
	case 4: // a group, sometimes around another one, sometimes not closed correctly
		b := w.field(num, 3, w.field(1, 2, []byte("x")))
		if w.IntN(2) == 0 {
			b = append(b, w.unknown()...)
		}
		if w.IntN(5) == 0 {
			num++
		}
		return append(b, w.field(num, 4, nil)...)
	case 5:
		return w.pick([]byte{0x00, 0x00}, []byte{0x02, 0x00}, []byte{0x4e, 0x00}, []byte{0x4f}, []byte{0x4c}, []byte{0x80}, []byte{0xf8, 0xff, 0xff, 0xff, 0x0f, 0x01}, []byte{0x80, 0x80, 0x80, 0x80, 0x10, 0x01})
	case 6: // a known field number with a wrong wire type
		return w.pick([]byte{0x08, 0x01}, []byte{0x0d, 1, 2, 3, 4}, []byte{0x10, 0x05}, []byte{0x18, 0x05}, []byte{0x0b, 0x0c}, []byte{0x09, 1, 2, 3, 4, 5, 6, 7, 8})
	}
	return w.field(num, 2, []byte("xyz")[:w.IntN(4)])
}

// strew joins fields, with unknown fields between them.
func (w oddWriter) strew(fields ...[]byte) []byte {
	var b []byte
	for _, f := range fields {
		if w.happens() {
			b = append(b, w.unknown()...)
		}
		b = append(b, f...)
	}
	if w.happens() {
		b = append(b, w.unknown()...)
	}
	return b
}

func (w oddWriter) number() uint64 {
	return [...]uint64{0, 1, 2, 127, 128, 300, 1 << 20, 1 << 33, 1<<63 - 1, 1 << 63, 1<<64 - 1}[w.IntN(11)]
}

// list writes the body of a list of kind 1, 2 or 3.
func (w oddWriter) list(kind int) []byte {
	var fields [][]byte
	value := func() []byte {
		if kind == 2 {
			return binary.LittleEndian.AppendUint32(nil, uint32(w.number()))
		}
		return w.varint(w.number())
	}
	chunk := func() {
		var body []byte
		for range w.IntN(4) {
			body = append(body, value()...)
		}
		if kind == 2 && w.happens() {
			body = append(body, "abc"[:w.IntN(4)]...)
		}
		fields = append(fields, w.field(1, 2, body))
	}
	single := func() { fields = append(fields, w.field(1, map[int]int{2: 5, 3: 0}[kind], value())) }
	switch {
	case kind == 1:
		for range w.IntN(4) {
			fields = append(fields, w.field(1, 2, w.pick(nil, []byte("x"), []byte("\xff\x00"), []byte("longer"))))
		}
	case w.happens():
		for range w.IntN(4) {
			if w.IntN(2) == 0 {
				chunk()
			} else {
				single()
			}
		}
	case w.IntN(4) == 0:
		for range w.IntN(4) {
			single()
		}
	case w.IntN(5) > 0:
		chunk()
	}
	return w.strew(fields...)
}

// feature writes a Feature message.
func (w oddWriter) feature() []byte {
	var fields [][]byte
	one := func() {
		kind := 1 + w.IntN(3)
		fields = append(fields, w.field(kind, 2, w.list(kind)))
	}
	if w.IntN(8) > 0 {
		one()
		if w.happens() {
			for range w.IntN(3) {
				if w.IntN(2) == 0 {
					fields = append(fields, fields[0])
				} else {
					one()
				}
			}
		}
	}
	return w.strew(fields...)
}

// entries writes a Features or FeatureLists message.
func (w oddWriter) entries(lists bool) []byte {
	var fields [][]byte
	for range w.IntN(4) {
		value := w.feature()
		if lists {
			var steps [][]byte
			for range w.IntN(4) {
				steps = append(steps, w.field(1, 2, w.feature()))
			}
			value = w.strew(steps...)
		}
		key := w.field(1, 2, w.pick([]byte("a"), []byte("a"), []byte("b"), []byte("a"), []byte(""), []byte("\xff")))
		parts := [][]byte{key, w.field(2, 2, value)}
		if w.happens() {
			switch w.IntN(4) {
			case 0:
				parts = parts[:1]
			case 1:
				parts = parts[1:]
			case 2:
				parts = append(parts, parts[w.IntN(2)])
			}
		}
		if w.happens() {
			w.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
		}
		fields = append(fields, w.field(1, 2, w.strew(parts...)))
	}
	return w.strew(fields...)
}

// message writes an Example or a SequenceExample.
func (w oddWriter) message(sequence bool) []byte {
	var fields [][]byte
	for range 1 + w.IntN(2) {
		fields = append(fields, w.field(1, 2, w.entries(false)))
	}
	if sequence {
		for range w.IntN(3) {
			fields = append(fields, w.field(2, 2, w.entries(true)))
		}
	}
	b := w.strew(fields...)
	if w.happens() {
		b = b[:w.IntN(len(b)+1)]
	}
	if len(b) > 0 && w.happens() {
		b[w.IntN(len(b))] ^= 1 << w.IntN(8)
	}
	return b
}
