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

// A statisticReader reads a statistic of the rule language from the statistics of a feature. One
// function is set: for a text, a number, a number that statistics may lack (why is the reason), or
// a distance from another data set.
type statisticReader struct {
	class       statisticClass
	text        func(f *view.Feature) string
	number      func(f *view.Feature) float64
	knownNumber func(f *view.Feature, s *expr.Statistic) (n float64, why string)
	distance    func(o *distance.Distances) *distance.Measurement
}

// A statisticClass is the class of features that have a statistic.
type statisticClass uint8

const (
	allFeatures statisticClass = iota
	numericFeatures
	featuresWithNumbers // numeric features with at least one value
	stringFeatures
	bytesFeatures
)

var classNames = [...]string{numericFeatures: "numbers", featuresWithNumbers: "numbers", stringFeatures: "strings", bytesFeatures: "bytes"}

// hasStatistic reports whether a feature has the statistics of a class.
func (c statisticClass) hasStatistic(f *view.Feature) bool {
	switch s := f.Stats.GetStats().(type) {
	case *pb.FeatureNameStatistics_NumStats:
		return c == allFeatures || c == numericFeatures || c == featuresWithNumbers && f.Total() > 0
	case *pb.FeatureNameStatistics_StringStats:
		return c == allFeatures || c == stringFeatures
	case *pb.FeatureNameStatistics_BytesStats:
		return c == allFeatures || c == bytesFeatures || c == stringFeatures && s.BytesStats.GetUnique() > 0
	}
	return c == allFeatures
}

// allowsType reports whether features of a type can have the statistics of a class.
func (c statisticClass) allowsType(t pb.FeatureType) bool {
	switch c {
	case numericFeatures, featuresWithNumbers:
		return t == pb.FeatureType_INT || t == pb.FeatureType_FLOAT
	case stringFeatures:
		return t == pb.FeatureType_BYTES || t == pb.FeatureType_INT || t == pb.FeatureType_FLOAT // categorical numbers have labels
	case bytesFeatures:
		return t == pb.FeatureType_BYTES
	}
	return true
}

// ruleStatistics are the statistics of features, by their names in rules.
var ruleStatistics = map[string]statisticReader{
	"num_non_missing": {number: func(f *view.Feature) float64 { return float64(f.Common().GetNumNonMissing()) }},
	"num_missing":     {number: func(f *view.Feature) float64 { return float64(f.Common().GetNumMissing()) }},
	"min_num_values":  {number: func(f *view.Feature) float64 { return float64(f.Common().GetMinNumValues()) }},
	"max_num_values":  {number: func(f *view.Feature) float64 { return float64(f.Common().GetMaxNumValues()) }},
	"avg_num_values":  {number: func(f *view.Feature) float64 { return float64(f.Common().GetAvgNumValues()) }},
	"tot_num_values":  {number: (*view.Feature).Total},
	"mean":            {class: featuresWithNumbers, number: func(f *view.Feature) float64 { return f.Stats.GetNumStats().GetMean() }},
	"std_dev":         {class: featuresWithNumbers, number: func(f *view.Feature) float64 { return f.Stats.GetNumStats().GetStdDev() }},
	"num_zeros":       {class: numericFeatures, number: func(f *view.Feature) float64 { return float64(f.Stats.GetNumStats().GetNumZeros()) }},
	"min":             {class: featuresWithNumbers, number: func(f *view.Feature) float64 { return f.Stats.GetNumStats().GetMin() }},
	"median":          {class: featuresWithNumbers, number: func(f *view.Feature) float64 { return f.Stats.GetNumStats().GetMedian() }},
	"max":             {class: featuresWithNumbers, number: func(f *view.Feature) float64 { return f.Stats.GetNumStats().GetMax() }},
	"num_nan":         {class: numericFeatures, number: readNumNaN},
	"unique":          {class: stringFeatures, number: readUnique},
	"avg_length":      {class: stringFeatures, number: func(f *view.Feature) float64 { return float64(f.Stats.GetStringStats().GetAvgLength()) }},
	"min_num_bytes":   {class: bytesFeatures, number: func(f *view.Feature) float64 { return float64(f.Stats.GetBytesStats().GetMinNumBytes()) }},
	"max_num_bytes":   {class: bytesFeatures, number: func(f *view.Feature) float64 { return float64(f.Stats.GetBytesStats().GetMaxNumBytes()) }},
	"avg_num_bytes":   {class: bytesFeatures, number: func(f *view.Feature) float64 { return float64(f.Stats.GetBytesStats().GetAvgNumBytes()) }},
	"num_inf":         {class: numericFeatures, number: readNumInf},
	"num_empty":       {knownNumber: readNumEmpty},
	"quantile":        {class: featuresWithNumbers, knownNumber: readQuantile},
	"share":           {class: stringFeatures, knownNumber: readShare},

	"l_infinity":                 {class: stringFeatures, distance: func(o *distance.Distances) *distance.Measurement { return o.Largest }},
	"jensen_shannon":             {distance: func(o *distance.Distances) *distance.Measurement { return o.JensenShannon }},
	"population_stability_index": {distance: func(o *distance.Distances) *distance.Measurement { return o.Stability }},
	"kolmogorov_smirnov":         {class: numericFeatures, distance: func(o *distance.Distances) *distance.Measurement { return o.KolmogorovSmirnov }},

	"name": {text: func(f *view.Feature) string { return f.Path.String() }},
	"type": {text: func(f *view.Feature) string { return strings.ToLower(f.Kind().String()) }},
}

func readNumNaN(f *view.Feature) float64 {
	for _, h := range f.Stats.GetNumStats().GetHistograms() {
		return float64(h.GetNumNan())
	}
	return 0
}

func readUnique(f *view.Feature) float64 {
	if n, ok := f.Unique(); ok {
		return float64(n)
	}
	return float64(f.Stats.GetBytesStats().GetUnique())
}

const numData = 3 // number of values of expr.Data

var (
	dataPhrase  = [numData]string{"the data set", "the previous data set", "the serving data set"}
	slicePhrase = [numData]string{"the slice", "the slice of the previous data set", "the slice of the serving data set"}
)

// ruleData implements expr.Statistics for the data sets of rules, or for one slice of each.
type ruleData struct {
	slice   string                // "": all examples
	sets    [numData]*ruleDataset // data sets by expr.Data; nil: not given
	feature *view.Feature         // the current feature of a rule for each feature; nil for other rules
}

// A ruleDataset is the statistics of one data set.
type ruleDataset struct {
	*view.Dataset
	byName map[string]*view.Feature // features by path as text, and also by name if the path has one step
}

// addDataset sets the statistics of data set i.
func (d *ruleData) addDataset(i int, stats *pb.DatasetFeatureStatistics) error {
	v, err := view.NewBy(stats, false)
	if err != nil {
		return err
	}
	set := &ruleDataset{v, map[string]*view.Feature{}}
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

// datasetPhrase names a data set, or its slice, in messages.
func (d *ruleData) datasetPhrase(data expr.Data) string {
	if d.slice == "" {
		return dataPhrase[data]
	}
	return slicePhrase[data]
}

// findFeature returns the feature of a statistic in a data set. The error names the feature and the
// data set.
func (d *ruleData) findFeature(data expr.Data, s *expr.Statistic) (*view.Feature, error) {
	f := d.sets[data].byName[s.Feature]
	if !s.Named {
		f = d.sets[data].ByPath(d.feature.Path)
	}
	if f == nil {
		return nil, fmt.Errorf("there is no feature %s in %s", s.Feature, d.datasetPhrase(data))
	}
	return f, nil
}

// Has implements expr.Statistics.
func (d *ruleData) Has(s *expr.Statistic) error {
	_, err := d.findFeature(s.Data, s)
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
	f, err := d.findFeature(s.Data, s)
	if err != nil {
		return 0, "", err
	}
	from := ruleStatistics[s.Name]
	none := func(why string) error {
		return fmt.Errorf("%s has no value in %s: %s", s, d.datasetPhrase(s.Data), why)
	}
	switch {
	case from.text != nil:
		return 0, from.text(f), nil
	case !from.class.hasStatistic(f):
		return 0, "", none("the feature has no " + classNames[from.class])
	case from.distance != nil:
		current, err := d.findFeature(expr.Now, s)
		if err != nil {
			return 0, "", err
		}
		number, err = ruleDistance(s, from, current, f)
		return number, "", err
	case from.knownNumber != nil:
		number, why := from.knownNumber(f, s)
		if why != "" {
			return 0, "", none(why)
		}
		return number, "", nil
	}
	return from.number(f), "", nil
}

// ruleDistance returns the distance between a feature of the data set and the same feature of another
// data set, as package drift measures it from statistics. It is 0 if chance explains the distance.
func ruleDistance(s *expr.Statistic, from statisticReader, now, then *view.Feature) (float64, error) {
	o, _ := distance.Between(now, then, [2]distance.Source{}, rules.Alpha(len(now.Dataset.Features)))
	switch m := from.distance(&o); {
	case m == nil:
		return 0, errors.New(s.String() + " has no value: the features cannot be compared")
	case m.Above():
		return m.Value, nil
	}
	return 0, nil
}
