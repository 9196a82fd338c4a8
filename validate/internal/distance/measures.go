package distance

import (
	"fmt"
	"math"

	"github.com/tfparse/tfparse/validate/internal/view"
)

// A Measurement is a distance.
type Measurement struct {
	// Value is the distance: of a divergence what was measured less Chance, or 0.
	Value float64
	// Chance is the mean of a divergence between two samples of one distribution, of the same sizes. It depends on the sizes, not
	// on the data, and what was measured less Chance is nearly unbiased. It is 0 for other measures.
	Chance float64
	// Raw is the distance as it was measured.
	Raw float64
	// Noise is the level that Value of two samples of one distribution, of the same sizes, exceeds with the
	// probability that was asked for.
	Noise float64
	// Error is by how much Raw may be off, as what it was made from is coarse.
	Error float64
	Label string // that differs most

	unsure float64 // by how much Raw may be too large
}

// Above reports whether there is more than chance explains, even if Raw is too large. Where all that can be is one value,
// that is the level, but for rounding.
func (m Measurement) Above() bool {
	level := m.Noise + m.Chance
	return m.Raw-m.unsure > level*(1+1e-9)
}

// ChanceText says how much of a divergence that was measured is by chance, of two numbers of values. It is empty where that is less than 0.01
// or nothing was measured.
func ChanceText(measured, chance float64, values [2]float64) string {
	if chance < 0.01 || measured == 0 {
		return ""
	}
	return fmt.Sprintf("%.3g measured, %.3g by chance, of %.15g against %.15g values", measured, chance, values[0], values[1])
}

// measured is a distance that is between two others.
func (s span) measured(c chance) *Measurement {
	return &Measurement{Value: max(s.value-c.mean, 0), Chance: c.mean, Raw: s.value, Noise: max(c.level-c.mean, 0),
		Error: max(s.most-s.value, s.value-s.least), unsure: s.value - s.least}
}

// jensenShannon is the part of a cell in the Jensen-Shannon divergence to the base 2.
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

var jensenShannonOf = divergence{jensenShannon, 1 / (8 * math.Ln2)}

// stability is the population stability index of samples of two sizes: the sum of (p-q)·ln(p/q). A
// cell that is empty on one side would make it infinite, and counts as half a value there.
func stability(n, m float64) divergence {
	return divergence{func(p, q float64) float64 {
		if p == q {
			return 0
		}
		x, y := max(p, 0.5/n), max(q, 0.5/m)
		return (x - y) * math.Log(x/y)
	}, 1}
}

// Distances are all that is measured between two sides.
type Distances struct {
	JensenShannon, Stability *Measurement // nil if a side has no values
	KolmogorovSmirnov        *Measurement // of numbers; nil if a side has nothing but NaN
	Largest, Normalized      *Measurement // of labels
	Buckets                  int          // of the coarser histogram of numbers; 0 if they were counted
	Cells                    int          // of finite numbers; 0 for labels

	// Few means that a side has so few values that divergences say nothing: whatever they are, it may be chance.
	Few bool
}

// fewValues is the number of values from which on a divergence can be more than chance.
const fewValues = 5

// divergences measures both divergences of a table.
func (t *table) divergences(a, b Sample, alpha float64) Distances {
	js := t.span(jensenShannon)
	js = span{min(js.value, 1), min(js.least, 1), min(js.most, 1)}
	stable := stability(a.Values, b.Values)
	byChance := jensenShannonOf.chance(t.cells, a, b, alpha)
	return Distances{
		JensenShannon: js.measured(chance{byChance.mean, min(byChance.level, 1)}),
		Stability:     t.span(stable.of).measured(stable.chance(t.cells, a, b, alpha)),
		Few:           a.Values > 0 && b.Values > 0 && min(a.Values, b.Values) < fewValues,
	}
}

// BetweenNumbers compares numbers at common borders, from the quantiles of both sides. NaN, -Inf
// and +Inf are values of their own. Alpha is the probability of what is above the noise.
func BetweenNumbers(a, b *Numbers, x, y Sample, alpha float64) Distances {
	p := pair(a, b)
	t := p.table(x, y)
	o := t.divergences(x, y, alpha)
	o.Cells = len(t.borders)
	if d, ok := p.kolmogorovSmirnov(); ok {
		o.KolmogorovSmirnov = d.measured(chance{level: noiseOfKS(x, y, alpha)})
	}
	for _, n := range p.sides {
		if n.Buckets > 0 && (o.Buckets == 0 || n.Buckets < o.Buckets) {
			o.Buckets = n.Buckets
		}
	}
	return o
}

// Between compares the values of two features: labels, if there are any, else numbers, as far as
// the sources have them. It is not ok if there is nothing that can be compared.
func Between(a, b *view.Feature, of [2]Source, alpha float64) (o Distances, ok bool) {
	x, y := SampleOf(a), SampleOf(b)
	if o, ok = BetweenLabels(a, b, x, y, alpha); ok {
		return o, true
	}
	n, m := NumbersOf(a, of[0]), NumbersOf(b, of[1])
	if n == nil || m == nil {
		return o, false
	}
	return BetweenNumbers(n, m, x, y, alpha), true
}

// A Sample is how many values a side has, and of how many records they are. Values of one
// record may all be equal, so that a record counts as one where values are compared with
// what chance does.
type Sample struct{ Values, Records float64 }

// independent is how many values count as independent ones.
func (s Sample) independent() float64 { return min(s.Values, s.Records) }

// SampleOf says how many values and records a feature has. Weights do not count: the same
// records with other weights vary as much, or more.
func SampleOf(f *view.Feature) Sample {
	c := f.Common()
	s := Sample{Values: float64(c.GetTotNumValues()), Records: float64(c.GetNumNonMissing())}
	if s.Values == 0 { // older statistics do not have it
		s.Values = s.Records * float64(c.GetAvgNumValues())
	}
	if n := float64(f.Dataset.Stats.GetNumExamples()); n > 0 {
		s.Records = min(s.Records, n) // those of a struct may be many in each
	}
	return s
}
