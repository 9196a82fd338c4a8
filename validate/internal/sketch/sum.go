package sketch

import (
	"math"
	"math/big"
)

// A Sum adds up numbers and keeps the rounding errors, so that the order of the
// numbers does not show. The zero value is 0.
type Sum struct{ Hi, Lo float64 }

// Add adds x.
func (s *Sum) Add(x float64) {
	t := s.Hi + x
	b := t - s.Hi
	s.Lo += (s.Hi - (t - b)) + (x - b)
	s.Hi = t
}

// Merge adds t.
func (s *Sum) Merge(t Sum) {
	s.Add(t.Hi)
	s.Lo += t.Lo
}

// Value is the sum, rounded once.
func (s Sum) Value() float64 { return s.Hi + s.Lo }

// AddProduct adds x*y as if it had not been rounded.
func (s *Sum) AddProduct(x, y float64) {
	p := x * y
	s.Add(p)
	s.Lo += math.FMA(x, y, -p)
}

// twoSum returns a+b, rounded, and what the rounding took away.
func twoSum(a, b float64) (sum, rest float64) {
	sum = a + b
	t := sum - a
	return sum, (a - (sum - t)) + (b - t)
}

func (s Sum) exact() *big.Float {
	return new(big.Float).SetPrec(precision).Add(big.NewFloat(s.Hi), big.NewFloat(s.Lo))
}

const precision = 300 // of what is computed from sums, in bits

// Moments are the weighted sums that mean and deviation are made of.
type Moments struct{ Weight, Value, Square Sum }

// Add adds a value that is finite, as is its weight.
func (m *Moments) Add(v, w float64) {
	m.Weight.Add(w)
	m.Value.AddProduct(w, v)
	m.Square.AddProduct(w, v*v)
	m.Square.AddProduct(w, math.FMA(v, v, -v*v))
}

// Finite reports whether no sum has overflowed.
func (m Moments) Finite() bool {
	for _, s := range []Sum{m.Weight, m.Value, m.Square} {
		if v := s.Value(); v-v != 0 {
			return false
		}
	}
	return true
}

// MeanDev returns the mean and the standard deviation of the whole population.
// They are NaN and 0 for a weight of 0, and where a sum has overflowed.
func (m Moments) MeanDev() (mean, dev float64) {
	if !m.Finite() || m.Weight.exact().Sign() == 0 {
		return math.NaN(), 0
	}
	n := m.Weight.exact()
	avg := new(big.Float).SetPrec(precision).Quo(m.Value.exact(), n)
	square := new(big.Float).SetPrec(precision).Quo(m.Square.exact(), n)
	square.Sub(square, new(big.Float).SetPrec(precision).Mul(avg, avg))
	mean, _ = avg.Float64()
	if square.Sign() > 0 {
		dev, _ = square.Sqrt(square).Float64()
	}
	return mean, dev
}

// Merge adds o.
func (m *Moments) Merge(o Moments) {
	m.Weight.Merge(o.Weight)
	m.Value.Merge(o.Value)
	m.Square.Merge(o.Square)
}
