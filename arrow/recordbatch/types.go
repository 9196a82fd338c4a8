package recordbatch

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/tfparse/tfparse/example"
)

// checkField returns an error if an Example cannot hold the type, or if the columns before gave a feature of the name. seen
// has the names of all features.
func checkField(name string, t arrow.DataType, seen map[string]bool) error {
	if st, ok := t.(*arrow.StructType); ok && !isImage(st) {
		for _, f := range st.Fields() {
			if err := checkField(name+"/"+f.Name, f.Type, seen); err != nil {
				return err
			}
		}
		return nil
	}
	leaf, depth := t, 0
	for elementOf(leaf) != nil {
		leaf = elementOf(leaf)
		depth++
	}
	if kindOf(leaf) == example.Unset {
		return &Error{Column: name, Row: -1, Err: fmt.Errorf("%w: no feature holds %v", ErrType, t)}
	}
	names := []string{name}
	for i := range max(depth-1, 0) {
		names = append(names, lengthsName(name, i))
	}
	for _, n := range names {
		if seen[n] {
			return &Error{Column: name, Row: -1, Err: fmt.Errorf("%w: two columns give the feature %q", ErrType, n)}
		}
		seen[n] = true
	}
	return nil
}

// lengthsName returns the name of the feature that holds the row lengths of the inner lists at a depth.
func lengthsName(name string, depth int) string { return fmt.Sprintf("%s/lengths_%d", name, depth) }

// A exampleColumn is a column that becomes features of an Example.
type exampleColumn struct {
	flatColumn
	kind    example.Kind // kind of the feature; its values are in one of the next three fields. Unset: the type is null
	ints    []int64      // values of the whole batch
	floats  []float32    // the same for floats
	strings []string     // the same for strings
	lengths []int64      // buffer: lengths of the inner lists of a row
}

// appendExampleColumns appends the columns of an array: several for a struct. parentNull says which rows of the struct
// around the array are null; nil if none is.
func appendExampleColumns(dst []exampleColumn, name string, data arrow.ArrayData, parentNull []bool) ([]exampleColumn, error) {
	f, err := flatten(name, data)
	if err != nil {
		return dst, err
	}
	if f.null == nil {
		f.null = parentNull
	} else if parentNull != nil {
		for i := range f.null {
			f.null[i] = f.null[i] || parentNull[i]
		}
	}
	if st, ok := f.leaf.DataType().(*arrow.StructType); ok && len(f.axes) == 0 {
		if len(f.leaf.Children()) != st.NumFields() {
			return dst, f.fail(-1, "a struct lacks fields")
		}
		for i, child := range f.leaf.Children() {
			if child.Len() < data.Offset()+data.Len() {
				return dst, f.fail(-1, "%d values of a field, want %d", child.Len(), data.Len())
			}
			if dst, err = appendExampleColumns(dst, name+"/"+st.Field(i).Name, array.NewSliceData(child, int64(data.Offset()), int64(data.Offset()+data.Len())), f.null); err != nil {
				return dst, err
			}
		}
		return dst, nil
	}
	c := exampleColumn{flatColumn: f}
	if c.leaf.DataType().ID() == arrow.NULL { // empty lists of a column without values
		return append(dst, c), nil
	}
	c.kind = f.kind()
	switch c.kind {
	case example.Int64List:
		c.ints, err = f.ints()
	case example.FloatList:
		c.floats, err = f.floats()
	case example.BytesList:
		c.strings, err = f.texts()
	default:
		err = &Error{Column: name, Row: -1, Err: fmt.Errorf("%w: no feature holds %v", ErrType, data.DataType())}
	}
	return append(dst, c), err
}

// yieldByTypes yields Examples made by the types of the columns.
func (d *Decoder) yieldByTypes(rec arrow.RecordBatch, yield func([]byte, error) bool) {
	var columns []exampleColumn
	for i, f := range d.schema.Fields() {
		var err error
		if columns, err = appendExampleColumns(columns, f.Name, rec.Column(i).Data(), nil); err != nil {
			yield(nil, err)
			return
		}
	}
	var record []byte
	for row := range int(rec.NumRows()) {
		d.row.Reset()
		for i := range columns {
			columns[i].addRow(&d.row, row)
		}
		var err error
		if record, err = d.row.AppendBinary(record[:0]); err != nil {
			yield(nil, &Error{Row: row, Err: err})
			return
		}
		if !yield(record, nil) {
			return
		}
	}
}

// addRow adds the features of a row to a record. A null row has none.
func (c *exampleColumn) addRow(b *example.Builder, row int) {
	if c.isNull(row) {
		return
	}
	lo, hi := c.span(row, len(c.axes))
	switch c.kind {
	case example.Int64List:
		b.Add(c.name, example.Value{Int64s: notNil(c.ints[lo:hi])})
	case example.FloatList:
		b.Add(c.name, example.Value{Floats: notNil(c.floats[lo:hi])})
	case example.Unset:
		b.Add(c.name, example.Value{})
	default:
		b.AddStrings(c.name, c.strings[lo:hi]...)
	}
	for i := 1; i < len(c.axes); i++ {
		if c.axes[i].splits == nil {
			continue // the type has the length
		}
		c.lengths = c.lengths[:0]
		for lo, hi := c.span(row, i); lo < hi; lo++ {
			c.lengths = append(c.lengths, c.axes[i].splits[lo+1]-c.axes[i].splits[lo])
		}
		b.Add(lengthsName(c.name, i-1), example.Value{Int64s: notNil(c.lengths)})
	}
}

// notNil returns an empty slice for nil, because nil would make a feature without kind.
func notNil[T any](v []T) []T {
	if v == nil {
		return []T{}
	}
	return v
}
