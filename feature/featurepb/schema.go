package featurepb

import (
	"github.com/tfparse/tfparse/feature"
	pb "github.com/tfparse/tfparse/proto/metadatapb"
)

// sequenceStep is the name of the feature that contains the feature lists of a
// SequenceExample.
const sequenceStep = "##SEQUENCE##"

// FromSchema returns the spec of a tensorflow.metadata.v0.Schema, given as text
// (schema.pbtxt) or binary. The package comment describes the columns. The spec is valid:
// feature.NewParser accepts it.
//
// The error joins all faults; for unknown fields in a text it names only the first, with
// its line. An invalid spec is a *feature.SpecError. FromSchema does not retain b.
func FromSchema(b []byte) (feature.Spec, error) {
	f := faults{what: "schema"}
	s := &pb.Schema{}
	if !f.decode(b, s) {
		return feature.Spec{}, f.err()
	}
	return fromSchema(s, f)
}

// FromSchemaMessage is FromSchema for a decoded schema. It does not retain s.
func FromSchemaMessage(s *pb.Schema) (feature.Spec, error) {
	return fromSchema(s, faults{what: "schema"})
}

// fromSchema returns the spec of a schema. f may already contain faults.
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

// column identifies a feature of the records: a feature of the context or of an Example, or a
// feature list.
type column struct {
	list bool // the feature is a feature list
	name string
}

// String returns the path of the column as tfx_bsl writes it. It is also the name of the
// tensor that tfx_bsl infers.
func (c column) String() string {
	if c.list {
		return sequenceStep + "." + c.name
	}
	return c.name
}

// schemaReader builds the spec of a schema.
type schemaReader struct {
	faults
	schema   *pb.Schema             // the caller's; only read
	sequence *pb.Feature            // the feature ##SEQUENCE##; nil if the schema describes Examples
	columns  map[column]*pb.Feature // all features of the schema
	read     map[string]bool        // paths of the columns that a tensor of the group reads
	named    map[string]bool        // names of the tensors of the group
	tensors  map[column]string      // by name in the spec: the tensor of the column
	spec     feature.Spec           // the columns so far
}

// collect fills columns.
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
				r.addf("feature %q has %d sparse features, which cannot be feature lists", sequenceStep, n)
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

// dtype returns the type of a column, or adds a fault if it has none. what is the tensor or
// feature that uses the column; "" for the column itself.
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
		r.addf("%sfeature %q has type STRUCT: only %s may", what, c, sequenceStep)
	default:
		r.addf("%sfeature %q has no type: want BYTES, INT or FLOAT", what, c)
	}
	return 0, false
}

// integers adds a fault if a column with indices or a partition has another type than INT. A feature
// that the schema lacks is not checked.
func (r *schemaReader) integers(what, role string, c column) {
	if f := r.columns[c]; f != nil && f.GetType() != pb.FeatureType_INT {
		r.addf("%s: %s %q has type %s, want INT", what, role, c, f.GetType())
	}
}

// add adds the column of a tensor to the spec.
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
