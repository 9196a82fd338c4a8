package featurepb

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"

	"google.golang.org/protobuf/proto"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/internal/pbtext"
	pb "github.com/tfparse/tfparse/proto/metadatapb"
)

// ToSchema returns a spec as the text of a tensorflow.metadata.v0.Schema: every feature
// that the spec reads, with its type, and a tensor for each column. Equal specs give equal
// text. FromSchema returns an equivalent spec; it may differ in the payload of a NaN, a
// default without values, or a ValueKey equal to the name.
//
// It fails if the spec is invalid or a schema cannot express it. The error joins one
// *feature.SpecError per problem.
func ToSchema(spec feature.Spec) ([]byte, error) {
	s, err := ToSchemaMessage(spec)
	if err != nil {
		return nil, err
	}
	return pbtext.Marshal(s), nil
}

// ToSchemaMessage is ToSchema, but returns the message.
func ToSchemaMessage(spec feature.Spec) (*pb.Schema, error) {
	if err := spec.Validate(); err != nil {
		return nil, err
	}
	w := schemaWriter{sequence: spec.Message() == example.TypeSequence, tensors: map[string]feature.Group{}, index: [2]map[string]int{{}, {}}}
	for g, fs := range spec.Groups() {
		w.group = g
		if g == feature.InExamples || spec.Examples != nil {
			w.errs = append(w.errs, &feature.SpecError{Group: g, Whole: true, Err: errors.New("a schema has no list of examples")})
			break
		}
		for _, name := range slices.Sorted(maps.Keys(fs)) {
			w.name = name
			if feature.DecodeOf(fs[name]) != nil {
				w.failf("a schema cannot say how strings are decoded")
			}
			w.add(fs[name])
		}
	}
	if len(w.errs) > 0 {
		return nil, errors.Join(w.errs...)
	}
	return w.schema(spec), nil
}

// schemaWriter collects the features and tensors of a schema.
type schemaWriter struct {
	sequence bool                     // the spec is for SequenceExamples
	group    feature.Group            // group of the current column
	name     string                   // name of the current column
	errs     []error                  // one *feature.SpecError for each problem
	tensors  map[string]feature.Group // tensor names so far
	features [2][]schemaFeature       // features of the context or of Examples, then feature lists
	index    [2]map[string]int        // indices in features, by key
}

// schemaFeature is one feature of the records.
type schemaFeature struct {
	key     string        // name in the records; unique among the features, or among the feature lists
	dtype   feature.DType // the same in all columns that read the feature
	shape   []int         // if dense
	dense   bool          // every record has it, with this shape
	size    int64         // size of the dimension whose indices it contains; 0: none
	differs bool          // it contains indices of dimensions of different sizes
}

func (w *schemaWriter) failf(format string, args ...any) {
	w.errs = append(w.errs, &feature.SpecError{Group: w.group, Feature: w.name, Err: fmt.Errorf(format, args...)})
}

// add adds the features that a column reads, and errors for everything that a schema cannot express.
func (w *schemaWriter) add(f feature.Feature) {
	if !utf8.ValidString(w.name) {
		w.failf("a name in a schema must be UTF-8")
	}
	if g, ok := w.tensors[w.name]; ok {
		w.failf("duplicate tensor name in a schema: also in %s", g)
	}
	w.tensors[w.name] = w.group
	list := w.group == feature.InSequence
	switch f := f.(type) {
	case feature.FixedLen:
		if !constant(f.Default) {
			w.failf("a default in a schema has the same value everywhere")
		}
		w.use(schemaFeature{key: w.name, dtype: f.DType, shape: f.Shape, dense: f.Default.Len() == 0})
	case feature.VarLen:
		if list {
			w.failf("a schema has no var_len for feature lists, only ragged")
		}
		w.use(schemaFeature{key: w.name, dtype: f.DType})
	case feature.Sparse:
		for i, key := range f.IndexKeys {
			w.use(schemaFeature{key: key, dtype: feature.Int64, size: f.Size[i]})
		}
		w.use(schemaFeature{key: f.ValueKey, dtype: f.DType})
	case feature.Ragged:
		w.use(schemaFeature{key: valueKey(w.name, f), dtype: f.DType})
		for i, p := range f.Partitions {
			switch p := p.(type) {
			case feature.RowLengths:
				w.use(schemaFeature{key: string(p), dtype: feature.Int64})
			case feature.UniformRowLength:
			default:
				w.failf("partition %d: a schema has only row_lengths and uniform_row_length", i)
			}
		}
	case feature.FixedLenSequence:
		w.failf("a schema has no fixed_len_sequence")
	}
}

func valueKey(name string, f feature.Ragged) string {
	if f.ValueKey == "" {
		return name
	}
	return f.ValueKey
}

func wide(shape []int) (out []int64) {
	for _, n := range shape {
		out = append(out, int64(n))
	}
	return out
}

// constant reports whether all values of a default are equal.
func constant(v example.Value) bool {
	for i := 1; i < v.Len(); i++ {
		switch v.Kind() {
		case example.Int64List:
			if v.Int64s[i] != v.Int64s[0] {
				return false
			}
		case example.FloatList:
			if math.Float32bits(v.Floats[i]) != math.Float32bits(v.Floats[0]) {
				return false
			}
		case example.BytesList:
			if string(v.Bytes[i]) != string(v.Bytes[0]) {
				return false
			}
		}
	}
	return true
}

// use adds a feature. All columns that read it have the same type for it.
func (w *schemaWriter) use(f schemaFeature) {
	if !utf8.ValidString(f.key) {
		w.failf("a name in a schema must be UTF-8: key %q", f.key)
	}
	if f.key == sequenceStep {
		w.failf("the key %q is reserved in a schema", f.key)
	}
	space := 0
	if w.group == feature.InSequence {
		space = 1
	}
	i, ok := w.index[space][f.key]
	if !ok {
		w.index[space][f.key] = len(w.features[space])
		w.features[space] = append(w.features[space], f)
		return
	}
	old := &w.features[space][i]
	old.differs = old.differs || old.size != f.size
}

// schema returns the schema of all columns added.
func (w *schemaWriter) schema(spec feature.Spec) *pb.Schema {
	s := &pb.Schema{}
	for _, f := range w.features[0] {
		s.Feature = append(s.Feature, f.message())
	}
	if w.sequence {
		lists := &pb.StructDomain{}
		for _, f := range w.features[1] {
			lists.Feature = append(lists.Feature, f.message())
		}
		s.Feature = append(s.Feature, &pb.Feature{Name: proto.String(sequenceStep), Type: pb.FeatureType_STRUCT.Enum(), DomainInfo: &pb.Feature_StructDomain{StructDomain: lists}})
	}
	group := &pb.TensorRepresentationGroup{}
	for g, fs := range spec.Groups() {
		for _, name := range slices.Sorted(maps.Keys(fs)) {
			group.TensorRepresentation = append(group.TensorRepresentation, &pb.TensorRepresentationGroup_TensorRepresentationEntry{Key: &name, Value: tensor(g, name, fs[name])})
		}
	}
	s.TensorRepresentationGroup = []*pb.Schema_TensorRepresentationGroupEntry{{Key: proto.String(""), Value: group}}
	return s
}

var types = map[feature.DType]pb.FeatureType{feature.String: pb.FeatureType_BYTES, feature.Int64: pb.FeatureType_INT, feature.Float32: pb.FeatureType_FLOAT}

func (f *schemaFeature) message() *pb.Feature {
	m := &pb.Feature{Name: &f.key, Type: types[f.dtype].Enum()}
	if f.size > 0 && !f.differs {
		m.DomainInfo = &pb.Feature_IntDomain{IntDomain: &pb.IntDomain{Min: proto.Int64(0), Max: proto.Int64(f.size - 1)}}
	}
	if f.dense {
		m.PresenceConstraints = &pb.Feature_Presence{Presence: &pb.FeaturePresence{MinFraction: proto.Float64(1)}}
		m.ShapeType = &pb.Feature_Shape{Shape: shape(wide(f.shape))}
	}
	return m
}

func shape(dims []int64) *pb.FixedShape {
	s := &pb.FixedShape{}
	for _, n := range dims {
		s.Dim = append(s.Dim, &pb.FixedShape_Dim{Size: &n})
	}
	return s
}

// tensor returns the tensor of a column.
func tensor(g feature.Group, name string, f feature.Feature) *pb.TensorRepresentation {
	switch f := f.(type) {
	case feature.FixedLen:
		return &pb.TensorRepresentation{Kind: &pb.TensorRepresentation_DenseTensor_{DenseTensor: &pb.TensorRepresentation_DenseTensor{
			ColumnName: &name, Shape: shape(wide(f.Shape)), DefaultValue: defaultValue(f.Default)}}}
	case feature.VarLen:
		return &pb.TensorRepresentation{Kind: &pb.TensorRepresentation_VarlenSparseTensor{VarlenSparseTensor: &pb.TensorRepresentation_VarLenSparseTensor{ColumnName: &name}}}
	case feature.Sparse:
		t := &pb.TensorRepresentation_SparseTensor{DenseShape: shape(f.Size), IndexColumnNames: f.IndexKeys, ValueColumnName: &f.ValueKey}
		if f.Sorted {
			t.AlreadySorted = &f.Sorted
		}
		return &pb.TensorRepresentation{Kind: &pb.TensorRepresentation_SparseTensor_{SparseTensor: t}}
	case feature.Ragged:
		t := &pb.TensorRepresentation_RaggedTensor{FeaturePath: &pb.Path{}}
		if g == feature.InSequence {
			t.FeaturePath.Step = append(t.FeaturePath.Step, sequenceStep)
		}
		t.FeaturePath.Step = append(t.FeaturePath.Step, valueKey(name, f))
		for _, p := range f.Partitions {
			part := &pb.TensorRepresentation_RaggedTensor_Partition{}
			switch p := p.(type) {
			case feature.RowLengths:
				part.Kind = &pb.TensorRepresentation_RaggedTensor_Partition_RowLength{RowLength: string(p)}
			case feature.UniformRowLength:
				part.Kind = &pb.TensorRepresentation_RaggedTensor_Partition_UniformRowLength{UniformRowLength: int64(p)}
			}
			t.Partition = append(t.Partition, part)
		}
		return &pb.TensorRepresentation{Kind: &pb.TensorRepresentation_RaggedTensor_{RaggedTensor: t}}
	}
	return &pb.TensorRepresentation{}
}

func defaultValue(v example.Value) *pb.TensorRepresentation_DefaultValue {
	if v.Len() == 0 {
		return nil
	}
	switch v.Kind() {
	case example.Int64List:
		return &pb.TensorRepresentation_DefaultValue{Kind: &pb.TensorRepresentation_DefaultValue_IntValue{IntValue: v.Int64s[0]}}
	case example.FloatList:
		return &pb.TensorRepresentation_DefaultValue{Kind: &pb.TensorRepresentation_DefaultValue_FloatValue{FloatValue: double(v.Floats[0])}}
	}
	return &pb.TensorRepresentation_DefaultValue{Kind: &pb.TensorRepresentation_DefaultValue_BytesValue{BytesValue: v.Bytes[0]}}
}

// double returns the float64 with the fewest digits that rounds to f, so that 0.1 is written as 0.1.
func double(f float32) float64 {
	if d, err := strconv.ParseFloat(strconv.FormatFloat(float64(f), 'g', -1, 32), 64); err == nil && float32(d) == f {
		return d
	}
	return float64(f)
}
