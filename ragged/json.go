package ragged

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tfparse/tfparse/ragged/internal/dtype"
)

// AppendJSON appends the tensor in Tensor JSON. A dense tensor is
//
//	{"dense":{"dtype":"int64","shape":[2],"values":[0,1]}}
//
// with the values in row-major order, and a tensor with partitions is
//
//	{"ragged":{"partitions":[{"row_splits":[0,2,3]},{"uniform_row_length":2,"nrows":3}],
//	"flat_values":{"dtype":"int64","shape":[6],"values":[1,2,3,4,5,6]}}}
//
// with the outermost partition first. The function elem appends one value.
func (t Tensor[T]) AppendJSON(dst []byte, elem func([]byte, T) []byte) []byte {
	if len(t.parts) == 0 {
		dst = append(dst, `{"dense":`...)
		return append(t.appendFlat(dst, elem), '}')
	}
	dst = append(dst, `{"ragged":{"partitions":[`...)
	for i := range t.parts {
		if i > 0 {
			dst = append(dst, ',')
		}
		p := t.Partition(i)
		if n, ok := p.UniformLen(); ok {
			dst = append(dst, `{"uniform_row_length":`...)
			dst = strconv.AppendInt(dst, int64(n), 10)
			dst = append(dst, `,"nrows":`...)
			dst = strconv.AppendInt(dst, int64(p.NumRows()), 10)
		} else {
			dst = append(dst, `{"row_splits":[`...)
			for k := range p.NumRows() + 1 {
				if k > 0 {
					dst = append(dst, ',')
				}
				dst = strconv.AppendInt(dst, int64(p.split(k)), 10)
			}
			dst = append(dst, ']')
		}
		dst = append(dst, '}')
	}
	dst = append(dst, `],"flat_values":`...)
	return append(t.Flat().appendFlat(dst, elem), "}}"...)
}

// appendFlat appends dtype, shape and values of a dense tensor.
func (t Tensor[T]) appendFlat(dst []byte, elem func([]byte, T) []byte) []byte {
	dst = append(dst, `{"dtype":`...)
	dst = strconv.AppendQuote(dst, dtype.Name[T]())
	dst = append(dst, `,"shape":[`...)
	for i, n := range t.Shape() {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = strconv.AppendInt(dst, int64(n), 10)
	}
	dst = append(dst, `],"values":`...)
	return append(appendList(dst, t.Values(), elem), '}')
}

func appendList[T any](dst []byte, values []T, elem func([]byte, T) []byte) []byte {
	dst = append(dst, '[')
	for i, v := range values {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = elem(dst, v)
	}
	return append(dst, ']')
}

// AppendNested appends the tensor as nested JSON lists, a scalar as its value: TensorFlow's
// to_list as text. The lists do not show which axes are uniform. The function elem appends
// one value.
func (t Tensor[T]) AppendNested(dst []byte, elem func([]byte, T) []byte) []byte {
	switch t.Rank() {
	case 0:
		return elem(dst, t.Item())
	case 1:
		return appendList(dst, t.Values(), elem)
	}
	dst = append(dst, '[')
	for i := range t.Len() {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = t.Row(i).AppendNested(dst, elem)
	}
	return append(dst, ']')
}

// MarshalJSON returns the tensor in Tensor JSON. Elements are integers, floats, bools,
// strings or []byte. A float is the shortest decimal that reads back to the same value, or
// "NaN", "Infinity", "-Infinity"; a string that is not UTF-8 is {"b64": …}.
func (t Tensor[T]) MarshalJSON() ([]byte, error) {
	if !hasJSON[T]() {
		return nil, fmt.Errorf("ragged: a %s has no JSON form", dtype.Name[T]())
	}
	return t.AppendJSON(nil, appendElement), nil
}

// UnmarshalJSON reads Tensor JSON of the same dtype, with all checks of New and of the
// factories. Unknown members are errors.
func (t *Tensor[T]) UnmarshalJSON(b []byte) error {
	if !hasJSON[T]() {
		return fmt.Errorf("ragged: a %s has no JSON form", dtype.Name[T]())
	}
	var j struct {
		Dense  *flatJSON `json:"dense"`
		Ragged *struct {
			Partitions []partitionJSON `json:"partitions"`
			Flat       *flatJSON       `json:"flat_values"`
		} `json:"ragged"`
	}
	if err := unmarshalStrict(b, &j); err != nil {
		return fmt.Errorf("ragged: tensor json: %w", err)
	}
	switch {
	case j.Dense != nil && j.Ragged == nil:
		out, err := fromFlat[T](j.Dense)
		if err != nil {
			return err
		}
		*t = out
	case j.Ragged != nil && j.Dense == nil && j.Ragged.Flat != nil && len(j.Ragged.Partitions) > 0:
		items, err := fromFlat[T](j.Ragged.Flat)
		if err != nil {
			return err
		}
		parts := make([]Partition, len(j.Ragged.Partitions))
		for i, p := range j.Ragged.Partitions {
			if parts[i], err = p.partition(); err != nil {
				return fmt.Errorf("level %d: %w", i, err)
			}
		}
		out, err := Wrap(items, parts...)
		if err != nil {
			return err
		}
		*t = out
	default:
		return errors.New(`ragged: tensor json: want "dense", or "ragged" with "partitions" and "flat_values"`)
	}
	return nil
}

type flatJSON struct {
	DType  string            `json:"dtype"`
	Shape  []int             `json:"shape"`
	Values []json.RawMessage `json:"values"`
}

// fromFlat reads a dense tensor.
func fromFlat[T any](j *flatJSON) (Tensor[T], error) {
	if want := dtype.Name[T](); j.DType != want {
		return Tensor[T]{}, fmt.Errorf("ragged: tensor json: want dtype %s, got %q", want, j.DType)
	}
	if j.Shape == nil || j.Values == nil {
		return Tensor[T]{}, errors.New(`ragged: tensor json: want "dtype", "shape" and "values"`)
	}
	values := make([]T, len(j.Values))
	for i, raw := range j.Values {
		if err := parseElement(raw, &values[i]); err != nil {
			return Tensor[T]{}, fmt.Errorf("ragged: tensor json: value %d: %w", i, err)
		}
	}
	return Dense(values, j.Shape...)
}

type partitionJSON struct {
	RowSplits []int64 `json:"row_splits"`
	Uniform   *int64  `json:"uniform_row_length"`
	NRows     *int64  `json:"nrows"`
}

func (j partitionJSON) partition() (Partition, error) {
	switch {
	case j.RowSplits != nil && j.Uniform == nil && j.NRows == nil:
		return FromRowSplits(j.RowSplits)
	case j.RowSplits == nil && j.Uniform != nil && j.NRows != nil:
		return Uniform(*j.Uniform, *j.NRows)
	}
	return Partition{}, errors.New(`ragged: tensor json: want "row_splits", or "uniform_row_length" with "nrows"`)
}

// unmarshalStrict reads one JSON value into v and refuses unknown members.
func unmarshalStrict(b []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("more text after the value")
	}
	return nil
}

// hasJSON reports whether appendElement and parseElement support a type.
func hasJSON[T any]() bool {
	switch any(*new(T)).(type) {
	case bool, int, int8, int16, int32, int64, uint8, uint16, uint32, uint64, float32, float64, string, []byte:
		return true
	}
	return false
}

// appendElement appends a value of one of the types of hasJSON.
func appendElement[T any](dst []byte, v T) []byte {
	switch v := any(v).(type) {
	case bool:
		return strconv.AppendBool(dst, v)
	case float32:
		return appendFloat(dst, float64(v), 32)
	case float64:
		return appendFloat(dst, v, 64)
	case string:
		return appendString(dst, v)
	case []byte:
		return appendString(dst, string(v))
	}
	return fmt.Append(dst, v)
}

// appendFloat appends a float with a point or an exponent, or "NaN" and the like in quotes.
func appendFloat(dst []byte, f float64, bits int) []byte {
	switch {
	case f != f:
		return append(dst, `"NaN"`...)
	case math.IsInf(f, 1):
		return append(dst, `"Infinity"`...)
	case math.IsInf(f, -1):
		return append(dst, `"-Infinity"`...)
	}
	return append(dst, shortestFloat(f, bits, 1e16)...)
}

// appendString writes bytes as text if they are UTF-8, otherwise as base64.
func appendString(dst []byte, s string) []byte {
	if !utf8.ValidString(s) {
		dst = append(dst, `{"b64":"`...)
		dst = base64.StdEncoding.AppendEncode(dst, []byte(s))
		return append(dst, `"}`...)
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // a string cannot fail
	return append(dst, bytes.TrimSuffix(b.Bytes(), []byte("\n"))...)
}

// parseElement reads a value of one of the types of hasJSON.
func parseElement[T any](raw json.RawMessage, dst *T) error {
	if string(raw) == "null" {
		return errors.New("want a value, got null")
	}
	switch dst := any(dst).(type) {
	case *string:
		b, err := parseBytes(raw)
		*dst = string(b)
		return err
	case *[]byte:
		b, err := parseBytes(raw)
		*dst = b
		return err
	case *float32:
		f, err := parseFloat(raw, 32)
		*dst = float32(f)
		return err
	case *float64:
		f, err := parseFloat(raw, 64)
		*dst = f
		return err
	}
	return json.Unmarshal(raw, dst)
}

func parseFloat(raw json.RawMessage, bits int) (float64, error) {
	switch string(raw) {
	case `"NaN"`:
		return math.NaN(), nil
	case `"Infinity"`:
		return math.Inf(1), nil
	case `"-Infinity"`:
		return math.Inf(-1), nil
	}
	if raw[0] == '"' {
		return 0, fmt.Errorf("want a number, got %s", raw)
	}
	return strconv.ParseFloat(string(raw), bits)
}

// parseBytes reads a string, {"b64": …} or {"hex": …}.
func parseBytes(raw json.RawMessage) ([]byte, error) {
	if raw[0] == '"' {
		var s string
		if err := json.Unmarshal(raw, &s); err != nil {
			return nil, err
		}
		// The decoder replaces invalid text by U+FFFD without an error.
		written := bytes.Count(raw, []byte("\uFFFD")) + bytes.Count(bytes.ToLower(raw), []byte(`\ufffd`))
		if strings.Count(s, "\uFFFD") > written || !utf8.Valid(raw) {
			return nil, errors.New("the string is not UTF-8")
		}
		return []byte(s), nil
	}
	var j struct {
		B64 *string `json:"b64"`
		Hex *string `json:"hex"`
	}
	if err := unmarshalStrict(raw, &j); err != nil {
		return nil, err
	}
	switch {
	case j.B64 != nil && j.Hex == nil:
		return base64.StdEncoding.Strict().DecodeString(*j.B64)
	case j.Hex != nil && j.B64 == nil:
		return hex.DecodeString(*j.Hex)
	}
	return nil, errors.New(`want a string, {"b64": …} or {"hex": …}`)
}
