package bind

import (
	"errors"
	"fmt"
	"reflect"
	"strconv"

	"github.com/tfparse/tfparse/feature"
)

// A state is the memory that decoding and encoding need. A codec keeps some for all
// goroutines.
type state struct {
	batch   *feature.Batch
	source  source
	encoder encoder
}

// state returns memory for one call, to be put back.
func (c *codec) state() *state {
	if st, ok := c.states.Get().(*state); ok {
		return st
	}
	st := &state{batch: c.parser.NewBatch()}
	st.source.run = newRun()
	st.encoder.init(c)
	return st
}

// decode sets the fields of v, a struct, from a record, all or none of them.
func (c *codec) decode(record []byte, v reflect.Value) error {
	st := c.state()
	defer c.states.Put(st)
	defer st.forget()
	if err := st.batch.Append(record); err != nil {
		return c.locate(err)
	}
	// Columns and fields are in one order: by group, then name.
	s, i := &st.source, 0
	for _, column := range st.batch.Columns().All() {
		if f := c.fields[i]; f.pointer || f.elem.narrow() {
			s.read(column, f)
			if err := f.check(s); err != nil {
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
		s.read(column, f)
		if f.group != feature.InExamples {
			f.decode(at(v, f.index), s, 0)
			continue
		}
		if !list.IsValid() {
			list = at(v, c.groups[feature.InExamples].index)
			resize(list, int(s.levels[0].splits[1]))
		}
		for n := range list.Len() {
			f.decode(at(list.Index(n), f.index), s, n)
		}
	}
	return nil
}

// forget lets go of everything that belongs to the record.
func (st *state) forget() {
	st.batch.Reset()
	st.source.forget()
}

// at returns the field of a struct at a path.
func at(v reflect.Value, index []int) reflect.Value {
	for _, i := range index {
		v = v.Field(i)
	}
	return v
}

// read makes s the column of a field. Values of other types stay as they were.
func (s *source) read(c feature.Column, f *field) {
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

// forget lets go of all columns.
func (s *source) forget() {
	clear(s.levels[:cap(s.levels)])
	s.ints, s.floats, s.texts = nil, nil, nil
	s.run.ints, s.run.floats, s.run.texts = nil, nil, nil
}

// bounds returns what belongs to a row of d: rows of the next dim, or values.
func (d *dim) bounds(s *source, row int) (lo, hi int) {
	if d.level >= 0 {
		return s.levels[d.level].bounds(row)
	}
	return row * d.n, (row + 1) * d.n
}

// decode sets the field from one unit of its column: the record, or an example.
func (f *field) decode(v reflect.Value, s *source, unit int) {
	if !f.pointer {
		f.rows(v, s, 0, unit)
		return
	}
	lo, hi := s.levels[f.base].bounds(unit)
	if lo == hi {
		v.SetZero()
		return
	}
	if v.IsNil() {
		v.Set(reflect.New(f.typ.Elem()))
	}
	f.rows(v.Elem(), s, 0, lo)
}

// rows sets v, a value or what the dims from d on make of values, from a row.
func (f *field) rows(v reflect.Value, s *source, d, row int) {
	if d == len(f.dims) {
		f.elem.set(v, s, row)
		return
	}
	here, inner := &f.dims[d], f.dims[d+1:]
	lo, hi := here.bounds(s, row)
	switch {
	case here.array && len(inner) == 0 && f.elem.exact:
		s.load(v, f.elem.dtype, lo, hi)
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
		f.rows(v.Index(i), s, d+1, lo+i)
	}
}

// check looks for values that the field cannot hold: a second one behind a pointer,
// and those outside the range of its type.
func (f *field) check(s *source) error {
	if f.pointer {
		rows := &s.levels[f.base]
		for unit := range len(rows.splits) - 1 {
			if lo, hi := rows.bounds(unit); hi-lo > 1 {
				want := "at most 1 value"
				if len(f.dims) > 0 {
					want = fmt.Sprintf("at most 1 row of shape %v", lengths(f.dims))
				}
				return f.fail(unit, -1, f.key, &fault{err: feature.ErrCount, want: want, got: strconv.Itoa(hi - lo)})
			}
		}
	}
	i := f.elem.misfit(s)
	if i < 0 {
		return nil
	}
	unit, path := f.find(s, i)
	return f.fail(unit, -1, f.key, &fault{path: path, err: ErrRange, want: f.elem.want(), got: strconv.FormatInt(s.ints[i], 10)})
}

// find returns the unit and the Go indices of value i of the column.
func (f *field) find(s *source, i int) (unit int, path string) {
	// From the values upward, the row of each level that holds it.
	var rows []int // innermost first
	for d := len(f.dims) - 1; d >= 0; d-- {
		rows = append(rows, i)
		i = f.dims[d].row(s, i)
	}
	unit = i
	if f.pointer {
		unit = s.levels[f.base].row(i)
	}
	for d := range f.dims {
		at := rows[len(rows)-1-d]
		lo, _ := f.dims[d].bounds(s, i)
		path += "[" + strconv.Itoa(at-lo) + "]"
		if d == 0 && f.group == feature.InSequence {
			unit = at
		}
		i = at
	}
	return unit, path
}

// row returns the row of d that holds an item.
func (d *dim) row(s *source, item int) int {
	if d.level >= 0 {
		return s.levels[d.level].row(item)
	}
	return item / d.n
}

// locate adds the field to an error of the parser. One about the whole message has
// none.
func (c *codec) locate(err error) error {
	var e *feature.Error
	if !errors.As(err, &e) || e.Whole {
		return err
	}
	for _, f := range c.fields {
		if f.group == e.Group && f.name == e.Feature {
			path := f.at(e.Step)
			if f.group == feature.InSequence && e.Step >= 0 {
				path += "[" + strconv.Itoa(e.Step) + "]"
			}
			return &Error{Record: -1, Field: path, Err: err}
		}
	}
	return err
}
