package testkit

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
)

// maxUniformRows is how many rows a uniform partition of a vector may have: its
// splits are written out in memory.
const maxUniformRows = 1 << 20

// ParseValue reads one value of the vectors. A kind of value or a dtype that it
// does not know is ErrUnknown.
func ParseValue(raw json.RawMessage) (Value, error) {
	var m map[string]json.RawMessage
	if err := unmarshalStrict(raw, &m); err != nil {
		return nil, Fault(fmt.Errorf("value: %w", err))
	}
	if len(m) != 1 {
		return nil, Unknown("a value with the members %v", slices.Sorted(maps.Keys(m)))
	}
	for kind, body := range m {
		parse, ok := parsers()[kind]
		if !ok {
			return nil, Unknown("a value of kind %q", kind)
		}
		v, err := parse(body)
		if err != nil {
			if !errors.Is(err, ErrUnknown) {
				err = Fault(err)
			}
			return nil, fmt.Errorf("%s: %w", kind, err)
		}
		return v, nil
	}
	panic("unreachable")
}

func parsers() map[string]func(json.RawMessage) (Value, error) {
	return map[string]func(json.RawMessage) (Value, error){
		"dense":         parseDense,
		"ragged":        parseRagged,
		"sparse":        parseSparse,
		"shape":         parseShapeValue,
		"row_partition": parseRowPartition,
		"dynamic_shape": parseDynamicShape,
		"ragged_spec":   parseRaggedSpec,
		"dataset":       parseDataset,
		"slice":         parseSlice,
		"list":          parseList,
		"dict":          parseDict,
		"string":        simple(func(s string) Value { return String(s) }),
		"int":           simple(func(n int64) Value { return Int(n) }),
		"bool":          simple(func(b bool) Value { return Bool(b) }),
		"dtype":         simple(func(s string) Value { return DType(s) }),
		"fn":            simple(func(s string) Value { return Fn(s) }),
		"null":          mark(Null{}),
		"newaxis":       mark(NewAxis{}),
		"ellipsis":      mark(Ellipsis{}),
		"float": func(raw json.RawMessage) (Value, error) {
			f, err := parseFloat(raw, 64)
			return Float(f), err
		},
	}
}

func simple[T any](wrap func(T) Value) func(json.RawMessage) (Value, error) {
	return func(raw json.RawMessage) (Value, error) {
		var v T
		if string(raw) == "null" {
			return nil, errors.New("null where a value was expected")
		}
		err := unmarshalStrict(raw, &v)
		return wrap(v), err
	}
}

// mark parses a kind that is always written with the value true.
func mark(v Value) func(json.RawMessage) (Value, error) {
	return func(raw json.RawMessage) (Value, error) {
		if string(raw) != "true" {
			return nil, fmt.Errorf("%s where true was expected", raw)
		}
		return v, nil
	}
}

type denseJSON struct {
	DType  string            `json:"dtype"`
	Shape  []int64           `json:"shape"`
	Values []json.RawMessage `json:"values"`
}

func parseDense(raw json.RawMessage) (Value, error) {
	var j denseJSON
	if err := unmarshalStrict(raw, &j); err != nil {
		return nil, err
	}
	return j.dense()
}

func (j denseJSON) dense() (Dense, error) {
	values, err := parseElements(j.DType, j.Values)
	if err != nil {
		return Dense{}, err
	}
	n := int64(1)
	for _, d := range j.Shape {
		if d < 0 || d != 0 && n > math.MaxInt64/d {
			return Dense{}, fmt.Errorf("shape %d", j.Shape)
		}
		n *= d
	}
	if n != int64(len(j.Values)) {
		return Dense{}, fmt.Errorf("%d values of shape %d", len(j.Values), j.Shape)
	}
	return Dense{j.DType, j.Shape, values}, nil
}

type partitionJSON struct {
	RowSplits *[]int64 `json:"row_splits"`
	Uniform   *int64   `json:"uniform_row_length"`
	NRows     *int64   `json:"nrows"`
}

func (j partitionJSON) partition() (Partition, error) {
	switch {
	case j.RowSplits != nil && j.Uniform == nil && j.NRows == nil:
		if len(*j.RowSplits) == 0 {
			return Partition{}, errors.New("row_splits without a number")
		}
		return SplitsOf(*j.RowSplits...), nil
	case j.RowSplits == nil && j.Uniform != nil && j.NRows != nil:
		if *j.Uniform < 0 || *j.NRows < 0 || *j.NRows > maxUniformRows {
			return Partition{}, fmt.Errorf("%d rows of length %d", *j.NRows, *j.Uniform)
		}
		return UniformOf(*j.Uniform, *j.NRows), nil
	}
	return Partition{}, errors.New("a partition is either row_splits or uniform_row_length with nrows")
}

func partitions(js []partitionJSON) ([]Partition, error) {
	out := make([]Partition, len(js))
	for i, j := range js {
		p, err := j.partition()
		if err != nil {
			return nil, fmt.Errorf("partition %d: %w", i, err)
		}
		out[i] = p
	}
	return out, nil
}

func splitsDType(name string) (string, error) {
	switch name {
	case "":
		return "int64", nil
	case "int64", "int32":
		return name, nil
	}
	return "", Unknown("row splits of dtype %q", name)
}

func parseRagged(raw json.RawMessage) (Value, error) {
	var j struct {
		Partitions  []partitionJSON `json:"partitions"`
		Flat        denseJSON       `json:"flat_values"`
		SplitsDType string          `json:"row_splits_dtype"`
	}
	if err := unmarshalStrict(raw, &j); err != nil {
		return nil, err
	}
	parts, err := partitions(j.Partitions)
	if err != nil {
		return nil, err
	}
	flat, err := j.Flat.dense()
	if err != nil {
		return nil, fmt.Errorf("flat_values: %w", err)
	}
	dtype, err := splitsDType(j.SplitsDType)
	return Ragged{parts, flat, dtype}, err
}

func parseSparse(raw json.RawMessage) (Value, error) {
	var j struct {
		Indices    [][]int64         `json:"indices"`
		DenseShape []int64           `json:"dense_shape"`
		DType      string            `json:"dtype"`
		Values     []json.RawMessage `json:"values"`
	}
	if err := unmarshalStrict(raw, &j); err != nil {
		return nil, err
	}
	if len(j.Indices) != len(j.Values) {
		return nil, fmt.Errorf("%d indices for %d values", len(j.Indices), len(j.Values))
	}
	values, err := parseElements(j.DType, j.Values)
	return Sparse{j.Indices, j.DenseShape, j.DType, values}, err
}

func parseShape(raw json.RawMessage) (Shape, error) {
	var dims *[]*int64
	if err := unmarshalStrict(raw, &dims); err != nil {
		return Shape{}, err
	}
	if dims == nil {
		return Shape{}, nil
	}
	s := Shape{Dims: make([]int64, len(*dims)), Known: true}
	for i, d := range *dims {
		s.Dims[i] = -1
		if d != nil {
			s.Dims[i] = *d
		}
	}
	return s, nil
}

func parseShapeValue(raw json.RawMessage) (Value, error) { return parseShape(raw) }

func parseRowPartition(raw json.RawMessage) (Value, error) {
	var j struct {
		partitionJSON
		DType string `json:"dtype"`
	}
	if err := unmarshalStrict(raw, &j); err != nil {
		return nil, err
	}
	p, err := j.partition()
	if err != nil {
		return nil, err
	}
	dtype, err := splitsDType(j.DType)
	return RowPartition{p, dtype}, err
}

func parseDynamicShape(raw json.RawMessage) (Value, error) {
	var j struct {
		Partitions []partitionJSON `json:"partitions"`
		Inner      []int64         `json:"inner_shape"`
		DType      string          `json:"dtype"`
	}
	if err := unmarshalStrict(raw, &j); err != nil {
		return nil, err
	}
	parts, err := partitions(j.Partitions)
	if err != nil {
		return nil, err
	}
	dtype, err := splitsDType(j.DType)
	return DynamicShape{parts, j.Inner, dtype}, err
}

func parseRaggedSpec(raw json.RawMessage) (Value, error) {
	var j struct {
		Shape      json.RawMessage `json:"shape"`
		DType      string          `json:"dtype"`
		RaggedRank int64           `json:"ragged_rank"`
	}
	if err := unmarshalStrict(raw, &j); err != nil {
		return nil, err
	}
	shape, err := parseShape(j.Shape)
	return RaggedSpec{shape, j.DType, j.RaggedRank}, err
}

func parseDataset(raw json.RawMessage) (Value, error) {
	var j struct {
		Source json.RawMessage `json:"from_tensor_slices"`
		Then   []struct {
			Step string            `json:"step"`
			Args []json.RawMessage `json:"args"`
		} `json:"then"`
	}
	if err := unmarshalStrict(raw, &j); err != nil {
		return nil, err
	}
	source, err := ParseValue(j.Source)
	if err != nil {
		return nil, fmt.Errorf("from_tensor_slices: %w", err)
	}
	d := Dataset{Source: source}
	for _, s := range j.Then {
		step := Step{Name: s.Step}
		for i, a := range s.Args {
			v, err := ParseValue(a)
			if err != nil {
				return nil, fmt.Errorf("%s: argument %d: %w", s.Step, i, err)
			}
			step.Args = append(step.Args, v)
		}
		d.Then = append(d.Then, step)
	}
	return d, nil
}

func parseSlice(raw json.RawMessage) (Value, error) {
	var parts []json.RawMessage
	if err := unmarshalStrict(raw, &parts); err != nil {
		return nil, err
	}
	if len(parts) != 3 {
		return nil, fmt.Errorf("%d parts, wanted start, stop and step", len(parts))
	}
	var bounds [3]*int64
	for i, p := range parts {
		if err := unmarshalStrict(p, &bounds[i]); err != nil {
			return OddSlice(raw), nil
		}
	}
	return Slice{bounds[0], bounds[1], bounds[2]}, nil
}

func parseList(raw json.RawMessage) (Value, error) {
	var parts []json.RawMessage
	if err := unmarshalStrict(raw, &parts); err != nil {
		return nil, err
	}
	out := make(List, len(parts))
	for i, p := range parts {
		v, err := ParseValue(p)
		if err != nil {
			return nil, fmt.Errorf("[%d]: %w", i, err)
		}
		out[i] = v
	}
	return out, nil
}

func parseDict(raw json.RawMessage) (Value, error) {
	m, err := parseNamedValues(raw)
	return Dict(m), err
}

func parseNamedValues(raw json.RawMessage) (map[string]Value, error) {
	var parts map[string]json.RawMessage
	if err := unmarshalStrict(raw, &parts); err != nil {
		return nil, Fault(err)
	}
	out := make(map[string]Value, len(parts))
	for name, p := range parts {
		v, err := ParseValue(p)
		if err != nil {
			return nil, fmt.Errorf("%q: %w", name, err)
		}
		out[name] = v
	}
	return out, nil
}

// parseElements reads the elements of a tensor into a slice of the Go type that
// dtype names. Integers are read as integers: they may exceed 2^53.
func parseElements(dtype string, raw []json.RawMessage) (any, error) {
	switch dtype {
	case "int64":
		return elements(raw, signed[int64](64))
	case "int32":
		return elements(raw, signed[int32](32))
	case "int16":
		return elements(raw, signed[int16](16))
	case "int8":
		return elements(raw, signed[int8](8))
	case "uint64":
		return elements(raw, unsigned[uint64](64))
	case "uint32":
		return elements(raw, unsigned[uint32](32))
	case "uint16":
		return elements(raw, unsigned[uint16](16))
	case "uint8":
		return elements(raw, unsigned[uint8](8))
	case "float32":
		return elements(raw, func(r json.RawMessage) (float32, error) {
			f, err := parseFloat(r, 32)
			return float32(f), err
		})
	case "float64":
		return elements(raw, func(r json.RawMessage) (float64, error) { return parseFloat(r, 64) })
	case "bool":
		return elements(raw, func(r json.RawMessage) (bool, error) {
			if s := string(r); s == "true" || s == "false" {
				return s == "true", nil
			}
			return false, errors.New("no bool")
		})
	case "string":
		return elements(raw, func(r json.RawMessage) (string, error) {
			var s string
			if err := unmarshalStrict(r, &s); err != nil {
				return "", err
			}
			b, err := base64.StdEncoding.DecodeString(s)
			return string(b), err
		})
	}
	return nil, Unknown("dtype %q", dtype)
}

func elements[T any](raw []json.RawMessage, parse func(json.RawMessage) (T, error)) ([]T, error) {
	out := make([]T, len(raw))
	for i, r := range raw {
		v, err := parse(r)
		if err != nil {
			return nil, fmt.Errorf("value %d: %s: %w", i, r, err)
		}
		out[i] = v
	}
	return out, nil
}

func signed[T int8 | int16 | int32 | int64](bits int) func(json.RawMessage) (T, error) {
	return func(r json.RawMessage) (T, error) {
		n, err := strconv.ParseInt(string(r), 10, bits)
		return T(n), err
	}
}

func unsigned[T uint8 | uint16 | uint32 | uint64](bits int) func(json.RawMessage) (T, error) {
	return func(r json.RawMessage) (T, error) {
		n, err := strconv.ParseUint(string(r), 10, bits)
		return T(n), err
	}
}

// parseFloat reads a number, or one of the three names that JSON has no number
// for. The decimal is the shortest that reads back to the same value of that
// many bits.
func parseFloat(r json.RawMessage, bits int) (float64, error) {
	switch string(r) {
	case `"NaN"`:
		return math.NaN(), nil
	case `"Infinity"`:
		return math.Inf(1), nil
	case `"-Infinity"`:
		return math.Inf(-1), nil
	}
	if len(r) == 0 || r[0] == '"' || r[0] == 'n' {
		return 0, errors.New("no float")
	}
	return strconv.ParseFloat(string(r), bits)
}
