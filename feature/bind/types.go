package bind

import (
	"errors"
	"fmt"
	"reflect"
	"strconv"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
)

// A shape is the structure of a field's type: an optional pointer, then slices and arrays, then
// elements.
type shape struct {
	pointer bool
	dims    []dimension // the slices and arrays, outermost first
	elem    *element
	levels  int // number of partitions of the column
	base    int // the partition that divides the record, or its steps or examples
}

// A dimension is one slice or array in the type of a field. It divides the rows of the column
// above it into the rows, or values, below.
type dimension struct {
	array   bool
	uniform bool              // all rows have length n
	n       int               // the length of an array, or of the rows of a uniform partition
	level   int               // the partition of the column; -1 if the rows are dimensions of its cells
	part    feature.Partition // the partition of the feature; nil for the outermost dimension
	index   int               // the index of part in the feature, or -1
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
			return s, fmt.Errorf("%v may be bytes or numbers: want []byte for bytes, a wider type for numbers", t)
		case k == reflect.Slice:
			s.dims = append(s.dims, dimension{level: -1, index: -1})
		case k == reflect.Array:
			s.dims = append(s.dims, dimension{array: true, uniform: true, n: t.Len(), level: -1, index: -1})
		case k == reflect.Struct:
			return s, fmt.Errorf("struct %v is no feature: embed it to take its fields, or make it a part of the record with context, sequence or examples", t)
		default:
			return s, fmt.Errorf("%v is no feature: want numbers, bool, string, []byte, or slices and arrays of them", t)
		}
	}
	if s.pointer && s.numSlices() > 0 {
		return s, errors.New("a pointer to a slice: a slice can be empty by itself")
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

// toFeature says what kind of feature a type is, and completes its dims.
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
			failf("want a slice in sequence, with an element for each step")
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
			failf("an array of slices: its length is not the record's to say: want a slice outside")
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

// toRagged makes the feature of slices, or of a pointer to an array. Its dims that are
// not the outermost take their partitions from the tag or, arrays, from the type.
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
		failf("partitions in the tag, one for each slice inside the outermost: want %d, got %d", wanted, got)
	}
	// What is uniform at the end is a dimension of the cells; the rest are levels.
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

// unusedOptions refuses options that mean nothing for the kind of feature.
func unusedOptions(f feature.Feature, t tag) (errs []error) {
	_, fixed := f.(feature.FixedLen)
	_, steps := f.(feature.FixedLenSequence)
	_, ragged := f.(feature.Ragged)
	if t.def != nil && !fixed {
		errs = append(errs, errors.New("option default: only a value that is neither slice, pointer nor in sequence has one"))
	}
	if t.missing && !steps {
		errs = append(errs, errors.New("option allow_missing: only slices of values or arrays in sequence can be missing"))
	}
	if t.valueKey != nil && !ragged {
		errs = append(errs, errors.New("option value_key: only slices have one; the key is the name"))
	}
	if len(t.partitions) > 0 && !ragged {
		errs = append(errs, errors.New("a partition, but no slice inside another"))
	}
	return errs
}

// lengths returns the lengths of arrays; nil for none.
func lengths(dims []dimension) (n []int) {
	for _, d := range dims {
		n = append(n, d.n)
	}
	return n
}

// parseDefault makes the default of a feature: as many values as the shape has, all
// what the text says.
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
			return v, fmt.Errorf("option default: %q is no float32", *text)
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

// parseInt reads a default of an integer or bool.
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
