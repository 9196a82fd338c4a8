package sketch

import "math"

// A Spread is mean and deviation of numbers that are finite. It looks at them in
// chunks, and at each chunk from its own mean: numbers that are large and lie close
// together lose nothing. The zero value has none.
type Spread struct {
	count float64
	sum   Sum
	m2    float64 // sum of squared distances from the mean
	chunk []float64
}

const chunkSize = 256

// Add adds v.
func (s *Spread) Add(v float64) {
	if len(s.chunk) == chunkSize {
		s.fold()
	}
	s.chunk = append(s.chunk, v)
}

// fold adds the chunk to what was there.
func (s *Spread) fold() {
	count, sum, m2 := describe(s.chunk)
	s.combine(count, sum, m2)
	s.chunk = s.chunk[:0]
}

func describe(v []float64) (count float64, sum Sum, m2 float64) {
	for _, x := range v {
		sum.Add(x)
	}
	count = float64(len(v))
	mean := sum.Value() / count
	first, second := 0.0, 0.0
	for _, x := range v {
		d := x - mean
		first += d
		second += d * d
	}
	return count, sum, second - first*first/count
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
	d += rest + (math.FMA(s.sum.Hi, count, -x) - math.FMA(sum.Hi, s.count, -y)) + (s.sum.Lo*count - sum.Lo*s.count)
	s.m2 += m2 + d/s.count/count*(d/(s.count+count))
	s.count += count
	s.sum.Merge(sum)
}

// Merge adds all numbers of o.
func (s *Spread) Merge(o *Spread) {
	s.combine(o.count, o.sum, o.m2)
	for _, v := range o.chunk {
		s.Add(v)
	}
}

// MeanDev returns the mean and the standard deviation of the whole population; NaN
// and 0 of no numbers.
func (s *Spread) MeanDev() (mean, dev float64) {
	all := Spread{count: s.count, sum: s.sum, m2: s.m2}
	if len(s.chunk) > 0 {
		all.combine(describe(s.chunk))
	}
	return all.sum.Value() / all.count, math.Sqrt(max(0, all.m2/all.count))
}

// AppendState appends all that s holds.
func (s *Spread) AppendState(b []byte) []byte {
	b = AppendFloat(s.sum.AppendState(AppendFloat(b, s.count)), s.m2)
	b = AppendUint(b, uint64(len(s.chunk)))
	for _, v := range s.chunk {
		b = AppendFloat(b, v)
	}
	return b
}

// Spread reads a Spread.
func (d *Decoder) Spread() Spread {
	s := Spread{count: d.Float(), sum: d.Sum(), m2: d.Float()}
	n := d.Count(8)
	if n > chunkSize {
		d.Fail()
		return s
	}
	for range n {
		s.chunk = append(s.chunk, d.Float())
	}
	return s
}
