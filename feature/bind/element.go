package bind

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"

	"github.com/tfparse/tfparse/feature"
)

// A source is the column of one field, in a batch of one record.
type source struct {
	ints   []int64 // the values are in one of these
	floats []float32
	texts  []string
	levels []level // its partitions, outermost first
	run    *run
}

// A level is one partition of a column. Positions count from 0, since the record is
// alone in its batch.
type level struct {
	splits []int64 // nil if all rows have one length
	length int
}

// bounds returns the items of a row.
func (l *level) bounds(row int) (lo, hi int) {
	if l.splits == nil {
		return row * l.length, (row + 1) * l.length
	}
	return int(l.splits[row]), int(l.splits[row+1])
}

// row returns the row that holds an item.
func (l *level) row(item int) int {
	if l.splits == nil {
		return item / l.length
	}
	row := 0
	for int(l.splits[row+1]) <= item {
		row++
	}
	return row
}

// A run is values on their way from or to an array. Package reflect copies them
// between the array and one of these, which are made known to it once.
type run struct {
	ints   []int64
	floats []float32
	texts  []string
	values [3]reflect.Value // of the three, by dtype
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

// An element is the Go type of a single value: how it is set from a column, and
// added to what is to be encoded.
type element struct {
	typ      reflect.Type
	dtype    feature.DType
	min, max int64 // of an integer or bool
	set      func(v reflect.Value, s *source, i int)
	add      func(f *flat, v reflect.Value) *fault
	runs     runs // slices of the type, without reflection for each value; nil if it has a name of its own
	exact    bool // the type is that of the column: arrays are copied whole
}

// elementOf returns the element of a type, nil if no single value has it.
func elementOf(t reflect.Type) *element {
	e := &element{typ: t, runs: runsOf[t]}
	switch t.Kind() {
	case reflect.String:
		e.dtype = feature.String
		e.set = func(v reflect.Value, s *source, i int) { v.SetString(s.texts[i]) }
		e.add = func(f *flat, v reflect.Value) *fault { f.texts = append(f.texts, v.String()); return nil }
	case reflect.Slice:
		if t.Elem() != reflect.TypeFor[byte]() {
			return nil
		}
		e.dtype = feature.String
		e.set = func(v reflect.Value, s *source, i int) { v.SetBytes(append(v.Bytes()[:0], s.texts[i]...)) }
		e.add = func(f *flat, v reflect.Value) *fault { f.bytes = append(f.bytes, v.Bytes()); return nil }
	case reflect.Float32: // through a pointer, since reflect would convert, which changes some NaNs
		e.dtype = feature.Float32
		e.set = func(v reflect.Value, s *source, i int) { *pointer[float32](v) = s.floats[i] }
		e.add = func(f *flat, v reflect.Value) *fault { f.floats = append(f.floats, *pointer[float32](v)); return nil }
	case reflect.Float64:
		e.dtype = feature.Float32
		e.set = func(v reflect.Value, s *source, i int) { v.SetFloat(float64(s.floats[i])) }
		e.add = func(f *flat, v reflect.Value) *fault { return f.float(v.Float()) }
	case reflect.Bool:
		e.dtype, e.min, e.max = feature.Int64, 0, 1
		e.set = func(v reflect.Value, s *source, i int) { v.SetBool(s.ints[i] != 0) }
		e.add = func(f *flat, v reflect.Value) *fault { f.ints = append(f.ints, number(v.Bool())); return nil }
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		e.dtype = feature.Int64
		e.min, e.max = -1<<(t.Bits()-1), 1<<(t.Bits()-1)-1
		e.set = func(v reflect.Value, s *source, i int) { v.SetInt(s.ints[i]) }
		e.add = func(f *flat, v reflect.Value) *fault { f.ints = append(f.ints, v.Int()); return nil }
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		e.dtype = feature.Int64
		e.max = int64(uint64(math.MaxUint64) >> max(64-t.Bits(), 1))
		e.set = func(v reflect.Value, s *source, i int) { v.SetUint(uint64(s.ints[i])) }
		e.add = func(f *flat, v reflect.Value) *fault { return f.uint(v.Uint()) }
	default:
		return nil
	}
	e.exact = t == reflect.TypeFor[int64]() || t == reflect.TypeFor[float32]() || t == reflect.TypeFor[string]()
	return e
}

// pointer returns a pointer to v, whose type is T or defined as T.
func pointer[T any](v reflect.Value) *T {
	p := v.Addr()
	if t, ok := p.Interface().(*T); ok {
		return t
	}
	return p.Convert(reflect.TypeFor[*T]()).Interface().(*T)
}

func number(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// want says which values a type of integers holds.
func (e *element) want() string { return fmt.Sprintf("%d to %d for %v", e.min, e.max, e.typ) }

// narrow reports whether the type holds fewer values than int64.
func (e *element) narrow() bool { return e.dtype == feature.Int64 && e.min != math.MinInt64 }

// misfit returns the first value of a column that the type cannot hold, or -1. It
// looks before anything is set.
func (e *element) misfit(s *source) int {
	if !e.narrow() {
		return -1
	}
	for i, x := range s.ints {
		if x < e.min || x > e.max {
			return i
		}
	}
	return -1
}

// load copies values lo to hi of the column to an array of the same type.
func (s *source) load(v reflect.Value, d feature.DType, lo, hi int) {
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

// A flat is the value of one field, on its way to be encoded.
type flat struct {
	ints   []int64 // the values are in one of these
	floats []float32
	texts  []string
	bytes  [][]byte
	splits [][]int64 // for each dim where its rows end, beginning with 0; empty where they are uniform
	absent bool      // a nil pointer
	round  bool      // float64 may be rounded
	run    *run
}

// reset empties f.
func (f *flat) reset() {
	f.ints, f.floats, f.texts, f.bytes, f.absent = f.ints[:0], f.floats[:0], f.texts[:0], f.bytes[:0], false
	for i := range f.splits {
		f.splits[i] = append(f.splits[i][:0], 0)
	}
}

// forget lets go of everything that belongs to the struct.
func (f *flat) forget() {
	clear(f.texts[:cap(f.texts)])
	clear(f.bytes[:cap(f.bytes)])
	f.run.texts = nil
}

// uint adds an unsigned number.
func (f *flat) uint(x uint64) *fault {
	if x > math.MaxInt64 {
		return &fault{err: ErrRange, want: "at most " + strconv.FormatInt(math.MaxInt64, 10), got: strconv.FormatUint(x, 10)}
	}
	f.ints = append(f.ints, int64(x))
	return nil
}

// float adds a number of 64 bits. What is not exactly a float32 is refused, unless
// the tag says round.
func (f *flat) float(x float64) *fault {
	y := float32(x)
	if float64(y) != x && x == x && (!f.round || math.IsInf(float64(y), 0)) {
		want := "a number that is exactly a float32 (the option round allows others)"
		if f.round {
			want = "a number in the range of float32"
		}
		return &fault{err: ErrRange, want: want, got: strconv.FormatFloat(x, 'g', -1, 64)}
	}
	f.floats = append(f.floats, y)
	return nil
}

// store adds the values of an array whose type is that of the column.
func (f *flat) store(v reflect.Value, d feature.DType) {
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

// extend makes room for n more values and returns it too.
func extend[T any](s []T, n int) (longer, room []T) {
	longer = slices.Grow(s, n)[:len(s)+n]
	return longer, longer[len(s):]
}
