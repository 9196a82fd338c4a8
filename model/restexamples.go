package model

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/jsonscan"
)

// AppendRESTExamplesRequest appends the body of a classify or regress call to TensorFlow Serving's REST API:
// {"signature_name": …, "examples": [{"name": [values…], …}, …]}. Of the ModelSpec only the signature is in the
// body: name and version are in the URL.
//
// Serving finds the kind of a feature from its values: integers are int64, numbers with a point or an
// exponent are float, strings and {"b64": …} are bytes. So a float is always written with a point or an
// exponent, and NaN and infinities as the bare tokens that Serving reads. An empty list stands for
// a feature without kind.
//
// The error wraps ErrRequest and names the record and the feature: one that does not decode; what JSON
// cannot carry, which is a list without values that has a kind, and a name that is not UTF-8 or has a
// zero byte; a call without Examples, which Serving refuses. AppendExamplesRequest has no such limits.
func AppendRESTExamplesRequest(dst []byte, to ModelSpec, records ...[]byte) ([]byte, error) {
	b, err := to.appendREST(dst)
	if err != nil {
		return dst, err
	}
	examples := make([]example.Example, len(records))
	for i, r := range records {
		if err := examples[i].UnmarshalBinary(r); err != nil {
			return dst, fmt.Errorf("%w: record %d: %w", ErrRequest, i, err)
		}
	}
	return restExamples(dst, b, "record", examples)
}

// AppendRESTExampleListRequest is AppendRESTExamplesRequest for one ExampleListWithContext: its context is
// the member "context".
func AppendRESTExampleListRequest(dst []byte, to ModelSpec, record []byte) ([]byte, error) {
	b, err := to.appendREST(dst)
	if err != nil {
		return dst, err
	}
	list, err := decodeList(record)
	if err != nil {
		return dst, fmt.Errorf("%w: %w", ErrRequest, err)
	}
	if b, err = appendRESTExample(append(b, `"context":`...), list.Context); err != nil {
		return dst, fmt.Errorf("%w: context: %w", ErrRequest, err)
	}
	return restExamples(dst, append(b, ','), "example", list.Examples)
}

// appendREST appends the beginning of a body.
func (s ModelSpec) appendREST(b []byte) ([]byte, error) {
	b = append(b, '{')
	if s.Signature == "" {
		return b, nil
	}
	if !utf8.ValidString(s.Signature) {
		return b, fmt.Errorf("%w: signature %q is not UTF-8", ErrRequest, s.Signature)
	}
	return append(jsonscan.AppendString(append(b, `"signature_name":`...), []byte(s.Signature)), ','), nil
}

// restExamples appends the member "examples" to b, and the end of the body.
func restExamples(dst, b []byte, what string, examples []example.Example) (_ []byte, err error) {
	if len(examples) == 0 {
		return dst, fmt.Errorf("%w: TensorFlow Serving wants at least one Example", ErrRequest)
	}
	b = append(b, `"examples":[`...)
	for i, e := range examples {
		if i > 0 {
			b = append(b, ',')
		}
		if b, err = appendRESTExample(b, e); err != nil {
			return dst, fmt.Errorf("%w: %s %d: %w", ErrRequest, what, i, err)
		}
	}
	return within(dst, append(b, ']', '}'))
}

// appendRESTExample appends one Example.
func appendRESTExample(b []byte, e example.Example) ([]byte, error) {
	b = append(b, '{')
	for i, name := range slices.Sorted(maps.Keys(e)) {
		if err := checkRESTName(name); err != nil {
			return b, fmt.Errorf("feature %w", err)
		}
		v := e[name]
		if v.Kind() != example.Unset && v.Len() == 0 {
			return b, fmt.Errorf("feature %q has an empty %v, and an empty list of JSON has no kind: send it over gRPC", name, v.Kind())
		}
		if i > 0 {
			b = append(b, ',')
		}
		b = append(jsonscan.AppendString(b, []byte(name)), ':', '[')
		for j := range v.Len() {
			if j > 0 {
				b = append(b, ',')
			}
			switch {
			case v.Int64s != nil:
				b = jsonscan.AppendInt(b, v.Int64s[j])
			case v.Floats != nil:
				b = appendRESTFloat(b, float64(v.Floats[j]), 32)
			default:
				b = appendRESTString(b, v.Bytes[j])
			}
		}
		b = append(b, ']')
	}
	return append(b, '}'), nil
}

// checkRESTName returns an error for the name of a feature or an input that no body can have. Serving takes names as C strings.
func checkRESTName(name string) error {
	switch {
	case !utf8.ValidString(name):
		return fmt.Errorf("%q is not UTF-8", name)
	case strings.Contains(name, "\x00"):
		return fmt.Errorf("%q has a zero byte, where TensorFlow Serving ends the name", name)
	}
	return nil
}
