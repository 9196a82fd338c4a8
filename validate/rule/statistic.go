package rule

import (
	"maps"
	"slices"
	"strings"

	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/internal/distance"
	"github.com/tfparse/tfparse/validate/internal/view"
)

// A statistic is a function of a feature, or of a data set.
type statistic struct {
	of      class
	text    func(f *view.Feature) string  // nil: a number
	number  func(f *view.Feature) float64 // nil: of the data set, or text
	dataset func(d *view.Dataset) float64 // nil: of a feature
	slice   bool                          // the name of the slice

	// In place of number: one that statistics may not have, and says why; a distance from another data set.
	takes    *argument // that it takes besides the feature; nil: nothing
	known    func(f *view.Feature, second value) (n float64, why string)
	distance func(o *distance.Of) *distance.Measured
}

// ofFeature reports whether it is a statistic of features.
func (s *statistic) ofFeature() bool { return s.dataset == nil && !s.slice }

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

var statistics = map[string]statistic{
	"num_examples":    {dataset: func(d *view.Dataset) float64 { return float64(d.Stats.GetNumExamples()) }},
	"slice":           {slice: true},
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
	"quantile":        {of: ofValues, takes: aFraction, known: quantile},
	"share":           {of: ofStrings, takes: aLabel, known: share},

	"l_infinity":                 {of: ofStrings, distance: func(o *distance.Of) *distance.Measured { return o.Largest }},
	"jensen_shannon":             {distance: func(o *distance.Of) *distance.Measured { return o.JensenShannon }},
	"population_stability_index": {distance: func(o *distance.Of) *distance.Measured { return o.Stability }},
	"kolmogorov_smirnov":         {of: ofNumbers, distance: func(o *distance.Of) *distance.Measured { return o.KolmogorovSmirnov }},

	"name": {text: func(f *view.Feature) string { return f.Path.String() }},
	"type": {text: func(f *view.Feature) string { return strings.ToLower(f.Kind().String()) }},
}

// names are the names of all statistics, in order.
func names() []string { return slices.Sorted(maps.Keys(statistics)) }

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
