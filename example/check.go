package example

import (
	"bytes"
	"math"
	"slices"
	"strconv"

	"github.com/tfparse/tfparse/internal/wire"
)

// This file is the dialect for the inside of one Feature, in any form. Two
// decoders are compared: a conforming one, which reads every field, merges
// lists of one kind and keeps the last kind; and TensorFlow's, which reads the
// first list on the wire and of a packed list the first chunk.

// A verdict is what a conforming decoder reads in a Feature.
type verdict struct {
	kind    Kind
	run     int    // where the lists begin that make up the value: the last of one kind in a row
	count   int    // values in them
	dropped *Error // not nil: something known was left out, and what
}

// check decides what the Feature holds, or why it is refused.
func (f Feature) check() (verdict, error) {
	v, err := f.sound()
	if err != nil {
		return v, err
	}
	if v.kind == Unset && f.flags&replaces != 0 {
		return v, newError(f.off, 0, ErrAmbiguous, "", "a feature without kind after one with a kind")
	}
	if len(f.b) == 0 {
		return v, nil
	}
	first, ok := f.first()
	if !ok { // TensorFlow refuses: ours stands if it is the whole truth
		if v.dropped != nil {
			return v, v.dropped
		}
		return v, nil
	}
	if first.kind != v.kind || !f.same(first, v) {
		return v, newError(f.off, first.end, ErrAmbiguous, "one list in one piece", "more; TensorFlow reads the first")
	}
	if f.flags&inStep != 0 && first.end < len(f.b) {
		// TensorFlow reads on as if the rest were steps.
		if f.b[first.end] == tag1 {
			return v, newError(f.off, first.end, ErrAmbiguous, "the end of the step", "bytes that TensorFlow may read as another step")
		}
		if v.dropped != nil {
			return v, v.dropped
		}
	}
	return v, nil
}

// want is check for a caller who wants one kind; no kind will do.
func (f Feature) want(k Kind) (verdict, error) {
	v, err := f.check()
	if err != nil {
		return v, err
	}
	if v.kind != k && v.kind != Unset {
		return v, f.kindError(k, v.kind)
	}
	return v, nil
}

func (f Feature) kindError(want, got Kind) *Error {
	return newError(f.off, 0, ErrKind, want.String(), got.String())
}

// varintError explains the fault of the varint at f.b[at] in a packed list.
func (f Feature) varintError(at, fault int) *Error {
	if fault == wire.Overflow {
		return newError(f.off, at, ErrOverflow, "at most 64 bits", "")
	}
	return newError(f.off, at, wire.Err(fault), "", "")
}

// sound reads everything as a conforming decoder does and refuses what would
// have to be clamped, cut or wrapped.
func (f Feature) sound() (verdict, *Error) {
	var v verdict
	for i := 0; i < len(f.b); {
		fd, next := wire.Next(f.b, i)
		if next < 0 {
			return v, fieldError(f.b, f.off, i, next)
		}
		switch {
		case fd.Num > int32(Int64List):
		case fd.Type != wire.TypeBytes:
			v.dropped = typeError(f.off, i, Kind(fd.Num).String(), fd.Type)
		default:
			k := Kind(fd.Num)
			count, dropped, err := f.soundList(k, fd.Lo, fd.Hi)
			if err != nil {
				return v, err
			}
			if v.kind != Unset && v.kind != k {
				dropped = newError(f.off, i, ErrAmbiguous, v.kind.String()+" alone", k.String())
			}
			if dropped != nil {
				v.dropped = dropped
			}
			if v.kind != k {
				v.kind, v.run, v.count = k, i, 0
			}
			v.count += count
		}
		i = next
	}
	return v, nil
}

// soundList is sound for the list f.b[lo:hi].
func (f Feature) soundList(k Kind, lo, hi int) (count int, dropped, err *Error) {
	b := f.b[:hi]
	for i := lo; i < hi; {
		fd, next := wire.Next(b, i)
		if next < 0 {
			return 0, nil, fieldError(b, f.off, i, next)
		}
		switch {
		case fd.Num != 1:
		case fd.Type != wire.TypeBytes && fd.Type != k.unpacked():
			want := "value as LEN"
			if k != BytesList {
				want = "value as " + k.unpacked().String() + " or LEN"
			}
			dropped = newError(f.off, i, ErrWireType, want, fd.Type.String())
		case fd.Type != wire.TypeBytes || k == BytesList:
			count++
		case k == FloatList:
			if (fd.Hi-fd.Lo)%4 != 0 {
				return 0, nil, newError(f.off, i, ErrPacked, "a multiple of 4 bytes", strconv.Itoa(fd.Hi-fd.Lo))
			}
			count += (fd.Hi - fd.Lo) / 4
		default:
			chunk := b[fd.Lo:fd.Hi]
			if at, next := wire.CheckVarints(chunk); next < 0 {
				return 0, nil, f.varintError(fd.Lo+at, next)
			}
			count += wire.CountVarints(chunk)
		}
		i = next
	}
	return count, dropped, nil
}

// unpacked is the wire type of a value that stands by itself.
func (k Kind) unpacked() wire.Type {
	return [...]wire.Type{Unset: wire.TypeBytes, BytesList: wire.TypeBytes, FloatList: wire.TypeFixed32, Int64List: wire.TypeVarint}[k]
}

// A reading is what TensorFlow reads of a sound Feature.
type reading struct {
	kind   Kind
	lo, hi int // the fields of the list that it reads
	count  int // values in them
	end    int // where it stops looking
}

// first returns TensorFlow's reading of a sound Feature that is not empty;
// false if TensorFlow refuses it.
func (f Feature) first() (reading, bool) {
	switch f.b[0] {
	case tag1, tag2, tag3:
	default:
		return reading{}, false
	}
	r := reading{kind: Kind(f.b[0] >> 3)}
	r.lo, r.hi = wire.Length(f.b, 1)
	r.end = r.hi
	b := f.b[:r.hi]
	if r.kind != BytesList && r.lo < r.hi && b[r.lo] == tag1 { // one packed chunk, and no more
		lo, hi := wire.Length(b, r.lo+1)
		r.hi, r.end = hi, hi
		if r.kind == FloatList {
			r.count = (hi - lo) / 4
		} else {
			r.count = wire.CountVarints(b[lo:hi])
		}
		return r, true
	}
	tag := 1<<3 | byte(r.kind.unpacked())
	for i := r.lo; i < r.hi; r.count++ {
		if b[i] != tag {
			return reading{}, false
		}
		_, i = wire.Next(b, i)
	}
	return r, true
}

// same reports whether both decoders read the same values of the same kind.
func (f Feature) same(r reading, v verdict) bool {
	if r.count != v.count {
		return false
	}
	if v.run == 0 { // what TensorFlow reads is the beginning of v, so it is all of it
		return true
	}
	// Another kind stood between. Nothing writes this; compare the values.
	theirs := f.b[:r.hi]
	switch v.kind {
	case BytesList:
		return slices.EqualFunc(f.appendBytes(nil, v), appendBytesList(nil, theirs, r.lo), bytes.Equal)
	case FloatList:
		return slices.EqualFunc(f.appendFloats(nil, v), appendFloatList(nil, theirs, r.lo), sameBits)
	}
	return slices.Equal(f.appendInt64s(nil, v), appendInt64List(nil, theirs, r.lo))
}

func sameBits(x, y float32) bool { return math.Float32bits(x) == math.Float32bits(y) }

// lists calls yield with each list of the value that v found.
func (f Feature) lists(v verdict, yield func(b []byte, lo int)) {
	for i := v.run; i < len(f.b) && v.kind != Unset; {
		fd, next := wire.Next(f.b, i)
		if fd.Type == wire.TypeBytes && fd.Num == int32(v.kind) {
			yield(f.b[:fd.Hi], fd.Lo)
		}
		i = next
	}
}

func (f Feature) appendInt64s(dst []int64, v verdict) []int64 {
	f.lists(v, func(b []byte, lo int) { dst = appendInt64List(dst, b, lo) })
	return dst
}

func (f Feature) appendFloats(dst []float32, v verdict) []float32 {
	f.lists(v, func(b []byte, lo int) { dst = appendFloatList(dst, b, lo) })
	return dst
}

func (f Feature) appendBytes(dst [][]byte, v verdict) [][]byte {
	f.lists(v, func(b []byte, lo int) { dst = appendBytesList(dst, b, lo) })
	return dst
}

// appendInt64List appends the values of the sound Int64List b[i:].
func appendInt64List(dst []int64, b []byte, i int) []int64 {
	for i < len(b) {
		fd, next := wire.Next(b, i)
		if fd.Num == 1 {
			switch fd.Type {
			case wire.TypeBytes:
				dst, _, _ = wire.AppendInt64s(dst, b[fd.Lo:fd.Hi])
			case wire.TypeVarint:
				x, _ := wire.Varint(b, fd.Lo)
				dst = append(dst, int64(x))
			}
		}
		i = next
	}
	return dst
}

// appendFloatList appends the values of the sound FloatList b[i:].
func appendFloatList(dst []float32, b []byte, i int) []float32 {
	for i < len(b) {
		fd, next := wire.Next(b, i)
		if fd.Num == 1 && (fd.Type == wire.TypeBytes || fd.Type == wire.TypeFixed32) {
			dst = wire.AppendFloats(dst, b[fd.Lo:fd.Hi])
		}
		i = next
	}
	return dst
}

// appendBytesList appends the values of the sound BytesList b[i:].
func appendBytesList(dst [][]byte, b []byte, i int) [][]byte {
	for i < len(b) {
		fd, next := wire.Next(b, i)
		if fd.Num == 1 && fd.Type == wire.TypeBytes {
			dst = append(dst, b[fd.Lo:fd.Hi:fd.Hi])
		}
		i = next
	}
	return dst
}
