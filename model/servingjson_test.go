package model_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/tensor"
)

// This file is a slow parser for bodies of TensorFlow Serving's REST API, by the rules of Serving's
// util/json_tensor.cc. It rejects only one kind of input that Serving accepts: data after the end, which Serving ignores.

// bare is the key of the only member of an object that represents NaN or an infinity here.
const bare = "\x00"

// parseServing parses JSON that may contain NaN and Infinity without quotes, which become objects with the key bare. Other numbers are json.Number.
func parseServing(body []byte) (map[string]any, error) {
	var plain bytes.Buffer
	quoted := false
	for i := 0; i < len(body); {
		rest := body[i:]
		if quoted && rest[0] == '\\' {
			plain.Write(rest[:min(2, len(rest))])
			i += 2
			continue
		}
		if rest[0] == '"' {
			quoted = !quoted
		}
		n := 0
		for _, token := range []string{"NaN", "Infinity", "-Infinity"} {
			if !quoted && bytes.HasPrefix(rest, []byte(token)) {
				fmt.Fprintf(&plain, `{"\u0000":%q}`, token)
				n = len(token)
			}
		}
		if n == 0 {
			plain.WriteByte(rest[0])
			n = 1
		}
		i += n
	}
	d := json.NewDecoder(&plain)
	d.UseNumber()
	var v map[string]any
	err := d.Decode(&v)
	return v, err
}

// number returns the text of a number, or "".
func number(v any) string {
	if n, ok := v.(json.Number); ok {
		return n.String()
	}
	if o, ok := v.(map[string]any); ok && len(o) == 1 && o[bare] != nil {
		return o[bare].(string)
	}
	return ""
}

// isDouble reports whether Serving's parser stores a number as a double.
func isDouble(n string) bool { return strings.ContainsAny(n, ".eEN") || strings.Contains(n, "I") }

// base64Object returns the bytes of {"b64": "…"}, an object without other members.
func base64Object(v any) (string, bool) {
	o, ok := v.(map[string]any)
	text, is := o["b64"].(string)
	if !ok || !is || len(o) != 1 {
		return "", false
	}
	b, err := base64.StdEncoding.DecodeString(text)
	return string(b), err == nil
}

// element reads one element of a tensor.
func element(v any, dtype tensor.DType) (any, error) {
	refused := fmt.Errorf("%v is not of expected type: %v", v, dtype)
	n := number(v)
	integer := func(bits int) (any, error) {
		x, err := strconv.ParseInt(n, 10, bits)
		if n == "" || isDouble(n) || err != nil {
			return nil, refused
		}
		return x, nil
	}
	switch dtype {
	case tensor.Float32, tensor.Float64:
		x, err := strconv.ParseFloat(n, map[tensor.DType]int{tensor.Float32: 32, tensor.Float64: 64}[dtype])
		if n == "" || err != nil && !(dtype == tensor.Float32 && errors.Is(err, strconv.ErrRange)) {
			return nil, refused // except that a float beyond the range of float32 is infinite
		}
		return x, nil
	case tensor.Int32, tensor.Int16, tensor.Int8, tensor.Uint8: // Serving accepts the range of int32 for all these dtypes
		return integer(32)
	case tensor.Int64:
		return integer(64)
	case tensor.Uint32, tensor.Uint64:
		x, err := strconv.ParseUint(n, 10, map[tensor.DType]int{tensor.Uint32: 32, tensor.Uint64: 64}[dtype])
		if isDouble(n) || err != nil {
			return nil, refused
		}
		return x, nil
	case tensor.Bool:
		if b, ok := v.(bool); ok {
			return b, nil
		}
	case tensor.String:
		if s, ok := v.(string); ok {
			return s, nil
		}
		if s, ok := base64Object(v); ok {
			return s, nil
		}
	default:
		return nil, fmt.Errorf("conversion to %v is not implemented", dtype)
	}
	return nil, refused
}

// tensorOf reads a tensor. The first elements determine the shape; all others must have the same.
func tensorOf(v any, dtype tensor.DType) (shape []int64, values []any, err error) {
	shape = []int64{}
	for first, ok := v.([]any); ok; first, ok = first[0].([]any) {
		if shape = append(shape, int64(len(first))); len(first) == 0 {
			break
		}
	}
	var fill func(v any, level int) error
	fill = func(v any, level int) error {
		list, ok := v.([]any)
		switch {
		case !ok && level != len(shape):
			return fmt.Errorf("a value at level %d", level)
		case !ok:
			x, err := element(v, dtype)
			values = append(values, x)
			return err
		case level >= len(shape):
			return fmt.Errorf("a list at level %d", level)
		case int64(len(list)) != shape[level]:
			return fmt.Errorf("a list of size %d", len(list))
		}
		for _, x := range list {
			if err := fill(x, level+1); err != nil {
				return err
			}
		}
		return nil
	}
	return shape, values, fill(v, 0)
}

// featureOf reads a feature of an Example.
func featureOf(v any) (f example.Value, err error) {
	list, ok := v.([]any)
	if !ok {
		list = []any{v}
	}
	for _, x := range list {
		add := example.Value{}
		n := number(x)
		text, isText := x.(string)
		if decoded, ok := base64Object(x); ok {
			text, isText = decoded, true
		}
		truth, isBool := x.(bool)
		switch {
		case isBool && truth:
			add.Int64s = []int64{1}
		case isBool:
			add.Int64s = []int64{0}
		case isText:
			add.Bytes = [][]byte{[]byte(text)}
		case n != "" && isDouble(n):
			x, _ := strconv.ParseFloat(n, 32)
			add.Floats = []float32{float32(x)}
		case n != "":
			i, err := strconv.ParseInt(n, 10, 64)
			if err != nil {
				return f, err
			}
			add.Int64s = []int64{i}
		default:
			return f, fmt.Errorf("%v has an unexpected JSON type", x)
		}
		if f.Kind() != example.Unset && f.Kind() != add.Kind() {
			return f, errors.New("unexpected element type in feature")
		}
		f.Bytes, f.Floats, f.Int64s = append(f.Bytes, add.Bytes...), append(f.Floats, add.Floats...), append(f.Int64s, add.Int64s...)
	}
	return f, nil
}

// exampleOf reads an Example.
func exampleOf(v any) (example.Example, error) {
	o, ok := v.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("an Example must be an object, got %v", v)
	}
	e := example.Example{}
	for name, v := range o {
		f, err := featureOf(v)
		if err != nil {
			return nil, err
		}
		name, _, _ = strings.Cut(name, "\x00") // Serving reads the name as a C string
		e[name] = f
	}
	return e, nil
}

// examplesOf reads the body of a classify or regress call.
func examplesOf(body []byte) (list example.ExampleList, signature string, err error) {
	doc, err := parseServing(body)
	if err != nil {
		return list, "", err
	}
	if v, ok := doc["signature_name"]; ok {
		if signature, ok = v.(string); !ok {
			return list, "", errors.New("'signature_name' key must be a string value")
		}
	}
	if v, ok := doc["context"]; ok {
		list.HasContext = true
		if list.Context, err = exampleOf(v); err != nil {
			return list, signature, err
		}
	}
	all, ok := doc["examples"].([]any)
	if !ok || len(all) == 0 {
		return list, signature, errors.New("want a list of examples that is not empty")
	}
	for _, v := range all {
		e, err := exampleOf(v)
		if err != nil {
			return list, signature, err
		}
		list.Examples = append(list.Examples, e)
	}
	return list, signature, nil
}
