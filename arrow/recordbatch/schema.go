package recordbatch

import (
	"encoding/json"
	"fmt"
	"slices"
	"sync/atomic"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/tensor"
)

// The keys of the metadata of schemas and fields, and of batches in IPC streams.
const (
	VersionKey = "tfparse:version" // of a schema: the version of the mapping, "1"
	SpecKey    = "tfparse:spec"    // of a schema: the spec as JSON; of a field: a spec of its feature alone
	NextKey    = "tfparse:next"    // of a batch: the position of the next record
	EndKey     = "tfparse:end"     // of the last batch, which is empty: the number of rows before it
)

const version = "1"

// Options are settings of a Schema.
type Options struct {
	// Text lists the features whose strings are UTF-8: their column is large_string, which database engines show as
	// text. A value that is not UTF-8 is then an error. All other strings are large_binary.
	Text []string

	// IgnoreOthers makes FromRecords leave out features that are not in Kinds. Without it they are errors.
	IgnoreOthers bool
}

// A Schema maps the columns of a spec, or the features of records, to an Arrow schema. It is immutable and safe for
// concurrent use.
type Schema struct {
	columns []columnPlan
	arrow   *arrow.Schema
	ignore  bool                           // Options.IgnoreOthers
	spec    feature.Spec                   // of ForSpec
	fitting atomic.Pointer[feature.Parser] // the last parser whose spec was found to be equal to spec
}

// Arrow returns the Arrow schema, with metadata.
func (s *Schema) Arrow() *arrow.Schema { return s.arrow }

// A columnPlan says how one feature becomes one column.
type columnPlan struct {
	name  string          // of the column: key, or GROUP/key
	key   string          // the name of the feature
	group feature.Group   // of the feature
	spec  feature.Feature // nil in ForKinds

	// The axes below the rows, outermost first: -1 is a list, another number a fixed size. Arrow has no lists of the
	// fixed size 0, which become lists. The axes of a Sparse column are those around the struct.
	axes    []int
	strings int      // number of axes that are those of the strings; the others are those of decoded strings
	leaf    leafType // of the values
	dims    int      // of a Sparse column: number of indices of each value; else 0
}

// A leafType is the type of the innermost values of a column.
type leafType struct {
	dtype tensor.DType
	arrow arrow.DataType
	pair  bool // a complex number: two values in a list of fixed size
}

// ForSpec returns the schema of the batches of a spec. The error joins the faults of the spec, or is an *Error for a
// feature that no column can hold.
func ForSpec(spec feature.Spec, opts *Options) (*Schema, error) {
	if err := spec.Validate(); err != nil {
		return nil, err
	}
	text, err := json.Marshal(spec)
	if err != nil {
		return nil, err
	}
	s := &Schema{}
	if err := json.Unmarshal(text, &s.spec); err != nil { // a copy
		return nil, err
	}
	count := map[string]int{} // of the groups that have a name
	for _, fs := range s.spec.Groups() {
		for name := range fs {
			count[name]++
		}
	}
	var fields []arrow.Field
	for g, fs := range s.spec.Groups() {
		for _, name := range sortedNames(fs) {
			p, err := planColumn(g, name, fs[name], opts)
			if err != nil {
				return nil, &Error{Column: name, Row: -1, Err: err}
			}
			if count[name] > 1 {
				p.name = g.String() + "/" + name
			}
			field := arrow.Field{Name: p.name, Type: p.arrowType()}
			// The context of a list of examples may have features that no spec has alone.
			if alone := specOf(g, name, fs[name], s.spec); alone.Validate() == nil {
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

// specOf returns the spec of one feature, with the features that hold sizes of its strings.
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
	md := arrow.NewMetadata(keys, values)
	s.arrow = arrow.NewSchema(fields, &md)
	return s, nil
}

func sortedNames[T any](m map[string]T) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
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
		if g != feature.InSequence { // there the steps are the blocks
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
	p.strings = len(p.axes)
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
			return p, fmt.Errorf("%w: decoded tensors need a dtype and a shape in the spec", ErrType)
		}
		dtype = d.DType
		for _, n := range d.Shape {
			p.axes = append(p.axes, int(n))
		}
	}
	var err error
	if p.leaf, err = leafOf(dtype, opts != nil && slices.Contains(opts.Text, name)); err != nil {
		return p, err
	}
	for _, n := range p.axes {
		if n > 1<<31-1 {
			return p, fmt.Errorf("%w: a list of the fixed size %d", ErrType, n)
		}
	}
	return p, nil
}

// leafOf returns the type of values of a dtype. Types that Arrow lacks become the next larger one.
func leafOf(d tensor.DType, text bool) (leafType, error) {
	t := leafType{dtype: d}
	switch d {
	case tensor.Int64:
		t.arrow = arrow.PrimitiveTypes.Int64
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
		t.arrow = arrow.BinaryTypes.LargeBinary
		if text {
			t.arrow = arrow.BinaryTypes.LargeString
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

// listType returns the type of lists of a fixed size, or of any size.
func listType(size int, element arrow.DataType) arrow.DataType {
	f := arrow.Field{Name: "element", Type: element}
	if size <= 0 {
		return arrow.LargeListOfField(f)
	}
	return arrow.FixedSizeListOfField(int32(size), f)
}
