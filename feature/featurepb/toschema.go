package featurepb

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
)

// ToSchema returns a spec as the text of a tensorflow.metadata.v0.Schema: every
// feature that is read, with its type, and a tensor for every column. Equal specs
// give equal text. FromSchema gives the spec again, but for what means the same: the
// payload of a NaN, a default without values, a ValueKey that is the name.
//
// It fails if the spec is not sound, or if a schema cannot say all of it. The
// error joins a *feature.SpecError for every such thing.
func ToSchema(spec feature.Spec) ([]byte, error) {
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
			w.add(fs[name])
		}
	}
	if len(w.errs) > 0 {
		return nil, errors.Join(w.errs...)
	}
	return w.text(spec), nil
}

// A schemaWriter collects what a schema says.
type schemaWriter struct {
	sequence bool
	group    feature.Group
	name     string
	errs     []error
	tensors  map[string]feature.Group // the names that are taken
	features [2][]schemaFeature       // of the context or the Examples, and feature lists
	index    [2]map[string]int        // where a key is in them
}

// A schemaFeature is a feature of the records.
type schemaFeature struct {
	key     string
	dtype   feature.DType
	shape   []int
	dense   bool  // it is always there, with the shape
	size    int64 // of the dimension whose indices it holds, 0 if none
	differs bool  // it holds indices of dimensions of several sizes
}

func (w *schemaWriter) failf(format string, args ...any) {
	w.errs = append(w.errs, &feature.SpecError{Group: w.group, Feature: w.name, Err: fmt.Errorf(format, args...)})
}

// add notes the features that a column reads, and what a schema cannot say of it.
func (w *schemaWriter) add(f feature.Feature) {
	if !utf8.ValidString(w.name) {
		w.failf("a schema has no name that is not UTF-8")
	}
	if g, ok := w.tensors[w.name]; ok {
		w.failf("a schema has one tensor of a name, and there is one in %s", g)
	}
	w.tensors[w.name] = w.group
	list := w.group == feature.InSequence
	switch f := f.(type) {
	case feature.FixedLen:
		if !constant(f.Default) {
			w.failf("a schema has one value for all places of a default")
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

// constant reports whether all values of a default are the same.
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

// use notes a feature; columns that read the same want the same type of it.
func (w *schemaWriter) use(f schemaFeature) {
	if !utf8.ValidString(f.key) {
		w.failf("a schema has no name that is not UTF-8: key %q", f.key)
	}
	if f.key == sequenceStep {
		w.failf("a schema calls the feature lists %q", f.key)
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

// text writes the schema.
func (w *schemaWriter) text(spec feature.Spec) []byte {
	t := protoText{}
	for _, f := range w.features[0] {
		t.feature(f)
	}
	if w.sequence {
		t.open("feature")
		t.string("name", sequenceStep)
		t.field("type", "STRUCT")
		t.open("struct_domain")
		for _, f := range w.features[1] {
			t.feature(f)
		}
		t.close()
		t.close()
	}
	t.open("tensor_representation_group")
	t.string("key", "")
	t.open("value")
	for g, fs := range spec.Groups() {
		for _, name := range slices.Sorted(maps.Keys(fs)) {
			t.open("tensor_representation")
			t.string("key", name)
			t.open("value")
			t.tensor(g, name, fs[name])
			t.close()
			t.close()
		}
	}
	t.close()
	t.close()
	return t.b
}

var typeNames = map[feature.DType]string{feature.String: "BYTES", feature.Int64: "INT", feature.Float32: "FLOAT"}

func (t *protoText) feature(f schemaFeature) {
	t.open("feature")
	t.string("name", f.key)
	t.field("type", typeNames[f.dtype])
	if f.size > 0 && !f.differs {
		t.open("int_domain")
		t.field("min", "0")
		t.field("max", strconv.FormatInt(f.size-1, 10))
		t.close()
	}
	if f.dense {
		t.open("presence")
		t.field("min_fraction", "1")
		t.close()
		t.shape("shape", wide(f.shape))
	}
	t.close()
}

func (t *protoText) tensor(g feature.Group, name string, f feature.Feature) {
	switch f := f.(type) {
	case feature.FixedLen:
		t.open("dense_tensor")
		t.string("column_name", name)
		t.shape("shape", wide(f.Shape))
		t.defaultValue(f.Default)
	case feature.VarLen:
		t.open("varlen_sparse_tensor")
		t.string("column_name", name)
	case feature.Sparse:
		t.open("sparse_tensor")
		t.shape("dense_shape", f.Size)
		for _, key := range f.IndexKeys {
			t.string("index_column_names", key)
		}
		t.string("value_column_name", f.ValueKey)
		if f.Sorted {
			t.field("already_sorted", "true")
		}
	case feature.Ragged:
		t.open("ragged_tensor")
		t.open("feature_path")
		if g == feature.InSequence {
			t.string("step", sequenceStep)
		}
		t.string("step", valueKey(name, f))
		t.close()
		for _, p := range f.Partitions {
			t.open("partition")
			switch p := p.(type) {
			case feature.RowLengths:
				t.string("row_length", string(p))
			case feature.UniformRowLength:
				t.field("uniform_row_length", strconv.FormatInt(int64(p), 10))
			}
			t.close()
		}
	}
	t.close()
}

func (t *protoText) defaultValue(v example.Value) {
	if v.Len() == 0 {
		return
	}
	t.open("default_value")
	switch v.Kind() {
	case example.Int64List:
		t.field("int_value", strconv.FormatInt(v.Int64s[0], 10))
	case example.FloatList:
		t.field("float_value", floatText(v.Floats[0]))
	case example.BytesList:
		t.string("bytes_value", string(v.Bytes[0]))
	}
	t.close()
}
