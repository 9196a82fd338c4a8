package num

import "github.com/tfparse/tfparse/ragged"

// Equal says where a and b are equal. NaN equals nothing. Shapes that do not
// broadcast are an error, while == of Python is False for them. TensorFlow calls it
// equal. Whether two tensors are equal as a whole says ragged.Equal.
func Equal[T Value](a, b ragged.Tensor[T]) (ragged.Tensor[bool], error) {
	return zip("equal", a, b, func(dst []bool, x, y []T) {
		x, y = x[:len(dst)], y[:len(dst)]
		for i := range dst {
			dst[i] = x[i] == y[i]
		}
	})
}

// NotEqual says where a and b differ. NaN differs from everything. TensorFlow calls
// it not_equal.
func NotEqual[T Value](a, b ragged.Tensor[T]) (ragged.Tensor[bool], error) {
	return zip("not equal", a, b, func(dst []bool, x, y []T) {
		x, y = x[:len(dst)], y[:len(dst)]
		for i := range dst {
			dst[i] = x[i] != y[i]
		}
	})
}

// Less says where a < b. Strings and bools have no order here. TensorFlow calls it
// less.
func Less[T Number](a, b ragged.Tensor[T]) (ragged.Tensor[bool], error) {
	return zip("less", a, b, func(dst []bool, x, y []T) {
		x, y = x[:len(dst)], y[:len(dst)]
		for i := range dst {
			dst[i] = x[i] < y[i]
		}
	})
}

// LessEqual says where a <= b. TensorFlow calls it less_equal.
func LessEqual[T Number](a, b ragged.Tensor[T]) (ragged.Tensor[bool], error) {
	return zip("less or equal", a, b, func(dst []bool, x, y []T) {
		x, y = x[:len(dst)], y[:len(dst)]
		for i := range dst {
			dst[i] = x[i] <= y[i]
		}
	})
}

// Greater says where a > b. TensorFlow calls it greater.
func Greater[T Number](a, b ragged.Tensor[T]) (ragged.Tensor[bool], error) {
	return zip("greater", a, b, func(dst []bool, x, y []T) {
		x, y = x[:len(dst)], y[:len(dst)]
		for i := range dst {
			dst[i] = x[i] > y[i]
		}
	})
}

// GreaterEqual says where a >= b. TensorFlow calls it greater_equal.
func GreaterEqual[T Number](a, b ragged.Tensor[T]) (ragged.Tensor[bool], error) {
	return zip("greater or equal", a, b, func(dst []bool, x, y []T) {
		x, y = x[:len(dst)], y[:len(dst)]
		for i := range dst {
			dst[i] = x[i] >= y[i]
		}
	})
}

// And says where a and b are both true. TensorFlow calls it logical_and, and & of
// Python.
func And(a, b ragged.Tensor[bool]) (ragged.Tensor[bool], error) {
	return zip("and", a, b, func(dst, x, y []bool) {
		x, y = x[:len(dst)], y[:len(dst)]
		for i := range dst {
			dst[i] = x[i] && y[i]
		}
	})
}

// Or says where a or b is true, or both are. TensorFlow calls it logical_or, and |
// of Python.
func Or(a, b ragged.Tensor[bool]) (ragged.Tensor[bool], error) {
	return zip("or", a, b, func(dst, x, y []bool) {
		x, y = x[:len(dst)], y[:len(dst)]
		for i := range dst {
			dst[i] = x[i] || y[i]
		}
	})
}

// Xor says where a and b differ. TensorFlow calls it logical_xor, and ^ of Python.
func Xor(a, b ragged.Tensor[bool]) (ragged.Tensor[bool], error) {
	return zip("xor", a, b, func(dst, x, y []bool) {
		x, y = x[:len(dst)], y[:len(dst)]
		for i := range dst {
			dst[i] = x[i] != y[i]
		}
	})
}

// Not says where t is false. TensorFlow calls it logical_not, and ~ of Python.
func Not(t ragged.Tensor[bool]) ragged.Tensor[bool] {
	return each(t, func(dst, x []bool) {
		x = x[:len(dst)]
		for i := range dst {
			dst[i] = !x[i]
		}
	})
}

// BitAnd returns the bits that are set in both. TensorFlow calls it bitwise_and.
func BitAnd[T Integer](a, b ragged.Tensor[T]) (ragged.Tensor[T], error) {
	return zip("bitwise and", a, b, func(dst, x, y []T) {
		x, y = x[:len(dst)], y[:len(dst)]
		for i := range dst {
			dst[i] = x[i] & y[i]
		}
	})
}

// BitOr returns the bits that are set in either. TensorFlow calls it bitwise_or.
func BitOr[T Integer](a, b ragged.Tensor[T]) (ragged.Tensor[T], error) {
	return zip("bitwise or", a, b, func(dst, x, y []T) {
		x, y = x[:len(dst)], y[:len(dst)]
		for i := range dst {
			dst[i] = x[i] | y[i]
		}
	})
}

// BitXor returns the bits that differ. TensorFlow calls it bitwise_xor.
func BitXor[T Integer](a, b ragged.Tensor[T]) (ragged.Tensor[T], error) {
	return zip("bitwise xor", a, b, func(dst, x, y []T) {
		x, y = x[:len(dst)], y[:len(dst)]
		for i := range dst {
			dst[i] = x[i] ^ y[i]
		}
	})
}

// BitNot returns the bits that are not set. TensorFlow calls it invert.
func BitNot[T Integer](t ragged.Tensor[T]) ragged.Tensor[T] {
	return each(t, func(dst, x []T) {
		x = x[:len(dst)]
		for i := range dst {
			dst[i] = ^x[i]
		}
	})
}

// ShiftLeft shifts the bits of a to the left by b. A shift below 0 counts as 0, one
// beyond the width of T as the width less 1. TensorFlow calls it left_shift.
func ShiftLeft[T Integer](a, b ragged.Tensor[T]) (ragged.Tensor[T], error) {
	top := T(widthOf[T]() - 1)
	return zip("shift left", a, b, func(dst, x, y []T) {
		x, y = x[:len(dst)], y[:len(dst)]
		for i := range dst {
			dst[i] = x[i] << uint64(max(0, min(top, y[i])))
		}
	})
}

// ShiftRight shifts the bits of a to the right by b, and copies of the sign bit in
// from the left. Shifts count as for ShiftLeft. TensorFlow calls it right_shift.
func ShiftRight[T Integer](a, b ragged.Tensor[T]) (ragged.Tensor[T], error) {
	top := T(widthOf[T]() - 1)
	return zip("shift right", a, b, func(dst, x, y []T) {
		x, y = x[:len(dst)], y[:len(dst)]
		for i := range dst {
			dst[i] = x[i] >> uint64(max(0, min(top, y[i])))
		}
	})
}
