package num

import (
	"math"

	"github.com/tfparse/tfparse/ragged"
)

// Functions of package math are computed in float64 and rounded to T.

// Sqrt returns the square roots, NaN for negative values. TensorFlow calls it sqrt.
func Sqrt[T Float](t ragged.Tensor[T]) ragged.Tensor[T] {
	return each(t, func(dst, x []T) {
		x = x[:len(dst)]
		for i := range dst {
			dst[i] = T(math.Sqrt(float64(x[i])))
		}
	})
}

// Exp returns e to the power of the values. TensorFlow calls it exp.
func Exp[T Float](t ragged.Tensor[T]) ragged.Tensor[T] {
	return ragged.Map(t, func(v T) T { return T(math.Exp(float64(v))) })
}

// Log returns the natural logarithms: minus infinity for 0, NaN for negative values.
// TensorFlow calls it log.
func Log[T Float](t ragged.Tensor[T]) ragged.Tensor[T] {
	return ragged.Map(t, func(v T) T { return T(math.Log(float64(v))) })
}

// Log1p returns the natural logarithms of 1+v, exact also for v near 0. TensorFlow calls it
// log1p.
func Log1p[T Float](t ragged.Tensor[T]) ragged.Tensor[T] {
	return ragged.Map(t, func(v T) T { return T(math.Log1p(float64(v))) })
}

// Sigmoid returns 1 / (1 + exp(-v)). TensorFlow calls it sigmoid.
func Sigmoid[T Float](t ragged.Tensor[T]) ragged.Tensor[T] {
	return ragged.Map(t, func(v T) T { return T(1 / (1 + math.Exp(-float64(v)))) })
}

// Tanh returns the hyperbolic tangents. TensorFlow calls it tanh.
func Tanh[T Float](t ragged.Tensor[T]) ragged.Tensor[T] {
	return ragged.Map(t, func(v T) T { return T(math.Tanh(float64(v))) })
}

// Relu replaces negative values by 0. NaN stays. TensorFlow calls it relu.
func Relu[T Number](t ragged.Tensor[T]) ragged.Tensor[T] {
	return each(t, func(dst, x []T) {
		x = x[:len(dst)]
		for i := range dst {
			dst[i] = max(0, x[i])
		}
	})
}

// Floor rounds towards minus infinity. TensorFlow calls it floor.
func Floor[T Float](t ragged.Tensor[T]) ragged.Tensor[T] {
	return each(t, func(dst, x []T) {
		x = x[:len(dst)]
		for i := range dst {
			dst[i] = T(math.Floor(float64(x[i])))
		}
	})
}

// Ceil rounds towards infinity. TensorFlow calls it ceil.
func Ceil[T Float](t ragged.Tensor[T]) ragged.Tensor[T] {
	return each(t, func(dst, x []T) {
		x = x[:len(dst)]
		for i := range dst {
			dst[i] = T(math.Ceil(float64(x[i])))
		}
	})
}

// Round rounds to the nearest whole number, halves to the even one. Integers stay;
// the result then shares their memory. TensorFlow calls it round and, of floats,
// rint.
func Round[T Number](t ragged.Tensor[T]) ragged.Tensor[T] {
	if !isFloat[T]() {
		return t
	}
	return each(t, func(dst, x []T) {
		x = x[:len(dst)]
		for i := range dst {
			dst[i] = T(math.RoundToEven(float64(x[i])))
		}
	})
}

// IsNaN reports for each value whether it is NaN. TensorFlow calls it is_nan.
func IsNaN[T Float](t ragged.Tensor[T]) ragged.Tensor[bool] {
	return each(t, func(dst []bool, x []T) {
		x = x[:len(dst)]
		for i := range dst {
			dst[i] = x[i] != x[i]
		}
	})
}

// IsInf reports for each value whether it is infinite. TensorFlow calls it is_inf.
func IsInf[T Float](t ragged.Tensor[T]) ragged.Tensor[bool] {
	return each(t, func(dst []bool, x []T) {
		x = x[:len(dst)]
		for i := range dst {
			dst[i] = math.IsInf(float64(x[i]), 0)
		}
	})
}

// IsFinite reports for each value whether it is neither infinite nor NaN. TensorFlow calls it is_finite.
func IsFinite[T Float](t ragged.Tensor[T]) ragged.Tensor[bool] {
	return each(t, func(dst []bool, x []T) {
		x = x[:len(dst)]
		for i := range dst {
			dst[i] = x[i]-x[i] == 0
		}
	})
}
