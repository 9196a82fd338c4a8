package predictionlog

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/example/recordjson"
	"github.com/tfparse/tfparse/internal/jsonscan"
	"github.com/tfparse/tfparse/internal/wire"
	"github.com/tfparse/tfparse/tfrecord"
)

// A Printer prints PredictionLog messages. It is for one goroutine at a time.
type Printer struct {
	opts     recordjson.Options
	examples *recordjson.Printer
	lists    *recordjson.Printer
	filled   int // elements of the record that are not in its bytes
}

// NewPrinter returns a Printer. The options say how numbers and byte strings print, whether with the position,
// and whether Examples print with the kind of every feature.
func NewPrinter(opts *recordjson.Options) *Printer {
	inside := *opts
	inside.Position = false
	return &Printer{opts: *opts, examples: recordjson.NewPrinter(example.TypeExample, &inside), lists: recordjson.NewPrinter(example.TypeExampleList, &inside)}
}

// Append appends a record as one line of JSON, without the newline. On error dst is returned as it came. The
// error names the field, and the byte of the record where it begins.
func (p *Printer) Append(dst, rec []byte, pos tfrecord.Position) ([]byte, error) {
	p.filled = 0
	line := append(dst, '{')
	if p.opts.Position {
		line = jsonscan.AppendPosition(line, pos.Name, pos.Record, pos.Offset)
	}
	line, err := p.members(line, predictionLog, place{b: rec})
	if err != nil {
		return dst, err
	}
	return append(line, '}'), nil
}

// A place is a part of a record: a message or a value.
type place struct {
	b    []byte
	at   int    // where it begins in the record
	path string // of fields, with a point between them
}

// A fault says where in a record something is wrong.
type fault struct {
	at   int // byte of the record
	path string
	err  error
}

func (f *fault) Error() string {
	s := fmt.Sprintf("message does not decode: at byte %d: ", f.at)
	if f.path != "" {
		s += f.path + ": "
	}
	return s + strings.TrimPrefix(f.err.Error(), "model: ")
}

func (f *fault) Unwrap() error { return f.err }

func (m place) fault(err error) error { return &fault{m.at, m.path, err} }

// in returns the place of a field.
func (m place) in(f wire.Field, name string) place {
	if m.path != "" {
		name = m.path + "." + name
	}
	return place{m.b[f.Lo:f.Hi], m.at + f.Lo, name}
}

// wireType is the one that fields of a kind have.
func (k kind) wireType() wire.Type {
	switch k {
	case integer, boolean:
		return wire.TypeVarint
	case float32s:
		return wire.TypeFixed32
	case float64s:
		return wire.TypeFixed64
	}
	return wire.TypeBytes
}

// split finds the fields of a message, for each one of the table where it stands. Fields that the table
// does not have are ignored, as by every decoder of protobuf. A decoder takes the last of several values and adds up
// messages; no writer does that, and here it is an error.
func (m place) split(of *message) ([][]place, error) {
	found := make([][]place, len(of.fields))
	chosen := ""
	for i := 0; i < len(m.b); {
		f, next := wire.Next(m.b, i)
		if next < 0 {
			return nil, place{at: m.at + i, path: m.path}.fault(wire.Err(next))
		}
		i = next
		k := slices.IndexFunc(of.fields, func(x field) bool { return x.num == f.Num })
		if k < 0 {
			continue
		}
		x := &of.fields[k]
		at := m.in(f, x.name)
		switch {
		case f.Type != x.kind.wireType():
			return nil, at.fault(fmt.Errorf("want wire type %v, got %v", x.kind.wireType(), f.Type))
		case len(found[k]) > 0 && !x.repeated && x.kind != tensors:
			return nil, at.fault(errors.New("it is there twice"))
		case slices.Contains(of.oneOf, f.Num) && chosen != "":
			return nil, at.fault(fmt.Errorf("want one of this and %s, got both", chosen))
		}
		if slices.Contains(of.oneOf, f.Num) {
			chosen = x.name
		}
		found[k] = append(found[k], at)
	}
	if of.must && chosen == "" {
		return nil, m.fault(errors.New("not a PredictionLog: there is no log in it"))
	}
	return found, nil
}

// members appends the fields of a message that are there.
func (p *Printer) members(dst []byte, of *message, m place) ([]byte, error) {
	found, err := m.split(of)
	if err != nil {
		return dst, err
	}
	for k, places := range found {
		if len(places) == 0 {
			continue
		}
		x := &of.fields[k]
		dst = append(append(append(comma(dst), '"'), x.name...), '"', ':')
		switch {
		case x.kind == tensors:
			dst, err = p.tensorMap(dst, places)
		case x.repeated:
			dst = append(dst, '[')
			for i, at := range places {
				if i > 0 {
					dst = append(dst, ',')
				}
				at.path = fmt.Sprintf("%s[%d]", at.path, i)
				if dst, err = p.value(dst, x, at); err != nil {
					return dst, err
				}
			}
			dst = append(dst, ']')
		default:
			dst, err = p.value(dst, x, places[0])
		}
		if err != nil {
			return dst, err
		}
	}
	return dst, nil
}

// comma appends the comma between two members.
func comma(dst []byte) []byte {
	if dst[len(dst)-1] != '{' {
		return append(dst, ',')
	}
	return dst
}

// value appends the value of a field.
func (p *Printer) value(dst []byte, x *field, at place) (_ []byte, err error) {
	switch x.kind {
	case nested:
		if dst, err = p.members(append(dst, '{'), x.of, at); err != nil {
			return dst, err
		}
		return append(dst, '}'), nil
	case text:
		return jsonscan.AppendName(dst, at.b), nil
	case blob:
		return recordjson.AppendText(dst, string(at.b), max(p.opts.Bytes, recordjson.BytesBase64))
	case integer:
		v, _ := wire.Varint(at.b, 0)
		return recordjson.AppendInt64(dst, int64(v), p.opts.Int64), nil
	case boolean:
		v, _ := wire.Varint(at.b, 0)
		return strconv.AppendBool(dst, v != 0), nil
	case float32s:
		dst, err = recordjson.AppendFloat32(dst, wire.Float(at.b), p.opts.NaN)
	case float64s:
		dst, err = recordjson.AppendFloat64(dst, math.Float64frombits(binary.LittleEndian.Uint64(at.b)), p.opts.NaN)
	case wrapped:
		found, err := at.split(int64Value)
		if err != nil {
			return dst, err
		}
		zero := place{b: []byte{0}}
		return p.value(dst, &int64Value.fields[0], append(found[0], zero)[0])
	case tensor:
		return p.tensor(dst, at)
	case record:
		dst, err = p.examples.Append(dst, at.b, tfrecord.Position{})
	case exampleList:
		dst, err = p.lists.Append(dst, at.b, tfrecord.Position{})
	}
	if err != nil {
		err = at.fault(err)
	}
	return dst, err
}

// tensorMap appends the entries of a map of tensors, sorted by key.
func (p *Printer) tensorMap(dst []byte, entries []place) ([]byte, error) {
	type item struct {
		key   []byte
		value place
	}
	items := make([]item, 0, len(entries))
	for _, e := range entries {
		found, err := e.split(tensorEntry)
		if err != nil {
			return dst, err
		}
		it := item{value: place{at: e.at}}
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
			return dst, it.value.fault(errors.New("it is there twice"))
		}
		dst = append(jsonscan.AppendName(comma(dst), it.key), ':')
		var err error
		if dst, err = p.tensor(dst, it.value); err != nil {
			return dst, err
		}
	}
	return append(dst, '}'), nil
}
