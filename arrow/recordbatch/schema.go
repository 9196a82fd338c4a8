package recordbatch

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/tensor"
)

// Keys of metadata: of schemas, of fields, and of batches in IPC streams.
const (
	VersionKey = "tfparse:version" // of a schema: the version of the mapping, "1"
	SpecKey    = "tfparse:spec"    // of a schema: the spec as JSON; of a field: a spec of its feature alone
	StrictKey  = "tfparse:strict"  // of a schema, with any value: a spec that does not fit the columns is an error
	NextKey    = "tfparse:next"    // of a batch: the position of the next record
	EndKey     = "tfparse:end"     // of the empty batch at the end: the number of rows of all batches
)

// version is the value of VersionKey.
const version = "1"

// ErrType is the error of a type, name or shape that columns or records cannot have.
var ErrType = errors.New("unsupported column")

// ErrData is the error of data that contradict the type of their column, or that a record cannot hold.
var ErrData = errors.New("bad column data")

// An Error is an error in a column, or in one row of it.
type Error struct {
	Column string // name of the column; "" if the error is about a whole record
	Row    int    // index in the batch; -1 if the error is about the whole column
	Err    error  // the reason
}

// Error returns one line: the row, the column, the error.
func (e *Error) Error() string {
	text := e.Err.Error()
	if e.Column != "" || e.Row < 0 {
		text = fmt.Sprintf("column %q: %s", e.Column, text)
	}
	if e.Row >= 0 {
		text = fmt.Sprintf("row %d: %s", e.Row, text)
	}
	return text
}

// Unwrap returns e.Err.
func (e *Error) Unwrap() error { return e.Err }

// Options are settings of a Schema.
type Options struct {
	// Text lists the features with UTF-8 strings. Their columns have the type large_string, which databases show as text;
	// another string is an error. All other strings are large_binary.
	Text []string

	// Images lists the string features with encoded images. Their columns have the type that the package datasets of
	// Hugging Face uses for images, and the metadata that it reads.
	Images []string

	// Labels has the names of the classes of int64 features, for the metadata that datasets reads. With LabelNames the
	// columns are text: the names, and other numbers in decimal.
	Labels     map[string][]string
	LabelNames bool

	// DTypes has the dtype of int64 features whose values are of Bool or Uint64.
	DTypes map[string]tensor.DType

	// IgnoreOthers makes FromRecords ignore features that are not in Kinds. By default they are errors.
	IgnoreOthers bool
}

// A Schema maps the columns of a spec, or the features of records, to an Arrow schema. It is immutable and safe for
// concurrent use.
type Schema struct {
	columns    []columnPlan                   // one for each column, in the order of the fields
	arrow      *arrow.Schema                  // with metadata
	ignore     bool                           // Options.IgnoreOthers
	spec       feature.Spec                   // copy of the argument of ForSpec; empty for ForKinds
	lastParser atomic.Pointer[feature.Parser] // last parser that checkParser accepted
}

// Arrow returns the Arrow schema, with metadata.
func (s *Schema) Arrow() *arrow.Schema { return s.arrow }

// A columnPlan is the mapping of one feature to one column.
type columnPlan struct {
	name  string          // name of the column: key, or GROUP/key
	key   string          // name of the feature
	group feature.Group   // group of the feature
	spec  feature.Feature // the feature; nil for ForKinds

	// axes are the dimensions below the rows, outermost first: a fixed size, or -1 for lists of any length. Arrow has no
	// fixed size 0, so 0 becomes lists too. The axes of a Sparse column are around its struct.
	axes      []int
	outerAxes int      // number of axes around a string; the axes after them are the dimensions of decoded tensors
	leaf      leafType // type of the values
	dims      int      // of a Sparse column: number of indices of a value; else 0
}

// A leafType is the type of the innermost values of a column.
type leafType struct {
	dtype tensor.DType   // type of an element in TensorFlow
	arrow arrow.DataType // type of an element in Arrow; of a half, if pair
	pair  bool           // an element is a complex number: two values in a list of fixed size

	labels []string // names of int64 values, by value; nil: none
}

// ForSpec returns the schema of the batches of a spec. The error joins all faults of the spec. A feature that no column
// can hold is an *Error.
func ForSpec(spec feature.Spec, opts *Options) (*Schema, error) {
	if err := spec.Validate(); err != nil {
		return nil, err
	}
	if opts == nil {
		opts = &Options{}
	}
	text, err := json.Marshal(spec)
	if err != nil {
		return nil, err
	}
	s := &Schema{}
	if err := json.Unmarshal(text, &s.spec); err != nil { // a copy
		return nil, err
	}
	count := map[string]int{} // number of groups with a feature of the name
	for _, fs := range s.spec.Groups() {
		for name := range fs {
			count[name]++
		}
	}
	stored := s.spec // the spec of the columns, and of the records that a Decoder makes of them
	if opts.LabelNames {
		if stored, text, err = withLabelNames(text, opts); err != nil {
			return nil, err
		}
	}
	var fields []arrow.Field
	for g, fs := range s.spec.Groups() {
		for _, name := range slices.Sorted(maps.Keys(fs)) {
			p, err := planColumn(g, name, fs[name], opts)
			if err != nil {
				return nil, &Error{Column: name, Row: -1, Err: err}
			}
			if count[name] > 1 {
				p.name = g.String() + "/" + name
			}
			field := arrow.Field{Name: p.name, Type: p.arrowType(), Nullable: p.huggingFaceType() != nil}
			// A context feature of an ExampleListWithContext may be invalid in a spec without examples.
			if alone := specOf(g, name, (*stored.Group(g))[name], stored); alone.Validate() == nil {
				text, err := json.Marshal(alone)
				if err != nil {
					return nil, err
				}
				field.Metadata = arrow.NewMetadata([]string{SpecKey}, []string{string(text)})
			}
			s.columns = append(s.columns, p)
			fields = append(fields, field)
		}
	}
	return s.finish(fields, []string{VersionKey, SpecKey}, []string{version, string(text)})
}

// withLabelNames returns a spec, given as JSON, in which the features of Labels are strings, and its JSON.
func withLabelNames(text []byte, opts *Options) (spec feature.Spec, _ []byte, err error) {
	if err := json.Unmarshal(text, &spec); err != nil {
		return spec, nil, err
	}
	for _, fs := range spec.Groups() {
		for name, f := range fs {
			if len(opts.Labels[name]) == 0 {
				continue
			}
			switch f := f.(type) { // of the features with labels, as TensorFlow Datasets has them
			case feature.FixedLen:
				fs[name] = feature.FixedLen{DType: feature.String, Shape: f.Shape}
			case feature.FixedLenSequence:
				fs[name] = feature.FixedLenSequence{DType: feature.String, Shape: f.Shape, AllowMissing: f.AllowMissing}
			case feature.VarLen:
				fs[name] = feature.VarLen{DType: feature.String}
			case feature.Ragged:
				f.DType = feature.String
				fs[name] = f
			}
		}
	}
	text, err = json.Marshal(spec)
	return spec, text, err
}

// specOf returns the spec of one feature, with the features that hold sizes of its decoded tensors.
func specOf(g feature.Group, name string, f feature.Feature, whole feature.Spec) feature.Spec {
	var alone feature.Spec
	*alone.Group(g) = feature.Features{name: f}
	alone.AddSizes(whole)
	return alone
}

// finish checks the names of the fields and makes the Arrow schema.
func (s *Schema) finish(fields []arrow.Field, keys, values []string) (*Schema, error) {
	seen := map[string]bool{}
	for _, f := range fields {
		switch {
		case !utf8.ValidString(f.Name):
			return nil, &Error{Column: f.Name, Row: -1, Err: fmt.Errorf("%w: the name is not UTF-8", ErrType)}
		case seen[f.Name]:
			return nil, &Error{Column: f.Name, Row: -1, Err: fmt.Errorf("%w: two features have a column of this name", ErrType)}
		}
		seen[f.Name] = true
	}
	text, err := huggingFaceText(s.columns)
	if err != nil {
		return nil, err
	}
	if text != "" {
		keys, values = append(keys, huggingFaceKey), append(values, text)
	}
	md := arrow.NewMetadata(keys, values)
	s.arrow = arrow.NewSchema(fields, &md)
	return s, nil
}

// planColumn returns the plan of a feature.
func planColumn(g feature.Group, name string, f feature.Feature, opts *Options) (columnPlan, error) {
	p := columnPlan{name: name, key: name, group: g, spec: f}
	if g == feature.InSequence || g == feature.InExamples {
		p.axes = append(p.axes, -1)
	}
	switch f := f.(type) {
	case feature.FixedLen:
		p.axes = append(p.axes, f.Shape...)
	case feature.FixedLenSequence:
		if g != feature.InSequence { // the steps are the blocks
			p.axes = append(p.axes, -1)
		}
		p.axes = append(p.axes, f.Shape...)
	case feature.VarLen:
		p.axes = append(p.axes, -1)
	case feature.Sparse:
		p.dims = len(f.IndexKeys)
	case feature.Ragged:
		p.axes = append(p.axes, -1)
		for _, q := range f.Partitions {
			if n, ok := q.(feature.UniformRowLength); ok {
				p.axes = append(p.axes, int(n))
			} else {
				p.axes = append(p.axes, -1)
			}
		}
	}
	p.outerAxes = len(p.axes)
	dtype := map[feature.DType]tensor.DType{feature.Int64: tensor.Int64, feature.Float32: tensor.Float32, feature.String: tensor.String}[feature.DTypeOf(f)]
	switch d := feature.DecodeOf(f).(type) {
	case feature.DecodeRaw:
		dtype = d.DType
		if d.Bitcast != tensor.Invalid {
			dtype = d.Bitcast
		}
		if d.Shape == nil {
			p.axes = append(p.axes, -1)
		}
		for _, dim := range d.Shape {
			n, _ := dim.(feature.Size)
			if _, fixed := dim.(feature.Size); !fixed {
				n = -1
			}
			p.axes = append(p.axes, int(max(n, -1)))
		}
	case feature.DecodeTensor:
		if d.DType == tensor.Invalid || d.Shape == nil {
			return p, fmt.Errorf("%w: want dtype and shape in the spec, as \"shape\":[-1,-1]", ErrType)
		}
		dtype = d.DType
		for _, n := range d.Shape {
			p.axes = append(p.axes, int(n))
		}
	}
	if feature.DecodeOf(f) != nil {
		opts = &Options{Text: opts.Text} // the other options are about values in records
	}
	var err error
	if p.leaf, err = leafOf(dtype, name, opts); err != nil {
		return p, err
	}
	if p.dims > 0 && p.leaf.isImage() {
		return p, fmt.Errorf("%w: a sparse feature cannot be images", ErrType)
	}
	for _, n := range p.axes {
		if n > 1<<31-1 {
			return p, fmt.Errorf("%w: list size %d is beyond int32", ErrType, n)
		}
	}
	return p, nil
}

// leafOf returns the type of values of a dtype in a feature. A dtype that Arrow lacks becomes the next larger type.
func leafOf(d tensor.DType, name string, opts *Options) (leafType, error) {
	t := leafType{dtype: d}
	switch d {
	case tensor.Int64:
		t.arrow, t.labels = arrow.PrimitiveTypes.Int64, opts.Labels[name]
		for _, label := range t.labels {
			if !utf8.ValidString(label) {
				return t, fmt.Errorf("%w: the label %q is not UTF-8", ErrType, label)
			}
		}
		switch {
		case opts.DTypes[name] == tensor.Bool:
			t.arrow = arrow.FixedWidthTypes.Boolean
		case opts.DTypes[name] == tensor.Uint64:
			t.arrow = arrow.PrimitiveTypes.Uint64
		case len(t.labels) > 0 && opts.LabelNames:
			t.arrow = arrow.BinaryTypes.LargeString
		}
	case tensor.Int32, tensor.QInt32:
		t.arrow = arrow.PrimitiveTypes.Int32
	case tensor.Int16, tensor.QInt16:
		t.arrow = arrow.PrimitiveTypes.Int16
	case tensor.Int8, tensor.QInt8, tensor.Int4:
		t.arrow = arrow.PrimitiveTypes.Int8
	case tensor.Uint64:
		t.arrow = arrow.PrimitiveTypes.Uint64
	case tensor.Uint32:
		t.arrow = arrow.PrimitiveTypes.Uint32
	case tensor.Uint16, tensor.QUint16:
		t.arrow = arrow.PrimitiveTypes.Uint16
	case tensor.Uint8, tensor.QUint8, tensor.Uint4:
		t.arrow = arrow.PrimitiveTypes.Uint8
	case tensor.Bool:
		t.arrow = arrow.FixedWidthTypes.Boolean
	case tensor.Float16:
		t.arrow = arrow.FixedWidthTypes.Float16
	case tensor.Float32, tensor.BFloat16, tensor.Float8E5M2, tensor.Float8E4M3FN:
		t.arrow = arrow.PrimitiveTypes.Float32
	case tensor.Float64:
		t.arrow = arrow.PrimitiveTypes.Float64
	case tensor.Complex64:
		t.arrow, t.pair = arrow.PrimitiveTypes.Float32, true
	case tensor.Complex128:
		t.arrow, t.pair = arrow.PrimitiveTypes.Float64, true
	case tensor.String:
		switch {
		case slices.Contains(opts.Images, name):
			t.arrow = imageType
		case slices.Contains(opts.Text, name):
			t.arrow = arrow.BinaryTypes.LargeString
		default:
			t.arrow = arrow.BinaryTypes.LargeBinary
		}
	default:
		return t, fmt.Errorf("%w: no column holds %v", ErrType, d)
	}
	return t, nil
}

// arrowType returns the type of the column.
func (p *columnPlan) arrowType() arrow.DataType {
	t := p.leaf.arrow
	if p.leaf.pair {
		t = listType(2, t)
	}
	if p.dims > 0 {
		t = arrow.StructOf(
			arrow.Field{Name: "indices", Type: listType(-1, listType(p.dims, arrow.PrimitiveTypes.Int64))},
			arrow.Field{Name: "values", Type: listType(-1, t)})
	}
	for _, n := range slices.Backward(p.axes) {
		t = listType(n, t)
	}
	return t
}

// listType returns the type of lists of a fixed size, or of any size if size <= 0. Elements are nullable for images only: else
// datasets ignores its metadata.
func listType(size int, element arrow.DataType) arrow.DataType {
	leaf := element
	for elementOf(leaf) != nil {
		leaf = elementOf(leaf)
	}
	f := arrow.Field{Name: "element", Type: element, Nullable: leaf == arrow.DataType(imageType)}
	if size <= 0 {
		return arrow.LargeListOfField(f)
	}
	return arrow.FixedSizeListOfField(int32(size), f)
}
