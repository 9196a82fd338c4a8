package bind

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"

	"github.com/tfparse/tfparse/feature"
)

// columnData is the column of one field in a batch of one record.
type columnData struct {
	ints   []int64   // the values, if they are int64
	floats []float32 // the values, if they are float32
	texts  []string  // the values, if they are strings
	levels []level   // the partitions, outermost first
	run    *run      // buffer to copy arrays
}

// level is one partition of a column. Positions count from 0, since the batch has one record.
type level struct {
	splits []int64 // row splits; nil if the partition is uniform
	length int     // the uniform row length
}

// itemsOf returns the bounds of a row.
func (l *level) itemsOf(row int) (lo, hi int) {
	if l.splits == nil {
		return row * l.length, (row + 1) * l.length
	}
	return int(l.splits[row]), int(l.splits[row+1])
}

// rowOf returns the row that contains an item.
func (l *level) rowOf(item int) int {
	if l.splits == nil {
		return item / l.length
	}
	row := 0
	for int(l.splits[row+1]) <= item {
		row++
	}
	return row
}

// run is a buffer to copy arrays: package reflect copies between an array and one of these slices,
// whose reflect.Values are allocated once.
type run struct {
	ints   []int64
	floats []float32
	texts  []string
	values [3]reflect.Value // addressable values of the three slices, by dtype
}

func newRun() *run {
	r := &run{}
	r.values = [3]reflect.Value{
		feature.String - 1:  reflect.ValueOf(&r.texts).Elem(),
		feature.Float32 - 1: reflect.ValueOf(&r.floats).Elem(),
		feature.Int64 - 1:   reflect.ValueOf(&r.ints).Elem(),
	}
	return r
}

// element is the Go type of a single value.
type element struct {
	typ      reflect.Type                                    // may be a defined type, such as type ID int64
	dtype    feature.DType                                   // of the column: Int64 for bool, Float32 for float64
	min, max int64                                           // the range of an integer or bool
	set      func(v reflect.Value, s *columnData, i int)     // sets v to value i of the column
	add      func(f *flatField, v reflect.Value) *valueError // appends v to the values to encode
	runs     runs                                            // copies whole slices without reflection per value; nil for a defined type
	exact    bool                                            // typ is the type of the column's values, so arrays are copied whole
}

// elementOf returns the element of a type, or nil if it is not the type of a single value.
func elementOf(t reflect.Type) *element {
	e := &element{typ: t, runs: runsOf[t]}
	switch t.Kind() {
	case reflect.String:
		e.dtype = feature.String
		e.set = func(v reflect.Value, s *columnData, i int) { v.SetString(s.texts[i]) }
		e.add = func(f *flatField, v reflect.Value) *valueError { f.texts = append(f.texts, v.String()); return nil }
	case reflect.Slice:
		if t.Elem() != reflect.TypeFor[byte]() {
			return nil
		}
		e.dtype = feature.String
		e.set = func(v reflect.Value, s *columnData, i int) { v.SetBytes(append(v.Bytes()[:0], s.texts[i]...)) }
		e.add = func(f *flatField, v reflect.Value) *valueError { f.bytes = append(f.bytes, v.Bytes()); return nil }
	case reflect.Float32: // through a pointer, since reflect would convert, which changes some NaNs
		e.dtype = feature.Float32
		e.set = func(v reflect.Value, s *columnData, i int) { *pointer[float32](v) = s.floats[i] }
		e.add = func(f *flatField, v reflect.Value) *valueError {
			f.floats = append(f.floats, *pointer[float32](v))
			return nil
		}
	case reflect.Float64:
		e.dtype = feature.Float32
		e.set = func(v reflect.Value, s *columnData, i int) { v.SetFloat(float64(s.floats[i])) }
		e.add = func(f *flatField, v reflect.Value) *valueError { return f.addFloat(v.Float()) }
	case reflect.Bool:
		e.dtype, e.min, e.max = feature.Int64, 0, 1
		e.set = func(v reflect.Value, s *columnData, i int) { v.SetBool(s.ints[i] != 0) }
		e.add = func(f *flatField, v reflect.Value) *valueError {
			f.ints = append(f.ints, boolToInt(v.Bool()))
			return nil
		}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		e.dtype = feature.Int64
		e.min, e.max = -1<<(t.Bits()-1), 1<<(t.Bits()-1)-1
		e.set = func(v reflect.Value, s *columnData, i int) { v.SetInt(s.ints[i]) }
		e.add = func(f *flatField, v reflect.Value) *valueError { f.ints = append(f.ints, v.Int()); return nil }
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		e.dtype = feature.Int64
		e.max = int64(uint64(math.MaxUint64) >> max(64-t.Bits(), 1))
		e.set = func(v reflect.Value, s *columnData, i int) { v.SetUint(uint64(s.ints[i])) }
		e.add = func(f *flatField, v reflect.Value) *valueError { return f.addUint(v.Uint()) }
	default:
		return nil
	}
	e.exact = t == reflect.TypeFor[int64]() || t == reflect.TypeFor[float32]() || t == reflect.TypeFor[string]()
	return e
}

// pointer returns a pointer to v, whose type is T or is defined as T.
func pointer[T any](v reflect.Value) *T {
	p := v.Addr()
	if t, ok := p.Interface().(*T); ok {
		return t
	}
	return p.Convert(reflect.TypeFor[*T]()).Interface().(*T)
}

func boolToInt(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// rangeText returns the range of an integer type, for errors.
func (e *element) rangeText() string { return fmt.Sprintf("%d to %d for %v", e.min, e.max, e.typ) }

// isNarrow reports whether the type holds fewer values than int64.
func (e *element) isNarrow() bool { return e.dtype == feature.Int64 && e.min != math.MinInt64 }

// findMisfit returns the index of the first value of a column that the type cannot hold, or -1.
// The check runs before any field is set.
func (e *element) findMisfit(s *columnData) int {
	if !e.isNarrow() {
		return -1
	}
	for i, x := range s.ints {
		if x < e.min || x > e.max {
			return i
		}
	}
	return -1
}

// loadArray copies values lo to hi of the column to an array of the same type.
func (s *columnData) loadArray(v reflect.Value, d feature.DType, lo, hi int) {
	switch d {
	case feature.Int64:
		s.run.ints = s.ints[lo:hi]
	case feature.Float32:
		s.run.floats = s.floats[lo:hi]
	case feature.String:
		s.run.texts = s.texts[lo:hi]
	}
	reflect.Copy(v, s.run.values[d-1])
}

// flatField is the value of one field, flattened for encoding.
type flatField struct {
	ints   []int64   // the values, in one of these four
	floats []float32 // of float32 and float64
	texts  []string  // of strings; they share memory with the struct until release
	bytes  [][]byte  // of []byte; they share memory with the struct until release
	splits [][]int64 // row splits by dimension, starting with 0; unused for uniform dimensions
	absent bool      // the field is a nil pointer
	round  bool      // float64 may be rounded
	run    *run      // buffer to copy arrays
}

// reset empties f.
func (f *flatField) reset() {
	f.ints, f.floats, f.texts, f.bytes, f.absent = f.ints[:0], f.floats[:0], f.texts[:0], f.bytes[:0], false
	for i := range f.splits {
		f.splits[i] = append(f.splits[i][:0], 0)
	}
}

// release drops all references to the struct.
func (f *flatField) release() {
	clear(f.texts[:cap(f.texts)])
	clear(f.bytes[:cap(f.bytes)])
	f.run.texts = nil
}

// addUint adds an unsigned number.
func (f *flatField) addUint(x uint64) *valueError {
	if x > math.MaxInt64 {
		return &valueError{err: ErrRange, want: "at most " + strconv.FormatInt(math.MaxInt64, 10), got: strconv.FormatUint(x, 10)}
	}
	f.ints = append(f.ints, int64(x))
	return nil
}

// addFloat adds a float64. It must be exactly a float32, unless the tag has the option
// round.
func (f *flatField) addFloat(x float64) *valueError {
	y := float32(x)
	if float64(y) != x && x == x && (!f.round || math.IsInf(float64(y), 0)) {
		want := "a number that is exactly a float32 (the option round allows others)"
		if f.round {
			want = "a number in the range of float32"
		}
		return &valueError{err: ErrRange, want: want, got: strconv.FormatFloat(x, 'g', -1, 64)}
	}
	f.floats = append(f.floats, y)
	return nil
}

// addArray adds the values of an array whose type is that of the column's values.
func (f *flatField) addArray(v reflect.Value, d feature.DType) {
	switch d {
	case feature.Int64:
		f.ints, f.run.ints = extend(f.ints, v.Len())
	case feature.Float32:
		f.floats, f.run.floats = extend(f.floats, v.Len())
	case feature.String:
		f.texts, f.run.texts = extend(f.texts, v.Len())
	}
	reflect.Copy(f.run.values[d-1], v)
}

// extend extends s by n elements and returns it and the new elements.
func extend[T any](s []T, n int) (longer, added []T) {
	longer = slices.Grow(s, n)[:len(s)+n]
	return longer, longer[len(s):]
}
