package bind

import (
	"errors"
	"fmt"
	"reflect"
	"strconv"

	"github.com/tfparse/tfparse/feature"
)

// codecState is the reused memory of one call of Decode or AppendRecord.
type codecState struct {
	batch   *feature.Batch // one record
	source  columnData     // one column
	encoder encoder
}

// state returns memory for one call. The caller returns it to c.states.
func (c *codec) state() *codecState {
	if st, ok := c.states.Get().(*codecState); ok {
		return st
	}
	st := &codecState{batch: c.parser.NewBatch()}
	st.source.run = newRun()
	st.encoder.init(c)
	return st
}

// decode sets the fields of v, a struct, from a record. If it fails, it sets none of them.
func (c *codec) decode(record []byte, v reflect.Value) error {
	st := c.state()
	defer c.states.Put(st)
	defer st.release()
	if err := st.batch.Append(record); err != nil {
		return c.addFieldPath(err)
	}
	// Columns and fields are in the same order: by group, then by name.
	s, i := &st.source, 0
	for _, column := range st.batch.Columns().All() {
		if f := c.fields[i]; f.pointer || f.elem.isNarrow() {
			s.readColumn(column, f)
			if err := f.checkRange(s); err != nil {
				return err
			}
		}
		i++
	}
	var list reflect.Value // of examples
	i = 0
	for _, column := range st.batch.Columns().All() {
		f := c.fields[i]
		i++
		s.readColumn(column, f)
		if f.group != feature.InExamples {
			f.setField(fieldAt(v, f.index), s, 0)
			continue
		}
		if !list.IsValid() {
			list = fieldAt(v, c.parts[feature.InExamples].index)
			resize(list, int(s.levels[0].splits[1]))
		}
		for n := range list.Len() {
			f.setField(fieldAt(list.Index(n), f.index), s, n)
		}
	}
	return nil
}

// release drops all references to the record.
func (st *codecState) release() {
	st.batch.Reset()
	st.source.release()
}

// fieldAt returns the field of a struct at a reflect index.
func fieldAt(v reflect.Value, index []int) reflect.Value {
	for _, i := range index {
		v = v.Field(i)
	}
	return v
}

// readColumn sets s to the column of a field. It does not change the values of other types.
func (s *columnData) readColumn(c feature.Column, f *field) {
	switch f.elem.dtype {
	case feature.Int64:
		s.ints, _ = feature.FlatOf[int64](c)
	case feature.Float32:
		s.floats, _ = feature.FlatOf[float32](c)
	case feature.String:
		s.texts, _ = feature.FlatOf[string](c)
	}
	s.levels = s.levels[:0]
	for i := range f.levels {
		splits, length := c.Splits(i)
		s.levels = append(s.levels, level{splits, length})
	}
}

// release drops all references to columns.
func (s *columnData) release() {
	clear(s.levels[:cap(s.levels)])
	s.ints, s.floats, s.texts = nil, nil, nil
	s.run.ints, s.run.floats, s.run.texts = nil, nil, nil
}

// itemsOf returns the bounds of a row of d: rows of the next dimension, or values.
func (d *dimension) itemsOf(s *columnData, row int) (lo, hi int) {
	if d.level >= 0 {
		return s.levels[d.level].itemsOf(row)
	}
	return row * d.n, (row + 1) * d.n
}

// setField sets the field v from one unit of its column: the record, or one example.
func (f *field) setField(v reflect.Value, s *columnData, unit int) {
	if !f.pointer {
		f.setRows(v, s, 0, unit)
		return
	}
	lo, hi := s.levels[f.base].itemsOf(unit)
	if lo == hi {
		v.SetZero()
		return
	}
	if v.IsNil() {
		v.Set(reflect.New(f.typ.Elem()))
	}
	f.setRows(v.Elem(), s, 0, lo)
}

// setRows sets v, the value of a field after d indices, from a row of dimension d.
func (f *field) setRows(v reflect.Value, s *columnData, d, row int) {
	if d == len(f.dims) {
		f.elem.set(v, s, row)
		return
	}
	here, inner := &f.dims[d], f.dims[d+1:]
	lo, hi := here.itemsOf(s, row)
	switch {
	case here.array && len(inner) == 0 && f.elem.exact:
		s.loadArray(v, f.elem.dtype, lo, hi)
		return
	case here.array:
	case len(inner) == 0 && f.elem.runs != nil:
		f.elem.runs.fill(v, s, lo, hi)
		return
	default:
		resize(v, hi-lo)
	}
	if len(inner) == 1 && !inner[0].array && f.elem.runs != nil {
		f.elem.runs.rows(v, s, &inner[0], lo)
		return
	}
	for i := range hi - lo {
		f.setRows(v.Index(i), s, d+1, lo+i)
	}
}

// checkRange returns an error if the field cannot hold the values: a pointer has at most one value,
// and integers must be in the range of its type.
func (f *field) checkRange(s *columnData) error {
	if f.pointer {
		rows := &s.levels[f.base]
		for unit := range len(rows.splits) - 1 {
			if lo, hi := rows.itemsOf(unit); hi-lo > 1 {
				want := "at most 1 value"
				if len(f.dims) > 0 {
					want = fmt.Sprintf("at most 1 row of shape %v", lengths(f.dims))
				}
				return f.newError(unit, -1, f.key, &valueError{err: feature.ErrCount, want: want, got: strconv.Itoa(hi - lo)})
			}
		}
	}
	i := f.elem.findMisfit(s)
	if i < 0 {
		return nil
	}
	unit, path := f.findValue(s, i)
	return f.newError(unit, -1, f.key, &valueError{path: path, err: ErrRange, want: f.elem.rangeText(), got: strconv.FormatInt(s.ints[i], 10)})
}

// findValue returns the unit of value i of the column, and its index path in Go syntax.
func (f *field) findValue(s *columnData, i int) (unit int, path string) {
	// Collect the row of each dimension that contains the value.
	var rows []int // innermost first
	for d := len(f.dims) - 1; d >= 0; d-- {
		rows = append(rows, i)
		i = f.dims[d].rowOf(s, i)
	}
	unit = i
	if f.pointer {
		unit = s.levels[f.base].rowOf(i)
	}
	for d := range f.dims {
		at := rows[len(rows)-1-d]
		lo, _ := f.dims[d].itemsOf(s, i)
		path += "[" + strconv.Itoa(at-lo) + "]"
		if d == 0 && f.group == feature.InSequence {
			unit = at
		}
		i = at
	}
	return unit, path
}

// rowOf returns the row of d that contains an item.
func (d *dimension) rowOf(s *columnData, item int) int {
	if d.level >= 0 {
		return s.levels[d.level].rowOf(item)
	}
	return item / d.n
}

// addFieldPath adds the field to an error of the parser, unless the error concerns the whole message.
func (c *codec) addFieldPath(err error) error {
	var e *feature.Error
	if !errors.As(err, &e) || e.Whole {
		return err
	}
	for _, f := range c.fields {
		if f.group == e.Group && f.name == e.Feature {
			path := f.fieldPath(e.Step)
			if f.group == feature.InSequence && e.Step >= 0 {
				path += "[" + strconv.Itoa(e.Step) + "]"
			}
			return &Error{Record: -1, Field: path, Err: err}
		}
	}
	return err
}
