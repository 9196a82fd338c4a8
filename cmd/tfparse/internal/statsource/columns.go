package statsource

import (
	"slices"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/recordscan"
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

// listColumns has the features of CSV described in the order of the columns, as TensorFlow Data Validation does, by
// a list of them. It is for g.Options.TFDV without a list. The list is among the options of parts too, so that merged parts
// have the order.
func (g *Gatherer) listColumns(in []recordscan.Input) error {
	if !g.Options.TFDV || g.Options.FeatureAllowlist != nil || len(in) == 0 || slices.ContainsFunc(in, func(i recordscan.Input) bool { return i.Table == nil }) {
		return nil
	}
	err := g.Reading.InferTypes(g.Env, in)
	g.Options.FeatureAllowlist = in[0].Table.Columns()
	return err
}
