package statsource

import (
	"fmt"
	"strings"

	"google.golang.org/protobuf/proto"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	pb "github.com/tfparse/tfparse/proto/metadatapb"
)

// A shardMerger merges the statistics of one or more data sets from several records or files, as Beam writes them: each
// shard has some of the features. The zero value is empty.
type shardMerger struct {
	list pb.DatasetFeatureStatisticsList // the merged statistics
	sets map[string]*mergedDataSet       // the elements of list, by name
}

// A mergedDataSet is a data set and an index of its features.
type mergedDataSet struct {
	*pb.DatasetFeatureStatistics
	features map[string]*pb.FeatureNameStatistics // by featureKey
}

// addShard adds the statistics of a shard. If several shards have a feature, addShard merges the messages, as
// load_sharded_statistics of TensorFlow Data Validation does. Unlike that function it fails if both have the statistics
// of the feature, and one of them would be lost.
func (u *shardMerger) addShard(part *pb.DatasetFeatureStatisticsList) error {
	for _, d := range part.GetDatasets() {
		same := u.sets[d.GetName()]
		if same == nil {
			if u.sets == nil {
				u.sets = map[string]*mergedDataSet{}
			}
			u.list.Datasets = append(u.list.Datasets, d)
			u.sets[d.GetName()] = &mergedDataSet{d, featuresOf(d)}
			continue
		}
		if err := same.addFeatures(d); err != nil {
			return err
		}
	}
	return nil
}

// addFeatures adds the features of another shard of the data set.
func (u *mergedDataSet) addFeatures(d *pb.DatasetFeatureStatistics) error {
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
			f.FieldId = nil // the field ID of same stays
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

// featuresOf returns an index of the features in d, by featureKey.
func featuresOf(d *pb.DatasetFeatureStatistics) map[string]*pb.FeatureNameStatistics {
	all := make(map[string]*pb.FeatureNameStatistics, len(d.GetFeatures()))
	for _, f := range d.GetFeatures() {
		all[featureKey(f)] = f
	}
	return all
}

// featureKey returns the path of a feature as a map key; the name in old statistics, which have no paths.
func featureKey(f *pb.FeatureNameStatistics) string {
	if f.GetPath() == nil {
		return f.GetName()
	}
	return "\x00" + strings.Join(f.GetPath().GetStep(), "\x00")
}

// featureName returns the name of a feature for messages.
func featureName(f *pb.FeatureNameStatistics) string {
	if f.GetPath() == nil {
		return f.GetName()
	}
	return PathName(f.GetPath().GetStep())
}

// notOneDataSet returns the error about files of statistics that cannot be merged.
func notOneDataSet(name string, files int, err error) error {
	return cli.Usagef("%s: cannot merge the statistics of %s: %v", name, cli.Plural(int64(files), "file"), err)
}
