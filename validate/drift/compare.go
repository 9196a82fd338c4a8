package drift

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/internal/distance"
	"github.com/tfparse/tfparse/validate/internal/view"
	"github.com/tfparse/tfparse/validate/stats"
)

// DefaultSignificance is the default of Options.Significance.
const DefaultSignificance = 0.01

// Options configure a comparison.
type Options struct {
	// Significance is the probability, above 0 and below 1, that two samples of one distribution
	// have a distance above its noise in any feature. Each distance has an equal part of that
	// probability (Bonferroni correction). 0 is DefaultSignificance.
	Significance float64

	// Compat measures as TensorFlow Data Validation 1.16.1 does. Numbers are compared by their
	// histograms; buckets that differ are split evenly. NaN and infinities of one side differ
	// from those of the other side, so that data with NaN differ from themselves. NaN is ignored
	// if the buckets of the histograms differ. There are no noise levels. Of the
	// measures that TensorFlow Data Validation lacks, only Presence is measured.
	Compat bool

	// Quantiles, with Compat, compares numbers by their QUANTILES histograms instead of their
	// STANDARD histograms.
	Quantiles bool

	// Features, if not empty, selects the features to compare; Ignore excludes features, such as a
	// timestamp. A name is Feature.Name, or the step itself for a path of one step. The name of a
	// struct selects all features in it.
	Features, Ignore []string

	// Details belong to the two data sets. They are available if statistics were just computed
	// from records. With them, numbers are counted in common bins; without, they are estimated
	// from quantile histograms, and distances have an Error. They may be nil.
	Details [2]*stats.Details
}

// sources returns o.Details as distance.Source, nil for nil.
func (o *Options) sources() (all [2]distance.Source) {
	for i, d := range o.Details {
		if d != nil {
			all[i] = d
		}
	}
	return all
}

// Compare measures the distance between two data sets in every feature, by every measure that
// applies. Presence and emptiness apply to all features, the other measures to labels, to numbers
// or to both. Labels are not compared with numbers, except with Compat. If a list has several data
// sets, Compare uses the data set called "All Examples".
//
// The result does not alias the arguments. Compare fails if an argument is not statistics of one
// data set, or if the significance is not between 0 and 1.
func Compare(a, b *pb.DatasetFeatureStatisticsList, opts *Options) (*Report, error) {
	o := Options{}
	if opts != nil {
		o = *opts
	}
	if o.Significance == 0 {
		o.Significance = DefaultSignificance
	}
	if !(o.Significance > 0 && o.Significance < 1) {
		return nil, fmt.Errorf("drift: significance %v: want a number above 0 and below 1", o.Significance)
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
	type both struct {
		path view.Path
		pair [2]*view.Feature
	}
	all := make([]both, 0, len(sides[0].Features))
	tests, only, ignored := 0, nameSet(o.Features), nameSet(o.Ignore)
	for i, d := range sides {
		for _, f := range d.Features {
			if pair := [2]*view.Feature{statisticsAt(sides[0], f.Path), statisticsAt(sides[1], f.Path)}; pair[i] != nil && (i == 0 || pair[0] == nil) && o.selects(f.Path, only, ignored) {
				all = append(all, both{f.Path, pair})
				tests += len(measures) - 1
			}
		}
	}
	c := comparison{Options: o, sides: sides}
	if !o.Compat {
		r.Significance = o.Significance
		c.alpha = o.Significance / float64(max(tests, 1))
	}
	r.Features = make([]Feature, 0, len(all))
	for _, f := range all {
		r.Features = append(r.Features, c.compareFeature(f.path, f.pair))
	}
	slices.SortFunc(r.Features, compareFeatures)
	return r, nil
}

// compareFeatures orders a report: incomparable features first, then by decreasing distance, then by path.
func compareFeatures(a, b Feature) int {
	if x, y := a.incomparable(), b.incomparable(); x != y {
		if x {
			return -1
		}
		return 1
	}
	return cmp.Or(cmp.Compare(b.Largest().Value, a.Largest().Value), slices.Compare(a.Path, b.Path))
}

// A comparison is one call of Compare.
type comparison struct {
	Options
	sides [2]*view.Dataset
	alpha float64 // significance of one distance; 0 with Compat
}

// statisticsAt returns the feature with a path, or nil if there are no statistics to compare.
func statisticsAt(d *view.Dataset, path view.Path) *view.Feature {
	if f := d.ByPath(path); f != nil && f.Stats.GetStats() != nil {
		return f
	}
	return nil
}

func (c *comparison) compareFeature(path view.Path, pair [2]*view.Feature) Feature {
	most := 5 // distances of numbers
	if pair[0] != nil && hasLabels(pair[0]) {
		most = 6
	}
	r := Feature{Path: slices.Clone(path), Distances: make([]Distance, 0, most)}
	present, empty := 0, 0 // number of sides whose shares are known
	var examples [2]float64
	for i, f := range pair {
		if f == nil {
			r.Only = 2 - i
			continue
		}
		total := f.Dataset.NumExamples()
		if f.Parent != nil {
			total = f.Parent.Total()
		}
		examples[i], r.Samples[i] = examplesOf(f), distance.SampleOf(f).Values
		var ok bool
		if r.Present[i], ok = f.FractionPresent(total); ok {
			present++
		}
		if fraction, known := f.FractionEmpty(); known && ok {
			r.Empty[i] = fraction * r.Present[i]
			empty++
		}
		if n := f.Present(); n > 0 {
			r.Values[i] = f.Total() / n
		}
		if r.Values[i] > 0 { // without values the type in statistics is a guess
			r.Types[i] = typeOf(f)
		}
	}
	if r.Only != 0 {
		r.ByChance = c.byChance(pair)
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
	r.ByChance = r.OnlyValues != 0 && c.byChance(pair)
	switch {
	case c.Compat:
		source := pb.HistogramSelection_DEFAULT
		if c.Quantiles {
			source = pb.HistogramSelection_QUANTILES
		}
		r.addDistances(distance.Compatible(a, b, source))
	case hasLabels(a) == hasLabels(b):
		if o, ok := distance.Between(a, b, c.sources(), c.alpha); ok {
			r.addDistances(o)
		}
	}
	if c.Compat {
		examples = [2]float64{} // no noise
	}
	if present == 2 {
		r.addDistance(Presence, distance.Share(r.Present[0], r.Present[1], examples[0], examples[1], c.alpha))
	}
	if empty == 2 && !c.Compat {
		r.addDistance(Emptiness, distance.Share(r.Empty[0], r.Empty[1], examples[0], examples[1], c.alpha))
	}
	return r
}

// byChance reports whether a feature is so rare that its absence, or the absence of its values, on one
// side is noise.
func (c *comparison) byChance(pair [2]*view.Feature) bool {
	if c.Compat {
		return false
	}
	var share, n [2]float64
	for i, f := range pair {
		if f == nil {
			n[i] = float64(c.sides[i].Stats.GetNumExamples())
		} else if n[i] = examplesOf(f); n[i] == 0 {
			return false // older statistics lack the number of examples with the feature
		} else {
			share[i] = min(distance.SampleOf(f).Records, distance.SampleOf(f).Values, n[i]) / n[i]
		}
	}
	return !distance.Share(share[0], share[1], n[0], n[1], c.alpha).Above()
}

// examplesOf returns the number of examples, or of structs, that could have the feature. It is at most
// the number of examples, because structs of one example are not independent.
func examplesOf(f *view.Feature) float64 {
	c := f.Common()
	n := float64(c.GetNumNonMissing()) + float64(c.GetNumMissing())
	if all := float64(f.Dataset.Stats.GetNumExamples()); all > 0 {
		n = min(n, all)
	}
	return n
}

// typeOf returns the type of a feature for Feature.Types.
func typeOf(f *view.Feature) string {
	kind := strings.ToLower(f.Kind().String())
	if hasLabels(f) && f.Type() != pb.FeatureType_BYTES {
		return "categorical " + kind
	}
	return kind
}

func hasLabels(f *view.Feature) bool { return f.Stats.GetStringStats() != nil }

func (f *Feature) addDistances(o distance.Distances) {
	f.Buckets, f.Cells, f.TooFew = o.Buckets, o.Cells, o.Few
	for _, d := range []struct {
		m     Measure
		value *distance.Measurement
	}{{LInfinity, o.Largest}, {NormalizedDifference, o.Normalized}, {JensenShannon, o.JensenShannon}, {PopulationStability, o.Stability}, {KolmogorovSmirnov, o.KolmogorovSmirnov}} {
		if d.value != nil {
			f.addDistance(d.m, *d.value)
		}
	}
}

func (f *Feature) addDistance(m Measure, d distance.Measurement) {
	label := d.Label
	if d.Value == 0 {
		label = "" // no label differs
	}
	r := Distance{Measure: m, Value: d.Value, Label: label, Noise: d.Noise, AboveNoise: d.Above(), Error: d.Error}
	if d.Chance > 0 {
		r.Chance, r.Measured = d.Chance, d.Raw
	}
	f.Distances = append(f.Distances, r)
}
