package distance

import (
	"fmt"
	"math"

	"github.com/tfparse/tfparse/validate/internal/view"
)

// A Measurement is a measured distance with its errors.
type Measurement struct {
	// Value is the distance; for a divergence, Raw minus Chance, at least 0.
	Value float64
	// Chance is the expected divergence of two samples of one distribution, of the same sizes as the data. It depends on the sizes
	// only. Raw minus Chance is nearly unbiased. Chance is 0 for measures that are not divergences.
	Chance float64
	// Raw is the distance before Chance is subtracted.
	Raw float64
	// Noise is the significance threshold of Value: two samples of one distribution, of the same sizes as the data, exceed it with the
	// probability alpha.
	Noise float64
	// Error is the maximum error of Raw that coarse histograms cause.
	Error float64
	// Label is the label that differs most; "" for numbers and divergences.
	Label string

	excess float64 // how much Raw may exceed the true distance
}

// Above reports whether the distance is significant: above Noise and Chance, even if Raw is too large by its error.
func (m Measurement) Above() bool {
	// The factor 1+1e-9 absorbs rounding if only one value is possible.
	level := m.Noise + m.Chance
	return m.Raw-m.excess > level*(1+1e-9)
}

// ChanceText explains the part of chance in a raw divergence between two numbers of values. It returns "" if chance is below 0.01
// or raw is 0.
func ChanceText(raw, chance float64, values [2]float64) string {
	if chance < 0.01 || raw == 0 {
		return ""
	}
	return fmt.Sprintf("%.3g measured, %.3g by chance, of %.15g against %.15g values", raw, chance, values[0], values[1])
}

// newMeasurement returns the Measurement of a distance known only within s. c is the distribution of the distance by chance.
func (s span) newMeasurement(c chanceLevels) *Measurement {
	return &Measurement{Value: max(s.value-c.mean, 0), Chance: c.mean, Raw: s.value, Noise: max(c.level-c.mean, 0),
		Error: max(s.most-s.value, s.value-s.least), excess: s.value - s.least}
}

// jensenShannon returns the term of one cell of the Jensen-Shannon divergence, in bits.
func jensenShannon(p, q float64) float64 {
	m := (p + q) / 2
	s := 0.0
	if p > 0 {
		s += p * math.Log2(p/m)
	}
	if q > 0 {
		s += q * math.Log2(q/m)
	}
	return max(s/2, 0)
}

// jensenShannonDivergence is the Jensen-Shannon divergence in bits.
var jensenShannonDivergence = divergence{jensenShannon, 1 / (8 * math.Ln2)}

// stabilityIndex returns the population stability index, the sum of (p-q)·ln(p/q), for samples of the sizes n and m. An
// empty cell would make it infinite; it counts as half a value.
func stabilityIndex(n, m float64) divergence {
	return divergence{func(p, q float64) float64 {
		if p == q {
			return 0
		}
		x, y := max(p, 0.5/n), max(q, 0.5/m)
		return (x - y) * math.Log(x/y)
	}, 1}
}

// Distances are the distances between two sides.
type Distances struct {
	JensenShannon     *Measurement // nil if a side has no values
	Stability         *Measurement // population stability index; nil if a side has no values
	KolmogorovSmirnov *Measurement // distance of numbers; nil for labels, or if a side has only NaN
	Largest           *Measurement // the largest difference of a label's shares; nil without labels
	Normalized        *Measurement // the largest difference of a label's counts, divided by the sum of all counts; nil without labels
	Buckets           int          // number of buckets of the coarser histogram of numbers; 0 if each distinct number was counted
	Cells             int          // number of cells for finite numbers; 0 for labels

	// Few means that both sides have values, and one has fewer than minDivergenceValues: no divergence can be significant.
	Few bool
}

// minDivergenceValues is the minimum number of values for a significant divergence.
const minDivergenceValues = 5

// divergences returns the two divergences of a table.
func (t *cellTable) divergences(a, b Sample, alpha float64) Distances {
	js := t.spanOf(jensenShannon)
	js = span{min(js.value, 1), min(js.least, 1), min(js.most, 1)}
	stable := stabilityIndex(a.Values, b.Values)
	byChance := jensenShannonDivergence.chanceLevels(t.cells, a, b, alpha)
	return Distances{
		JensenShannon: js.newMeasurement(chanceLevels{byChance.mean, min(byChance.level, 1)}),
		Stability:     t.spanOf(stable.term).newMeasurement(stable.chanceLevels(t.cells, a, b, alpha)),
		Few:           a.Values > 0 && b.Values > 0 && min(a.Values, b.Values) < minDivergenceValues,
	}
}

// BetweenNumbers compares numbers at common borders, the quantiles of both sides. NaN, -Inf and +Inf are separate
// values. alpha is the significance level.
func BetweenNumbers(a, b *Numbers, x, y Sample, alpha float64) Distances {
	p := rankBorders(a, b)
	t := p.divideCells(x, y)
	o := t.divergences(x, y, alpha)
	o.Cells = len(t.borders)
	if d, ok := p.kolmogorovSmirnov(); ok {
		o.KolmogorovSmirnov = d.newMeasurement(chanceLevels{level: noiseOfKS(x, y, alpha)})
	}
	for _, n := range p.sides {
		if n.Buckets > 0 && (o.Buckets == 0 || n.Buckets < o.Buckets) {
			o.Buckets = n.Buckets
		}
	}
	return o
}

// Between compares the values of two features: their labels, or if neither has labels, their numbers. sources may
// have more exact numbers than the histograms. ok is false if there is nothing to compare.
func Between(a, b *view.Feature, sources [2]Source, alpha float64) (o Distances, ok bool) {
	x, y := SampleOf(a), SampleOf(b)
	if o, ok = BetweenLabels(a, b, x, y, alpha); ok {
		return o, true
	}
	n, m := NumbersOf(a, sources[0]), NumbersOf(b, sources[1])
	if n == nil || m == nil {
		return o, false
	}
	return BetweenNumbers(n, m, x, y, alpha), true
}

// A Sample is the size of a side: the number of values and of records. The values of a record may depend on each other,
// so that the noise is computed for as many independent values as there are records.
type Sample struct{ Values, Records float64 }

// independent returns how many values are taken as independent.
func (s Sample) independent() float64 { return min(s.Values, s.Records) }

// SampleOf returns the unweighted size of a feature: weights do not make a sample vary less.
func SampleOf(f *view.Feature) Sample {
	c := f.Common()
	s := Sample{Values: float64(c.GetTotNumValues()), Records: float64(c.GetNumNonMissing())}
	if s.Values == 0 { // older statistics lack the total
		s.Values = s.Records * float64(c.GetAvgNumValues())
	}
	if n := float64(f.Dataset.Stats.GetNumExamples()); n > 0 {
		s.Records = min(s.Records, n) // a record may have many values of a struct
	}
	return s
}
