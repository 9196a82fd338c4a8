package drift

import (
	"cmp"
	"fmt"
	"slices"

	pb "github.com/tfparse/tfparse/proto/metadatapb"
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

// A Measure is a way to say how far apart two distributions are.
type Measure uint8

// The measures.
const (
	LInfinity Measure = iota + 1
	NormalizedDifference
	JensenShannon
	Presence
	Emptiness
	PopulationStability
	KolmogorovSmirnov
)

var measures = [...]string{
	LInfinity: "l_infinity", NormalizedDifference: "normalized_difference", JensenShannon: "jensen_shannon", Presence: "presence_difference",
	Emptiness: "empty_difference", PopulationStability: "population_stability_index", KolmogorovSmirnov: "kolmogorov_smirnov",
}

// String returns the name of the measure.
func (m Measure) String() string {
	if m == 0 || int(m) >= len(measures) {
		return fmt.Sprintf("Measure(%d)", uint8(m))
	}
	return measures[m]
}

// MarshalText is String; it fails for what is no measure.
func (m Measure) MarshalText() ([]byte, error) {
	if m == 0 || int(m) >= len(measures) {
		return nil, fmt.Errorf("drift: there is no %v", m)
	}
	return []byte(measures[m]), nil
}

// UnmarshalText reads the name of a measure.
func (m *Measure) UnmarshalText(b []byte) error {
	i := slices.Index(measures[1:], string(b))
	if i < 0 {
		return fmt.Errorf("drift: there is no measure %q, wanted one of %q", b, measures[1:])
	}
	*m = Measure(i + 1)
	return nil
}

// Thresholds say which distances are too large. The zero value is 0 for all: any distance above the noise.
type Thresholds struct {
	// All is the threshold of all features and measures that have no other. It is not for the
	// population stability index, which has a scale of its own. +Inf: only notes fail.
	All float64

	// Measures are those of all features by one measure.
	Measures map[Measure]float64

	// Features are those of one feature by all measures, but the population stability index, and come before
	// Measures. Names are those of Options.Ignore.
	Features map[string]float64
}

// exceeded reports whether a distance of a feature is too large and above the noise, and what its threshold is.
func (t *Thresholds) exceeded(f *Feature, d Distance) (threshold float64, ok bool) {
	threshold, ok = t.Measures[d.Measure]
	if d.Measure == PopulationStability {
		return threshold, ok && d.Value > threshold && d.AboveNoise
	}
	if !ok {
		threshold = t.All
	}
	named(f.Path, func(name string) bool {
		v, ok := t.Features[name]
		if ok {
			threshold = v
		}
		return ok
	})
	return threshold, d.Value > threshold && d.AboveNoise
}

// compares reports whether a feature is to be compared.
func (o *Options) compares(path view.Path, only, ignored map[string]bool) bool {
	return (len(only) == 0 || named(path, func(name string) bool { return only[name] })) && !named(path, func(name string) bool { return ignored[name] })
}

// named calls yield with the names of a feature, and then with those of the structs that it is in, until it returns true.
func named(path view.Path, yield func(name string) bool) bool {
	for n := len(path); n > 0; n-- {
		if yield(path[:n].String()) || n == 1 && yield(path[0]) {
			return true
		}
	}
	return false
}

func setOf(names []string) map[string]bool {
	set := map[string]bool{}
	for _, name := range names {
		set[name] = true
	}
	return set
}

// Names returns the names that Options and Thresholds can give to the features of data sets, and to the structs
// that they are in. An error says which argument is not statistics of one data set.
func Names(lists ...*pb.DatasetFeatureStatisticsList) (map[string]bool, error) {
	all := map[string]bool{}
	for i, list := range lists {
		d, err := view.Default(list)
		var v *view.Dataset
		if err == nil {
			v, err = view.New(d)
		}
		if err != nil {
			return nil, fmt.Errorf("data set %d: %w", i, err)
		}
		for _, f := range v.Features {
			named(f.Path, func(name string) bool { all[name] = true; return false })
		}
	}
	return all, nil
}
