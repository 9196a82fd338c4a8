package example

import (
	"bytes"
	"math"
	"slices"
	"strconv"

	"github.com/tfparse/tfparse/internal/wire"
)

// This file decides which encodings of one Feature are accepted: see DIALECT.md. It compares two decoders: a
// conforming one, which reads every field, merges lists of one kind and keeps the last kind; and TensorFlow's,
// which reads only the first list in the message, and only the first chunk of a packed list.

// A conformingValue is the value of a Feature as a conforming decoder reads it.
type conformingValue struct {
	kind  Kind
	first int    // offset of the first list of the value: lists before it are of other kinds
	count int    // number of values
	lost  *Error // a known field that the decoder drops; nil if there is none
}

// checkDialect returns the value of a Feature, or an error if its encoding is not accepted.
func (f Feature) checkDialect() (conformingValue, error) {
	v, err := f.checkConforming()
	if err != nil {
		return v, err
	}
	if v.kind == Unset && f.flags&replaces != 0 {
		return v, newError(f.off, 0, ErrAmbiguous, "", "a feature without kind after one with a kind")
	}
	if len(f.b) == 0 {
		return v, nil
	}
	first, ok := f.readAsTensorFlow()
	if !ok { // TensorFlow returns an error: the value is accepted if nothing was dropped
		if v.lost != nil {
			return v, v.lost
		}
		return v, nil
	}
	if first.kind != v.kind || !f.sameValues(first, v) {
		return v, newError(f.off, first.end, ErrAmbiguous, "one list in one piece", "more; TensorFlow reads the first")
	}
	if f.flags&inStep != 0 && first.end < len(f.b) {
		// TensorFlow reads the rest as steps.
		if f.b[first.end] == tag1 {
			return v, newError(f.off, first.end, ErrAmbiguous, "the end of the step", "bytes that TensorFlow may read as another step")
		}
		if v.lost != nil {
			return v, v.lost
		}
	}
	return v, nil
}

// checkKind is checkDialect for a caller that accepts one kind, or a feature without kind.
func (f Feature) checkKind(k Kind) (conformingValue, error) {
	v, err := f.checkDialect()
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

// varintError returns the error of the varint at f.b[at] in a packed list.
func (f Feature) varintError(at, fault int) *Error {
	if fault == wire.Overflow {
		return newError(f.off, at, ErrOverflow, "at most 64 bits", "")
	}
	return newError(f.off, at, wire.Err(fault), "", "")
}

// checkConforming decodes a Feature as a conforming decoder does. Values that would have to be
// clamped, cut or wrapped are errors.
func (f Feature) checkConforming() (conformingValue, *Error) {
	var v conformingValue
	for i := 0; i < len(f.b); {
		fd, next := wire.Next(f.b, i)
		if next < 0 {
			return v, fieldError(f.b, f.off, i, next)
		}
		switch {
		case fd.Num > int32(Int64List):
		case fd.Type != wire.TypeBytes:
			v.lost = typeError(f.off, i, Kind(fd.Num).String(), fd.Type)
		default:
			k := Kind(fd.Num)
			count, dropped, err := f.checkList(k, fd.Lo, fd.Hi)
			if err != nil {
				return v, err
			}
			if v.kind != Unset && v.kind != k {
				dropped = newError(f.off, i, ErrAmbiguous, v.kind.String()+" alone", k.String())
			}
			if dropped != nil {
				v.lost = dropped
			}
			if v.kind != k {
				v.kind, v.first, v.count = k, i, 0
			}
			v.count += count
		}
		i = next
	}
	return v, nil
}

// checkList is checkConforming for the list f.b[lo:hi]. dropped is the error of a known field that the decoder
// drops.
func (f Feature) checkList(k Kind, lo, hi int) (count int, dropped, err *Error) {
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

// unpacked returns the wire type of a value outside of a packed chunk.
func (k Kind) unpacked() wire.Type {
	return [...]wire.Type{Unset: wire.TypeBytes, BytesList: wire.TypeBytes, FloatList: wire.TypeFixed32, Int64List: wire.TypeVarint}[k]
}

// A tensorflowValue is the value of a Feature as TensorFlow reads it.
type tensorflowValue struct {
	kind   Kind
	lo, hi int // bounds of the fields of the list
	count  int // number of values
	end    int // where TensorFlow stops reading
}

// readAsTensorFlow returns the value that TensorFlow reads in a Feature that is not empty and that
// checkConforming accepts; ok is false if TensorFlow returns an error.
func (f Feature) readAsTensorFlow() (r tensorflowValue, ok bool) {
	switch f.b[0] {
	case tag1, tag2, tag3:
	default:
		return tensorflowValue{}, false
	}
	r.kind = Kind(f.b[0] >> 3)
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
			return tensorflowValue{}, false
		}
		_, i = wire.Next(b, i)
	}
	return r, true
}

// sameValues reports whether both decoders read the same values.
func (f Feature) sameValues(r tensorflowValue, v conformingValue) bool {
	if r.count != v.count {
		return false
	}
	if v.first == 0 { // TensorFlow reads the first values of v, and the counts are equal
		return true
	}
	// There are lists of another kind before the value, which no known program writes.
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

// eachList calls yield with the bounds of each list of the value.
func (f Feature) eachList(v conformingValue, yield func(b []byte, lo int)) {
	for i := v.first; i < len(f.b) && v.kind != Unset; {
		fd, next := wire.Next(f.b, i)
		if fd.Type == wire.TypeBytes && fd.Num == int32(v.kind) {
			yield(f.b[:fd.Hi], fd.Lo)
		}
		i = next
	}
}

func (f Feature) appendInt64s(dst []int64, v conformingValue) []int64 {
	f.eachList(v, func(b []byte, lo int) { dst = appendInt64List(dst, b, lo) })
	return dst
}

func (f Feature) appendFloats(dst []float32, v conformingValue) []float32 {
	f.eachList(v, func(b []byte, lo int) { dst = appendFloatList(dst, b, lo) })
	return dst
}

func (f Feature) appendBytes(dst [][]byte, v conformingValue) [][]byte {
	f.eachList(v, func(b []byte, lo int) { dst = appendBytesList(dst, b, lo) })
	return dst
}

// appendInt64List appends the values of the Int64List b[i:], which checkConforming accepts.
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

// appendFloatList appends the values of the FloatList b[i:], which checkConforming accepts.
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

// appendBytesList appends the values of the BytesList b[i:], which checkConforming accepts.
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
