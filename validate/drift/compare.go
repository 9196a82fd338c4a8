package drift

import (
	"fmt"
	"math"
	"slices"
	"strings"

	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/internal/distance"
	"github.com/tfparse/tfparse/validate/internal/view"
)

// A Measure is a way to say how far apart two distributions are.
type Measure uint8

// The measures, in the order in which they are taken.
const (
	LInfinity Measure = iota + 1
	NormalizedDifference
	JensenShannon
	Presence
	Emptiness
)

var measures = [...]string{
	LInfinity: "l_infinity", NormalizedDifference: "normalized_difference", JensenShannon: "jensen_shannon", Presence: "presence_difference",
	Emptiness: "empty_difference",
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

// A Distance is how far apart two features are by one measure.
type Distance struct {
	Measure Measure `json:"measure"`
	Value   float64 `json:"value"`
	Label   string  `json:"label,omitempty"` // that differs most, for the measures of labels
}

// A Feature is what was measured of one feature.
type Feature struct {
	Path       []string   `json:"path"`
	Types      [2]string  `json:"types"`   // such as int, or categorical int if it is counted by labels; empty where it is not
	Present    [2]float64 `json:"present"` // the share of the examples that have it, in each
	Empty      [2]float64 `json:"empty"`   // the share of the examples that have it, but without a value; 0 where nothing says
	Values     [2]float64 `json:"values"`  // how many values there are where it is present, on average
	Distances  []Distance `json:"distances"`
	Only       int        `json:"only,omitempty"`        // 1 or 2 if only the first or the second has it
	OnlyValues int        `json:"only_values,omitempty"` // 1 or 2 if both have it, but only the first or the second with values
	Retyped    bool       `json:"retyped,omitempty"`     // both have values, of different types
}

// incomparable reports whether the feature has no distance: only one
// side has it, or has values of it, or the types differ.
func (f Feature) incomparable() bool { return f.Only != 0 || f.OnlyValues != 0 || f.Retyped }

// Name returns the path as TensorFlow Data Validation writes it, with dots between
// the steps.
func (f Feature) Name() string { return view.Path(f.Path).String() }

// Largest returns the largest distance; the zero Distance if nothing could be measured.
func (f Feature) Largest() Distance {
	var d Distance
	for _, e := range f.Distances {
		if d.Measure == 0 || e.Value > d.Value {
			d = e
		}
	}
	return d
}

// A Report is what was measured between two data sets.
type Report struct {
	Examples [2]float64 `json:"examples"` // how many there are, or their weight
	Features []Feature  `json:"features"` // sorted by path
}

// Above returns the features with a distance above a threshold, that of their
// presence too, and whatever the threshold is those that are incomparable: they are
// as far apart as can be. It shares memory with the report.
func (r *Report) Above(threshold float64) []Feature {
	var above []Feature
	for _, f := range r.Features {
		if f.incomparable() || f.Largest().Value > threshold {
			above = append(above, f)
		}
	}
	return above
}

// Options say how data sets are compared.
type Options struct {
	// Quantiles compares numbers by their histograms of quantiles, not by those of
	// buckets of one width.
	Quantiles bool

	// Compat measures as TensorFlow Data Validation 1.16.1 does: NaN and infinities of
	// the one are different from those of the other, so that data with them are apart
	// from themselves, NaN are forgotten where the buckets of two histograms differ, and
	// empty lists are no distance.
	Compat bool
}

// Compare measures every feature of two data sets by every measure that applies: all
// by presence and by emptiness, features with labels by the other three as well, numbers
// by the divergence of their histograms. Labels are not compared with numbers, but with Compat.
// Of lists of several data sets those named "All Examples" count.
//
// The result shares nothing with the arguments. An error says which argument is not
// statistics of one data set.
func Compare(a, b *pb.DatasetFeatureStatisticsList, opts *Options) (*Report, error) {
	if opts == nil {
		opts = &Options{}
	}
	var sides [2]*view.Dataset
	for i, list := range []*pb.DatasetFeatureStatisticsList{a, b} {
		d, err := view.Default(list)
		if err == nil {
			sides[i], err = view.New(d)
		}
		if err != nil {
			return nil, fmt.Errorf("the %s data set: %w", [...]string{"first", "second"}[i], err)
		}
	}
	weighted := sides[0].ByWeight && sides[1].ByWeight
	r := &Report{}
	for i, d := range sides {
		d.ByWeight = weighted
		r.Examples[i] = d.NumExamples()
	}
	for i, d := range sides {
		for _, f := range d.Features {
			if pair := [2]*view.Feature{at(sides[0], f.Path), at(sides[1], f.Path)}; pair[i] != nil && (i == 0 || pair[0] == nil) {
				r.Features = append(r.Features, compare(f.Path, pair, opts))
			}
		}
	}
	slices.SortFunc(r.Features, func(a, b Feature) int { return slices.Compare(a.Path, b.Path) })
	return r, nil
}

// at returns the feature with a path, nil if nothing that can be compared is said of it.
func at(d *view.Dataset, path view.Path) *view.Feature {
	if f := d.ByPath(path); f != nil && f.Stats.GetStats() != nil {
		return f
	}
	return nil
}

func compare(path view.Path, pair [2]*view.Feature, opts *Options) Feature {
	r := Feature{Path: slices.Clone(path), Distances: []Distance{}}
	present, empty := 0, 0 // shares that are known
	for i, f := range pair {
		if f == nil {
			r.Only = 2 - i
			continue
		}
		total := f.Dataset.NumExamples()
		if f.Parent != nil {
			total = f.Parent.Total()
		}
		var ok bool
		if r.Present[i], ok = f.FractionPresent(total); ok {
			present++
		}
		if fraction, known := f.FractionEmpty(); known && ok {
			r.Empty[i] = fraction * r.Present[i]
			empty++
		}
		r.Types[i] = typeOf(f)
		if n := f.Present(); n > 0 {
			r.Values[i] = f.Total() / n
		}
	}
	if r.Only != 0 {
		return r
	}
	a, b := pair[0], pair[1]
	switch first, second := r.Values[0] > 0, r.Values[1] > 0; {
	case first && second:
		r.Retyped = r.Types[0] != r.Types[1]
	case first:
		r.OnlyValues = 1
	case second:
		r.OnlyValues = 2
	}
	if opts.Compat || labelled(a) == labelled(b) {
		r.Distances = append(r.Distances, distances(a, b, opts)...)
	}
	if present == 2 {
		r.Distances = append(r.Distances, Distance{Measure: Presence, Value: math.Abs(r.Present[0] - r.Present[1])})
	}
	if empty == 2 && !opts.Compat {
		r.Distances = append(r.Distances, Distance{Measure: Emptiness, Value: math.Abs(r.Empty[0] - r.Empty[1])})
	}
	return r
}

// typeOf names the type of a feature, and whether its numbers are counted as labels.
func typeOf(f *view.Feature) string {
	kind := strings.ToLower(f.Kind().String())
	if labelled(f) && f.Type() != pb.FeatureType_BYTES {
		return "categorical " + kind
	}
	return kind
}

func labelled(f *view.Feature) bool { return f.Stats.GetStringStats() != nil }

// distances measures what the values of a feature are.
func distances(a, b *view.Feature, opts *Options) (all []Distance) {
	if x, y := a.Labels(), b.Labels(); len(x)+len(y) > 0 {
		label, d := distance.LInfinity(x, y)
		all = append(all, of(LInfinity, d, label))
		label, d = distance.NormalizedDifference(x, y)
		all = append(all, of(NormalizedDifference, d, label))
	}
	source := pb.HistogramSelection_DEFAULT
	if opts.Quantiles {
		source = pb.HistogramSelection_QUANTILES
	}
	if d, ok := distance.JensenShannon(a, b, source, opts.Compat); ok {
		all = append(all, Distance{Measure: JensenShannon, Value: d})
	}
	return all
}

// of makes a distance of labels. Where none differs, none differs most.
func of(m Measure, d float64, label string) Distance {
	if d == 0 {
		label = ""
	}
	return Distance{m, d, label}
}
