package statsource

import (
	"cmp"
	"slices"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/recordscan"
	"github.com/tfparse/tfparse/example"
	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/stats"
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

// InColumnOrder puts the features of statistics of CSV into the order of the columns, as TensorFlow Data Validation has
// them. Without o.TFDV, and if o lists the features, the order stays.
func InColumnOrder(list *pb.DatasetFeatureStatisticsList, in []recordscan.Input, o *stats.Options) {
	if !o.TFDV || o.FeatureAllowlist != nil || len(in) == 0 || slices.ContainsFunc(in, func(i recordscan.Input) bool { return i.Table == nil }) {
		return
	}
	columns := map[string]int{}
	for i, name := range in[0].Table.Columns() {
		columns[name] = i
	}
	for _, d := range list.GetDatasets() {
		slices.SortStableFunc(d.Features, func(a, b *pb.FeatureNameStatistics) int {
			return cmp.Compare(columns[a.GetPath().GetStep()[0]], columns[b.GetPath().GetStep()[0]])
		})
	}
}
