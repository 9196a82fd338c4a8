package tfmessage

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/example/recordjson"
	"github.com/tfparse/tfparse/internal/jsonscan"
	"github.com/tfparse/tfparse/internal/wire"
	"github.com/tfparse/tfparse/tfrecord"
)

// A Message is the message type of a Printer.
type Message uint8

// The message types.
const (
	PredictionLog Message = iota
	Event
	TensorProto
)

// A Printer prints messages of one type. Only one goroutine may use it at a time.
type Printer struct {
	typ      Message             // type of the records
	opts     recordjson.Options  // form of numbers, byte strings and the position
	examples *recordjson.Printer // for Examples in a record
	lists    *recordjson.Printer // for ExampleListWithContexts in a record
	repeated int                 // elements of the current record that repeat the last value of a tensor; at most maxRepeated
	variants int                 // nested variants around the current tensor; at most maxVariants
}

// NewPrinter returns a Printer. The options apply to numbers, byte strings and the position; the option to print kinds applies
// to Examples.
func NewPrinter(typ Message, opts *recordjson.Options) *Printer {
	inside := *opts
	inside.Position = false
	return &Printer{typ: typ, opts: *opts, examples: recordjson.NewPrinter(example.TypeExample, &inside), lists: recordjson.NewPrinter(example.TypeExampleList, &inside)}
}

// Append appends a record as one line of JSON, without the newline. On error it returns dst unchanged; the error names the
// field and its offset in the record.
func (p *Printer) Append(dst, rec []byte, pos tfrecord.Position) ([]byte, error) {
	p.repeated, p.variants = 0, 0
	line := append(dst, '{')
	if p.opts.Position {
		line = jsonscan.AppendPosition(line, pos.Name, pos.Record, pos.Offset)
	}
	at := span{b: rec}
	var err error
	switch p.typ {
	case PredictionLog:
		line, err = p.appendMembers(line, predictionLog, at)
	case Event:
		line, err = p.appendMembers(line, event, at)
	case TensorProto:
		line, err = p.appendTensorMembers(line, at)
	}
	if err != nil {
		return dst, err
	}
	return append(line, '}'), nil
}

// A span is a part of a record: a message or a value.
type span struct {
	b      []byte // the encoded bytes
	offset int    // offset of b in the record
	path   string // names of the fields, joined by "."; "": the record itself
}

// newError returns an error at the span.
func (m span) newError(err error) error { return &DecodeError{m.offset, m.path, err} }

// fieldSpan returns the span of a field of m.
func (m span) fieldSpan(f wire.Field, name string) span {
	if m.path != "" {
		name = m.path + "." + name
	}
	return span{m.b[f.Lo:f.Hi], m.offset + f.Lo, name}
}

// wireType returns the wire type of fields of a kind.
func (k fieldKind) wireType() wire.Type {
	switch k {
	case intField, boolField:
		return wire.TypeVarint
	case floatField:
		return wire.TypeFixed32
	case doubleField:
		return wire.TypeFixed64
	}
	return wire.TypeBytes
}

// splitFields returns the spans of the fields of a message, by index in of.fields. Unknown fields are ignored, as in protobuf
// decoders, unless the message is strict. A second value of a field that is not repeated is an error: decoders take the last
// value or merge messages, but no known writer produces it.
func (m span) splitFields(of *message) ([][]span, error) {
	found := make([][]span, len(of.fields))
	chosen := ""
	for i := 0; i < len(m.b); {
		f, next := wire.Next(m.b, i)
		if next < 0 {
			return nil, span{offset: m.offset + i, path: m.path}.newError(wire.Err(next))
		}
		i = next
		k := slices.IndexFunc(of.fields, func(x field) bool { return x.num == f.Num })
		if k < 0 && of.strict {
			return nil, m.fieldSpan(f, fmt.Sprintf("field %d", f.Num)).newError(errors.New("unknown field"))
		}
		if k < 0 {
			continue
		}
		x := &of.fields[k]
		at := m.fieldSpan(f, x.name)
		switch {
		case f.Type != x.kind.wireType():
			return nil, at.newError(fmt.Errorf("want wire type %v, got %v", x.kind.wireType(), f.Type))
		case len(found[k]) > 0 && !x.repeated && x.kind != tensorMapField:
			return nil, at.newError(errors.New("want one value, got two"))
		case slices.Contains(of.oneOf, f.Num) && chosen != "":
			return nil, at.newError(fmt.Errorf("want this or %s, got both", chosen))
		}
		if slices.Contains(of.oneOf, f.Num) {
			chosen = x.name
		}
		found[k] = append(found[k], at)
	}
	if of.required && chosen == "" {
		return nil, m.newError(errors.New("not a PredictionLog: want a log, got none"))
	}
	return found, nil
}

// appendMembers appends the fields of a message, without braces. Fields that are not set are left out.
func (p *Printer) appendMembers(dst []byte, of *message, m span) ([]byte, error) {
	found, err := m.splitFields(of)
	if err != nil {
		return dst, err
	}
	for k, values := range found {
		x := &of.fields[k]
		if len(values) == 0 && x.always {
			values = []span{{b: make([]byte, 8)}}
		}
		if len(values) == 0 {
			continue
		}
		if x.kind == summaryTensorField {
			if dst, err = p.appendSummaryTensor(dst, values[0]); err != nil {
				return dst, err
			}
			continue
		}
		dst = append(append(append(appendComma(dst), '"'), x.name...), '"', ':')
		switch {
		case x.kind == tensorMapField:
			dst, err = p.appendTensorMap(dst, values)
		case x.repeated:
			dst, err = p.appendRepeated(dst, x, values)
		default:
			dst, err = p.appendValue(dst, x, values[0])
		}
		if err != nil {
			return dst, err
		}
	}
	return dst, nil
}

// appendRepeated appends the values of a repeated field as a list.
func (p *Printer) appendRepeated(dst []byte, x *field, values []span) (_ []byte, err error) {
	dst = append(dst, '[')
	for i, at := range values {
		if i > 0 {
			dst = append(dst, ',')
		}
		at.path = fmt.Sprintf("%s[%d]", at.path, i)
		if dst, err = p.appendValue(dst, x, at); err != nil {
			return dst, err
		}
	}
	return append(dst, ']'), nil
}

// appendComma appends a comma unless dst ends with the brace before the first member.
func appendComma(dst []byte) []byte {
	if dst[len(dst)-1] != '{' {
		return append(dst, ',')
	}
	return dst
}

// appendValue appends the value of a field.
func (p *Printer) appendValue(dst []byte, x *field, at span) (_ []byte, err error) {
	switch x.kind {
	case messageField:
		if dst, err = p.appendMembers(append(dst, '{'), x.message, at); err != nil {
			return dst, err
		}
		return append(dst, '}'), nil
	case stringField:
		return jsonscan.AppendName(dst, at.b), nil
	case bytesField:
		return recordjson.AppendText(dst, string(at.b), max(p.opts.Bytes, recordjson.BytesBase64))
	case intField:
		v, _ := wire.Varint(at.b, 0)
		return recordjson.AppendInt64(dst, int64(v), p.opts.Int64), nil
	case boolField:
		v, _ := wire.Varint(at.b, 0)
		return strconv.AppendBool(dst, v != 0), nil
	case floatField:
		dst, err = recordjson.AppendFloat32(dst, wire.Float(at.b), p.opts.NaN)
	case doubleField:
		dst, err = recordjson.AppendFloat64(dst, math.Float64frombits(binary.LittleEndian.Uint64(at.b)), p.opts.NaN)
	case int64ValueField:
		found, err := at.splitFields(int64Value)
		if err != nil {
			return dst, err
		}
		zero := span{b: []byte{0}}
		return p.appendValue(dst, &int64Value.fields[0], append(found[0], zero)[0])
	case tensorField:
		return p.appendTensor(dst, at)
	case exampleField:
		dst, err = p.examples.Append(dst, at.b, tfrecord.Position{})
	case exampleListField:
		dst, err = p.lists.Append(dst, at.b, tfrecord.Position{})
	case sizeField:
		return fmt.Appendf(dst, `{"bytes":%d}`, len(at.b)), nil
	case summaryField:
		return p.appendSummary(dst, at)
	case pluginField:
		return p.appendPlugin(dst, at)
	}
	if err != nil {
		err = at.newError(err)
	}
	return dst, err
}

// appendTensorMap appends the entries of a map of tensors, sorted by key.
func (p *Printer) appendTensorMap(dst []byte, entries []span) ([]byte, error) {
	type item struct {
		key   []byte
		value span
	}
	items := make([]item, 0, len(entries))
	for _, e := range entries {
		found, err := e.splitFields(tensorEntry)
		if err != nil {
			return dst, err
		}
		it := item{value: span{offset: e.offset}}
		if len(found[0]) > 0 {
			it.key = found[0][0].b
		}
		if len(found[1]) > 0 {
			it.value = found[1][0]
		}
		it.value.path = fmt.Sprintf("%s[%q]", e.path, it.key)
		items = append(items, it)
	}
	slices.SortStableFunc(items, func(a, b item) int { return bytes.Compare(a.key, b.key) })
	dst = append(dst, '{')
	for i, it := range items {
		if i > 0 && bytes.Equal(it.key, items[i-1].key) {
			return dst, it.value.newError(errors.New("the key is repeated"))
		}
		dst = append(jsonscan.AppendName(appendComma(dst), it.key), ':')
		var err error
		if dst, err = p.appendTensor(dst, it.value); err != nil {
			return dst, err
		}
	}
	return append(dst, '}'), nil
}
