package recordbatch

import (
	"fmt"
	"maps"
	"slices"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/tensor"
)

// Kinds describes the features of Examples without a spec, by name. A feature of kind Unset gets no column.
type Kinds map[string]Kind

// A Kind describes a feature in all records that were added.
type Kind struct {
	Kind   example.Kind // kind in every record that has one; Unset: no record has one
	Text   bool         // the feature has values, and all are UTF-8
	values bool         // the feature has values
}

// Add adds the features of an Example. A feature that does not decode, or has two kinds, is an *Error.
func (k Kinds) Add(record []byte) error {
	entries, err := example.TypeExample.Collect(nil, record)
	if err != nil {
		return err
	}
	var values [][]byte
	for _, e := range entries {
		name := string(e.Name)
		have := k[name]
		kind := e.Feature.Kind()
		if kind == example.Malformed {
			return &Error{Column: name, Row: -1, Err: e.Feature.Validate()}
		}
		switch {
		case kind == example.Unset || kind == have.Kind:
		case have.Kind == example.Unset:
			have.Kind = kind
		default:
			return &Error{Column: name, Row: -1, Err: fmt.Errorf("%w: want %v, as in earlier records, got %v", ErrData, have.Kind, kind)}
		}
		if kind == example.BytesList && (have.Text || !have.values) {
			if values, err = e.Feature.AppendBytes(values[:0]); err != nil {
				return &Error{Column: name, Row: -1, Err: err}
			}
			have.values = have.values || len(values) > 0
			have.Text = have.values && !slices.ContainsFunc(values, func(b []byte) bool { return !utf8.Valid(b) })
		}
		k[name] = have
	}
	return nil
}

// ForKinds returns the schema of Examples without a spec. Each feature with a kind is a nullable list: null if the feature
// is absent or has no kind, [] if its list is empty. A column is text if its Kind or Options.Text says so.
func ForKinds(kinds Kinds, opts *Options) (*Schema, error) {
	if opts == nil {
		opts = &Options{}
	}
	s := &Schema{ignore: opts.IgnoreOthers}
	var fields []arrow.Field
	for _, name := range slices.Sorted(maps.Keys(kinds)) {
		k := kinds[name]
		if k.Kind == example.Unset {
			continue
		}
		d := map[example.Kind]tensor.DType{example.Int64List: tensor.Int64, example.FloatList: tensor.Float32, example.BytesList: tensor.String}[k.Kind]
		leaf, err := leafOf(d, name, opts)
		if err != nil {
			return nil, &Error{Column: name, Row: -1, Err: err}
		}
		p := columnPlan{name: name, key: name, axes: []int{-1}, leaf: leaf}
		if leaf.isImage() {
			p.axes = nil
		} else if k.Text && k.Kind == example.BytesList {
			p.leaf.arrow = arrow.BinaryTypes.LargeString
		}
		s.columns = append(s.columns, p)
		fields = append(fields, arrow.Field{Name: name, Type: p.arrowType(), Nullable: true})
	}
	return s.finish(fields, []string{VersionKey}, []string{version})
}

// A listColumn collects the lists of one feature. Only one of ints, floats and strings is used.
type listColumn struct {
	splits  []int64   // row splits, from 0 on
	ints    []int64   // values of all rows so far
	floats  []float32 // the same for floats
	strings [][]byte  // the same for strings: views of the records
	valid   []byte    // bitmap of the rows that are not null
	nulls   int       // number of null rows
}

// FromRecords converts Examples, for a schema of ForKinds. The record batch shares no memory with them. A record that does
// not decode, a feature of another kind than in Kinds, and a feature that is not in Kinds are an *Error with the row.
func (s *Schema) FromRecords(records [][]byte) (arrow.RecordBatch, error) {
	columns := make([]listColumn, len(s.columns))
	for i := range columns {
		columns[i].splits = make([]int64, 1, len(records)+1)
		columns[i].valid = make([]byte, (len(records)+7)/8)
	}
	var entries []example.Entry
	for row, record := range records {
		var err error
		if entries, err = example.TypeExample.Collect(entries[:0], record); err != nil {
			return nil, &Error{Row: row, Err: err}
		}
		at := 0 // index of a column; entries and columns are sorted by name
		for _, e := range entries {
			kind := e.Feature.Kind()
			for at < len(s.columns) && s.columns[at].key < string(e.Name) {
				at++
			}
			if kind == example.Unset {
				continue
			}
			if at == len(s.columns) || s.columns[at].key != string(e.Name) {
				if s.ignore {
					continue
				}
				return nil, &Error{Column: string(e.Name), Row: row, Err: fmt.Errorf("%w: the feature is not in the schema", ErrData)}
			}
			if err := columns[at].appendFeature(e.Feature, s.columns[at].leaf.dtype); err != nil {
				return nil, &Error{Column: string(e.Name), Row: row, Err: err}
			}
			columns[at].valid[row/8] |= 1 << (row % 8)
		}
		for i := range columns {
			columns[i].endRow(row)
		}
	}
	arrays := make([]arrow.Array, len(columns))
	for i := range columns {
		if s.columns[i].leaf.isImage() {
			data, err := columns[i].imageData(s.columns[i].name)
			if err != nil {
				return nil, err
			}
			arrays[i] = array.MakeFromData(data)
			continue
		}
		data, bad := columns[i].listData(&s.columns[i], len(records))
		if bad >= 0 {
			row := rowOf([]axis{{splits: columns[i].splits}}, bad)
			return nil, &Error{Column: s.columns[i].name, Row: row, Err: fmt.Errorf("%w: the value is not UTF-8", ErrData)}
		}
		arrays[i] = array.MakeFromData(data)
	}
	return array.NewRecordBatch(s.arrow, arrays, int64(len(records))), nil
}

// appendFeature appends the values of a feature to the current row.
func (c *listColumn) appendFeature(f example.Feature, d tensor.DType) (err error) {
	switch d {
	case tensor.Int64:
		c.ints, err = f.AppendInt64s(c.ints)
	case tensor.Float32:
		c.floats, err = f.AppendFloats(c.floats)
	default:
		c.strings, err = f.AppendBytes(c.strings)
	}
	return err
}

// endRow ends the current row. A row whose bit in valid is not set is null.
func (c *listColumn) endRow(row int) {
	c.splits = append(c.splits, int64(len(c.ints)+len(c.floats)+len(c.strings)))
	if c.valid[row/8]>>(row%8)&1 == 0 {
		c.nulls++
	}
}

// listData returns the array of the lists; bad as in stringData.
func (c *listColumn) listData(p *columnPlan, rows int) (data arrow.ArrayData, bad int) {
	bad = -1
	switch p.leaf.dtype {
	case tensor.Int64:
		data = numbers(arrow.Int64Traits.CastToBytes(c.ints), len(c.ints), p.leaf.arrow)
	case tensor.Float32:
		data = numbers(arrow.Float32Traits.CastToBytes(c.floats), len(c.floats), p.leaf.arrow)
	default:
		if data, bad = stringData(c.strings, p.leaf.arrow); bad >= 0 {
			return nil, bad
		}
	}
	var valid *memory.Buffer
	if c.nulls > 0 {
		valid = memory.NewBufferBytes(c.valid)
	}
	offsets := memory.NewBufferBytes(arrow.Int64Traits.CastToBytes(c.splits))
	return array.NewData(listType(-1, data.DataType()), rows, []*memory.Buffer{valid, offsets}, []arrow.ArrayData{data}, c.nulls, 0), -1
}

// imageData returns the array of images: one for each row, null for a row without values.
func (c *listColumn) imageData(name string) (arrow.ArrayData, error) {
	rows := len(c.splits) - 1
	images, valid, nulls := make([][]byte, rows), make([]byte, (rows+7)/8), 0
	for row := range rows {
		switch n := c.splits[row+1] - c.splits[row]; n {
		case 0:
			nulls++
		case 1:
			images[row] = c.strings[c.splits[row]]
			valid[row/8] |= 1 << (row % 8)
		default:
			return nil, &Error{Column: name, Row: row, Err: fmt.Errorf("%w: want 1 image, got %d", ErrData, n)}
		}
	}
	data, err := imageData(images, valid, nulls)
	if err != nil {
		return nil, &Error{Column: name, Row: -1, Err: err}
	}
	return data, nil
}
