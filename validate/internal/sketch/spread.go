package sketch

import "math"

// A Spread is mean and deviation of numbers that are finite. It looks at them in
// chunks, and at each chunk from its own mean: numbers that are large and lie close
// together lose nothing. The zero value has none.
type Spread struct {
	count float64
	sum   Sum
	m2    float64 // sum of squared distances from the mean
}

// AddAll adds a chunk.
func (s *Spread) AddAll(v []float32) {
	if len(v) == 0 {
		return
	}
	// Four sums that do not wait for each other.
	var sums [4]Sum
	for i := 0; i+4 <= len(v); i += 4 {
		sums[0].Add(float64(v[i]))
		sums[1].Add(float64(v[i+1]))
		sums[2].Add(float64(v[i+2]))
		sums[3].Add(float64(v[i+3]))
	}
	sum := sums[0]
	for _, t := range sums[1:] {
		sum.Merge(t)
	}
	rest := v[len(v)&^3:]
	for _, x := range rest {
		sum.Add(float64(x))
	}
	count := float64(len(v))
	mean := sum.Value() / count
	var first, second [4]float64
	for i := 0; i+4 <= len(v); i += 4 {
		for k := range 4 {
			d := float64(v[i+k]) - mean
			first[k] += d
			second[k] += float64(d * d)
		}
	}
	for _, x := range rest {
		d := float64(x) - mean
		first[0] += d
		second[0] += float64(d * d)
	}
	one, two := first[0]+first[1]+(first[2]+first[3]), second[0]+second[1]+(second[2]+second[3])
	s.combine(count, sum, two-float64(one*one)/count)
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
