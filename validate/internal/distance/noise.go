package distance

import "math"

// normalQuantile returns the value that a standard normal variable exceeds with the probability alpha.
func normalQuantile(alpha float64) float64 { return math.Sqrt2 * math.Erfcinv(2*alpha) }

// chiSquared returns the value that a chi-squared variable exceeds with the probability alpha, by the approximation of Wilson
// and Hilferty (The Distribution of Chi-Square, PNAS 17, 1931). freedom is the number of degrees of freedom.
func chiSquared(freedom, alpha float64) float64 {
	c := 2 / (9 * freedom)
	r := 1 - c + normalQuantile(alpha)*math.Sqrt(c)
	return freedom * r * r * r
}

// noiseOfShares returns the significance threshold of the difference of two shares: p, among a values, and q, among b values. If
// both are samples of one distribution, the difference exceeds it with a probability of about alpha. It uses the normal
// approximation of the binomial distribution with the pooled share.
func noiseOfShares(p, q float64, a, b, alpha float64) float64 {
	if !(a > 0) || !(b > 0) {
		return 0
	}
	pooled := (a*p + b*q) / (a + b)
	return min(normalQuantile(alpha/2)*math.Sqrt(max(pooled*(1-pooled), 0)*(1/a+1/b)), 1)
}

// Share measures the difference between two shares of records: p of a records and q of b records.
func Share(p, q float64, a, b, alpha float64) Measurement {
	return Measurement{Value: math.Abs(p - q), Raw: math.Abs(p - q), Noise: noiseOfShares(p, q, a, b, alpha)}
}

// noiseOfKS returns the critical value of the two-sample Kolmogorov-Smirnov test: N. Smirnov, Table for Estimating the
// Goodness of Fit of Empirical Distributions, Annals of Mathematical Statistics 19, 1948.
func noiseOfKS(a, b Sample, alpha float64) float64 {
	n, m := a.independent(), b.independent()
	if !(n > 0) || !(m > 0) {
		return 0
	}
	return min(math.Sqrt(-math.Log(alpha/2)/2*(n+m)/(n*m)), 1)
}

// A divergence is a distance that is a sum over cells.
type divergence struct {
	term func(p, q float64) float64 // the term of a cell; 0 if p equals q
	// scale is the limit of the divergence divided by the sum of (p-q)²/((p+q)/2), as q approaches p.
	scale float64
}

// chanceLevels is the distribution of a divergence between two samples of one distribution.
type chanceLevels struct {
	mean  float64
	level float64 // value that the divergence exceeds with the probability alpha
}

// chanceLevels returns the mean divergence of two samples of one distribution, and the level that the divergence exceeds with the
// probability alpha.
//
// If all cells have many values, the Jensen-Shannon divergence times 8·ln2·n·m/(n+m) has a chi-squared distribution with one
// degree of freedom less than there are cells: Menéndez, Pardo, Pardo and Pardo, The Jensen-Shannon Divergence, Journal of the
// Franklin Institute 334, 1997; Grosse et al., Analysis of symbolic sequences using the Jensen-Shannon divergence,
// Physical Review E 65, 2002. Cells with few values, such as rare labels, have a larger divergence. So the mean and the variance of
// each cell are computed for values that are divided at random between the sides, exactly if they are few, and
// the sum is approximated by a multiple of a chi-squared variable with the same mean and variance.
//
// Values of one record may depend on each other. The level is multiplied by the number of values per record, the largest
// possible design effect of such clusters (Rao and Scott, The Analysis of Categorical Data from Complex Sample Surveys,
// JASA 76, 1981). The mean is that of independent values, so that no distance is underestimated.
func (d divergence) chanceLevels(cells []cell, a, b Sample, alpha float64) chanceLevels {
	n, m := a.Values, b.Values
	if !(n > 0) || !(m > 0) || !(a.independent() > 0) || !(b.independent() > 0) {
		return chanceLevels{}
	}
	known := map[float64][2]float64{}
	mean, variance := 0.0, 0.0
	for _, c := range cells {
		count := math.Round(n*c.p + m*c.q)
		if count < 1 {
			continue
		}
		if _, ok := known[count]; !ok {
			known[count] = d.moments(count, n, m)
		}
		mean += known[count][0]
		variance += known[count][1]
	}
	if !(mean > 0) {
		return chanceLevels{}
	}
	effect := max(n/a.independent(), m/b.independent(), 1)
	if !(variance > 1e-12*mean*mean) { // only one value is possible
		return chanceLevels{mean, effect * mean}
	}
	return chanceLevels{mean, effect * variance / (2 * mean) * chiSquared(2*mean*mean/variance, alpha)}
}

// moments returns the mean and the variance of the term of a cell with count values, which are divided at random
// between samples of n and m values: the number on a side is hypergeometric (Haldane, Biometrika 31, 1940).
func (d divergence) moments(count, n, m float64) [2]float64 {
	const many = 100 // expected values on the smaller side that justify the chi-squared limit
	share := n / (n + m)
	if share > 0.5 { // swap the sides
		return divergence{func(p, q float64) float64 { return d.term(q, p) }, d.scale}.moments(count, m, n)
	}
	rest := 1 - count/(n+m) // share of the other cells, which have less if this one has more
	if expected := count * share; expected > many {
		s := d.scale * (1/n + 1/m)
		return [2]float64{s * rest, 2 * s * s * rest}
	}
	mean, square := 0.0, 0.0
	ways := func(n, k float64) float64 { // logarithm of the binomial coefficient "n choose k"
		a, _ := math.Lgamma(n + 1)
		b, _ := math.Lgamma(k + 1)
		c, _ := math.Lgamma(n - k + 1)
		return a - b - c
	}
	k := max(count-m, 0)
	chance := math.Exp(ways(n, k) + ways(m, count-k) - ways(n+m, count))
	for ; k <= min(count, n) && k <= 6*many; k++ {
		v := d.term(k/n, (count-k)/m)
		mean += chance * v
		square += chance * v * v
		chance *= (n - k) * (count - k) / ((k + 1) * (m - count + k + 1))
	}
	variance := max(square-mean*mean, 0)
	if rest > 1e-9 {
		variance /= rest
	}
	return [2]float64{mean, variance}
}
