package drift

import (
	"cmp"
	"fmt"
	"slices"

	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/internal/distance"
	"github.com/tfparse/tfparse/validate/internal/view"
)

// A Distance is the distance between the two sides of a feature by one measure.
type Distance struct {
	Measure Measure `json:"measure"`
	// Value is the distance. For JensenShannon and PopulationStability it is Measured minus Chance,
	// at least 0.
	Value float64 `json:"value"`
	Label string  `json:"label,omitempty"` // the label that differs most; "" for measures of numbers

	// Chance is the average of Measured between two samples of one distribution with these sizes.
	// It is set for JensenShannon and PopulationStability without Options.Compat, else 0.
	Chance float64 `json:"chance,omitempty"`
	// Measured is the distance before Chance is subtracted. It is 0 if Chance is 0.
	Measured float64 `json:"measured,omitempty"`

	// Noise is the critical value. If both sides were samples of one distribution, of their sizes here, the Value of some
	// feature would exceed its Noise with the probability Report.Significance. It is 0 with Options.Compat.
	Noise      float64 `json:"noise"`
	AboveNoise bool    `json:"above_noise"` // Value is above Noise

	// Error is the maximum error of Measured, because histograms are coarse. It is 0 if the
	// values were counted. See Feature.Buckets.
	Error float64 `json:"error,omitempty"`
}

// ChanceText explains Chance, for example "0.19 measured, 0.15 by chance, of 20 against 1000 values".
// It is empty if Chance is below 0.01. samples are Feature.Samples.
func (d Distance) ChanceText(samples [2]float64) string {
	return distance.ChanceText(d.Measured, d.Chance, samples)
}

// A Feature contains the distances of one feature.
type Feature struct {
	Path       []string   `json:"path"`
	Types      [2]string  `json:"types"`   // type on each side, such as int, or categorical int if labels are counted; "" without values
	Present    [2]float64 `json:"present"` // share of examples in which the feature is present
	Empty      [2]float64 `json:"empty"`   // share of examples in which the feature is present without a value; 0 if unknown
	Values     [2]float64 `json:"values"`  // average number of values in the examples with the feature
	Samples    [2]float64 `json:"samples"` // number of values, without weights
	Distances  []Distance `json:"distances"`
	Buckets    int        `json:"buckets,omitempty"`     // number of buckets of the coarser quantile histogram; 0 if numbers were counted
	Cells      int        `json:"cells,omitempty"`       // number of cells of finite numbers; distances with different numbers are not comparable
	TooFew     bool       `json:"too_few,omitempty"`     // a side has fewer than 5 values: JensenShannon and PopulationStability mean nothing
	Only       int        `json:"only,omitempty"`        // 1 or 2 if only the first or second data set has the feature
	OnlyValues int        `json:"only_values,omitempty"` // 1 or 2 if both have the feature, but only the first or second has values
	Retyped    bool       `json:"retyped,omitempty"`     // both have values, with different types

	// ByChance means that the feature is so rare that chance explains Only or OnlyValues.
	ByChance bool `json:"by_chance,omitempty"`
}

// incomparable reports whether the feature has a Note that chance does not explain.
func (f Feature) incomparable() bool { return f.Note() != "" && !f.ByChance }

// Note returns the reason why no distance applies to a feature: "only in the first" (or second),
// "values only in the first" (or second), or "type changed". It is empty for other features.
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

// Name returns the path as TensorFlow Data Validation writes it, with dots between steps.
func (f Feature) Name() string { return view.Path(f.Path).String() }

// Largest returns the largest distance, the zero Distance if there is none. It ignores the
// population stability index, which is not between 0 and 1.
func (f Feature) Largest() Distance {
	var d Distance
	for _, e := range f.Distances {
		if e.Measure != PopulationStability && (d.Measure == 0 || e.Value > d.Value) {
			d = e
		}
	}
	return d
}

// A Report is the result of comparing two data sets.
type Report struct {
	Examples [2]float64 `json:"examples"` // number of examples, or their total weight

	// Significance is Options.Significance, 0 with Options.Compat.
	Significance float64 `json:"significance"`

	// Features are sorted: incomparable features, then by decreasing distance, then by path.
	Features []Feature `json:"features"`
}

// A Failure is one reason why two data sets differ too much: a distance or a note.
type Failure struct {
	Path      []string `json:"path"`
	Note      string   `json:"note,omitempty"`    // see Feature.Note; all later fields are empty then
	Measure   Measure  `json:"measure,omitempty"` // 0 if there is a note
	Value     float64  `json:"value"`
	Chance    float64  `json:"chance,omitempty"`   // see Distance
	Measured  float64  `json:"measured,omitempty"` // see Distance
	Threshold float64  `json:"threshold"`
	Noise     float64  `json:"noise"`
	Label     string   `json:"label,omitempty"`
	Text      string   `json:"-"` // see Distance.ChanceText
}

// Failures returns the distances above both their threshold and their noise, and the notes of
// incomparable features, which fail with any thresholds. Features are in the order of the report,
// with the largest distance of each feature first. The result is not nil.
func (r *Report) Failures(t Thresholds) []Failure {
	all := []Failure{}
	for _, f := range r.Features {
		if note := f.Note(); note != "" && f.incomparable() {
			all = append(all, Failure{Path: f.Path, Note: note})
		}
		first := len(all)
		for _, d := range f.Distances {
			if threshold, ok := t.exceeds(&f, d); ok {
				all = append(all, Failure{Path: f.Path, Measure: d.Measure, Value: d.Value, Chance: d.Chance, Measured: d.Measured, Threshold: threshold, Noise: d.Noise, Label: d.Label, Text: d.ChanceText(f.Samples)})
			}
		}
		slices.SortStableFunc(all[first:], func(a, b Failure) int { return cmp.Compare(b.Value, a.Value) })
	}
	return all
}

// A Measure is a measure of the distance between two distributions.
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

// MarshalText returns the name of the measure. It fails for an invalid Measure.
func (m Measure) MarshalText() ([]byte, error) {
	if m == 0 || int(m) >= len(measures) {
		return nil, fmt.Errorf("drift: invalid %v", m)
	}
	return []byte(measures[m]), nil
}

// UnmarshalText reads the name of a measure.
func (m *Measure) UnmarshalText(b []byte) error {
	i := slices.Index(measures[1:], string(b))
	if i < 0 {
		return fmt.Errorf("drift: unknown measure %q: want one of %q", b, measures[1:])
	}
	*m = Measure(i + 1)
	return nil
}

// Thresholds are maximum distances. With the zero value every distance above its noise is too large.
type Thresholds struct {
	// All is the default threshold for all features and measures, except the population stability
	// index, which has another scale. With +Inf only notes fail.
	All float64

	// Measures are thresholds for all features, by measure.
	Measures map[Measure]float64

	// Features are thresholds by feature, for all measures except the population stability index.
	// They take precedence over Measures. Names are as in Options.Ignore.
	Features map[string]float64
}

// exceeds returns the threshold of a distance, and reports whether the distance is above the threshold
// and above the noise.
func (t *Thresholds) exceeds(f *Feature, d Distance) (threshold float64, ok bool) {
	threshold, ok = t.Measures[d.Measure]
	if d.Measure == PopulationStability {
		return threshold, ok && d.Value > threshold && d.AboveNoise
	}
	if !ok {
		threshold = t.All
	}
	eachName(f.Path, func(name string) bool {
		v, ok := t.Features[name]
		if ok {
			threshold = v
		}
		return ok
	})
	return threshold, d.Value > threshold && d.AboveNoise
}

// selects reports whether Features and Ignore select a feature.
func (o *Options) selects(path view.Path, only, ignored map[string]bool) bool {
	return (len(only) == 0 || eachName(path, func(name string) bool { return only[name] })) && !eachName(path, func(name string) bool { return ignored[name] })
}

// eachName calls yield with the names of a feature and then of its parents, until yield returns true.
// It reports whether yield returned true.
func eachName(path view.Path, yield func(name string) bool) bool {
	for n := len(path); n > 0; n-- {
		if yield(path[:n].String()) || n == 1 && yield(path[0]) {
			return true
		}
	}
	return false
}

func nameSet(names []string) map[string]bool {
	set := map[string]bool{}
	for _, name := range names {
		set[name] = true
	}
	return set
}

// Names returns the valid names in Options and Thresholds for the features of data sets, and for their
// structs. It fails if an argument is not statistics of one data set.
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
			eachName(f.Path, func(name string) bool { all[name] = true; return false })
		}
	}
	return all, nil
}
