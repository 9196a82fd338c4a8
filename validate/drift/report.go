package drift

import (
	"cmp"
	"slices"

	"github.com/tfparse/tfparse/validate/internal/distance"
	"github.com/tfparse/tfparse/validate/internal/view"
)

// A Distance is how far apart two features are by one measure.
type Distance struct {
	Measure Measure `json:"measure"`
	// Value is the distance. That of JensenShannon and PopulationStability is Measured less Chance, or 0.
	Value float64 `json:"value"`
	Label string  `json:"label,omitempty"` // that differs most, for the measures of labels

	// Chance is the mean of Measured between two samples of one distribution, of these sizes: small samples are apart by chance. It is 0
	// for all measures but JensenShannon and PopulationStability, and with Options.Compat.
	Chance float64 `json:"chance,omitempty"`
	// Measured is the distance with what is by chance, if Chance is not 0.
	Measured float64 `json:"measured,omitempty"`

	// Noise is the level that Value of two samples of one distribution, of these sizes,
	// exceeds with the probability Report.Significance in any feature. With Options.Compat it is 0.
	Noise      float64 `json:"noise"`
	AboveNoise bool    `json:"above_noise"` // Value is above Noise

	// Error is by how much Measured may be larger or smaller than what the data would give. It is 0 where values
	// were counted. See Feature.Buckets.
	Error float64 `json:"error,omitempty"`
}

// ChanceText says how much of Measured is by chance, as "0.19 measured, 0.15 by chance, of 20 against 1000 values". It is empty
// where that is less than 0.01. Samples are those of the feature.
func (d Distance) ChanceText(samples [2]float64) string {
	return distance.ChanceText(d.Measured, d.Chance, samples)
}

// A Feature is what was measured of one feature.
type Feature struct {
	Path       []string   `json:"path"`
	Types      [2]string  `json:"types"`   // such as int, or categorical int if it is counted by labels; empty where it has no values
	Present    [2]float64 `json:"present"` // the share of the examples that have it, in each
	Empty      [2]float64 `json:"empty"`   // the share of the examples that have it, but without a value; 0 where nothing says
	Values     [2]float64 `json:"values"`  // how many values there are where it is present, on average
	Samples    [2]float64 `json:"samples"` // how many values there are in all, whatever they weigh
	Distances  []Distance `json:"distances"`
	Buckets    int        `json:"buckets,omitempty"`     // of the coarser histogram that numbers are compared by; 0 if they were counted
	Cells      int        `json:"cells,omitempty"`       // of finite numbers that divergences are taken over; those of different numbers of cells are not the same measure
	TooFew     bool       `json:"too_few,omitempty"`     // a side has fewer than 5 values: JensenShannon and PopulationStability say nothing
	Only       int        `json:"only,omitempty"`        // 1 or 2 if only the first or the second has it
	OnlyValues int        `json:"only_values,omitempty"` // 1 or 2 if both have it, but only the first or the second with values
	Retyped    bool       `json:"retyped,omitempty"`     // both have values, of different types

	// ByChance means that Only or OnlyValues is no more than noise: so few examples have the feature that it
	// may be chance that none of the other data set has it.
	ByChance bool `json:"by_chance,omitempty"`
}

// incomparable reports whether the feature has no distance: only one
// side has it, or has values of it, more often than by chance, or the types differ.
func (f Feature) incomparable() bool { return f.Note() != "" && !f.ByChance }

// Note says why no distance applies to a feature: "only in the first" (or second), "values only
// in the first", "type changed". It is empty for others.
func (f Feature) Note() string {
	sides := [...]string{1: "first", 2: "second"}
	switch {
	case f.Only != 0:
		return "only in the " + sides[f.Only]
	case f.OnlyValues != 0:
		return "values only in the " + sides[f.OnlyValues]
	case f.Retyped:
		return "type changed"
	}
	return ""
}

// Name returns the path as TensorFlow Data Validation writes it, with dots between
// the steps.
func (f Feature) Name() string { return view.Path(f.Path).String() }

// Largest returns the largest distance; the zero Distance if nothing could be measured. The
// population stability index, which is not between 0 and 1 as the others are, does not count.
func (f Feature) Largest() Distance {
	var d Distance
	for _, e := range f.Distances {
		if e.Measure != PopulationStability && (d.Measure == 0 || e.Value > d.Value) {
			d = e
		}
	}
	return d
}

// A Report is what was measured between two data sets.
type Report struct {
	Examples [2]float64 `json:"examples"` // how many there are, or their weight

	// Significance is the probability that of two samples of one distribution any feature has
	// a distance above its noise level. It is 0 with Options.Compat.
	Significance float64 `json:"significance"`

	// Features are those that are incomparable, then those with larger distances before others,
	// and among equals sorted by path.
	Features []Feature `json:"features"`
}

// A Failure is one reason why a data set is too far from another one: a distance, or a note.
type Failure struct {
	Path      []string `json:"path"`
	Note      string   `json:"note,omitempty"`    // see Feature.Note; the rest is empty then
	Measure   Measure  `json:"measure,omitempty"` // 0 if there is a note
	Value     float64  `json:"value"`
	Chance    float64  `json:"chance,omitempty"`   // see Distance
	Measured  float64  `json:"measured,omitempty"` // see Distance
	Threshold float64  `json:"threshold"`
	Noise     float64  `json:"noise"`
	Label     string   `json:"label,omitempty"`
	Text      string   `json:"-"` // see Distance.ChanceText
}

// Failures returns the distances above their thresholds and above the noise, those of presence too, and whatever the
// thresholds are the notes of features that are incomparable: they are as far apart as can be. Features are in the order of the
// report, the largest distance of each first. It is never nil.
func (r *Report) Failures(t Thresholds) []Failure {
	all := []Failure{}
	for _, f := range r.Features {
		if note := f.Note(); note != "" && f.incomparable() {
			all = append(all, Failure{Path: f.Path, Note: note})
		}
		first := len(all)
		for _, d := range f.Distances {
			if threshold, ok := t.exceeded(&f, d); ok {
				all = append(all, Failure{Path: f.Path, Measure: d.Measure, Value: d.Value, Chance: d.Chance, Measured: d.Measured, Threshold: threshold, Noise: d.Noise, Label: d.Label, Text: d.ChanceText(f.Samples)})
			}
		}
		slices.SortStableFunc(all[first:], func(a, b Failure) int { return cmp.Compare(b.Value, a.Value) })
	}
	return all
}
