//go:build !novectors

package ragged_test

import (
	"errors"
	"math"

	"github.com/tfparse/tfparse/internal/test/testkit"
	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/ragged/num"
)

// errNotInMath is the outcome of functions that Go's package math lacks.
var errNotInMath = errors.New("a function that package math has not")

func init() {
	const why = "package math has no such function: a program that has one maps it over the tensor"
	for prefix, names := range map[string][]string{
		"tf.math.":         {"bessel_i0", "bessel_i0e", "bessel_i1", "bessel_i1e", "digamma", "zeta"},
		"tf.math.special.": {"bessel_k0", "bessel_k0e", "bessel_k1", "bessel_k1e", "dawsn", "expint", "fresnel_cos", "fresnel_sin", "spence"},
	} {
		for _, name := range names {
			raggedElementwise[prefix+name] = func(*call) (testkit.Value, error) { return nil, errNotInMath }
			for _, dtype := range []string{"float32", "float64"} {
				raggedExceptions[name+" "+dtype] = why
			}
		}
	}
	raggedExceptions["reciprocal float32 on special values"] =
		"TensorFlow takes an approximation of the processor for the first eight values, and divides for the last: 1/2.5 is 0.4"
}

// byFloat computes in float64.
func byFloat[T floatElement](f func(float64) float64) raggedOp {
	return byValue(func(v T) T { return T(f(float64(v))) })
}

func byFloats[T floatElement](f func(x, y float64) float64) raggedOp {
	return byPair(func(x, y T) T { return T(f(float64(x), float64(y))) })
}

// floatOps are the functions of floats. Functions that package num lacks are one line with Map or
// Zip.
func floatOps[T floatElement]() map[string]raggedOp {
	return map[string]raggedOp{
		"truediv":       ofTwo(num.Div[T, T]),
		"divide":        ofTwo(num.Div[T, T]),
		"divide_no_nan": ofTwo(num.DivNoNaN[T]),
		"sqrt":          ofOne(num.Sqrt[T]),
		"exp":           ofOne(num.Exp[T]),
		"log":           ofOne(num.Log[T]),
		"log1p":         ofOne(num.Log1p[T]),
		"sigmoid":       ofOne(num.Sigmoid[T]),
		"tanh":          ofOne(num.Tanh[T]),
		"floor":         ofOne(num.Floor[T]),
		"ceil":          ofOne(num.Ceil[T]),
		"rint":          ofOne(num.Round[T]),
		"is_nan":        ofOne(num.IsNaN[T]),
		"is_inf":        ofOne(num.IsInf[T]),
		"is_finite":     ofOne(num.IsFinite[T]),
		"tf.debugging.check_numerics": func(c *call) (testkit.Value, error) {
			c.string(1, "message", "")
			return ofOneOrError(func(t ragged.Tensor[T]) (ragged.Tensor[T], error) { return t, num.CheckNumerics(t) })(c)
		},

		"acos": byFloat[T](math.Acos), "acosh": byFloat[T](math.Acosh), "asin": byFloat[T](math.Asin), "asinh": byFloat[T](math.Asinh), "atan": byFloat[T](math.Atan), "atanh": byFloat[T](math.Atanh),
		"cos": byFloat[T](math.Cos), "cosh": byFloat[T](math.Cosh), "sin": byFloat[T](math.Sin), "sinh": byFloat[T](math.Sinh), "tan": byFloat[T](math.Tan),
		"erf": byFloat[T](math.Erf), "erfc": byFloat[T](math.Erfc), "erfinv": byFloat[T](math.Erfinv), "erfcinv": byFloat[T](math.Erfcinv), "expm1": byFloat[T](math.Expm1),
		"lgamma":            byFloat[T](func(x float64) float64 { y, _ := math.Lgamma(x); return y }),
		"ndtri":             byFloat[T](func(x float64) float64 { return -math.Sqrt2 * math.Erfcinv(2*x) }),
		"rsqrt":             byFloat[T](func(x float64) float64 { return 1 / math.Sqrt(x) }),
		"softplus":          byFloat[T](softplus),
		"log_sigmoid":       byFloat[T](func(x float64) float64 { return -softplus(-x) }),
		"reciprocal":        byValue(func(v T) T { return 1 / v }),
		"reciprocal_no_nan": byValue(reciprocalNoNaN[T]),

		"tf.nn.elu": byFloat[T](elu),
		// TensorFlow's root of 1/2 is a float32.
		"tf.nn.gelu":       byFloat[T](func(x float64) float64 { return x / 2 * math.Erfc(-x*float64(float32(math.Sqrt2/2))) }),
		"tf.nn.leaky_relu": byValue(func(v T) T { return max(v, T(float32(0.2))*v) }),
		"tf.nn.selu":       byFloat[T](selu),
		"tf.nn.silu":       byFloat[T](func(x float64) float64 { return x / (1 + math.Exp(-x)) }),
		"tf.nn.softsign":   byFloat[T](func(x float64) float64 { return x / (1 + math.Abs(x)) }),

		"tf.math.special.bessel_j0": byFloat[T](math.J0), "tf.math.special.bessel_j1": byFloat[T](math.J1),
		"tf.math.special.bessel_y0": byFloat[T](math.Y0), "tf.math.special.bessel_y1": byFloat[T](math.Y1),

		"atan2":           byFloats[T](math.Atan2),
		"nextafter":       byPair(nextAfter[T]),
		"multiply_no_nan": byPair(func(x, y T) T { return unless(y == 0, x*y) }),
		"xdivy":           byPair(func(x, y T) T { return unless(x == 0, x/y) }),
		"xlogy":           byFloats[T](func(x, y float64) float64 { return unless(x == 0, x*math.Log(y)) }),
		"xlog1py":         byFloats[T](func(x, y float64) float64 { return unless(x == 0, x*math.Log1p(y)) }),
		"tf.nn.sigmoid_cross_entropy_with_logits": byFloats[T](func(label, logit float64) float64 {
			return max(logit, 0) - logit*label + math.Log1p(math.Exp(-math.Abs(logit)))
		}),
	}
}

// unless is 0 if the condition holds.
func unless[T floatElement](zero bool, v T) T {
	if zero {
		return 0
	}
	return v
}

func softplus(x float64) float64 { return max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) }

func elu(x float64) float64 {
	if x < 0 {
		return math.Expm1(x)
	}
	return x
}

func selu(x float64) float64 {
	const scale, alpha = 1.0507009873554804934193349852946, 1.6732632423543772848170429916717
	if x < 0 {
		return scale * alpha * math.Expm1(x)
	}
	return scale * x
}

func reciprocalNoNaN[T floatElement](v T) T {
	if v == 0 {
		return 0
	}
	return 1 / v
}

func nextAfter[T floatElement](x, y T) T {
	if x, ok := any(x).(float32); ok {
		return T(math.Nextafter32(x, float32(y)))
	}
	return T(math.Nextafter(float64(x), float64(y)))
}
