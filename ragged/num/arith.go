package num

import (
	"math"
	"strings"

	"github.com/tfparse/tfparse/ragged"
)

// Add returns a + b; strings are concatenated, in one block of memory. Integers wrap.
// TensorFlow calls it add.
func Add[T Number | ~string](a, b ragged.Tensor[T]) (ragged.Tensor[T], error) {
	if a, ok := any(a).(ragged.Tensor[string]); ok {
		out, err := zip("add", a, any(b).(ragged.Tensor[string]), join)
		t, _ := any(out).(ragged.Tensor[T])
		return t, err
	}
	return zip("add", a, b, func(dst, x, y []T) {
		x, y = x[:len(dst)], y[:len(dst)]
		for i := range dst {
			dst[i] = x[i] + y[i]
		}
	})
}

// join concatenates pairs of strings in one block of memory.
func join(dst, x, y []string) {
	size := 0
	for i := range dst {
		size += len(x[i]) + len(y[i])
	}
	var all strings.Builder
	all.Grow(size)
	for i := range dst {
		all.WriteString(x[i])
		all.WriteString(y[i])
	}
	rest := all.String()
	for i := range dst {
		n := len(x[i]) + len(y[i])
		dst[i], rest = rest[:n], rest[n:]
	}
}

// Sub returns a - b. Integers wrap. TensorFlow calls it subtract.
func Sub[T Number](a, b ragged.Tensor[T]) (ragged.Tensor[T], error) {
	return zip("subtract", a, b, func(dst, x, y []T) {
		x, y = x[:len(dst)], y[:len(dst)]
		for i := range dst {
			dst[i] = x[i] - y[i]
		}
	})
}

// Mul returns a * b. Integers wrap. TensorFlow calls it multiply.
func Mul[T Number](a, b ragged.Tensor[T]) (ragged.Tensor[T], error) {
	return zip("multiply", a, b, func(dst, x, y []T) {
		x, y = x[:len(dst)], y[:len(dst)]
		for i := range dst {
			dst[i] = x[i] * y[i]
		}
	})
}

// Pow returns a to the power of b. Floats follow IEEE 754: a negative number to the power of
// a fraction is NaN. Integers wrap, 0 to the power of 0 is 1, and a negative exponent is a
// ragged.ValueError, even for 1. TensorFlow calls it pow.
func Pow[T Number](a, b ragged.Tensor[T]) (ragged.Tensor[T], error) {
	if isFloat[T]() {
		return zip("power", a, b, func(dst, x, y []T) {
			for i := range dst {
				dst[i] = T(math.Pow(float64(x[i]), float64(y[i])))
			}
		})
	}
	return zipUntil("power", "an exponent of at least 0", a, b, func(dst, x, y []T) int {
		for i := range dst {
			if y[i] < 0 {
				return i
			}
			// By squares, one bit of the exponent at a time.
			z, base := T(1), x[i]
			for e := uint64(y[i]); e > 0; e >>= 1 {
				if e&1 != 0 {
					z *= base
				}
				base *= base
			}
			dst[i] = z
		}
		return len(dst)
	})
}

// Maximum returns the greater of a and b, or NaN if one is NaN. TensorFlow calls it maximum.
// For the greatest value of a row see Max.
func Maximum[T Number](a, b ragged.Tensor[T]) (ragged.Tensor[T], error) {
	return zip("maximum", a, b, func(dst, x, y []T) {
		x, y = x[:len(dst)], y[:len(dst)]
		for i := range dst {
			dst[i] = max(x[i], y[i])
		}
	})
}

// Minimum returns the lesser of a and b, or NaN if one is NaN. TensorFlow calls it minimum.
func Minimum[T Number](a, b ragged.Tensor[T]) (ragged.Tensor[T], error) {
	return zip("minimum", a, b, func(dst, x, y []T) {
		x, y = x[:len(dst)], y[:len(dst)]
		for i := range dst {
			dst[i] = min(x[i], y[i])
		}
	})
}

// Clip returns t with values below lo replaced by lo and values above hi by hi. NaN stays.
// If lo is above hi, all values become lo. For different bounds of rows or values use
// Minimum, then Maximum. TensorFlow calls it clip_by_value.
func Clip[T Number](t ragged.Tensor[T], lo, hi T) ragged.Tensor[T] {
	return each(t, func(dst, x []T) {
		x = x[:len(dst)]
		for i := range dst {
			dst[i] = max(lo, min(hi, x[i]))
		}
	})
}

// Neg returns -t. The least integer overflows and stays. TensorFlow calls it negative.
func Neg[T Signed | Float](t ragged.Tensor[T]) ragged.Tensor[T] {
	return each(t, func(dst, x []T) {
		x = x[:len(dst)]
		for i := range dst {
			dst[i] = -x[i]
		}
	})
}

// Abs returns the absolute values. The least integer overflows and stays. TensorFlow calls
// it abs.
func Abs[T Signed | Float](t ragged.Tensor[T]) ragged.Tensor[T] {
	return each(t, func(dst, x []T) {
		x = x[:len(dst)]
		if isFloat[T]() {
			for i := range dst {
				dst[i] = T(math.Abs(float64(x[i])))
			}
			return
		}
		for i := range dst {
			v := x[i]
			if v < 0 {
				v = -v
			}
			dst[i] = v
		}
	})
}

// Sign returns -1 for negative values, 0 for 0, 1 for positive values, and NaN for NaN.
// TensorFlow calls it sign.
func Sign[T Signed | Float](t ragged.Tensor[T]) ragged.Tensor[T] {
	return each(t, func(dst, x []T) {
		x = x[:len(dst)]
		for i := range dst {
			switch {
			case x[i] > 0:
				dst[i] = 1
			case x[i] < 0:
				dst[i] = -1
			case x[i] != 0: // NaN
				dst[i] = x[i]
			default:
				dst[i] = 0
			}
		}
	})
}

// Square returns the squares of the values. Integers wrap. TensorFlow calls it square.
func Square[T Number](t ragged.Tensor[T]) ragged.Tensor[T] {
	return each(t, func(dst, x []T) {
		x = x[:len(dst)]
		for i := range dst {
			dst[i] = x[i] * x[i]
		}
	})
}

// notZero is the rule for the divisor of integers.
const notZero = "a divisor other than 0"

// Div returns a / b as floats: Div[float64](a, b). Operands are converted to F before the
// division; division by 0 gives an infinity or NaN. TensorFlow chooses F itself: float32
// for integers of 8 and 16 bits, float64 for integers of 32 and 64 bits. TensorFlow calls it
// divide and truediv; for integer division see FloorDiv and TruncDiv.
func Div[F Float, T Number](a, b ragged.Tensor[T]) (ragged.Tensor[F], error) {
	return zip("divide", a, b, func(dst []F, x, y []T) {
		x, y = x[:len(dst)], y[:len(dst)]
		for i := range dst {
			dst[i] = F(x[i]) / F(y[i])
		}
	})
}

// DivNoNaN returns a / b, and 0 where b is 0. TensorFlow calls it divide_no_nan.
func DivNoNaN[T Float](a, b ragged.Tensor[T]) (ragged.Tensor[T], error) {
	return zip("divide without NaN", a, b, func(dst, x, y []T) {
		x, y = x[:len(dst)], y[:len(dst)]
		for i := range dst {
			if y[i] != 0 {
				dst[i] = x[i] / y[i]
			} else {
				dst[i] = 0
			}
		}
	})
}

// FloorDiv returns a / b rounded towards minus infinity, like Python's //. Division of
// integers by 0 is a ragged.ValueError; the least integer divided by -1 stays. Infinite and
// NaN quotients of floats stay. TensorFlow calls it floordiv.
func FloorDiv[T Number](a, b ragged.Tensor[T]) (ragged.Tensor[T], error) {
	if isFloat[T]() {
		return zip("floor divide", a, b, func(dst, x, y []T) {
			x, y = x[:len(dst)], y[:len(dst)]
			for i := range dst {
				dst[i] = T(math.Floor(float64(x[i] / y[i])))
			}
		})
	}
	return zipUntil("floor divide", notZero, a, b, func(dst, x, y []T) int {
		x, y = x[:len(dst)], y[:len(dst)]
		for i := range dst {
			if y[i] == 0 {
				return i
			}
			q := x[i] / y[i]
			if r := x[i] - q*y[i]; (r < 0) != (y[i] < 0) && r != 0 {
				q--
			}
			dst[i] = q
		}
		return len(dst)
	})
}

// FloorMod returns the remainder of FloorDiv, which has the sign of b, like Python's %.
// Division of integers by 0 is a ragged.ValueError, of floats NaN. TensorFlow calls it
// floormod.
func FloorMod[T Number](a, b ragged.Tensor[T]) (ragged.Tensor[T], error) {
	if isFloat[T]() {
		return zip("floor modulo", a, b, func(dst, x, y []T) {
			for i := range dst {
				r := T(math.Mod(float64(x[i]), float64(y[i])))
				if (r < 0) != (y[i] < 0) && r != 0 {
					r += y[i]
				}
				dst[i] = r
			}
		})
	}
	return zipUntil("floor modulo", notZero, a, b, func(dst, x, y []T) int {
		x, y = x[:len(dst)], y[:len(dst)]
		for i := range dst {
			if y[i] == 0 {
				return i
			}
			r := x[i] - x[i]/y[i]*y[i]
			if (r < 0) != (y[i] < 0) && r != 0 {
				r += y[i]
			}
			dst[i] = r
		}
		return len(dst)
	})
}

// TruncDiv returns a / b rounded towards 0, like Go's /. Division of integers by 0 is a
// ragged.ValueError. TensorFlow calls it truncatediv.
func TruncDiv[T Number](a, b ragged.Tensor[T]) (ragged.Tensor[T], error) {
	if isFloat[T]() {
		return zip("truncate divide", a, b, func(dst, x, y []T) {
			x, y = x[:len(dst)], y[:len(dst)]
			for i := range dst {
				dst[i] = T(math.Trunc(float64(x[i] / y[i])))
			}
		})
	}
	return zipUntil("truncate divide", notZero, a, b, func(dst, x, y []T) int {
		x, y = x[:len(dst)], y[:len(dst)]
		for i := range dst {
			if y[i] == 0 {
				return i
			}
			dst[i] = x[i] / y[i]
		}
		return len(dst)
	})
}

// TruncMod returns the remainder of TruncDiv, which has the sign of a, like Go's %. Division
// of integers by 0 is a ragged.ValueError, of floats NaN. TensorFlow calls it truncatemod.
func TruncMod[T Number](a, b ragged.Tensor[T]) (ragged.Tensor[T], error) {
	if isFloat[T]() {
		return zip("truncate modulo", a, b, func(dst, x, y []T) {
			for i := range dst {
				dst[i] = T(math.Mod(float64(x[i]), float64(y[i])))
			}
		})
	}
	return zipUntil("truncate modulo", notZero, a, b, func(dst, x, y []T) int {
		x, y = x[:len(dst)], y[:len(dst)]
		for i := range dst {
			if y[i] == 0 {
				return i
			}
			dst[i] = x[i] - x[i]/y[i]*y[i]
		}
		return len(dst)
	})
}
