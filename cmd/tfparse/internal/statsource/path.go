package statsource

import (
	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/drift"
)

// PathName is the name of a feature in messages: the path as TensorFlow Data
// Validation writes it, with quotes around what is empty or has dots.
func PathName(steps []string) string { return drift.Feature{Path: steps}.Name() }

// FeatureAt returns the feature with a path, or nil.
func FeatureAt(features []*pb.Feature, path []string) *pb.Feature {
	for _, f := range features {
		switch {
		case f.GetName() != path[0]:
		case len(path) == 1:
			return f
		default:
			return FeatureAt(f.GetStructDomain().GetFeature(), path[1:])
		}
	}
	return nil
}
