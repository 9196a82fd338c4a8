package sketch

import (
	"math"
	"math/big"
)

// A Sum is a compensated sum (TwoSum): Hi is the rounded sum, Lo the accumulated rounding error. The result hardly
// depends on the order of the numbers. The zero value is 0.
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

// Value returns the sum, rounded once.
func (s Sum) Value() float64 { return s.Hi + s.Lo }

// AddProduct adds x*y, with the rounding error of the product.
func (s *Sum) AddProduct(x, y float64) {
	p := x * y
	s.Add(p)
	s.Lo += math.FMA(x, y, -p)
}

// twoSum returns a+b, rounded, and the rounding error.
func twoSum(a, b float64) (sum, err float64) {
	sum = a + b
	t := sum - a
	return sum, (a - (sum - t)) + (b - t)
}

// exact returns the sum without rounding.
func (s Sum) exact() *big.Float {
	return new(big.Float).SetPrec(precision).Add(big.NewFloat(s.Hi), big.NewFloat(s.Lo))
}

const precision = 300 // precision of the intermediate results of MeanDev, in bits

// Moments are the weighted sums that mean and standard deviation are computed from: the sums of w, w*v and w*v².
type Moments struct{ Weight, Value, Square Sum }

// Add adds the value v with the weight w. Both must be finite.
func (m *Moments) Add(v, w float64) {
	m.Weight.Add(w)
	m.Value.AddProduct(w, v)
	m.Square.AddProduct(w, v*v)
	m.Square.AddProduct(w, math.FMA(v, v, -v*v))
}

// finite reports whether no sum has overflowed.
func (m Moments) finite() bool {
	for _, s := range []Sum{m.Weight, m.Value, m.Square} {
		if v := s.Value(); v-v != 0 {
			return false
		}
	}
	return true
}

// MeanDev returns the mean and the population standard deviation. They are NaN and 0 if the weight is 0 or a sum has
// overflowed.
func (m Moments) MeanDev() (mean, dev float64) {
	if !m.finite() || m.Weight.exact().Sign() == 0 {
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

// A Spread computes the mean and standard deviation of finite numbers. It adds them in chunks and subtracts an
// approximate mean from each chunk first, which keeps the precision of large numbers that differ little. The zero
// value has no numbers.
type Spread struct {
	count float64
	sum   Sum     // sum of the numbers
	m2    float64 // sum of squared distances from the mean
}

// AddAll adds a chunk of a few thousand numbers. Plain float64 sums of that length have relative errors of some 1e-15.
func (s *Spread) AddAll(v []float32) {
	if len(v) == 0 {
		return
	}
	// The origin is the mean of a few numbers, or the mean of all if the first origin was too far from it.
	const few = 16
	guess := 0.0
	for i := range few {
		guess += float64(v[i*(len(v)-1)/(few-1)]) / few
	}
	count := float64(len(v))
	origin := float64(float32(guess))
	diffs, squares := deviations(v, origin)
	if square := float64(diffs*diffs) / count; square > 4*(squares-square) {
		origin += diffs / count
		diffs, squares = deviations(v, origin)
	}
	sum := Sum{Hi: count * origin}
	sum.Lo = math.FMA(count, origin, -sum.Hi)
	sum.Add(diffs)
	s.combine(count, sum, max(0, squares-float64(diffs*diffs)/count))
}

// deviations returns the sums of x-origin and of its square.
func deviations(v []float32, origin float64) (diffs, squares float64) {
	// Four independent sums of each kind hide the latency of the additions.
	var a, b, c, d, e, f, g, h float64
	for ; len(v) >= 4; v = v[4:] {
		x := (*[4]float32)(v)
		p, q, r, s := float64(x[0])-origin, float64(x[1])-origin, float64(x[2])-origin, float64(x[3])-origin
		a += p
		b += q
		c += r
		d += s
		e += float64(p * p)
		f += float64(q * q)
		g += float64(r * r)
		h += float64(s * s)
	}
	for _, x := range v {
		p := float64(x) - origin
		a += p
		e += float64(p * p)
	}
	return a + b + (c + d), e + f + (g + h)
}

// combine adds the count, sum and m2 of other numbers.
func (s *Spread) combine(count float64, sum Sum, m2 float64) {
	if s.count == 0 || count == 0 {
		if count > 0 {
			s.count, s.sum, s.m2 = count, sum, m2
		}
		return
	}
	// d is the difference of the two means, times both counts.
	x, y := s.sum.Hi*count, sum.Hi*s.count
	d, rest := twoSum(x, -y)
	d += rest + (math.FMA(s.sum.Hi, count, -x) - math.FMA(sum.Hi, s.count, -y)) + (float64(s.sum.Lo*count) - float64(sum.Lo*s.count))
	s.m2 += m2 + float64(d/s.count/count*(d/(s.count+count)))
	s.count += count
	s.sum.Merge(sum)
}

// Merge adds all numbers of o.
func (s *Spread) Merge(o *Spread) { s.combine(o.count, o.sum, o.m2) }

// MeanDev returns the mean and the population standard deviation; NaN without numbers.
func (s *Spread) MeanDev() (mean, dev float64) {
	return s.sum.Value() / s.count, math.Sqrt(max(0, s.m2/s.count))
}

// AppendState appends the encoding of s.
func (s *Spread) AppendState(b []byte) []byte {
	return AppendFloat(s.sum.AppendState(AppendFloat(b, s.count)), s.m2)
}

// Spread decodes a Spread.
func (d *Decoder) Spread() Spread {
	return Spread{count: d.Float(), sum: d.Sum(), m2: d.Float()}
}
