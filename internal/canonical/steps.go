package canonical

import (
	"encoding/binary"
	"slices"

	"github.com/tfparse/tfparse/internal/simd"
	"github.com/tfparse/tfparse/internal/wire"
)

// These functions read the steps of a feature list, many at a time, while the steps have the most
// common layout of their kind. They stop before the first step with another layout, which may
// still be canonical.

// stepHead returns the first stepHeadSize bytes of a step, as a little-endian integer, if its Feature has n
// bytes, less than 128, and is one list with one packed chunk or one byte string.
func stepHead(tag byte, n uint64) uint64 {
	return Tag1 | uint64(tag)<<16 | Tag1<<32 | n*(1<<8+1<<24+1<<40) - (2<<24 + 4<<40)
}

// stepHeadSize is the number of bytes that stepHead returns.
const stepHeadSize = 6

// Int64Steps appends the values of the steps with one value, from list[i] on. It returns the
// values and the position after the last of these steps.
func Int64Steps(dst []int64, list []byte, i int) ([]int64, int) {
	for i+stepHeadSize+8 <= len(list) {
		n := uint64(list[i+1]) // not from w: the next iteration depends on n alone
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

// FloatSteps appends the values of the steps with count values, from list[i] on. It returns the
// values and the position after the last of these steps.
func FloatSteps(dst []float32, list []byte, i, count int) ([]float32, int) {
	if count < 1 || count > (longest-4)/4 { // before the multiplication: an int may have 32 bits
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

// BytesStep returns the bounds of the value of the step at list[i], if it has one value. The next
// step begins at hi.
func BytesStep(list []byte, i int) (lo, hi int, ok bool) {
	if i+8 > len(list) {
		return 0, i, false
	}
	n := uint64(list[i+1]) // not from w: the next iteration depends on n alone
	w := binary.LittleEndian.Uint64(list[i:])
	hi = i + 2 + int(n)
	if n-4 > longest-4 || w<<16>>16 != stepHead(BytesTag, n) || hi > len(list) {
		return 0, i, false
	}
	return i + stepHeadSize, hi, true
}

// Int64ListStep appends the values of the step at list[i]. It returns the values and the position
// of the next step. It may overwrite dst[len:cap] after the result.
func Int64ListStep(dst []int64, list []byte, i int) (vals []int64, next int, ok bool) {
	if i+stepHeadSize+8 > len(list) {
		return dst, i, false
	}
	n := uint64(list[i+1]) // not from w: the next iteration depends on n alone
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

// Int64ListSteps appends the values of the steps with few values, from list[i] on. It uses a kernel; on machines
// without it, it reads no steps. For each step it appends one element to ends: the last element of ends plus the
// number of values of the step. ends must not be empty. next is the position where it stopped.
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

// emptyStepSize is the size of a step with an empty list.
const emptyStepSize = 4

// FloatStep appends the values of the step at list[i]. It returns the values and the position
// of the next step.
func FloatStep(dst []float32, list []byte, i int) (vals []float32, next int, ok bool) {
	if i+8 > len(list) {
		return dst, i, false
	}
	n := uint64(list[i+1]) // not from w: the next iteration depends on n alone
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
