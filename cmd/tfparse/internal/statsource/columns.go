package statsource

import (
	"slices"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/example"
	pb "github.com/tfparse/tfparse/proto/metadatapb"
)

// Kinds returns the kinds that a schema says of features, for columns of CSV.
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

// SeenKinds returns the kinds of the features that have values in statistics, for columns of CSV that is compared with these.
func SeenKinds(list *pb.DatasetFeatureStatisticsList) map[string]example.Kind {
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

// IsCSV reports whether the source, or a part of it, is CSV.
func (s *Source) IsCSV() bool {
	return slices.ContainsFunc(s.Inputs, func(i scan.Input) bool { return i.Table != nil })
}
