package recordbatch

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/tensor"
)

// A Decoder converts record batches of one schema to records. Only one goroutine may use it.
type Decoder struct {
	schema *arrow.Schema   // of the record batches
	parser *feature.Parser // parser of the spec in the metadata; nil: records are made by types
	plans  []columnPlan    // with a parser: one for each column
	note   string          // why the spec in the metadata is not used; "" if it is, or there is none
	row    example.Builder // without a parser: the current record
}

// NewDecoder returns a Decoder. A column that records cannot hold is an *Error; damaged metadata are ErrData.
func NewDecoder(s *arrow.Schema) (*Decoder, error) {
	d := &Decoder{schema: s}
	md := s.Metadata()
	if text, ok := md.GetValue(SpecKey); ok {
		var spec feature.Spec
		if err := json.Unmarshal([]byte(text), &spec); err != nil {
			first, _, _ := strings.Cut(err.Error(), "\n") // of all faults
			return nil, fmt.Errorf("%w: metadata %s: %s", ErrData, SpecKey, first)
		}
		err := d.useSpec(spec)
		if err == nil {
			return d, nil
		}
		if md.FindKey(StrictKey) >= 0 {
			return nil, fmt.Errorf("%w: the spec does not fit the columns: %w", ErrData, err)
		}
		d.note = "the spec in the metadata is not used: " + err.Error()
	}
	seen := map[string]bool{}
	for _, f := range s.Fields() {
		if md.FindKey(VersionKey) >= 0 && md.FindKey(SpecKey) < 0 && f.Metadata.FindKey(SpecKey) >= 0 {
			// ForSpec writes all three, so the key of the spec is damaged. Tools drop all metadata of a schema or none.
			return nil, &Error{Column: f.Name, Row: -1, Err: fmt.Errorf("%w: the column has a spec, but the schema lacks %s", ErrData, SpecKey)}
		}
		if err := checkField(f.Name, f.Type, seen); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// Message returns the type of the records.
func (d *Decoder) Message() example.MessageType {
	if d.parser != nil {
		return d.parser.Message()
	}
	return example.TypeExample
}

// Spec returns the spec of the records; ok is false if they are made by the types of the columns.
func (d *Decoder) Spec() (spec feature.Spec, ok bool) {
	if d.parser == nil {
		return spec, false
	}
	return d.parser.Spec(), true
}

// Note says why the spec in the metadata is not used; "" if it is used, or if there is none.
func (d *Decoder) Note() string { return d.note }

// useSpec sets the parser for a spec, without its features that have no column: a tool may have selected columns. The
// error says why the spec does not fit the columns.
func (d *Decoder) useSpec(whole feature.Spec) error {
	var part feature.Spec
	s, err := ForSpec(whole, nil)
	if err != nil {
		return err
	}
	var plans []columnPlan
	for _, f := range d.schema.Fields() {
		i := slices.IndexFunc(s.columns, func(p columnPlan) bool { return p.name == f.Name })
		if i < 0 {
			return &Error{Column: f.Name, Row: -1, Err: fmt.Errorf("%w: the spec has no such feature", ErrType)}
		}
		p := s.columns[i]
		have, want := normalType(f.Type), normalType(p.arrowType())
		if feature.DecodeOf(p.spec) == nil {
			have = integersOfTFDS.Replace(have)
		}
		if have != want {
			return &Error{Column: f.Name, Row: -1, Err: fmt.Errorf("%w: want %s, got %s", ErrType, want, have)}
		}
		group := part.Group(p.group)
		if *group == nil {
			*group = feature.Features{}
		}
		if (*group)[p.key] != nil {
			return &Error{Column: f.Name, Row: -1, Err: fmt.Errorf("%w: two columns of one feature", ErrType)}
		}
		(*group)[p.key] = p.spec
		plans = append(plans, p)
	}
	if part.Message() != whole.Message() {
		return fmt.Errorf("%w: want columns of a %v, got those of a %v", ErrType, whole.Message(), part.Message())
	}
	parser, err := feature.NewParser(part, nil)
	if err == nil {
		d.parser, d.plans = parser, plans
	}
	return err
}

// integersOfTFDS replaces the types of columns that hold int64 values of records: those of Options.DTypes.
var integersOfTFDS = strings.NewReplacer("bool", "int64", "uint64", "int64")

// normalType returns a type as text, without the details that other tools change: list sizes, widths of offsets, and
// whether strings are text.
func normalType(t arrow.DataType) string {
	if e := elementOf(t); e != nil {
		return "list<" + normalType(e) + ">"
	}
	if st, ok := t.(*arrow.StructType); ok && !isImage(st) {
		text := "struct<"
		for _, f := range st.Fields() {
			text += f.Name + ": " + normalType(f.Type) + ", "
		}
		return strings.TrimSuffix(text, ", ") + ">"
	}
	if kindOf(t) == example.BytesList {
		return "binary"
	}
	return t.String()
}

// elementOf returns the element type of a list type; nil for other types.
func elementOf(t arrow.DataType) arrow.DataType {
	switch t := t.(type) {
	case *arrow.ListType:
		return t.Elem()
	case *arrow.LargeListType:
		return t.Elem()
	case *arrow.FixedSizeListType:
		return t.Elem()
	}
	return nil
}

// Records yields the records of a record batch, each valid until the next. The sequence ends after the first error; errors
// in the data are of type *Error.
func (d *Decoder) Records(rec arrow.RecordBatch) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		if d.parser != nil {
			d.yieldBySpec(rec, yield)
		} else {
			d.yieldByTypes(rec, yield)
		}
	}
}

// yieldBySpec yields records that the parser parses to the columns.
func (d *Decoder) yieldBySpec(rec arrow.RecordBatch, yield func([]byte, error) bool) {
	b, err := d.assemble(rec)
	if err != nil {
		yield(nil, err)
		return
	}
	var record []byte
	for row := range b.Len() {
		if record, err = b.AppendRecord(record[:0], row); err != nil {
			yield(nil, &Error{Row: row, Err: err})
			return
		}
		if !yield(record, nil) {
			return
		}
	}
}

// assemble returns the batch that has the columns of a record batch.
func (d *Decoder) assemble(rec arrow.RecordBatch) (*feature.Batch, error) {
	var table feature.Table
	groups := [...]*map[string]feature.Column{feature.InFeatures: &table.Features, feature.InContext: &table.Context,
		feature.InSequence: &table.Sequence, feature.InExamples: &table.Examples}
	for i := range d.plans {
		c, err := d.plans[i].readColumn(rec.Column(i).Data())
		if err != nil {
			return nil, err
		}
		if g := groups[d.plans[i].group]; *g == nil {
			*g = map[string]feature.Column{d.plans[i].key: c}
		} else {
			(*g)[d.plans[i].key] = c
		}
	}
	b, err := d.parser.Assemble(table)
	if e, ok := errors.AsType[*feature.Error](err); ok {
		return nil, &Error{Column: e.Feature, Row: e.Record, Err: e} // the first error of several
	}
	return b, err
}

// readColumn returns the column of a feature with a plan.
func (p *columnPlan) readColumn(data arrow.ArrayData) (c feature.Column, err error) {
	if p.dims > 0 {
		return p.readSparse(data)
	}
	f, err := flatten(p.name, data)
	if err != nil {
		return c, err
	}
	for row, null := range f.null {
		if null {
			return c, f.fail(row, "want a value, got null")
		}
	}
	if feature.DecodeOf(p.spec) != nil {
		return p.encodeStrings(&f)
	}
	f.wrap = true
	return f.column()
}

// column returns the column with a row partition for each axis.
func (f *flatColumn) column() (c feature.Column, err error) {
	switch f.kind() {
	case example.Int64List:
		v, err := f.ints()
		return columnOf(f, v, err)
	case example.FloatList:
		v, err := f.floats()
		return columnOf(f, v, err)
	}
	v, err := f.texts()
	return columnOf(f, v, err)
}

// columnOf returns the column of flat values, or the error of reading them.
func columnOf[T feature.Element](f *flatColumn, values []T, err error) (feature.Column, error) {
	t, err := tensorOf(f, values, err)
	return feature.NewColumn(t), err
}

// tensorOf returns flat values as a tensor with the axes of f, or the error of reading them.
func tensorOf[T feature.Element](f *flatColumn, values []T, err error) (t ragged.Tensor[T], _ error) {
	if err != nil {
		return t, err
	}
	if len(f.axes) == 0 {
		return ragged.Dense(values, f.rows)
	}
	parts := make([]ragged.Partition, len(f.axes))
	n := f.rows
	for i, a := range f.axes {
		if a.splits != nil {
			parts[i], err = ragged.FromRowSplits(a.splits)
		} else {
			parts[i], err = ragged.Uniform(int64(a.length), int64(n))
		}
		if err != nil {
			return t, f.fail(-1, "%v", err)
		}
		n = a.rowStart(n)
	}
	if t, err = ragged.New(values, nil, parts...); err != nil {
		return t, f.fail(-1, "%v", err)
	}
	return t, nil
}

// readSparse returns the column of a Sparse feature. Its indices and its values must be in lists of the same lengths.
func (p *columnPlan) readSparse(data arrow.ArrayData) (c feature.Column, err error) {
	values, err := flattenField(p.name, data, 1)
	if err != nil {
		return c, err
	}
	indices, err := flattenField(p.name, data, 0)
	if err != nil {
		return c, err
	}
	for row := range values.rows {
		if values.isNull(row) || indices.isNull(row) {
			return c, values.fail(row, "want a value, got null")
		}
	}
	at, err := indices.ints()
	if err != nil {
		return c, err
	}
	last := len(indices.axes) - 1
	inner := indices.axes[last]
	fits := inner.splits == nil && inner.length == p.dims || inner.splits != nil && len(inner.splits)-1 == len(at)/p.dims
	for i, split := range inner.splits {
		fits = fits && split == int64(i*p.dims)
	}
	if !fits {
		return c, indices.fail(-1, "want %d indices for each value", p.dims)
	}
	indices.axes = indices.axes[:last]
	parts, err := tensorOf(&indices, make([]int64, len(at)/p.dims), nil)
	if err != nil {
		return c, err
	}
	t, err := ragged.New(at, []int{p.dims}, parts.Partitions()...)
	if err != nil {
		return c, indices.fail(-1, "%v", err)
	}
	switch values.kind() {
	case example.Int64List:
		v, err := values.ints()
		return sparseOf(&values, v, err, t)
	case example.FloatList:
		v, err := values.floats()
		return sparseOf(&values, v, err, t)
	}
	v, err := values.texts()
	return sparseOf(&values, v, err, t)
}

// sparseOf returns the column of a Sparse feature, or the error of reading its values.
func sparseOf[T feature.Element](f *flatColumn, values []T, err error, indices ragged.Tensor[int64]) (c feature.Column, _ error) {
	t, err := tensorOf(f, values, err)
	if err != nil {
		return c, err
	}
	return feature.NewSparseColumn(t, indices), nil
}

// flattenField returns a field of a column of structs, or of lists of structs.
func flattenField(name string, data arrow.ArrayData, field int) (flatColumn, error) {
	f, err := flatten(name, data)
	if err != nil {
		return f, err
	}
	if len(f.leaf.Children()) <= field {
		return f, f.fail(-1, "a struct lacks fields")
	}
	lo := f.leaf.Offset() + f.first
	return f, f.descend(f.leaf.Children()[field], lo, lo+f.count)
}

// encodeStrings returns the column of a feature with Decode: a string for each tensor.
func (p *columnPlan) encodeStrings(f *flatColumn) (c feature.Column, err error) {
	var strings []string
	if f.leaf.DataType().ID() != arrow.BOOL && p.leaf.dtype == tensor.String {
		if strings, err = f.texts(); err != nil {
			return c, err
		}
	}
	var out []string
	for row := range f.rows {
		first, end := f.span(row, p.outerAxes)
		for i := first; i < end; i++ {
			shape, lo, hi, err := f.tensorAt(p.outerAxes, i, row)
			if err != nil {
				return c, err
			}
			if p.leaf.pair {
				shape = shape[:len(shape)-1]
			}
			t := tensor.Tensor{DType: p.leaf.dtype, Shape: shape}
			if strings != nil {
				t.Strings = strings[lo:hi]
			} else {
				t.Bytes = f.elementBytes(p.leaf.dtype, lo, hi)
			}
			s, err := encodeTensor(p.spec, t)
			if err != nil {
				return c, f.fail(row, "%v", err)
			}
			out = append(out, s)
		}
	}
	f.axes = f.axes[:p.outerAxes]
	return columnOf(f, out, nil)
}

// elementBytes returns the values lo to hi as elements of a dtype, little-endian.
func (f *flatColumn) elementBytes(d tensor.DType, lo, hi int) []byte {
	b := f.bytesOf(lo, hi)
	switch d {
	case tensor.BFloat16, tensor.Float8E5M2, tensor.Float8E4M3FN:
	default:
		return b
	}
	out := make([]byte, 0, (hi-lo)*d.Size())
	for ; len(b) > 0; b = b[4:] {
		switch x := float32At(b); d {
		case tensor.BFloat16:
			out = binary.LittleEndian.AppendUint16(out, tensor.ToBFloat16(x))
		case tensor.Float8E5M2:
			out = append(out, tensor.ToFloat8E5M2(x))
		default:
			out = append(out, tensor.ToFloat8E4M3FN(x))
		}
	}
	return out
}

// encodeTensor returns the string that Decode of a feature turns into t. It may change the bytes of t.
func encodeTensor(f feature.Feature, t tensor.Tensor) (string, error) {
	raw, ok := feature.DecodeOf(f).(feature.DecodeRaw)
	if !ok {
		b, err := tensor.Append(nil, t)
		return string(b), err
	}
	if raw.BigEndian {
		width := raw.DType.Size()
		if t.DType == tensor.Complex64 || t.DType == tensor.Complex128 {
			width /= 2 // the real and the imaginary part
		}
		reverseEach(t.Bytes, width)
	}
	if !raw.Zlib {
		return string(t.Bytes), nil
	}
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	if _, err := w.Write(t.Bytes); err != nil {
		return "", err
	}
	err := w.Close()
	return b.String(), err
}
