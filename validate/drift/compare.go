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

// DefaultSignificance is the probability that two samples of one distribution have any distance
// above its noise level, unless Options say something else.
const DefaultSignificance = 0.01

// Options say how data sets are compared.
type Options struct {
	// Significance is the probability, above 0 and below 1, that of two samples of one
	// distribution any feature has a distance above its noise level: each distance has an equal
	// part of it (the correction of Bonferroni). 0 is DefaultSignificance.
	Significance float64

	// Compat measures as TensorFlow Data Validation 1.16.1 does: numbers by their histograms, whose buckets
	// are split evenly where they differ, NaN and infinities of
	// the one different from those of the other, so that data with them are apart
	// from themselves, NaN forgotten where the buckets of two histograms differ, and
	// empty lists no distance. There are no noise levels, and no measures of our own but Presence.
	Compat bool

	// Quantiles, with Compat, compares numbers by their histograms of quantiles, not by those of
	// buckets of one width.
	Quantiles bool

	// Features, if it is not empty, names the only features that are compared, and Ignore those that are not, such as a
	// timestamp. A name is that of Feature.Name, or a path of one step as it is; that of a struct stands for
	// all that is in it.
	Features, Ignore []string

	// Details are those of each of the data sets, if statistics were just made of records: numbers are then counted
	// between common borders. Without them they are taken from the histograms of quantiles, and
	// distances have an error. They may be nil.
	Details [2]*stats.Details
}

// sources are the numbers of both data sets.
func (o *Options) sources() (all [2]distance.Source) {
	for i, d := range o.Details {
		if d != nil {
			all[i] = d
		}
	}
	return all
}

// Compare measures every feature of two data sets by every measure that applies: all
// by presence and by emptiness, features with labels and those with numbers by the others as well. Labels are not compared with numbers, but with Compat.
// Of lists of several data sets those named "All Examples" count.
//
// The result shares nothing with the arguments. An error says which argument is not
// statistics of one data set, or that the significance is not between 0 and 1.
func Compare(a, b *pb.DatasetFeatureStatisticsList, opts *Options) (*Report, error) {
	o := Options{}
	if opts != nil {
		o = *opts
	}
	if o.Significance == 0 {
		o.Significance = DefaultSignificance
	}
	if !(o.Significance > 0 && o.Significance < 1) {
		return nil, fmt.Errorf("drift: the significance is %v, wanted above 0 and below 1", o.Significance)
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
	tests, only, ignored := 0, setOf(o.Features), setOf(o.Ignore)
	for i, d := range sides {
		for _, f := range d.Features {
			if pair := [2]*view.Feature{at(sides[0], f.Path), at(sides[1], f.Path)}; pair[i] != nil && (i == 0 || pair[0] == nil) && o.compares(f.Path, only, ignored) {
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
		r.Features = append(r.Features, c.compare(f.path, f.pair))
	}
	slices.SortFunc(r.Features, order)
	return r, nil
}

// order puts features that are incomparable first, then those with larger distances.
func order(a, b Feature) int {
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
	alpha float64 // the significance of one distance
}

// at returns the feature with a path, nil if nothing that can be compared is said of it.
func at(d *view.Dataset, path view.Path) *view.Feature {
	if f := d.ByPath(path); f != nil && f.Stats.GetStats() != nil {
		return f
	}
	return nil
}

func (c *comparison) compare(path view.Path, pair [2]*view.Feature) Feature {
	most := 5 // distances of numbers
	if pair[0] != nil && labelled(pair[0]) {
		most = 6
	}
	r := Feature{Path: slices.Clone(path), Distances: make([]Distance, 0, most)}
	present, empty := 0, 0 // shares that are known
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
		if r.Values[i] > 0 { // statistics without values have a type that is a guess
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
		r.addAll(distance.Compatible(a, b, source))
	case labelled(a) == labelled(b):
		if o, ok := distance.Between(a, b, c.sources(), c.alpha); ok {
			r.addAll(o)
		}
	}
	if c.Compat {
		examples = [2]float64{} // without a noise level
	}
	if present == 2 {
		r.add(Presence, distance.Share(r.Present[0], r.Present[1], examples[0], examples[1], c.alpha))
	}
	if empty == 2 && !c.Compat {
		r.add(Emptiness, distance.Share(r.Empty[0], r.Empty[1], examples[0], examples[1], c.alpha))
	}
	return r
}

// byChance reports whether a feature that only one side has, or has values of, is so rare that
// this is noise.
func (c *comparison) byChance(pair [2]*view.Feature) bool {
	if c.Compat {
		return false
	}
	var share, n [2]float64
	for i, f := range pair {
		if f == nil {
			n[i] = float64(c.sides[i].Stats.GetNumExamples())
		} else if n[i] = examplesOf(f); n[i] == 0 {
			return false // older statistics do not say how many have it
		} else {
			share[i] = min(distance.SampleOf(f).Records, distance.SampleOf(f).Values, n[i]) / n[i]
		}
	}
	return !distance.Share(share[0], share[1], n[0], n[1], c.alpha).Above()
}

// examplesOf is how many examples, or structs in them, could have the feature; those of a
// struct count as one if they are of one example.
func examplesOf(f *view.Feature) float64 {
	c := f.Common()
	n := float64(c.GetNumNonMissing()) + float64(c.GetNumMissing())
	if all := float64(f.Dataset.Stats.GetNumExamples()); all > 0 {
		n = min(n, all)
	}
	return n
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

func (f *Feature) addAll(o distance.Distances) {
	f.Buckets, f.Cells, f.TooFew = o.Buckets, o.Cells, o.Few
	for _, d := range []struct {
		m  Measure
		of *distance.Measurement
	}{{LInfinity, o.Largest}, {NormalizedDifference, o.Normalized}, {JensenShannon, o.JensenShannon}, {PopulationStability, o.Stability}, {KolmogorovSmirnov, o.KolmogorovSmirnov}} {
		if d.of != nil {
			f.add(d.m, *d.of)
		}
	}
}

func (f *Feature) add(m Measure, d distance.Measurement) {
	label := d.Label
	if d.Value == 0 {
		label = "" // where none differs, none differs most
	}
	of := Distance{Measure: m, Value: d.Value, Label: label, Noise: d.Noise, AboveNoise: d.Above(), Error: d.Error}
	if d.Chance > 0 {
		of.Chance, of.Measured = d.Chance, d.Raw
	}
	f.Distances = append(f.Distances, of)
}
