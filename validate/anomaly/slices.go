package anomaly

import (
	"fmt"
	"slices"

	"google.golang.org/protobuf/proto"

	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/internal/view"
)

// ValidateSlices compares the statistics of every slice with the schema, and with the
// slice of the same name of the previous and the serving statistics: a feature F of a slice S is reported
// under the name slice(S)::F. Constraints of the data set are of all examples, whose
// slice must be there. TensorFlow Data Validation's name is validate_corresponding_slices.
//
// A slice that only the data or only the previous or serving data have is reported once, under the name
// slice(S)::, as COMPARATOR_CONTROL_DATA_MISSING or COMPARATOR_TREATMENT_DATA_MISSING: a warning if the slice is so
// small that a sample of the same data may be without it, else an error. It is compared with
// the schema alone. Control data that are one data set are compared with all examples, and no slice is
// missing from them. The baseline of the result is the schema.
//
// In compatible mode such a slice is one without features, or one that has no control data. The baseline is the schema
// with the features of every slice, in the order in which the slices are met, without environments and
// constraints of the data set; asking for an environment fails.
func ValidateSlices(stats *pb.DatasetFeatureStatisticsList, schema *pb.Schema, opts *Options) (*pb.Anomalies, error) {
	o := Options{}
	if opts != nil {
		o = *opts
	}
	if !o.Compat {
		return validateEach(stats, schema, &o)
	}
	var names []string
	flat, err := flatten(stats, &names)
	if err != nil {
		return nil, err
	}
	for _, list := range []**pb.DatasetFeatureStatisticsList{&o.Previous, &o.Serving, &o.PreviousVersion} {
		if *list != nil {
			if *list, err = flatten(*list, &names); err != nil {
				return nil, err
			}
		}
	}
	o.Report = ofSlice(o.Report, names)
	return Validate(flat, replicate(schema, names), &o)
}

// SlicePrefix is what ValidateSlices puts before the first step of a path.
func SlicePrefix(slice string) string { return view.SlicePrefix(slice) }

// flatten makes one set of statistics of those of all slices.
func flatten(list *pb.DatasetFeatureStatisticsList, names *[]string) (*pb.DatasetFeatureStatisticsList, error) {
	all, err := view.Default(list)
	if err != nil {
		return nil, err
	}
	flat := &pb.DatasetFeatureStatistics{Name: all.GetName(), NumExamples: all.GetNumExamples(), WeightedNumExamples: all.GetWeightedNumExamples()}
	for _, d := range list.GetDatasets() {
		if !slices.Contains(*names, d.GetName()) {
			*names = append(*names, d.GetName())
		}
		tree, err := view.New(d)
		if err != nil {
			return nil, fmt.Errorf("slice %q: %w", d.GetName(), err)
		}
		for _, f := range tree.Features {
			stats := proto.CloneOf(f.Stats)
			stats.FieldId = &pb.FeatureNameStatistics_Path{Path: view.InSlice(d.GetName(), f.Path).Proto()}
			flat.Features = append(flat.Features, stats)
		}
	}
	return &pb.DatasetFeatureStatisticsList{Datasets: []*pb.DatasetFeatureStatistics{flat}}, nil
}

// replicate gives every slice the features of the schema. TensorFlow Data Validation loses environments and
// constraints of the data set.
func replicate(schema *pb.Schema, names []string) *pb.Schema {
	schema = proto.CloneOf(schema)
	all := &pb.Schema{StringDomain: schema.StringDomain, FloatDomain: schema.FloatDomain, IntDomain: schema.IntDomain}
	for _, name := range names {
		prefix := SlicePrefix(name)
		for _, f := range proto.CloneOf(schema).GetFeature() {
			f.Name = proto.String(prefix + f.GetName())
			all.Feature = append(all.Feature, f)
		}
		for _, f := range proto.CloneOf(schema).GetSparseFeature() {
			f.Name = proto.String(prefix + f.GetName())
			all.SparseFeature = append(all.SparseFeature, f)
		}
		for _, f := range proto.CloneOf(schema).GetWeightedFeature() {
			f.Name = proto.String(prefix + f.GetName())
			all.WeightedFeature = append(all.WeightedFeature, f)
		}
	}
	return all
}
