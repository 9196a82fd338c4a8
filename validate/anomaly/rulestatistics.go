package anomaly

import (
	"errors"
	"fmt"
	"strings"

	"github.com/tfparse/tfparse/expr"
	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/internal/distance"
	"github.com/tfparse/tfparse/validate/internal/rules"
	"github.com/tfparse/tfparse/validate/internal/view"
)

// A statistic says how a statistic that rules name is read from the statistics of a feature.
type statistic struct {
	of     class
	text   func(f *view.Feature) string  // nil: a number
	number func(f *view.Feature) float64 // nil: one of the others

	// In place of number: one that statistics may not have, and says why; a distance from another data set.
	known    func(f *view.Feature, s *expr.Statistic) (n float64, why string)
	distance func(o *distance.Distances) *distance.Measurement
}

// A class says which features have a statistic.
type class uint8

const (
	ofAll class = iota
	ofNumbers
	ofValues // of numbers, if there are any
	ofStrings
	ofBytes
)

var classNames = [...]string{ofNumbers: "numbers", ofValues: "numbers", ofStrings: "strings", ofBytes: "bytes"}

// has reports whether a feature has statistics of a class.
func (c class) has(f *view.Feature) bool {
	switch s := f.Stats.GetStats().(type) {
	case *pb.FeatureNameStatistics_NumStats:
		return c == ofAll || c == ofNumbers || c == ofValues && f.Total() > 0
	case *pb.FeatureNameStatistics_StringStats:
		return c == ofAll || c == ofStrings
	case *pb.FeatureNameStatistics_BytesStats:
		return c == ofAll || c == ofBytes || c == ofStrings && s.BytesStats.GetUnique() > 0
	}
	return c == ofAll
}

// fits reports whether features of a type can have statistics of a class.
func (c class) fits(t pb.FeatureType) bool {
	switch c {
	case ofNumbers, ofValues:
		return t == pb.FeatureType_INT || t == pb.FeatureType_FLOAT
	case ofStrings:
		return t == pb.FeatureType_BYTES || t == pb.FeatureType_INT || t == pb.FeatureType_FLOAT // numbers that count as labels
	case ofBytes:
		return t == pb.FeatureType_BYTES
	}
	return true
}

// ruleStatistics are those of features, by their names.
var ruleStatistics = map[string]statistic{
	"num_non_missing": {number: func(f *view.Feature) float64 { return float64(f.Common().GetNumNonMissing()) }},
	"num_missing":     {number: func(f *view.Feature) float64 { return float64(f.Common().GetNumMissing()) }},
	"min_num_values":  {number: func(f *view.Feature) float64 { return float64(f.Common().GetMinNumValues()) }},
	"max_num_values":  {number: func(f *view.Feature) float64 { return float64(f.Common().GetMaxNumValues()) }},
	"avg_num_values":  {number: func(f *view.Feature) float64 { return float64(f.Common().GetAvgNumValues()) }},
	"tot_num_values":  {number: (*view.Feature).Total},
	"mean":            {of: ofValues, number: func(f *view.Feature) float64 { return f.Stats.GetNumStats().GetMean() }},
	"std_dev":         {of: ofValues, number: func(f *view.Feature) float64 { return f.Stats.GetNumStats().GetStdDev() }},
	"num_zeros":       {of: ofNumbers, number: func(f *view.Feature) float64 { return float64(f.Stats.GetNumStats().GetNumZeros()) }},
	"min":             {of: ofValues, number: func(f *view.Feature) float64 { return f.Stats.GetNumStats().GetMin() }},
	"median":          {of: ofValues, number: func(f *view.Feature) float64 { return f.Stats.GetNumStats().GetMedian() }},
	"max":             {of: ofValues, number: func(f *view.Feature) float64 { return f.Stats.GetNumStats().GetMax() }},
	"num_nan":         {of: ofNumbers, number: numNaN},
	"unique":          {of: ofStrings, number: unique},
	"avg_length":      {of: ofStrings, number: func(f *view.Feature) float64 { return float64(f.Stats.GetStringStats().GetAvgLength()) }},
	"min_num_bytes":   {of: ofBytes, number: func(f *view.Feature) float64 { return float64(f.Stats.GetBytesStats().GetMinNumBytes()) }},
	"max_num_bytes":   {of: ofBytes, number: func(f *view.Feature) float64 { return float64(f.Stats.GetBytesStats().GetMaxNumBytes()) }},
	"avg_num_bytes":   {of: ofBytes, number: func(f *view.Feature) float64 { return float64(f.Stats.GetBytesStats().GetAvgNumBytes()) }},
	"num_inf":         {of: ofNumbers, number: numInf},
	"num_empty":       {known: numEmpty},
	"quantile":        {of: ofValues, known: quantile},
	"share":           {of: ofStrings, known: share},

	"l_infinity":                 {of: ofStrings, distance: func(o *distance.Distances) *distance.Measurement { return o.Largest }},
	"jensen_shannon":             {distance: func(o *distance.Distances) *distance.Measurement { return o.JensenShannon }},
	"population_stability_index": {distance: func(o *distance.Distances) *distance.Measurement { return o.Stability }},
	"kolmogorov_smirnov":         {of: ofNumbers, distance: func(o *distance.Distances) *distance.Measurement { return o.KolmogorovSmirnov }},

	"name": {text: func(f *view.Feature) string { return f.Path.String() }},
	"type": {text: func(f *view.Feature) string { return strings.ToLower(f.Kind().String()) }},
}

func numNaN(f *view.Feature) float64 {
	for _, h := range f.Stats.GetNumStats().GetHistograms() {
		return float64(h.GetNumNan())
	}
	return 0
}

func unique(f *view.Feature) float64 {
	if n, ok := f.Unique(); ok {
		return float64(n)
	}
	return float64(f.Stats.GetBytesStats().GetUnique())
}

const numData = 3 // of expr.Data

var (
	dataPhrase  = [numData]string{"the data set", "the previous data set", "the serving data set"}
	slicePhrase = [numData]string{"the slice", "the slice of the previous data set", "the slice of the serving data set"}
)

// ruleData is what rules are evaluated for. It implements expr.Statistics.
type ruleData struct {
	slice   string // "": all examples
	sets    [numData]*dataset
	feature *view.Feature // that statistics of each feature are of; nil: there are none
}

// A dataset is the statistics of one data set.
type dataset struct {
	*view.Dataset
	byName map[string]*view.Feature // by their paths as text, and by names that have dots
}

// add adds the statistics of a data set.
func (d *ruleData) add(i int, stats *pb.DatasetFeatureStatistics) error {
	v, err := view.NewBy(stats, false)
	if err != nil {
		return err
	}
	set := &dataset{v, map[string]*view.Feature{}}
	for _, f := range v.Features {
		if len(f.Path) == 1 {
			set.byName[f.Path[0]] = f
		}
	}
	for _, f := range v.Features {
		set.byName[f.Path.String()] = f
	}
	d.sets[i] = set
	return nil
}

// phrase names a data set, or its slice.
func (d *ruleData) phrase(data expr.Data) string {
	if d.slice == "" {
		return dataPhrase[data]
	}
	return slicePhrase[data]
}

// find returns the feature of a statistic in a data set. The error says where it is not.
func (d *ruleData) find(data expr.Data, s *expr.Statistic) (*view.Feature, error) {
	f := d.sets[data].byName[s.Feature]
	if !s.Named {
		f = d.sets[data].ByPath(d.feature.Path)
	}
	if f == nil {
		return nil, fmt.Errorf("there is no feature %s in %s", s.Feature, d.phrase(data))
	}
	return f, nil
}

// Has implements expr.Statistics.
func (d *ruleData) Has(s *expr.Statistic) error {
	_, err := d.find(s.Data, s)
	return err
}

// Value implements expr.Statistics.
func (d *ruleData) Value(s *expr.Statistic) (number float64, text string, err error) {
	switch s.Name {
	case "slice":
		return 0, d.slice, nil
	case "num_examples":
		return float64(d.sets[s.Data].Stats.GetNumExamples()), "", nil
	}
	f, err := d.find(s.Data, s)
	if err != nil {
		return 0, "", err
	}
	from := ruleStatistics[s.Name]
	none := func(why string) error { return fmt.Errorf("%s has no value in %s: %s", s, d.phrase(s.Data), why) }
	switch {
	case from.text != nil:
		return 0, from.text(f), nil
	case !from.of.has(f):
		return 0, "", none("the feature has no " + classNames[from.of])
	case from.distance != nil:
		current, err := d.find(expr.Now, s)
		if err != nil {
			return 0, "", err
		}
		number, err = apart(s, from, current, f)
		return number, "", err
	case from.known != nil:
		number, why := from.known(f, s)
		if why != "" {
			return 0, "", none(why)
		}
		return number, "", nil
	}
	return from.number(f), "", nil
}

// apart is a distance between a feature of the data set and the same feature of another one, as package drift measures it
// from statistics. What samples of the same data have by chance is 0.
func apart(s *expr.Statistic, from statistic, now, then *view.Feature) (float64, error) {
	o, _ := distance.Between(now, then, [2]distance.Source{}, rules.Alpha(len(now.Dataset.Features)))
	switch m := from.distance(&o); {
	case m == nil:
		return 0, errors.New(s.String() + " has no value: there is nothing that can be compared")
	case m.Above():
		return m.Value, nil
	}
	return 0, nil
}
