package canonical

import (
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/tfparse/tfparse/internal/wire"
)

// These functions check whole messages in canonical encoding in one pass: the framing, that no name
// is repeated, and every value. They replace a scan that collects and sorts the entries and then reads
// every feature, and are four to eight times as fast. checkFastPath in the tests of package example
// compares the two.
//
// Package example accepts every message that one of these functions accepts. A message that they
// reject may still be valid: package example decides.

// CheckExample reports whether msg is an Example in canonical encoding.
func CheckExample(msg []byte) bool {
	var seen nameSet
	return checkExample(&seen, msg, 0)
}

// CheckSequence reports whether msg is a SequenceExample in canonical encoding.
func CheckSequence(msg []byte) bool {
	var context, lists nameSet
	for i := 0; i < len(msg); {
		number, lo, hi := Field(msg, i)
		switch {
		case number == 1 && checkMap(&context, msg[:hi], lo, false):
		case number == 2 && checkMap(&lists, msg[:hi], lo, true):
		default:
			return false
		}
		i = hi
	}
	return true
}

// CheckList reports whether msg is an ExampleListWithContext in canonical encoding.
func CheckList(msg []byte) bool {
	var seen nameSet
	contexts := 0
	for i := 0; i < len(msg); {
		number, lo, hi := Field(msg, i)
		switch {
		case number == 1 && checkExample(&seen, msg[:hi], lo):
		case number == 2 && contexts == 0 && checkExample(&seen, msg[:hi], lo):
			contexts++
		default:
			return false
		}
		i = hi
		seen.reset()
	}
	return true
}

// checkExample reports whether b[i:] is an Example in canonical encoding.
func checkExample(seen *nameSet, b []byte, i int) bool {
	for i < len(b) {
		lo, hi, ok := Message(b, i, Tag1)
		if !ok || !checkMap(seen, b[:hi], lo, false) {
			return false
		}
		i = hi
	}
	return true
}

// checkMap reports whether b[i:] is a map of features, or of feature lists, in canonical encoding.
func checkMap(seen *nameSet, b []byte, i int, lists bool) (ok bool) {
	for i < len(b) {
		name, at, value, next := entry(b, i)
		if next < 0 || !seen.add(b, name, at) {
			return false
		}
		if lists {
			_, ok = CountSteps(b[:next], value)
		} else {
			_, _, ok = Count(b[:next], value)
		}
		if !ok {
			return false
		}
		i = next
	}
	return true
}

// entry reads the map entry at b[i]: its name is b[name:end], its value b[value:next].
// next is negative if the entry is not in canonical encoding.
func entry(b []byte, i int) (name, end, value, next int) {
	if i+8 <= len(b) { // both lengths have one byte
		w := binary.LittleEndian.Uint64(b[i:])
		end, next = i+4+int(w>>24&0xff), i+2+int(w>>8&0xff)
		if w&0x80ff80ff == Tag1|Tag1<<16 && end+2 <= next && next <= len(b) && b[end] == Tag2 && end+2+int(b[end+1]) == next {
			return i + 4, end, end + 2, next
		}
	}
	return longEntry(b, i)
}

// longEntry is entry for lengths of any size.
func longEntry(b []byte, i int) (name, end, value, next int) {
	lo, next, ok := Message(b, i, Tag1)
	if !ok {
		return 0, 0, 0, -1
	}
	e := b[:next]
	if name, end, ok = Message(e, lo, Tag1); !ok {
		return 0, 0, 0, -1
	}
	if value, lo, ok = Message(e, end, Tag2); !ok || lo != next {
		return 0, 0, 0, -1
	}
	return name, end, value, next
}

// Count returns the kind of the Feature b[i:], as a field number (0 if no kind is set), and the number
// of its values. ok is false if the Feature is not in canonical encoding or is damaged.
func Count(b []byte, i int) (kind uint8, n int, ok bool) {
	if i == len(b) {
		return 0, 0, true
	}
	switch tag := b[i]; tag {
	case Int64Tag:
		lo, ok := Chunk(b, i, tag)
		if !ok {
			return 0, 0, false
		}
		n, ok = varints(b, lo)
		return tag >> 3, n, ok
	case FloatTag:
		lo, ok := Chunk(b, i, tag)
		return tag >> 3, (len(b) - lo) / 4, ok && (len(b)-lo)%4 == 0
	case BytesTag:
		if _, ok := Bytes(b, i); ok {
			return tag >> 3, 1, true
		}
		for i, ok = List(b, i); ok && i < len(b); n++ {
			_, i, ok = Message(b, i, Tag1)
		}
		return tag >> 3, n, ok
	}
	return 0, 0, false
}

// varints counts the varints of b[i:]. ok is false if one is truncated or longer than 64 bits.
func varints(b []byte, i int) (n int, ok bool) {
	if size := len(b) - i; size <= 8 && len(b) >= 8 { // too short for a varint of more than 64 bits
		if size == 0 {
			return 0, true
		}
		more := binary.LittleEndian.Uint64(b[len(b)-8:]) & continued >> ((64 - 8*uint(size)) & 63)
		return size - bits.OnesCount64(more), b[len(b)-1] < 0x80
	}
	if n, ok = wire.CountSound(b, i); ok {
		return n, true
	}
	if _, next := wire.CheckVarints(b[i:]); next < 0 { // a varint has ten bytes or is damaged
		return 0, false
	}
	return wire.CountVarints(b[i:]), true
}

// continued has the continuation bit of each of eight bytes.
const continued = 0x8080808080808080

// StepCount counts the steps of a feature list and their values.
type StepCount struct {
	Steps  int    // number of steps
	Kinds  [4]int // number of steps by kind; index 0: no kind set
	Spread        // number of values per step, over the steps with a kind
}

// Spread is the minimum, maximum and total of the number of values per step.
type Spread struct{ Min, Max, Total int }

// CountSteps counts the steps of the FeatureList b[i:]: runs of steps with the same layout many at a
// time, and all other steps one at a time. ok is false if a step is not in canonical encoding or is damaged.
func CountSteps(b []byte, i int) (l StepCount, ok bool) {
	for i < len(b) {
		n, s, next := 0, Spread{}, i
		var kind uint8
		if i+8 <= len(b) {
			tag := b[i+2]
			kind = tag >> 3
			switch tag {
			case Int64Tag:
				n, s, next = countInt64Steps(b, i)
			case FloatTag:
				n, s, next = countFloatSteps(b, i)
			case BytesTag:
				n, s, next = countBytesSteps(b, i)
			}
		}
		if n == 0 {
			lo, hi, ok := Message(b, i, Tag1)
			if !ok {
				return l, false
			}
			count := 0
			if kind, count, ok = Count(b[:hi], lo); !ok {
				return l, false
			}
			n, s, next = 1, Spread{count, count, count}, hi
		}
		l.add(kind, n, s)
		i = next
	}
	return l, true
}

// add adds n steps of one kind with the value counts s.
func (l *StepCount) add(kind uint8, n int, s Spread) {
	first := l.Steps == l.Kinds[0]
	l.Steps += n
	l.Kinds[kind&3] += n
	switch {
	case kind == 0:
	case first:
		l.Spread = s
	default:
		l.Spread = Spread{min(l.Min, s.Min), max(l.Max, s.Max), l.Total + s.Total}
	}
}

// countInt64Steps counts the steps from b[i] on whose packed list has at most 32 bytes; stop is the position after
// these steps. It reads 32 bytes for each list, whatever its size, because a branch on the size is mispredicted for
// every second step. It takes a third of the time of a call of Count for each step.
func countInt64Steps(b []byte, i int) (n int, s Spread, stop int) {
	s.Min = math.MaxInt
	for ; i+stepHeadSize+32 <= len(b); n++ {
		count, size := 0, int(b[i+1])
		f := (*[stepHeadSize + 32]byte)(b[i:])
		w := binary.LittleEndian.Uint64(f[:])
		if uint32(w) != emptyInt64s {
			bytes := uint(size - shortest) // size of the list
			if bytes-1 > 31 || w<<16>>16 != stepHead(Int64Tag, uint64(size)) {
				break
			}
			more := wire.MoreBits((*[32]byte)(f[stepHeadSize:])) & (1<<(bytes&63) - 1)
			if wire.NineBits(more) != 0 || more>>((bytes-1)&63) != 0 {
				break // damaged, or a varint of ten bytes
			}
			count = int(bytes) - bits.OnesCount64(more)
		}
		s.Min, s.Max, s.Total = min(s.Min, count), max(s.Max, count), s.Total+count
		i += 2 + size
	}
	return n, s, i
}

// emptyInt64s is the first four bytes of a step with an Int64List without values.
const emptyInt64s = Tag1 | 2<<8 | Int64Tag<<16

// countFloatSteps counts the steps from b[i] on that have the same number of values as the first.
func countFloatSteps(b []byte, i int) (n int, s Spread, stop int) {
	head := binary.LittleEndian.Uint64(b[i:]) << 16
	feature := head >> 24 & 0xff
	size := 2 + int(feature)
	if feature-shortest > longest-shortest || feature%4 != 0 || head>>16 != stepHead(FloatTag, feature) {
		return 0, s, i
	}
	for ; i+size <= len(b) && i+8 <= len(b) && binary.LittleEndian.Uint64(b[i:])<<16 == head; n++ {
		i += size
	}
	count := int(feature-shortest) / 4
	return n, Spread{count, count, n * count}, i
}

// countBytesSteps counts the steps from b[i] on that have one value. The size is loaded separately, not
// shifted out of w, because the next iteration depends on it alone: that halves the time.
func countBytesSteps(b []byte, i int) (n int, s Spread, stop int) {
	for ; i+8 <= len(b); n++ {
		size := uint64(b[i+1])
		w := binary.LittleEndian.Uint64(b[i:])
		next := i + 2 + int(size)
		if size-shortest > longest-shortest || next > len(b) || w<<16>>16 != stepHead(BytesTag, size) {
			break
		}
		i = next
	}
	return n, Spread{1, 1, n}, i
}
