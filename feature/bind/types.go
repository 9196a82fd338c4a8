package bind

import (
	"errors"
	"fmt"
	"reflect"
	"strconv"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
)

// shape is the structure of a field's type: an optional pointer, then slices and arrays, then
// an element.
type shape struct {
	pointer bool        // the field is a pointer
	dims    []dimension // the slices and arrays, outermost first
	elem    *element    // the type of the values
	levels  int         // number of partitions of the column
	base    int         // index of the partition whose rows are the units: the record, or its steps or examples
}

// dimension is one slice or array in the type of a field. It partitions its items: the rows of the
// next dimension, or the values.
type dimension struct {
	array   bool              // a Go array; false: a slice
	uniform bool              // all rows have length n
	n       int               // the length of an array, or of the rows of a uniform partition
	level   int               // index of the partition in the column; -1 if it is a dimension of the column's cells
	part    feature.Partition // partition of the feature; nil for the outermost dimension
	index   int               // index of part in the feature, or -1
}

// describeType returns the shape of a type.
func describeType(t reflect.Type) (shape, error) {
	var s shape
	if t.Kind() == reflect.Pointer {
		s.pointer = true
		t = t.Elem()
	}
	for ; ; t = t.Elem() {
		if e := elementOf(t); e != nil {
			s.elem = e
			break
		}
		switch k := t.Kind(); {
		case (k == reflect.Slice || k == reflect.Array) && t.Elem().Kind() == reflect.Uint8:
			return s, fmt.Errorf("%v is ambiguous: want []byte for bytes, a wider type for numbers", t)
		case k == reflect.Slice:
			s.dims = append(s.dims, dimension{level: -1, index: -1})
		case k == reflect.Array:
			s.dims = append(s.dims, dimension{array: true, uniform: true, n: t.Len(), level: -1, index: -1})
		case k == reflect.Struct:
			return s, fmt.Errorf("struct %v cannot be a feature: embed or tag it (context, sequence, examples)", t)
		default:
			return s, fmt.Errorf("%v cannot be a feature: want numbers, bool, string, []byte, slices or arrays", t)
		}
	}
	if s.pointer && s.numSlices() > 0 {
		return s, errors.New("pointer to a slice: use the slice itself, which may be empty")
	}
	return s, nil
}

// numSlices counts the dimensions that are slices.
func (s shape) numSlices() (n int) {
	for _, d := range s.dims {
		if !d.array {
			n++
		}
	}
	return n
}

// toFeature returns the feature of a type, and completes its dimensions.
func (s *shape) toFeature(g feature.Group, t tag) (feature.Feature, []error) {
	var errs []error
	failf := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	d := s.elem.dtype
	if g == feature.InExamples {
		s.base = 1
	}
	dims := s.dims
	if g == feature.InSequence {
		if s.pointer || len(dims) == 0 || dims[0].array {
			failf("want a slice in sequence, with one element per step")
			return nil, errs
		}
		dims[0].level = 0
		dims, s.base = dims[1:], 1
	}
	s.levels = s.base
	var f feature.Feature
	variable := s.numSlices()
	switch {
	case g == feature.InSequence && variable == 1:
		f = feature.FixedLenSequence{DType: d, Shape: lengths(dims), AllowMissing: t.missing}
	case s.pointer && len(dims) == 0:
		f = feature.VarLen{DType: d}
		s.levels++
	case s.pointer || variable > 0:
		if !s.pointer && dims[0].array {
			failf("array of slices: want a slice outside, because records do not fix its length")
			return nil, errs
		}
		f = s.toRagged(dims, t, failf)
	default:
		def, err := s.elem.parseDefault(t.def, lengths(dims))
		if err != nil {
			errs = append(errs, err)
		}
		f = feature.FixedLen{DType: d, Shape: lengths(dims), Default: def}
	}
	errs = append(errs, unusedOptions(f, t)...)
	if t.round && s.elem.typ.Kind() != reflect.Float64 {
		failf("option round: only float64 is rounded")
	}
	return f, errs
}

// toRagged returns the feature of slices, or of a pointer to an array. All dimensions but the
// outermost take their partitions from the tag or, for arrays, from the type.
func (s *shape) toRagged(dims []dimension, t tag, failf func(string, ...any)) feature.Feature {
	f := feature.Ragged{DType: s.elem.dtype}
	if t.valueKey != nil {
		f.ValueKey = *t.valueKey
		if f.ValueKey == "" {
			failf("option value_key: the key is empty")
		}
	}
	if !s.pointer {
		dims[0].level = s.base
		dims = dims[1:]
	}
	rest := t.partitions
	wanted := 0
	for i := range dims {
		d := &dims[i]
		d.index = i
		if d.array {
			d.part = feature.UniformRowLength(d.n)
		} else {
			wanted++
			if len(rest) == 0 {
				continue
			}
			d.part, rest = rest[0], rest[1:]
			if n, ok := d.part.(feature.UniformRowLength); ok {
				d.uniform, d.n = true, int(n)
			}
		}
		f.Partitions = append(f.Partitions, d.part)
	}
	if got := len(t.partitions); got != wanted {
		failf("partitions in the tag: want %d, one for each inner slice, got %d", wanted, got)
	}
	// Uniform dimensions at the end are dimensions of the cells; the others are levels of the column.
	inner := len(dims)
	for inner > 0 && dims[inner-1].uniform {
		inner--
	}
	for i := range dims[:inner] {
		dims[i].level = s.base + 1 + i
	}
	s.levels += 1 + inner
	return f
}

// unusedOptions returns errors for options that the kind of feature does not have.
func unusedOptions(f feature.Feature, t tag) (errs []error) {
	_, fixed := f.(feature.FixedLen)
	_, steps := f.(feature.FixedLenSequence)
	_, ragged := f.(feature.Ragged)
	if t.def != nil && !fixed {
		errs = append(errs, errors.New("option default: only for values and arrays outside sequence"))
	}
	if t.missing && !steps {
		errs = append(errs, errors.New("option allow_missing: only in sequence, for slices of values or of arrays"))
	}
	if t.valueKey != nil && !ragged {
		errs = append(errs, errors.New("option value_key: only for slices; the name is the key"))
	}
	if len(t.partitions) > 0 && !ragged {
		errs = append(errs, errors.New("a partition needs a slice inside a slice"))
	}
	return errs
}

// lengths returns the lengths of arrays, or nil.
func lengths(dims []dimension) (n []int) {
	for _, d := range dims {
		n = append(n, d.n)
	}
	return n
}

// parseDefault returns the default of a feature: text, once for each value of the shape.
func (e *element) parseDefault(text *string, shape []int) (v example.Value, err error) {
	if text == nil {
		return v, nil
	}
	n := 1
	for _, d := range shape {
		n *= d
	}
	if n == 0 {
		return v, errors.New("option default: the array has no values")
	}
	switch e.dtype {
	case feature.Int64:
		x, err := e.parseInt(*text)
		if err != nil {
			return v, err
		}
		v.Int64s = repeat(x, n)
	case feature.Float32:
		x, err := strconv.ParseFloat(*text, 32)
		if err != nil {
			return v, fmt.Errorf("option default: want a float32, got %q", *text)
		}
		v.Floats = repeat(float32(x), n)
	case feature.String:
		v.Bytes = repeat([]byte(*text), n)
	}
	return v, nil
}

func repeat[T any](x T, n int) []T {
	v := make([]T, n)
	for i := range v {
		v[i] = x
	}
	return v
}

// parseInt parses the default of an integer or bool.
func (e *element) parseInt(text string) (int64, error) {
	if e.typ.Kind() == reflect.Bool {
		switch text {
		case "false":
			return 0, nil
		case "true":
			return 1, nil
		}
		return 0, fmt.Errorf("option default: want true or false, got %q", text)
	}
	x, err := strconv.ParseInt(text, 10, 64)
	if err != nil || x < e.min || x > e.max {
		return 0, fmt.Errorf("option default: want %s, got %q", e.rangeText(), text)
	}
	return x, nil
}
