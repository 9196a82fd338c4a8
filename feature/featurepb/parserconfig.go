package featurepb

import (
	"math"
	"strconv"

	"github.com/tfparse/tfparse/feature"
	pb "github.com/tfparse/tfparse/proto/parserconfigpb"
)

// FromParserConfig returns the spec of a tensorflow.ExampleParserConfiguration,
// given as text or binary. The spec is valid: feature.NewParser accepts it.
//
// The error joins all faults; for unknown fields in a text it names only the first, with
// its line. An invalid spec is a *feature.SpecError. FromParserConfig does not retain b.
func FromParserConfig(b []byte) (feature.Spec, error) {
	r := configReader{faults: faults{what: "parser configuration"}}
	config := &pb.ExampleParserConfiguration{}
	fs := feature.Features{}
	if r.decode(b, config) {
		for _, e := range config.GetFeatureMap() {
			if _, ok := fs[e.GetKey()]; ok {
				r.addf("feature %q is given twice", e.GetKey())
			}
			fs[e.GetKey()] = r.feature("feature "+strconv.Quote(e.GetKey()), e.GetValue())
		}
	}
	if r.count > 0 {
		return feature.Spec{}, r.err()
	}
	spec := feature.Spec{Features: fs}
	if err := spec.Validate(); err != nil {
		return feature.Spec{}, err
	}
	return spec, nil
}

// configReader builds the spec of a parser configuration.
type configReader struct{ faults }

// feature returns one feature. The result is unspecified if it adds a fault.
func (r *configReader) feature(what string, c *pb.FeatureConfiguration) feature.Feature {
	switch k := c.GetConfig().(type) {
	case *pb.FeatureConfiguration_VarLenFeature:
		return feature.VarLen{DType: r.dtype(what, k.VarLenFeature.GetDtype())}
	case *pb.FeatureConfiguration_FixedLenFeature:
		return r.fixedLen(what, k.FixedLenFeature)
	}
	r.addf("%s has no kind: want fixed_len_feature or var_len_feature", what)
	return nil
}

func (r *configReader) dtype(what string, d pb.DataType) feature.DType {
	switch d {
	case pb.DataType_DT_INT64:
		return feature.Int64
	case pb.DataType_DT_FLOAT:
		return feature.Float32
	case pb.DataType_DT_STRING:
		return feature.String
	}
	r.addf("%s has dtype %s, want DT_INT64, DT_FLOAT or DT_STRING", what, d)
	return 0
}

// fixedLen returns a FixedLen, or a FixedLenSequence if the first dimension is unknown.
func (r *configReader) fixedLen(what string, c *pb.FixedLenFeatureProto) feature.Feature {
	before := r.count
	d := r.dtype(what, c.GetDtype())
	dims := c.GetShape().GetDim()
	if c.GetShape().GetUnknownRank() {
		r.addf("%s: the rank of the shape is unknown", what)
	}
	sequence := len(dims) > 0 && dims[0].GetSize() == -1
	if sequence {
		dims = dims[1:]
	}
	var shape []int
	for i, dim := range dims {
		n, ok := size(dim.GetSize())
		if !ok {
			r.addf("%s: dimension %d is %d, want 0 to %d", what, i, dim.GetSize(), math.MaxInt32)
		}
		shape = append(shape, n)
	}
	if r.count > before {
		return nil
	}
	value := r.tensor(what+": default", d, c.GetDefaultValue())
	if sequence {
		return feature.FixedLenSequence{DType: d, Shape: shape, Default: value, AllowMissing: true}
	}
	return feature.FixedLen{DType: d, Shape: shape, Default: value}
}
