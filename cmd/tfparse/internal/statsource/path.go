package statsource

import (
	"strings"

	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/drift"
)

// PathName is the name of a feature in messages: the path as TensorFlow Data
// Validation writes it, with quotes around what is empty or has dots.
func PathName(steps []string) string { return drift.Feature{Path: steps}.Name() }

// A FeatureIndex finds the features of a schema by their paths: a schema may have tens of thousands.
type FeatureIndex map[string]*pb.Feature

// IndexFeatures returns the index of features and of those in their struct domains. Of several with one path it has the first.
func IndexFeatures(features []*pb.Feature) FeatureIndex {
	x := FeatureIndex{}
	x.add("", features)
	return x
}

func (x FeatureIndex) add(parent string, features []*pb.Feature) {
	for _, f := range features {
		path := parent + f.GetName()
		if x[path] != nil {
			continue
		}
		x[path] = f
		x.add(path+pathSeparator, f.GetStructDomain().GetFeature())
	}
}

// At returns the feature with a path, or nil.
func (x FeatureIndex) At(path ...string) *pb.Feature { return x[strings.Join(path, pathSeparator)] }

const pathSeparator = "\x00" // in the keys of a FeatureIndex
