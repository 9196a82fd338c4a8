package canonical

import (
	"encoding/binary"
	"slices"

	"github.com/tfparse/tfparse/internal/simd"
	"github.com/tfparse/tfparse/internal/wire"
)

// The frames of a feature list, many at once: as long as they have the form that is
// most common for their kind. Where one has not, functions stop in front of it: it
// may be canonical all the same.

// FrameHead is what the first FrameHeadSize bytes of a frame are, as a number, if its
// Feature has n bytes, less than 128, and is one list that is one packed chunk, or one
// value.
func FrameHead(tag byte, n uint64) uint64 {
	return Tag1 | uint64(tag)<<16 | Tag1<<32 | n*(1<<8+1<<24+1<<40) - (2<<24 + 4<<40)
}

// FrameHeadSize is the size of it.
const FrameHeadSize = 6

// Int64Frames appends the values of the frames of list from i on that have one value.
// It returns the values and where it stopped.
func Int64Frames(dst []int64, list []byte, i int) ([]int64, int) {
	for i+FrameHeadSize+8 <= len(list) {
		w := binary.LittleEndian.Uint64(list[i:])
		n := w >> 8 & 0xff
		if n-5 > 7 || w<<16>>16 != FrameHead(Int64Tag, n) {
			break
		}
		v, ok := wire.FirstVarint(binary.LittleEndian.Uint64(list[i+FrameHeadSize:]), int(n)-4)
		if !ok {
			break
		}
		dst = append(dst, v)
		i += 2 + int(n)
	}
	return dst, i
}

// FloatFrames appends the values of the frames of list from i on that have count
// values. It returns the values and where it stopped.
func FloatFrames(dst []float32, list []byte, i, count int) ([]float32, int) {
	if count < 1 || count > (longest-4)/4 { // before it is multiplied: an int may have 32 bits
		return dst, i
	}
	n := 4*count + 4
	head := FrameHead(FloatTag, uint64(n))
	if i+2+n > len(list) || binary.LittleEndian.Uint64(list[i:])<<16>>16 != head {
		return dst, i
	}
	dst = slices.Grow(dst, (len(list)-i)/(2+n)*count)
	if count == 1 {
		at, out := len(dst), dst[:cap(dst)]
		for at < len(out) && i+10 <= len(list) && binary.LittleEndian.Uint64(list[i:])<<16>>16 == head {
			out[at] = wire.Float(list[i+FrameHeadSize:])
			at++
			i += 10
		}
		return out[:at], i
	}
	for i+2+n <= len(list) && binary.LittleEndian.Uint64(list[i:])<<16>>16 == head {
		dst = simd.AppendFloats(dst, list[i+FrameHeadSize:i+2+n])
		i += 2 + n
	}
	return dst, i
}

// BytesFrame returns where the value of the frame of list at i begins, if it has one, and
// where it ends, which is where the next frame begins.
func BytesFrame(list []byte, i int) (lo, hi int, ok bool) {
	if i+8 > len(list) {
		return 0, i, false
	}
	w := binary.LittleEndian.Uint64(list[i:])
	n := w >> 8 & 0xff
	hi = i + 2 + int(n)
	if n-4 > longest-4 || w<<16>>16 != FrameHead(BytesTag, n) || hi > len(list) {
		return 0, i, false
	}
	return i + FrameHeadSize, hi, true
}

// Int64ListFrame appends the values of the frame of list at i, if it has any. It
// returns the values and where the next frame begins. It may write behind the values as
// far as the capacity goes.
func Int64ListFrame(dst []int64, list []byte, i int) (vals []int64, next int, ok bool) {
	if i+FrameHeadSize+8 > len(list) {
		return dst, i, false
	}
	w := binary.LittleEndian.Uint64(list[i:])
	n := w >> 8 & 0xff
	next = i + 2 + int(n)
	if n-5 > longest-5 || w<<16>>16 != FrameHead(Int64Tag, n) || next > len(list) {
		return dst, i + emptyFrameSize, uint32(w) == Tag1|2<<8|Int64Tag<<16
	}
	i += FrameHeadSize
	if !simd.Wide() && next-i <= 32 && next+8 <= len(list) {
		if vals, ok = wire.FillShort(dst, list, i, next); ok {
			return vals, next, true
		}
	}
	vals, _, fault := wire.FillInt64s(dst, list[:next], i)
	return vals, next, fault >= 0
}

// Int64ListFrames does what Int64ListFrame does for the frames of list from i on that have few
// values, as many as it can: none on most machines. It appends to ends, too, which has one
// number at least: for each frame how many values there are up to its end, if ends is what
// there were before. It returns where it stopped.
func Int64ListFrames(dst, ends []int64, list []byte, i int) (vals, limits []int64, next int) {
	for simd.DecodesFrames() && i < len(list) {
		rest := len(list) - i
		dst = slices.Grow(dst, min(rest, 1<<10)+8)
		ends = slices.Grow(ends, min(rest/emptyFrameSize+1, 1<<8))
		frames, values, next := simd.IntFrames(dst[len(dst):cap(dst)], ends[len(ends):cap(ends)], list, i, ends[len(ends)-1])
		if frames == 0 {
			break
		}
		dst, ends, i = dst[:len(dst)+values], ends[:len(ends)+frames], next
	}
	return dst, ends, i
}

// emptyFrameSize is the size of a frame that has a list without values.
const emptyFrameSize = 4

// FloatFrame appends the values of the frame of list at i, if it has any. It returns
// the values and where the next frame begins.
func FloatFrame(dst []float32, list []byte, i int) (vals []float32, next int, ok bool) {
	if i+8 > len(list) {
		return dst, i, false
	}
	w := binary.LittleEndian.Uint64(list[i:])
	n := w >> 8 & 0xff
	next = i + 2 + int(n)
	if n-5 > longest-5 || n%4 != 0 || w<<16>>16 != FrameHead(FloatTag, n) || next > len(list) {
		return dst, i, false
	}
	if n == 8 {
		return append(dst, wire.Float(list[i+FrameHeadSize:])), next, true
	}
	return simd.AppendFloats(dst, list[i+FrameHeadSize:next]), next, true
}
