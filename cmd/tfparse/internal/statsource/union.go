package statsource

import (
	"fmt"
	"strings"

	"google.golang.org/protobuf/proto"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	pb "github.com/tfparse/tfparse/proto/metadatapb"
)

// A union puts the parts of statistics together that are in several records or files, as Beam
// writes them: every part has some of the features of the data sets that it names.
// The zero value has none.
type union struct {
	list pb.DatasetFeatureStatisticsList
	sets map[string]*united
}

// A united is a data set, and where its features are.
type united struct {
	*pb.DatasetFeatureStatistics
	features map[string]*pb.FeatureNameStatistics
}

// add adds a part. Statistics of one feature that are in several parts are merged as TensorFlow Data
// Validation's load_sharded_statistics does, but only if none is lost: that takes the later
// number where both parts have one.
func (u *union) add(part *pb.DatasetFeatureStatisticsList) error {
	for _, d := range part.GetDatasets() {
		same := u.sets[d.GetName()]
		if same == nil {
			if u.sets == nil {
				u.sets = map[string]*united{}
			}
			u.list.Datasets = append(u.list.Datasets, d)
			u.sets[d.GetName()] = &united{d, featuresOf(d)}
			continue
		}
		if err := same.add(d); err != nil {
			return err
		}
	}
	return nil
}

func (u *united) add(d *pb.DatasetFeatureStatistics) error {
	switch {
	case u.GetNumExamples() == 0:
		u.NumExamples = d.GetNumExamples()
	case d.GetNumExamples() != 0 && d.GetNumExamples() != u.GetNumExamples():
		return fmt.Errorf("parts of one data set have %d and %d examples", u.GetNumExamples(), d.GetNumExamples())
	}
	if u.GetWeightedNumExamples() == 0 {
		u.WeightedNumExamples = d.GetWeightedNumExamples()
	}
	more := featuresOf(d)
	for _, f := range d.GetFeatures() {
		key := featureKey(f)
		switch same := u.features[key]; {
		case same == nil:
			u.Features = append(u.Features, f)
		case same.GetStats() != nil && f.GetStats() != nil:
			return fmt.Errorf("two parts of one data set have the feature %s", featureName(f))
		default:
			f.FieldId = nil // that of same stays
			proto.Merge(same, f)
			delete(more, key)
		}
	}
	for key, f := range more {
		u.features[key] = f
	}
	u.CrossFeatures = append(u.CrossFeatures, d.GetCrossFeatures()...)
	return nil
}

// featuresOf returns the features of one part by their keys.
func featuresOf(d *pb.DatasetFeatureStatistics) map[string]*pb.FeatureNameStatistics {
	all := make(map[string]*pb.FeatureNameStatistics, len(d.GetFeatures()))
	for _, f := range d.GetFeatures() {
		all[featureKey(f)] = f
	}
	return all
}

// featureKey is a path, or a name: old statistics have no paths.
func featureKey(f *pb.FeatureNameStatistics) string {
	if f.GetPath() == nil {
		return f.GetName()
	}
	return "\x00" + strings.Join(f.GetPath().GetStep(), "\x00")
}

func featureName(f *pb.FeatureNameStatistics) string {
	if f.GetPath() == nil {
		return f.GetName()
	}
	return PathName(f.GetPath().GetStep())
}

// notOneDataSet is the error of files of statistics that cannot be put together.
func notOneDataSet(name string, files int, err error) error {
	return cli.Usagef("%s is statistics, which are taken alone or as the shards of one data set, and there are %s: %v; what tfparse stats writes with --partial can be put together", name, cli.Plural(int64(files), "file"), err)
}
