package featurepb

import (
	"github.com/tfparse/tfparse/feature"
	pb "github.com/tfparse/tfparse/proto/metadatapb"
)

// sequenceStep is the name of the feature that holds the feature lists of a
// SequenceExample.
const sequenceStep = "##SEQUENCE##"

// FromSchema returns the spec of a tensorflow.metadata.v0.Schema, given as text
// (schema.pbtxt) or binary. The package comment says which columns it has. The
// spec is sound: feature.NewParser takes it.
//
// The error joins all faults; of unknown fields in a text only the first is
// named, with its line. What makes no sense as a spec is a *feature.SpecError.
// FromSchema keeps nothing of b.
func FromSchema(b []byte) (feature.Spec, error) {
	f := faults{what: "schema"}
	s := &pb.Schema{}
	if !f.decode(b, s) {
		return feature.Spec{}, f.err()
	}
	return fromSchema(s, f)
}

// FromSchemaMessage is FromSchema for a schema that has been decoded. It keeps nothing of s.
func FromSchemaMessage(s *pb.Schema) (feature.Spec, error) {
	return fromSchema(s, faults{what: "schema"})
}

// fromSchema returns the spec of a schema in which there are faults already.
func fromSchema(s *pb.Schema, f faults) (feature.Spec, error) {
	r := schemaReader{
		faults:  f,
		schema:  s,
		columns: map[column]*pb.Feature{},
		read:    map[string]bool{},
		named:   map[string]bool{},
		tensors: map[column]string{},
	}
	r.collect()
	r.represented()
	r.inferred()
	if r.count > 0 {
		return feature.Spec{}, r.err()
	}
	if err := r.spec.Validate(); err != nil {
		return feature.Spec{}, err
	}
	return r.spec, nil
}

// A column is a feature of the records: one of the context (or of an Example), or
// a feature list.
type column struct {
	list bool
	name string
}

// String returns the path of the column as tfx_bsl writes it, which is also the
// name of the tensor that it infers.
func (c column) String() string {
	if c.list {
		return sequenceStep + "." + c.name
	}
	return c.name
}

// A schemaReader makes the spec of a schema.
type schemaReader struct {
	faults
	schema   *pb.Schema
	sequence *pb.Feature            // ##SEQUENCE##, nil if the schema is of Examples
	columns  map[column]*pb.Feature // every feature that can be read
	read     map[string]bool        // the paths of columns that a tensor of the group reads
	named    map[string]bool        // the tensors of the group
	tensors  map[column]string      // which tensor a name in the spec stands for
	spec     feature.Spec
}

// collect finds the features of the schema.
func (r *schemaReader) collect() {
	for i, f := range r.schema.GetFeature() {
		if f.GetName() == sequenceStep && f.GetType() == pb.FeatureType_STRUCT {
			if r.sequence != nil {
				r.addf("feature %q is given twice", sequenceStep)
				continue
			}
			r.sequence = f
			for j, g := range f.GetStructDomain().GetFeature() {
				r.collectOne(column{list: true, name: g.GetName()}, g, j)
			}
			if n := len(f.GetStructDomain().GetSparseFeature()); n > 0 {
				r.addf("feature %q has %d sparse features: only features can be lists", sequenceStep, n)
			}
			continue
		}
		r.collectOne(column{name: f.GetName()}, f, i)
	}
}

func (r *schemaReader) collectOne(c column, f *pb.Feature, i int) {
	switch {
	case f.Name == nil && c.list:
		r.addf("feature %d of %q has no name", i, sequenceStep)
	case f.Name == nil:
		r.addf("feature %d has no name", i)
	case r.columns[c] != nil:
		r.addf("feature %q is given twice", c)
	default:
		r.columns[c] = f
	}
}

// dtype returns the type of a column. If there is none it notes why; what says
// what the column is for, "" if for itself.
func (r *schemaReader) dtype(what string, c column) (feature.DType, bool) {
	f := r.columns[c]
	if what != "" {
		what += ": "
	}
	if f == nil {
		r.addf("%sthe schema has no feature %q", what, c)
		return 0, false
	}
	switch f.GetType() {
	case pb.FeatureType_BYTES:
		return feature.String, true
	case pb.FeatureType_INT:
		return feature.Int64, true
	case pb.FeatureType_FLOAT:
		return feature.Float32, true
	case pb.FeatureType_STRUCT:
		r.addf("%sfeature %q is of type STRUCT: records have no structures but %s", what, c, sequenceStep)
	default:
		r.addf("%sfeature %q has no type: want BYTES, INT or FLOAT", what, c)
	}
	return 0, false
}

// integers checks that a column that holds indices or a partition is of integers,
// where the schema says what it is of.
func (r *schemaReader) integers(what, role string, c column) {
	if f := r.columns[c]; f != nil && f.GetType() != pb.FeatureType_INT {
		r.addf("%s: %s %q is of type %s, want INT", what, role, c, f.GetType())
	}
}

// add puts a column into the spec, under the given name, for a tensor.
func (r *schemaReader) add(list bool, name, tensor string, f feature.Feature) {
	group := &r.spec.Features
	switch {
	case list:
		group = &r.spec.Sequence
	case r.sequence != nil:
		group = &r.spec.Context
	}
	if _, ok := (*group)[name]; ok {
		r.addf("tensors %q and %q are both column %q", r.tensors[column{list, name}], tensor, name)
		return
	}
	if *group == nil {
		*group = feature.Features{}
	}
	(*group)[name] = f
	r.tensors[column{list, name}] = tensor
}
