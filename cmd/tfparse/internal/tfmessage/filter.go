package tfmessage

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/tfparse/tfparse/example/recordjson"
	"github.com/tfparse/tfparse/expr"
	"github.com/tfparse/tfparse/feature/raggedjson"
	"github.com/tfparse/tfparse/internal/nearest"
	"github.com/tfparse/tfparse/internal/wire"
	"github.com/tfparse/tfparse/tensor"
)

// A Filter evaluates an expression about the fields of messages. It is safe for concurrent use.
type Filter struct {
	filter *expr.Filter // the expression
	root   *message     // message type of the records
	paths  [][]string   // names of fields from the record down to the value, for each name in the expression
	pool   sync.Pool    // *[]expr.Values: buffers for the values of each path
}

// messageNames has the names of messages by Message.
var messageNames = [...]string{"PredictionLog", "Event", "TensorProto"}

// NewFilter returns a Filter for messages of a type. A name in the expression is a path of printed members, such as step or
// summary.tag. If fields in the path are repeated, the values of all of them are one list.
func NewFilter(typ Message, filter *expr.Filter) (*Filter, error) {
	f := &Filter{filter: filter}
	switch typ {
	case PredictionLog:
		f.root = predictionLog
	case Event:
		f.root = event
	default:
		return nil, fmt.Errorf("a %s has no fields for expressions", messageNames[typ])
	}
	names, lists := filter.Features()
	if len(lists) > 0 {
		return nil, fmt.Errorf("list(%s) is for feature lists; write the field alone", lists[0])
	}
	for _, name := range names {
		path := strings.Split(name, ".")
		if err := checkPath(f.root, messageNames[typ], path); err != nil {
			if other := findPath(f.root, path[len(path)-1]); other != "" && other != name {
				err = fmt.Errorf("no field %q in %s; is it %q?", name, messageNames[typ], other)
			}
			return nil, err
		}
		f.paths = append(f.paths, path)
	}
	f.pool.New = func() any { v := make([]expr.Values, len(names)); return &v }
	return f, nil
}

// checkPath returns an error if a path does not lead to numbers or strings. in names the message.
func checkPath(of *message, in string, path []string) error {
	x := of.fieldNamed(path[0])
	switch {
	case x == nil:
		var names []string
		for _, x := range of.fields {
			names = append(names, x.name)
		}
		return fmt.Errorf("no field %q in %s%s", path[0], in, nearest.Question(path[0], names))
	case x.content() != nil && len(path) > 1:
		return checkPath(x.content(), in+"."+x.name, path[1:])
	case x.content() != nil:
		return fmt.Errorf("%s is a message; name a field in it", x.name)
	case len(path) > 1:
		return fmt.Errorf("%s has no fields for expressions", x.name)
	}
	switch x.kind {
	case stringField, bytesField, intField, boolField, floatField, doubleField, pluginField:
		return nil
	}
	return fmt.Errorf("expressions do not read %s", x.name)
}

// findPath returns the first path to a field with a name; "" if there is none.
func findPath(of *message, name string) string {
	for _, x := range of.fields {
		if m := x.content(); m != nil {
			if path := findPath(m, name); path != "" {
				return x.name + "." + path
			}
		} else if x.name == name {
			return name
		}
	}
	return ""
}

// fieldNamed returns the field with a name; nil if there is none.
func (m *message) fieldNamed(name string) *field {
	if i := slices.IndexFunc(m.fields, func(x field) bool { return x.name == name }); i >= 0 {
		return &m.fields[i]
	}
	return nil
}

// content returns the message type of the values that the field prints; nil for other values.
func (x *field) content() *message {
	switch x.kind {
	case messageField:
		return x.message
	case summaryField:
		return summaryValue
	}
	return nil
}

// Match reports whether the expression is true for a record.
func (f *Filter) Match(rec []byte) (bool, error) {
	values := f.pool.Get().(*[]expr.Values)
	defer f.pool.Put(values)
	for i, path := range f.paths {
		v := &(*values)[i]
		*v = expr.Values{Ints: v.Ints[:0], Floats: v.Floats[:0], Doubles: v.Doubles[:0], Bytes: v.Bytes[:0]}
		if err := appendValues(v, span{b: rec}, f.root, path); err != nil {
			return false, err
		}
		joinNumbers(v)
	}
	return f.filter.MatchValues(*values)
}

// appendValues appends the values at the end of a path of fields in m. A field that is not set has no value, unless it prints
// always.
func appendValues(dst *expr.Values, m span, of *message, path []string) error {
	found, err := m.splitFields(of)
	if err != nil {
		return err
	}
	for k, x := range of.fields {
		scalar := x.kind == summaryTensorField && path[0] == "value" // prints as value
		if x.name != path[0] && !scalar {
			continue
		}
		values := found[k]
		if x.always && len(values) == 0 {
			values = []span{{b: make([]byte, 8)}}
		}
		for _, at := range values {
			switch {
			case scalar:
				err = appendScalar(dst, at)
			case x.kind == summaryField:
				err = appendSummaryValues(dst, at, path[1:])
			case len(path) > 1:
				err = appendValues(dst, at, x.content(), path[1:])
			default:
				err = appendValue(dst, x.kind, at)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// appendSummaryValues appends the values of a field of the values of a Summary.
func appendSummaryValues(dst *expr.Values, at span, path []string) error {
	found, err := at.splitFields(summary)
	if err != nil {
		return err
	}
	for _, value := range found[0] {
		if err := appendValues(dst, value, summaryValue, path); err != nil {
			return err
		}
	}
	return nil
}

// appendScalar appends the tensor of a Summary, if it is a scalar number.
func appendScalar(dst *expr.Values, at span) error {
	t, err := tensor.Decode(at.b)
	switch {
	case err != nil:
		return at.newError(err)
	case len(t.Shape) > 0 || t.DType == tensor.String:
		return nil
	}
	if values, err := t.Float32s(); err == nil {
		dst.Has, dst.Floats = true, append(dst.Floats, values...)
		return nil
	}
	line, err := raggedjson.AppendElement(nil, &t, 0, &recordjson.Options{})
	if err != nil {
		return at.newError(err)
	}
	switch text := string(line); t.DType {
	case tensor.Float64:
		values, err := tensor.ValuesOf[float64](t)
		dst.Has, dst.Doubles = true, append(dst.Doubles, values...)
		return err
	case tensor.Bool:
		dst.Has, dst.Ints = true, append(dst.Ints, int64(t.Bytes[0]))
	case tensor.Int8, tensor.Int16, tensor.Int32, tensor.Int64, tensor.Uint8, tensor.Uint16, tensor.Uint32, tensor.Uint64:
		v, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return at.newError(fmt.Errorf("%s is beyond int64", text))
		}
		dst.Has, dst.Ints = true, append(dst.Ints, v)
	}
	return nil // a complex or quantized number has no value here
}

// joinNumbers makes all values the nearest float64 if they are of several dtypes.
func joinNumbers(dst *expr.Values) {
	if len(dst.Ints) == 0 && (len(dst.Floats) == 0 || len(dst.Doubles) == 0) || len(dst.Floats)+len(dst.Doubles) == 0 {
		return
	}
	for _, v := range dst.Ints {
		dst.Doubles = append(dst.Doubles, float64(v))
	}
	for _, v := range dst.Floats {
		dst.Doubles = append(dst.Doubles, float64(v))
	}
	dst.Ints, dst.Floats = dst.Ints[:0], dst.Floats[:0]
}

// appendValue appends a value of a kind that checkPath allows.
func appendValue(dst *expr.Values, kind fieldKind, at span) (err error) {
	dst.Has = true
	switch kind {
	case stringField, bytesField:
		dst.Bytes = append(dst.Bytes, at.b)
	case pluginField:
		name, err := at.pluginName()
		dst.Bytes = append(dst.Bytes, name)
		return err
	case intField, boolField:
		v, _ := wire.Varint(at.b, 0)
		dst.Ints = append(dst.Ints, int64(v))
	case floatField:
		dst.Floats = append(dst.Floats, wire.Float(at.b))
	case doubleField:
		dst.Doubles = append(dst.Doubles, math.Float64frombits(binary.LittleEndian.Uint64(at.b)))
	default:
		err = at.newError(errors.New("expressions do not read it")) // not reached: checkPath
	}
	return err
}
