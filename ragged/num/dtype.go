package num

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"reflect"
	"slices"

	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/ragged/internal/dtype"
	"github.com/tfparse/tfparse/ragged/internal/operand"
)

// The dtypes of TensorFlow as constraints: an operation compiles only for dtypes that have
// it. An int is an int64, and a defined type is its underlying type.
type (
	// Signed are the signed integers.
	Signed interface {
		~int | ~int8 | ~int16 | ~int32 | ~int64
	}

	// Unsigned are the unsigned integers.
	Unsigned interface {
		~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64
	}

	// Integer are all integers.
	Integer interface{ Signed | Unsigned }

	// Float are the floating point numbers.
	Float interface{ ~float32 | ~float64 }

	// Number are integers and floats, which have an order and sums. Strings and bools are
	// not numbers, as in TensorFlow.
	Number interface{ Integer | Float }

	// FixedSize are the numbers that have the same size on every platform.
	FixedSize interface {
		~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64 | Float
	}

	// Value are the dtypes with equality.
	Value interface{ Number | ~bool | ~string }
)

// isFloat reports whether a number is a float. It is a constant for every dtype.
func isFloat[T Number]() bool { return T(1)/T(2) != 0 }

// isSigned reports whether a number may be negative. It is a constant for every
// dtype.
func isSigned[T Number]() bool { return T(0)-1 < 0 }

// widthOf returns the number of bits of a number.
func widthOf[T Number]() int { return reflect.TypeFor[T]().Bits() }

// Cast converts numbers to another type: Cast[float32](t). A float that becomes an integer
// loses its fraction, an integer that becomes a narrower one its upper bits.
//
// A float that is NaN or out of range for an integer type U is a ragged.ValueError; in
// TensorFlow the result depends on the processor. TensorFlow calls it cast; for bools see
// NotZero and FromBool.
func Cast[U, T Number](t ragged.Tensor[T]) (ragged.Tensor[U], error) {
	if isFloat[U]() || !isFloat[T]() {
		return each(t, func(dst []U, x []T) {
			x = x[:len(dst)]
			for i := range dst {
				dst[i] = U(x[i])
			}
		}), nil
	}
	lo, hi := castRange[U, T]()
	below, above := lo-1, hi+1 // lo and hi where floats are too far apart for the difference
	x := t.Values()
	out := make([]U, len(x))
	for i, v := range x {
		if !(v >= lo || v > below) || !(v <= hi || v < above) {
			return ragged.Tensor[U]{}, &ragged.ValueError{Err: ragged.ErrValue, Op: "cast", At: operand.Coordinates(t, i), Want: "a number that fits " + dtype.Name[U](), Got: v}
		}
		out[i] = U(v)
	}
	return like(t, out), nil
}

// SaturateCast is Cast, but a number out of the range of U becomes the least or the greatest
// number of type T in that range: 2147483520 from float32 to int32. Infinities
// become finite. NaN stays, or is a ragged.ValueError if U is an integer type. TensorFlow
// calls it saturate_cast.
func SaturateCast[U, T Number](t ragged.Tensor[T]) (ragged.Tensor[U], error) {
	lo, hi := castRange[U, T]()
	x := t.Values()
	out := make([]U, len(x))
	for i, v := range x {
		if v != v && !isFloat[U]() {
			return ragged.Tensor[U]{}, &ragged.ValueError{Err: ragged.ErrValue, Op: "saturate cast", At: operand.Coordinates(t, i), Want: "a number", Got: v}
		}
		out[i] = U(max(lo, min(hi, v)))
	}
	return like(t, out), nil
}

// castRange returns the least and the greatest finite number of type T in the range of U.
func castRange[U, T Number]() (lo, hi T) {
	lo, hi = extremes[T]()
	least, greatest := extremes[U]()
	switch {
	case isFloat[U]():
		if isFloat[T]() && widthOf[U]() < widthOf[T]() {
			lo, hi = T(least), T(greatest)
		}
	case isFloat[T]():
		// The first integer out of range is a power of two. The float before it is less by
		// a unit in the last place.
		digits := 53
		if widthOf[T]() == 32 {
			digits = 24
		}
		n := bits.Len64(uint64(greatest))
		lo, hi = T(least), T(math.Ldexp(1, n)-math.Ldexp(1, max(0, n-digits)))
	default:
		lo = T(max(int64(lo), int64(least)))
		hi = T(min(uint64(hi), uint64(greatest)))
	}
	return lo, hi
}

// NotZero reports for each value whether it is not 0: true for NaN. TensorFlow calls it cast
// to bool.
func NotZero[T Number](t ragged.Tensor[T]) ragged.Tensor[bool] {
	return each(t, func(dst []bool, x []T) {
		x = x[:len(dst)]
		for i := range dst {
			dst[i] = x[i] != 0
		}
	})
}

// FromBool returns 1 for true and 0 for false: FromBool[float32](t). TensorFlow
// calls it cast.
func FromBool[U Number](t ragged.Tensor[bool]) ragged.Tensor[U] {
	return each(t, func(dst []U, x []bool) {
		x = x[:len(dst)]
		for i := range dst {
			dst[i] = 0
			if x[i] {
				dst[i] = 1
			}
		}
	})
}

// Bitcast reads the bits of values as values of another type: Bitcast[float32](t). If U
// is smaller, every value becomes several values along a new innermost axis, least
// significant bits first. If U is larger, the values of the innermost axis become one
// value; that axis must belong to the inner shape, and its size is the size of U divided
// by that of T. TensorFlow calls it bitcast.
func Bitcast[U, T FixedSize](t ragged.Tensor[T]) (ragged.Tensor[U], error) {
	var none ragged.Tensor[U]
	inner := t.InnerShape()
	if t.RaggedRank() == 0 {
		inner = t.Shape()
	}
	from, to := binary.Size(T(0)), binary.Size(U(0))
	switch last := len(inner) - 1; {
	case from > to:
		inner = append(slices.Clone(inner), from/to)
	case from < to && (last < 0 || inner[last] != to/from):
		return none, fmt.Errorf("bitcast: %w: want an innermost axis of %d %s for one %s, got inner shape %v",
			ragged.ErrShape, to/from, dtype.Name[T](), dtype.Name[U](), inner)
	case from < to:
		inner = inner[:last]
	}
	raw, err := binary.Append(nil, binary.LittleEndian, t.Values())
	if err != nil {
		return none, operand.Within("bitcast", err)
	}
	out := make([]U, len(raw)/to)
	if _, err := binary.Decode(raw, binary.LittleEndian, out); err != nil {
		return none, operand.Within("bitcast", err)
	}
	if t.RaggedRank() == 0 {
		return ragged.Dense(out, inner...)
	}
	return ragged.New(out, inner, t.Partitions()...)
}
