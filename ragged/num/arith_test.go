package num_test

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"testing"

	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/ragged/num"
)

// narrow are the integer types for which a test can try all pairs.
type narrow interface{ int8 | uint8 }

// allPairs is every pair of two integers, as two vectors.
func allPairs[T narrow]() (a, b ragged.Tensor[T]) {
	var x, y []T
	for i := range 256 {
		for j := range 256 {
			x, y = append(x, T(i)), append(y, T(j))
		}
	}
	return ragged.Vector(x...), ragged.Vector(y...)
}

// TestIntegers computes with all pairs of integers of 8 bits, and compares with the lowest 8 bits of
// big integers.
func TestIntegers(t *testing.T) {
	t.Run("int8", testIntegers[int8])
	t.Run("uint8", testIntegers[uint8])
}

func testIntegers[T narrow](t *testing.T) {
	a, b := allPairs[T]()
	type binary = func(a, b ragged.Tensor[T]) (ragged.Tensor[T], error)
	type integers = func(z, x, y *big.Int) *big.Int
	floor := func(z, x, y *big.Int) (q, r *big.Int) {
		q, r = z.DivMod(x, y, new(big.Int)) // Euclid's division: the remainder is not negative
		if y.Sign() < 0 && r.Sign() != 0 {
			q, r = q.Sub(q, big.NewInt(1)), r.Add(r, y)
		}
		return q, r
	}
	for _, c := range []struct {
		name    string
		got     binary
		want    integers
		refused func(x, y T) bool
	}{
		{"Add", num.Add[T], (*big.Int).Add, nil},
		{"Sub", num.Sub[T], (*big.Int).Sub, nil},
		{"Mul", num.Mul[T], (*big.Int).Mul, nil},
		{"FloorDiv", num.FloorDiv[T], func(z, x, y *big.Int) *big.Int { q, _ := floor(z, x, y); return q }, isZero[T]},
		{"FloorMod", num.FloorMod[T], func(z, x, y *big.Int) *big.Int { _, r := floor(z, x, y); return r }, isZero[T]},
		{"TruncDiv", num.TruncDiv[T], (*big.Int).Quo, isZero[T]},
		{"TruncMod", num.TruncMod[T], (*big.Int).Rem, isZero[T]},
		{"Pow", num.Pow[T], func(z, x, y *big.Int) *big.Int { return z.Exp(x, y, nil) }, func(x, y T) bool { return y < 0 }},
		{"BitAnd", num.BitAnd[T], (*big.Int).And, nil},
		{"BitOr", num.BitOr[T], (*big.Int).Or, nil},
		{"BitXor", num.BitXor[T], (*big.Int).Xor, nil},
		{"ShiftLeft", num.ShiftLeft[T], func(z, x, y *big.Int) *big.Int { return z.Lsh(x, uint(max(0, min(7, y.Int64())))) }, nil},
		{"ShiftRight", num.ShiftRight[T], func(z, x, y *big.Int) *big.Int { return z.Rsh(x, uint(max(0, min(7, y.Int64())))) }, nil},
		{"Maximum", num.Maximum[T], func(z, x, y *big.Int) *big.Int { return z.SetInt64(max(x.Int64(), y.Int64())) }, nil},
		{"Minimum", num.Minimum[T], func(z, x, y *big.Int) *big.Int { return z.SetInt64(min(x.Int64(), y.Int64())) }, nil},
	} {
		// Pairs that are refused are replaced by valid pairs.
		x, y := slices.Clone(a.Values()), slices.Clone(b.Values())
		for i := range x {
			if c.refused != nil && c.refused(x[i], y[i]) {
				one := []T{x[i]}
				if _, err := c.got(ragged.Vector(one...), ragged.Vector(y[i])); !errors.Is(err, ragged.ErrValue) {
					t.Fatalf("%s of %d and %d: %v", c.name, x[i], y[i], err)
				}
				y[i] = 1
			}
		}
		out, err := c.got(ragged.Vector(x...), ragged.Vector(y...))
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		for i, got := range out.Values() {
			z := c.want(new(big.Int), big.NewInt(int64(x[i])), big.NewInt(int64(y[i])))
			z.And(z, big.NewInt(255)) // two's complement, however many bits
			if want := T(z.Int64()); got != want {
				t.Fatalf("%s of %d and %d: got %d, want %d", c.name, x[i], y[i], got, want)
			}
		}
	}
}

func isZero[T narrow](_, y T) bool { return y == 0 }

// TestFloats compares with results of TensorFlow 2.21 for all pairs of some floats. A row of the
// table has the results for one first operand.
func TestFloats(t *testing.T) {
	inf, nan, zero := math.Inf(1), math.NaN(), math.Copysign(0, -1)
	grid := []float64{0, zero, nan, inf, -inf, 1, -1, 5.5, -5.5, 3, -3}
	for _, c := range []struct {
		name string
		got  func(a, b ragged.Tensor[float64]) (ragged.Tensor[float64], error)
		got2 func(a, b ragged.Tensor[float32]) (ragged.Tensor[float32], error)
		want [][]float64
	}{
		{"FloorDiv", num.FloorDiv[float64], num.FloorDiv[float32], [][]float64{
			{nan, nan, nan, 0, zero, 0, zero, 0, zero, 0, zero},
			{nan, nan, nan, zero, 0, zero, 0, zero, 0, zero, 0},
			{nan, nan, nan, nan, nan, nan, nan, nan, nan, nan, nan},
			{inf, -inf, nan, nan, nan, inf, -inf, inf, -inf, inf, -inf},
			{-inf, inf, nan, nan, nan, -inf, inf, -inf, inf, -inf, inf},
			{inf, -inf, nan, 0, zero, 1, -1, 0, -1, 0, -1},
			{-inf, inf, nan, zero, 0, -1, 1, -1, 0, -1, 0},
			{inf, -inf, nan, 0, zero, 5, -6, 1, -1, 1, -2},
			{-inf, inf, nan, zero, 0, -6, 5, -1, 1, -2, 1},
			{inf, -inf, nan, 0, zero, 3, -3, 0, -1, 1, -1},
			{-inf, inf, nan, zero, 0, -3, 3, -1, 0, -1, 1},
		}},
		{"FloorMod", num.FloorMod[float64], num.FloorMod[float32], [][]float64{
			{nan, nan, nan, 0, 0, 0, 0, 0, 0, 0, 0},
			{nan, nan, nan, zero, zero, zero, zero, zero, zero, zero, zero},
			{nan, nan, nan, nan, nan, nan, nan, nan, nan, nan, nan},
			{nan, nan, nan, nan, nan, nan, nan, nan, nan, nan, nan},
			{nan, nan, nan, nan, nan, nan, nan, nan, nan, nan, nan},
			{nan, nan, nan, 1, -inf, 0, 0, 1, -4.5, 1, -2},
			{nan, nan, nan, inf, -1, zero, zero, 4.5, -1, 2, -1},
			{nan, nan, nan, 5.5, -inf, 0.5, -0.5, 0, 0, 2.5, -0.5},
			{nan, nan, nan, inf, -5.5, 0.5, -0.5, zero, zero, 0.5, -2.5},
			{nan, nan, nan, 3, -inf, 0, 0, 3, -2.5, 0, 0},
			{nan, nan, nan, inf, -3, zero, zero, 2.5, -3, zero, zero},
		}},
		{"DivNoNaN", num.DivNoNaN[float64], num.DivNoNaN[float32], [][]float64{
			{0, 0, nan, 0, zero, 0, zero, 0, zero, 0, zero},
			{0, 0, nan, zero, 0, zero, 0, zero, 0, zero, 0},
			{0, 0, nan, nan, nan, nan, nan, nan, nan, nan, nan},
			{0, 0, nan, nan, nan, inf, -inf, inf, -inf, inf, -inf},
			{0, 0, nan, nan, nan, -inf, inf, -inf, inf, -inf, inf},
			{0, 0, nan, 0, zero, 1, -1, 1 / 5.5, -1 / 5.5, 1. / 3, -1. / 3},
			{0, 0, nan, zero, 0, -1, 1, -1 / 5.5, 1 / 5.5, -1. / 3, 1. / 3},
			{0, 0, nan, 0, zero, 5.5, -5.5, 1, -1, 5.5 / 3, -5.5 / 3},
			{0, 0, nan, zero, 0, -5.5, 5.5, -1, 1, -5.5 / 3, 5.5 / 3},
			{0, 0, nan, 0, zero, 3, -3, 3 / 5.5, -3 / 5.5, 1, -1},
			{0, 0, nan, zero, 0, -3, 3, -3 / 5.5, 3 / 5.5, -1, 1},
		}},
		{"Pow", num.Pow[float64], num.Pow[float32], [][]float64{
			{1, 1, nan, 0, inf, 0, inf, 0, inf, 0, inf},
			{1, 1, nan, 0, inf, zero, -inf, 0, inf, zero, -inf},
			{1, 1, nan, nan, nan, nan, nan, nan, nan, nan, nan},
			{1, 1, nan, inf, 0, inf, 0, inf, 0, inf, 0},
			{1, 1, nan, inf, 0, -inf, zero, inf, 0, -inf, zero},
			{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1},
			{1, 1, nan, 1, 1, -1, -1, nan, nan, -1, -1},
			{1, 1, nan, inf, 0, 5.5, 1 / 5.5, 11803.064820864425, 8.472375736107859e-05, 166.375, 0.006010518407212622},
			{1, 1, nan, inf, 0, -5.5, -1 / 5.5, nan, nan, -166.375, -0.006010518407212622},
			{1, 1, nan, inf, 0, 3, 1. / 3, 420.8883462392372, 0.002375927033702164, 27, 1. / 27},
			{1, 1, nan, inf, 0, -3, -1. / 3, nan, nan, -27, -1. / 27},
		}},
	} {
		n := len(grid)
		column := must(ragged.Dense(grid, n, 1))(t)
		out := must(c.got(column, ragged.Vector(grid...)))(t)
		single := ragged.Map(column, func(v float64) float32 { return float32(v) })
		out2 := must(c.got2(single, ragged.Map(ragged.Vector(grid...), func(v float64) float32 { return float32(v) })))(t)
		for i, want := range slices.Concat(c.want...) {
			pair := fmt.Sprintf("%s(%v, %v)", c.name, grid[i/n], grid[i%n])
			if got := out.Values()[i]; !alike(got, want, 1e-14) {
				t.Errorf("%s: got %v, want %v", pair, got, want)
			}
			if got := float64(out2.Values()[i]); !alike(got, want, 1e-7) {
				t.Errorf("%s of float32: got %v, want %v", pair, got, want)
			}
		}
	}
}

// alike reports whether two floats are equal within a relative error.
func alike(got, want, near float64) bool {
	if math.IsNaN(want) || math.IsInf(want, 0) || want == 0 {
		return math.IsNaN(got) && math.IsNaN(want) || got == want && math.Signbit(got) == math.Signbit(want)
	}
	return math.Abs(got-want) <= near*math.Abs(want)
}

// TestOneFloat compares functions of one value with TensorFlow's results for special values.
func TestOneFloat(t *testing.T) {
	inf, nan, zero := math.Inf(1), math.NaN(), math.Copysign(0, -1)
	x := ragged.Vector(0, zero, nan, inf, -inf, 2.5, -2.5, 1.5, 0.5, -0.5)
	bools := func(t ragged.Tensor[bool]) ragged.Tensor[float64] { return num.FromBool[float64](t) }
	for _, c := range []struct {
		name string
		got  ragged.Tensor[float64]
		want []float64
	}{
		{"Abs", num.Abs(x), []float64{0, 0, nan, inf, inf, 2.5, 2.5, 1.5, 0.5, 0.5}},
		{"Neg", num.Neg(x), []float64{zero, 0, nan, -inf, inf, -2.5, 2.5, -1.5, -0.5, 0.5}},
		{"Sign", num.Sign(x), []float64{0, 0, nan, 1, -1, 1, -1, 1, 1, -1}},
		{"Square", num.Square(x), []float64{0, 0, nan, inf, inf, 6.25, 6.25, 2.25, 0.25, 0.25}},
		{"Ceil", num.Ceil(x), []float64{0, zero, nan, inf, -inf, 3, -2, 2, 1, zero}},
		{"Floor", num.Floor(x), []float64{0, zero, nan, inf, -inf, 2, -3, 1, 0, -1}},
		{"Round", num.Round(x), []float64{0, zero, nan, inf, -inf, 2, -2, 2, 0, zero}},
		{"Sqrt", num.Sqrt(x), []float64{0, zero, nan, inf, nan, 1.5811388300841898, nan, 1.224744871391589, 0.7071067811865476, nan}},
		{"Log", num.Log(x), []float64{-inf, -inf, nan, inf, nan, 0.9162907318741551, nan, 0.4054651081081644, -0.6931471805599453, nan}},
		{"Log1p", num.Log1p(x), []float64{0, zero, nan, inf, nan, 1.252762968495368, nan, 0.9162907318741551, 0.4054651081081644, -0.6931471805599453}},
		{"Exp", num.Exp(x), []float64{1, 1, nan, inf, 0, 12.182493960703473, 0.0820849986238988, 4.4816890703380645, 1.6487212707001282, 0.6065306597126334}},
		{"Tanh", num.Tanh(x), []float64{0, zero, nan, 1, -1, 0.9866142981514302, -0.9866142981514302, 0.9051482536448663, 0.46211715726000974, -0.46211715726000974}},
		{"Sigmoid", num.Sigmoid(x), []float64{0.5, 0.5, nan, 1, 0, 0.9241418199787564, 0.07585818002124356, 0.8175744761936437, 0.6224593312018546, 0.37754066879814546}},
		{"Relu", num.Relu(x), []float64{0, 0, nan, inf, 0, 2.5, 0, 1.5, 0.5, 0}},
		{"Clip", num.Clip(x, -2, 1), []float64{0, zero, nan, 1, -2, 1, -2, 1, 0.5, -0.5}},
		{"Clip, bounds exchanged", num.Clip(x, 1, -2), []float64{1, 1, nan, 1, 1, 1, 1, 1, 1, 1}},
		{"IsNaN", bools(num.IsNaN(x)), []float64{0, 0, 1, 0, 0, 0, 0, 0, 0, 0}},
		{"IsInf", bools(num.IsInf(x)), []float64{0, 0, 0, 1, 1, 0, 0, 0, 0, 0}},
		{"IsFinite", bools(num.IsFinite(x)), []float64{1, 1, 0, 0, 0, 1, 1, 1, 1, 1}},
		{"NotZero", bools(num.NotZero(x)), []float64{0, 0, 1, 1, 1, 1, 1, 1, 1, 1}},
	} {
		for i, got := range c.got.Values() {
			if !alike(got, c.want[i], 1e-14) {
				t.Errorf("%s of %v: got %v, want %v", c.name, x.Values()[i], got, c.want[i])
			}
		}
	}
}

// TestOneInteger tries all integers of 8 bits.
func TestOneInteger(t *testing.T) {
	var x []int8
	for i := range 256 {
		x = append(x, int8(i-128))
	}
	all := ragged.Vector(x...)
	for _, c := range []struct {
		name string
		got  ragged.Tensor[int8]
		want func(v int) int
	}{
		{"Abs", num.Abs(all), func(v int) int { return max(v, -v) }},
		{"Neg", num.Neg(all), func(v int) int { return -v }},
		{"Sign", num.Sign(all), func(v int) int { return max(-1, min(1, v)) }},
		{"Square", num.Square(all), func(v int) int { return v * v }},
		{"Round", num.Round(all), func(v int) int { return v }},
		{"Relu", num.Relu(all), func(v int) int { return max(0, v) }},
		{"Clip", num.Clip(all, -3, 100), func(v int) int { return max(-3, min(100, v)) }},
		{"BitNot", num.BitNot(all), func(v int) int { return -1 - v }},
		{"FromBool", num.FromBool[int8](num.NotZero(all)), func(v int) int { return min(1, max(v, -v)) }},
	} {
		for i, got := range c.got.Values() {
			if want := int8(c.want(int(x[i]))); got != want {
				t.Errorf("%s of %d: got %d, want %d", c.name, x[i], got, want)
			}
		}
	}
}
