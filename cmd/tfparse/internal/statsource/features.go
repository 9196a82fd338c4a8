package statsource

import (
	"slices"
	"strings"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/example"
	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/drift"
)

// Kinds returns the kinds of features in a schema, as the types of CSV columns.
func Kinds(s *pb.Schema) map[string]example.Kind {
	kinds := map[string]example.Kind{}
	for _, f := range s.GetFeature() {
		switch f.GetType() {
		case pb.FeatureType_INT:
			kinds[f.GetName()] = example.Int64List
		case pb.FeatureType_FLOAT:
			kinds[f.GetName()] = example.FloatList
		case pb.FeatureType_BYTES:
			kinds[f.GetName()] = example.BytesList
		}
	}
	return kinds
}

// KindsOfStatistics returns the kinds of the features with values in statistics. The columns of CSV that is compared
// with the statistics get these kinds.
func KindsOfStatistics(list *pb.DatasetFeatureStatisticsList) map[string]example.Kind {
	kinds := map[string]example.Kind{}
	for _, d := range list.GetDatasets() {
		for _, f := range d.GetFeatures() {
			name := f.GetName()
			if steps := f.GetPath().GetStep(); len(steps) == 1 {
				name = steps[0]
			}
			numbers, strings, bytes := f.GetNumStats().GetCommonStats(), f.GetStringStats().GetCommonStats(), f.GetBytesStats().GetCommonStats()
			if max(numbers.GetTotNumValues(), strings.GetTotNumValues(), bytes.GetTotNumValues()) == 0 {
				continue // without a value it has no type
			}
			switch f.GetType() {
			case pb.FeatureNameStatistics_INT:
				kinds[name] = example.Int64List
			case pb.FeatureNameStatistics_FLOAT:
				kinds[name] = example.FloatList
			case pb.FeatureNameStatistics_STRING, pb.FeatureNameStatistics_BYTES:
				kinds[name] = example.BytesList
			}
		}
	}
	return kinds
}

// IsCSV reports whether one of the inputs is CSV.
func (s *Source) IsCSV() bool {
	return slices.ContainsFunc(s.Inputs, func(i scan.Input) bool { return i.Table != nil })
}

// PathName returns the name of a feature for messages: its path in the notation of TensorFlow Data Validation, which
// quotes empty steps and steps with dots.
func PathName(steps []string) string { return drift.Feature{Path: steps}.Name() }

// A FeatureIndex maps paths to features of a schema, which may have tens of thousands of features.
type FeatureIndex map[string]*pb.Feature

// IndexFeatures returns the index of features and of those in their struct domains. For a duplicate path it has the
// first feature.
func IndexFeatures(features []*pb.Feature) FeatureIndex {
	x := FeatureIndex{}
	x.addFeatures("", features)
	return x
}

// addFeatures adds features below a path, which is empty or ends with pathSeparator.
func (x FeatureIndex) addFeatures(parent string, features []*pb.Feature) {
	for _, f := range features {
		path := parent + f.GetName()
		if x[path] != nil {
			continue
		}
		x[path] = f
		x.addFeatures(path+pathSeparator, f.GetStructDomain().GetFeature())
	}
}

// At returns the feature with a path, or nil.
func (x FeatureIndex) At(path ...string) *pb.Feature { return x[strings.Join(path, pathSeparator)] }

// pathSeparator separates the steps of a path in the keys of a FeatureIndex.
const pathSeparator = "\x00"
