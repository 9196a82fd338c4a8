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

// finite reports whether no sum has overflowed.
func (m Moments) finite() bool {
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

// A Spread is mean and deviation of numbers that are finite. It looks at them in
// chunks, and at each chunk from about its own mean: numbers that are large and lie close
// together lose nothing. The zero value has none.
type Spread struct {
	count float64
	sum   Sum
	m2    float64 // sum of squared distances from the mean
}

// AddAll adds a chunk: a few thousand numbers, whose plain sums are good to some parts in
// 10^15 of mean and deviation.
func (s *Spread) AddAll(v []float32) {
	if len(v) == 0 {
		return
	}
	// From a number near the mean, which most likely that of a few of them is, and from
	// the mean if it is not.
	const few = 16
	guess := 0.0
	for i := range few {
		guess += float64(v[i*(len(v)-1)/(few-1)]) / few
	}
	count := float64(len(v))
	from := float64(float32(guess))
	one, two := deviations(v, from)
	if square := float64(one*one) / count; square > 4*(two-square) {
		from += one / count
		one, two = deviations(v, from)
	}
	sum := Sum{Hi: count * from}
	sum.Lo = math.FMA(count, from, -sum.Hi)
	sum.Add(one)
	s.combine(count, sum, max(0, two-float64(one*one)/count))
}

// deviations adds up the distances from a number, and their squares.
func deviations(v []float32, from float64) (one, two float64) {
	// Four sums of each that do not wait for each other.
	var a, b, c, d, e, f, g, h float64
	for ; len(v) >= 4; v = v[4:] {
		x := (*[4]float32)(v)
		p, q, r, s := float64(x[0])-from, float64(x[1])-from, float64(x[2])-from, float64(x[3])-from
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
		p := float64(x) - from
		a += p
		e += float64(p * p)
	}
	return a + b + (c + d), e + f + (g + h)
}

// combine adds what is known of other numbers.
func (s *Spread) combine(count float64, sum Sum, m2 float64) {
	if s.count == 0 || count == 0 {
		if count > 0 {
			s.count, s.sum, s.m2 = count, sum, m2
		}
		return
	}
	// The distance of the two means, times both counts.
	x, y := s.sum.Hi*count, sum.Hi*s.count
	d, rest := twoSum(x, -y)
	d += rest + (math.FMA(s.sum.Hi, count, -x) - math.FMA(sum.Hi, s.count, -y)) + (float64(s.sum.Lo*count) - float64(sum.Lo*s.count))
	s.m2 += m2 + float64(d/s.count/count*(d/(s.count+count)))
	s.count += count
	s.sum.Merge(sum)
}

// Merge adds all numbers of o.
func (s *Spread) Merge(o *Spread) { s.combine(o.count, o.sum, o.m2) }

// MeanDev returns the mean and the standard deviation of the whole population; NaN
// and 0 of no numbers.
func (s *Spread) MeanDev() (mean, dev float64) {
	return s.sum.Value() / s.count, math.Sqrt(max(0, s.m2/s.count))
}

// AppendState appends all that s holds.
func (s *Spread) AppendState(b []byte) []byte {
	return AppendFloat(s.sum.AppendState(AppendFloat(b, s.count)), s.m2)
}

// Spread reads a Spread.
func (d *Decoder) Spread() Spread {
	return Spread{count: d.Float(), sum: d.Sum(), m2: d.Float()}
}
