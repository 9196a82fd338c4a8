package model

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/tfparse/tfparse/internal/jsonscan"
)

// ErrServer: the answer is an error message of TensorFlow Serving.
var ErrServer = errors.New("model: the server answered with an error")

// ParseRESTResponse decodes the JSON that TensorFlow Serving answers a call of predict with, for a signature: JSON has no
// dtypes, and no name where there is one output. It reads both forms: "outputs", the answer to "inputs",
// and "predictions", the answer to "instances", which has a row for each instance. The model spec of the response is empty.
//
// Numbers may be NaN, Infinity and -Infinity, as Serving writes them. Lists must be rectangular. An empty list
// does not say which axes are in it: they are added if the signature has their sizes.
//
// The error wraps ErrServer if the answer is an error message, and otherwise ErrMessage with a column, or ErrDType for an output
// of a type that Serving does not write.
func ParseRESTResponse(sig *Signature, body []byte) (*Response, error) {
	r := &restReader{c: jsonscan.NewCursor(body), outputs: map[string]*restTensor{}, single: len(sig.Outputs) == 1}
	for _, t := range sig.Outputs {
		if t.composite() {
			return nil, fmt.Errorf("model: output %q: %w: a %v tensor, which no answer has", t.Name(), ErrDType, t.Form)
		}
		r.names = append(r.names, t.Name())
		r.outputs[t.Name()] = &restTensor{name: t.Name(), dtype: t.DType, want: t.Components[0].Shape, leaf: -1}
	}
	if err := r.answer(); err != nil {
		return nil, err
	}
	response := &Response{}
	for _, name := range r.names {
		o := r.outputs[name]
		t, err := o.tensor()
		if err != nil {
			return nil, err
		}
		response.Outputs = append(response.Outputs, Output{o.name, t})
	}
	slices.SortFunc(response.Outputs, func(a, b Output) int { return cmp.Compare(a.Name, b.Name) })
	return response, nil
}

// A restReader reads an answer.
type restReader struct {
	c       jsonscan.Cursor
	outputs map[string]*restTensor
	names   []string
	single  bool // the signature has one output, so the answer has no names
}

func (r *restReader) fail(format string, args ...any) error {
	return fmt.Errorf("model: answer: column %d: %w: %s", r.c.Column(), ErrMessage, fmt.Sprintf(format, args...))
}

// answer reads the object with "outputs", "predictions" or "error".
func (r *restReader) answer() error {
	if r.c.Peek() != '{' {
		return r.fail("want an object")
	}
	seen := ""
	for r.c.Open(); r.c.More('}'); {
		name, ok := r.c.Name()
		if !ok {
			break
		}
		var err error
		switch key := string(name); key {
		case "error":
			text, _, err := r.c.Text(nil)
			if err != nil {
				return r.fail("want a string")
			}
			return fmt.Errorf("%w: %s", ErrServer, text)
		case "outputs", "predictions":
			if seen != "" {
				return r.fail("%q and %q", seen, key)
			}
			seen = key
			switch {
			case r.single:
				err = r.outputs[r.names[0]].read(r, 0)
			case key == "outputs":
				err = r.object(0)
			default:
				err = r.rows()
			}
		default:
			r.c.Skip()
		}
		if err != nil {
			return err
		}
	}
	switch {
	case !r.c.Done():
		return r.fail("the text is not JSON")
	case seen == "":
		return r.fail(`want "outputs" or "predictions"`)
	}
	return nil
}

// rows reads a list with an object for each row.
func (r *restReader) rows() error {
	if r.c.Peek() != '[' {
		return r.fail("want a list of rows")
	}
	n := int64(0)
	for _, o := range r.outputs {
		o.shape = []int64{-1}
	}
	for r.c.Open(); r.c.More(']'); n++ {
		if err := r.object(1); err != nil {
			return err
		}
	}
	for _, o := range r.outputs {
		o.shape[0] = n
	}
	return nil
}

// object reads an object with a value for each output, from an axis on.
func (r *restReader) object(axis int) error {
	if r.c.Peek() != '{' {
		return r.fail("want an object with %q", r.names)
	}
	seen := map[string]bool{}
	for r.c.Open(); r.c.More('}'); {
		name, ok := r.c.Name()
		o := r.outputs[string(name)]
		switch {
		case !ok:
			return r.fail("the text is not JSON")
		case o == nil:
			return r.fail("output %q, and the signature has %q", name, r.names)
		case seen[o.name]:
			return r.fail("output %q is there twice", name)
		}
		seen[o.name] = true
		if err := o.read(r, axis); err != nil {
			return err
		}
	}
	for _, name := range r.names {
		if !seen[name] {
			return r.fail("no output %q", name)
		}
	}
	return nil
}

// A restTensor is an output as far as it was read.
type restTensor struct {
	name  string
	dtype DType
	want  Shape // that of the signature
	leaf  int   // the axis at which elements were found; -1 before the first one

	shape   []int64 // -1 for an axis whose first list is being read
	bytes   []byte
	strings []string
}

// read reads an element or a list of them.
func (t *restTensor) read(r *restReader, axis int) error {
	if r.c.Peek() != '[' {
		if t.leaf < 0 && axis == len(t.shape) {
			t.leaf = axis
		}
		if t.leaf != axis {
			return r.fail("output %q: an element among lists", t.name)
		}
		return t.element(r)
	}
	switch {
	case t.leaf >= 0 && axis >= t.leaf:
		return r.fail("output %q: a list among elements", t.name)
	case axis == maxDims:
		return r.fail("output %q: more than %d axes", t.name, maxDims)
	case axis == len(t.shape):
		t.shape = append(t.shape, -1)
	}
	n := int64(0)
	for r.c.Open(); r.c.More(']'); n++ {
		if err := t.read(r, axis+1); err != nil {
			return err
		}
	}
	if t.shape[axis] < 0 {
		t.shape[axis] = n
	}
	if t.shape[axis] != n {
		return r.fail("output %q: lists of %d and of %d", t.name, t.shape[axis], n)
	}
	return nil
}

// element reads one element.
func (t *restTensor) element(r *restReader) (err error) {
	refused := func() error { return r.fail("output %q: want a value of %v", t.name, t.dtype) }
	size := 8 * t.dtype.size()
	var bits uint64
	switch t.dtype {
	case String:
		v, _, err := r.c.Bytes(nil)
		if err != nil {
			return refused()
		}
		t.strings = append(t.strings, string(v))
		return nil
	case Bool:
		switch r.c.Word("true", "false") {
		case "true":
			bits = 1
		case "":
			return refused()
		}
	case Float32, Float64:
		text := r.c.Word("NaN", "Infinity", "-Infinity")
		if text == "" {
			text = string(r.c.Number())
		}
		v, bad := strconv.ParseFloat(text, size)
		if err = bad; size == 64 {
			bits = math.Float64bits(v)
		} else {
			bits = uint64(math.Float32bits(float32(v)))
		}
	case Int64, Int32, Int16, Int8:
		var v int64
		v, err = strconv.ParseInt(string(r.c.Number()), 10, size)
		bits = uint64(v)
	case Uint64, Uint32, Uint16, Uint8:
		bits, err = strconv.ParseUint(string(r.c.Number()), 10, size)
	default:
		return fmt.Errorf("model: output %q: %w: TensorFlow Serving writes no %v as JSON", t.name, ErrDType, t.dtype)
	}
	if err != nil {
		return refused()
	}
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], bits)
	t.bytes = append(t.bytes, b[:t.dtype.size()]...)
	return nil
}

// tensor returns what was read.
func (t *restTensor) tensor() (Tensor, error) {
	shape := Shape(t.shape)
	if n := len(shape); n > 0 && shape[n-1] == 0 && n < len(t.want) && !slices.ContainsFunc(t.want[n:], func(d int64) bool { return d < 0 }) {
		shape = append(shape, t.want[n:]...)
	}
	if shape == nil {
		shape = Shape{}
	}
	tensor := Tensor{DType: t.dtype, Shape: shape, Bytes: t.bytes}
	if t.dtype == String {
		tensor.Bytes, tensor.Strings = nil, slices.Concat([]string{}, t.strings)
	} else if tensor.Bytes == nil {
		tensor.Bytes = []byte{}
	}
	if err := tensor.check(); err != nil {
		return tensor, fmt.Errorf("model: output %q: %w", t.name, err)
	}
	return tensor, nil
}
