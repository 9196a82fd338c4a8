package canonical

import (
	"encoding/binary"
	"slices"

	"github.com/tfparse/tfparse/internal/simd"
	"github.com/tfparse/tfparse/internal/wire"
)

// The steps of a feature list, many at once: as long as they have the form that is
// most common for their kind. Where one has not, functions stop in front of it: it
// may be canonical all the same.

// stepHead is what the first stepHeadSize bytes of a step are, as a number, if its
// Feature has n bytes, less than 128, and is one list that is one packed chunk, or one
// value.
func stepHead(tag byte, n uint64) uint64 {
	return Tag1 | uint64(tag)<<16 | Tag1<<32 | n*(1<<8+1<<24+1<<40) - (2<<24 + 4<<40)
}

// stepHeadSize is the size of it.
const stepHeadSize = 6

// Int64Steps appends the values of the steps of list from i on that have one value.
// It returns the values and where it stopped.
func Int64Steps(dst []int64, list []byte, i int) ([]int64, int) {
	for i+stepHeadSize+8 <= len(list) {
		n := uint64(list[i+1]) // not of w: the next step waits for it alone
		w := binary.LittleEndian.Uint64(list[i:])
		if n-5 > 7 || w<<16>>16 != stepHead(Int64Tag, n) {
			break
		}
		v, ok := wire.FirstVarint(binary.LittleEndian.Uint64(list[i+stepHeadSize:]), int(n)-4)
		if !ok {
			break
		}
		dst = append(dst, v)
		i += 2 + int(n)
	}
	return dst, i
}

// FloatSteps appends the values of the steps of list from i on that have count
// values. It returns the values and where it stopped.
func FloatSteps(dst []float32, list []byte, i, count int) ([]float32, int) {
	if count < 1 || count > (longest-4)/4 { // before it is multiplied: an int may have 32 bits
		return dst, i
	}
	n := 4*count + 4
	head := stepHead(FloatTag, uint64(n))
	if i+2+n > len(list) || binary.LittleEndian.Uint64(list[i:])<<16>>16 != head {
		return dst, i
	}
	dst = slices.Grow(dst, (len(list)-i)/(2+n)*count)
	if count == 1 {
		at, out := len(dst), dst[:cap(dst)]
		for at < len(out) && i+10 <= len(list) && binary.LittleEndian.Uint64(list[i:])<<16>>16 == head {
			out[at] = wire.Float(list[i+stepHeadSize:])
			at++
			i += 10
		}
		return out[:at], i
	}
	for i+2+n <= len(list) && binary.LittleEndian.Uint64(list[i:])<<16>>16 == head {
		dst = simd.AppendFloats(dst, list[i+stepHeadSize:i+2+n])
		i += 2 + n
	}
	return dst, i
}

// BytesStep returns where the value of the step of list at i begins, if it has one, and
// where it ends, which is where the next step begins.
func BytesStep(list []byte, i int) (lo, hi int, ok bool) {
	if i+8 > len(list) {
		return 0, i, false
	}
	n := uint64(list[i+1]) // not of w: the next step waits for it alone
	w := binary.LittleEndian.Uint64(list[i:])
	hi = i + 2 + int(n)
	if n-4 > longest-4 || w<<16>>16 != stepHead(BytesTag, n) || hi > len(list) {
		return 0, i, false
	}
	return i + stepHeadSize, hi, true
}

// Int64ListStep appends the values of the step of list at i, if it has any. It
// returns the values and where the next step begins. It may write behind the values as
// far as the capacity goes.
func Int64ListStep(dst []int64, list []byte, i int) (vals []int64, next int, ok bool) {
	if i+stepHeadSize+8 > len(list) {
		return dst, i, false
	}
	n := uint64(list[i+1]) // not of w: the next step waits for it alone
	w := binary.LittleEndian.Uint64(list[i:])
	next = i + 2 + int(n)
	if n-5 > longest-5 || w<<16>>16 != stepHead(Int64Tag, n) || next > len(list) {
		return dst, i + emptyStepSize, uint32(w) == Tag1|2<<8|Int64Tag<<16
	}
	i += stepHeadSize
	if !simd.Wide() && next-i <= 32 && next+8 <= len(list) {
		if vals, ok = wire.FillShort(dst, list, i, next); ok {
			return vals, next, true
		}
	}
	vals, _, fault := wire.FillInt64s(dst, list[:next], i)
	return vals, next, fault >= 0
}

// Int64ListSteps does what Int64ListStep does for the steps of list from i on that have few
// values while it can: none on most machines. It appends to ends, too, which has one
// number at least: for each step how many values there are up to its end, if ends is what
// there were before. It returns where it stopped.
func Int64ListSteps(dst, ends []int64, list []byte, i int) (vals, limits []int64, next int) {
	for simd.DecodesSteps() && i < len(list) {
		rest := len(list) - i
		dst = slices.Grow(dst, min(rest, 1<<10)+8)
		ends = slices.Grow(ends, min(rest/emptyStepSize+1, 1<<8))
		steps, values, next := simd.Int64Steps(dst[len(dst):cap(dst)], ends[len(ends):cap(ends)], list, i, ends[len(ends)-1])
		if steps == 0 {
			break
		}
		dst, ends, i = dst[:len(dst)+values], ends[:len(ends)+steps], next
	}
	return dst, ends, i
}

// emptyStepSize is the size of a step that has a list without values.
const emptyStepSize = 4

// FloatStep appends the values of the step of list at i, if it has any. It returns
// the values and where the next step begins.
func FloatStep(dst []float32, list []byte, i int) (vals []float32, next int, ok bool) {
	if i+8 > len(list) {
		return dst, i, false
	}
	n := uint64(list[i+1]) // not of w: the next step waits for it alone
	w := binary.LittleEndian.Uint64(list[i:])
	next = i + 2 + int(n)
	if n-5 > longest-5 || n%4 != 0 || w<<16>>16 != stepHead(FloatTag, n) || next > len(list) {
		return dst, i, false
	}
	if n == 8 {
		return append(dst, wire.Float(list[i+stepHeadSize:])), next, true
	}
	return simd.AppendFloats(dst, list[i+stepHeadSize:next]), next, true
}
