package view

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/format"
	"maps"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/example/recordjson"
	"github.com/tfparse/tfparse/feature/specprint"
	"github.com/tfparse/tfparse/tfrecord"
)

// copyForms are the forms in which a record, or the spec, can be copied.
var copyForms = []string{"json", "python", "go"}

// maxCopied is the size of a record that can be copied as text. The text may be ten times longer.
const maxCopied = 8 << 20

// serveCopy answers with a record as JSON, Python or Go.
func (h *Handler) serveCopy(w http.ResponseWriter, r *http.Request) error {
	form, err := choiceParam(r, "as", copyForms...)
	if err != nil {
		return err
	}
	msg, err := h.requestMessage(r)
	if err != nil {
		return err
	}
	if len(msg) > maxCopied {
		return withStatus(http.StatusRequestEntityTooLarge, fmt.Errorf("a record of %s is over the limit of %s", sizeText(int64(len(msg))), sizeText(maxCopied)))
	}
	text, err := copyRecord(h.kind, msg, form)
	return writeText(w, text, withStatus(http.StatusNotFound, err))
}

// serveSpec answers with the spec as JSON, Python or Go.
func (h *Handler) serveSpec(w http.ResponseWriter, r *http.Request) error {
	form, err := choiceParam(r, "as", copyForms...)
	if err != nil {
		return err
	}
	if h.parser == nil {
		return withStatus(http.StatusNotFound, errNoSpec)
	}
	spec := h.parser.Spec()
	var text []byte
	switch form {
	case "python":
		text, err = specprint.Python(spec)
	case "go":
		text, err = specprint.Go(spec)
	default:
		if text, err = spec.MarshalJSON(); err == nil {
			text = indentJSON(text)
		}
	}
	return writeText(w, text, err)
}

var errNoSpec = errors.New("no spec was given")

// writeText sends text, unless there was an error.
func writeText(w http.ResponseWriter, text []byte, err error) error {
	if err == nil {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.Write(text)
	}
	return err
}

// copyRecord returns a record as text: JSON of package recordjson, or an expression in Python or Go.
func copyRecord(kind example.MessageType, msg []byte, form string) ([]byte, error) {
	if form == "json" {
		line, err := recordjson.NewPrinter(kind, nil).Append(nil, msg, tfrecord.Position{})
		return indentJSON(line), err
	}
	p := literalPrinter{python: form == "python"}
	switch kind {
	case example.TypeExample:
		var m example.Example
		if err := m.UnmarshalBinary(msg); err != nil {
			return nil, err
		}
		p.printExample("example.Example", m)
	case example.TypeSequence:
		var m example.Sequence
		if err := m.UnmarshalBinary(msg); err != nil {
			return nil, err
		}
		p.printSequence(m)
	case example.TypeExampleList:
		var m example.ExampleList
		if err := m.UnmarshalBinary(msg); err != nil {
			return nil, err
		}
		p.printList(m)
	default:
		return nil, fmt.Errorf("records of type %v are not decoded", kind)
	}
	if p.err != nil || p.python {
		return append(p.head(kind), p.b...), p.err
	}
	b, err := format.Source(slices.Concat([]byte("var _ = "), p.b, []byte("\n")))
	return bytes.TrimPrefix(b, []byte("var _ = ")), err
}

// A literalPrinter prints a record as an expression: in Python with the classes of TensorFlow, in Go with package example.
type literalPrinter struct {
	python bool
	b      []byte
	err    error // a name that Python's protobuf cannot hold
}

// head returns the imports of the expression in Python.
func (p *literalPrinter) head(kind example.MessageType) []byte {
	if kind == example.TypeExampleList {
		return []byte("import tensorflow as tf\nfrom tensorflow_serving.apis import input_pb2\n\nrecord = ")
	}
	return []byte("import tensorflow as tf\n\nrecord = ")
}

// add appends the text for Go or for Python.
func (p *literalPrinter) add(golang, python string) {
	if p.python {
		golang = python
	}
	p.b = append(p.b, golang...)
}

func (p *literalPrinter) addName(name string) {
	if !p.python {
		p.b = append(strconv.AppendQuote(p.b, name), ": "...)
		return
	}
	if !utf8.ValidString(name) {
		p.err = fmt.Errorf("the name %q is not UTF-8, which Python's protobuf needs", name)
	}
	quoted, _ := json.Marshal(name) // its escapes are those of Python
	p.b = append(append(p.b, quoted...), ": "...)
}

// printExample prints an Example. golang is its type, which elements of a slice do not need.
func (p *literalPrinter) printExample(golang string, m example.Example) {
	if len(m) == 0 {
		p.add(golang+"{}", "tf.train.Example()")
		return
	}
	p.add(golang+"{\n", "tf.train.Example(features=")
	p.printFeatures(m)
	p.add("}", ")")
}

func (p *literalPrinter) printFeatures(m example.Example) {
	p.add("", "tf.train.Features(feature={\n")
	for _, name := range slices.Sorted(maps.Keys(m)) {
		p.add("", "    ")
		p.addName(name)
		p.printValue(m[name])
		p.b = append(p.b, ",\n"...)
	}
	p.add("", "})")
}

func (p *literalPrinter) printSequence(m example.Sequence) {
	p.add("example.Sequence{\nContext: example.Example{\n", "tf.train.SequenceExample(\n  context=")
	p.printFeatures(m.Context)
	p.add("},\nLists: map[string][]example.Value{\n", ",\n  feature_lists=tf.train.FeatureLists(feature_list={\n")
	for _, name := range slices.Sorted(maps.Keys(m.Lists)) {
		p.add("", "    ")
		p.addName(name)
		p.add("{\n", "tf.train.FeatureList(feature=[\n")
		for _, step := range m.Lists[name] {
			p.add("", "        ")
			p.printValue(step)
			p.b = append(p.b, ",\n"...)
		}
		p.add("},\n", "    ]),\n")
	}
	p.add("},\n}", "}))")
}

func (p *literalPrinter) printList(m example.ExampleList) {
	p.add("example.ExampleList{\n", "input_pb2.ExampleListWithContext(\n")
	if m.HasContext {
		p.add("Context: ", "  context=")
		p.printExample("example.Example", m.Context)
		p.add(",\nHasContext: true,\n", ",\n")
	}
	p.add("Examples: []example.Example{\n", "  examples=[\n")
	for _, e := range m.Examples {
		p.add("", "    ")
		p.printExample("", e)
		p.b = append(p.b, ",\n"...)
	}
	p.add("},\n}", "  ])")
}

// printValue prints a feature.
func (p *literalPrinter) printValue(v example.Value) {
	p.add("", "tf.train.Feature(")
	switch v.Kind() {
	case example.Int64List:
		p.add("example.Int64s(", "int64_list=tf.train.Int64List(value=[")
	case example.FloatList:
		p.add("example.Floats(", "float_list=tf.train.FloatList(value=[")
	case example.BytesList:
		p.add("example.Strings(", "bytes_list=tf.train.BytesList(value=[")
	default:
		p.add("{}", ")")
		return
	}
	for i := range v.Len() {
		if i > 0 {
			p.b = append(p.b, ", "...)
		}
		switch v.Kind() {
		case example.Int64List:
			p.b = strconv.AppendInt(p.b, v.Int64s[i], 10)
		case example.FloatList:
			p.addFloat(v.Floats[i])
		default:
			p.addBytes(v.Bytes[i])
		}
	}
	p.add(")", "]))")
}

func (p *literalPrinter) addFloat(v float32) {
	switch {
	case v != v:
		p.add("float32(math.NaN())", `float("nan")`)
	case math.IsInf(float64(v), 0):
		sign := "-"
		if v > 0 {
			sign = "+"
		}
		p.add("float32(math.Inf("+sign+"1))", `float("`+sign+`inf")`)
	case v == 0 && math.Signbit(float64(v)):
		p.add("float32(math.Copysign(0, -1))", "-0.0")
	default:
		p.b, _ = recordjson.AppendFloat32(p.b, v, recordjson.NaNString)
	}
}

func (p *literalPrinter) addBytes(v []byte) {
	if !p.python {
		p.b = strconv.AppendQuote(p.b, string(v))
		return
	}
	p.b = append(p.b, `b"`...)
	for _, c := range v {
		switch {
		case c == '"' || c == '\\':
			p.b = append(p.b, '\\', c)
		case c < ' ' || c >= 0x7f:
			p.b = fmt.Appendf(p.b, `\x%02x`, c)
		default:
			p.b = append(p.b, c)
		}
	}
	p.b = append(p.b, '"')
}

// indentJSON returns compact JSON with the members of objects, and objects in lists, on lines of their own. Lists of values
// stay on one line, however long.
func indentJSON(compact []byte) []byte {
	var b []byte
	var stack []bool // of each open object or list: its parts are on lines of their own
	newLine := func() { b = append(append(b, '\n'), strings.Repeat("  ", len(stack))...) }
	for i := 0; i < len(compact); i++ {
		c := compact[i]
		lines := len(stack) > 0 && stack[len(stack)-1]
		switch c {
		case '"':
			end := i + 1
			for compact[end] != '"' {
				if compact[end] == '\\' {
					end++
				}
				end++
			}
			b = append(b, compact[i:end+1]...)
			i = end
		case '{', '[':
			b = append(b, c)
			next := compact[i+1]
			bytesAt := i // where {"b64":"…"} would be, which is one value
			if c == '[' {
				bytesAt++
			}
			stack = append(stack, (c == '{' && next != '}' || c == '[' && next == '{') && !bytes.HasPrefix(compact[bytesAt:], []byte(`{"b64":"`)))
			if stack[len(stack)-1] {
				newLine()
			}
		case '}', ']':
			stack = stack[:len(stack)-1]
			if lines {
				newLine()
			}
			b = append(b, c)
		case ',':
			if b = append(b, c); lines {
				newLine()
			} else {
				b = append(b, ' ')
			}
		case ':':
			b = append(b, ": "...)
		default:
			b = append(b, c)
		}
	}
	return append(b, '\n')
}
