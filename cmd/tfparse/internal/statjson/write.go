// Package statjson reads and writes statistics of data sets as JSON.
//
// The form is the JSON form of protobuf, with the names of fields as in the .proto files, and with two additions for
// [stats.Details]:
//
//   - integers that are not exact in float64 are written in full;
//   - "outside_slices", beside "datasets", is the number of records in slices that were left out.
//
// Other readers of the JSON form of protobuf can read it if they ignore unknown fields.
package statjson

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strconv"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/anypb"

	"github.com/tfparse/tfparse/internal/jsonscan"
	"github.com/tfparse/tfparse/internal/pbtext"
	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/stats"
)

// Append appends the JSON form of statistics and details, which may be nil. Equal statistics have equal bytes.
func Append(dst []byte, list *pb.DatasetFeatureStatisticsList, details *stats.Details) ([]byte, error) {
	w := writer{details: details}
	if details == nil {
		w.details = &stats.Details{}
	}
	if err := w.message(list.ProtoReflect()); err != nil {
		return dst, err
	}
	if n := w.details.OutsideSlices; n > 0 {
		sep := `,"`
		if w.b = w.b[:len(w.b)-1]; len(w.b) == 1 {
			sep = `"`
		}
		w.b = append(strconv.AppendUint(append(append(append(w.b, sep...), outsideField...), `":"`...), n, 10), `"}`...)
	}
	out := bytes.NewBuffer(dst)
	if err := json.Indent(out, w.b, "", " "); err != nil {
		return dst, err
	}
	return append(out.Bytes(), '\n'), nil
}

// A writer encodes messages without spaces.
type writer struct {
	b       []byte // the output
	details *stats.Details
}

// message writes the fields that are set, in the order of their declaration.
func (w *writer) message(m protoreflect.Message) error {
	if packed, ok := m.Interface().(*anypb.Any); ok {
		b, err := protojson.MarshalOptions{UseProtoNames: true, Resolver: pbtext.Resolver{}}.Marshal(packed)
		w.b = append(w.b, b...)
		return err
	}
	w.b = append(w.b, '{')
	fields, sep := m.Descriptor().Fields(), `"`
	for i := range fields.Len() {
		f := fields.Get(i)
		if !m.Has(f) {
			continue
		}
		w.b = append(append(append(w.b, sep...), f.TextName()...), `":`...)
		sep = `,"`
		if err := w.field(m, f); err != nil {
			return err
		}
	}
	w.b = append(w.b, '}')
	return nil
}

// field writes the value of a field.
func (w *writer) field(m protoreflect.Message, f protoreflect.FieldDescriptor) error {
	figure := stats.Figure{Message: m.Interface(), Field: string(f.Name())}
	if v, ok := w.details.Integers[figure]; ok {
		w.b = strconv.AppendInt(w.b, v, 10)
		return nil
	}
	if !f.IsList() {
		return w.value(f, m.Get(f))
	}
	w.b = append(w.b, '[')
	for i, list := 0, m.Get(f).List(); i < list.Len(); i++ {
		if i > 0 {
			w.b = append(w.b, ',')
		}
		if err := w.value(f, list.Get(i)); err != nil {
			return err
		}
	}
	w.b = append(w.b, ']')
	return nil
}

// value writes a value. Statistics have no map fields.
func (w *writer) value(f protoreflect.FieldDescriptor, v protoreflect.Value) error {
	switch f.Kind() {
	case protoreflect.MessageKind:
		return w.message(v.Message())
	case protoreflect.StringKind:
		if !utf8.ValidString(v.String()) {
			return fmt.Errorf("%s is not UTF-8: %q", f.FullName(), v.String())
		}
		w.b = jsonscan.AppendString(w.b, []byte(v.String()))
	case protoreflect.BytesKind:
		w.b = append(base64.StdEncoding.AppendEncode(append(w.b, '"'), v.Bytes()), '"')
	case protoreflect.Int64Kind, protoreflect.Uint64Kind:
		w.b = append(append(append(w.b, '"'), v.String()...), '"')
	case protoreflect.FloatKind:
		w.float(v.Float(), 32)
	case protoreflect.DoubleKind:
		w.float(v.Float(), 64)
	case protoreflect.EnumKind:
		if d := f.Enum().Values().ByNumber(v.Enum()); d != nil {
			w.b = append(append(append(w.b, '"'), d.Name()...), '"')
		} else {
			w.b = strconv.AppendInt(w.b, int64(v.Enum()), 10)
		}
	default: // the same in JSON
		w.b = append(w.b, v.String()...)
	}
	return nil
}

// float writes a number as encoding/json does, and NaN and infinities as strings.
func (w *writer) float(v float64, bits int) {
	if v-v != 0 {
		text := map[bool]string{true: `"Infinity"`, false: `"-Infinity"`}[v > 0]
		if v != v {
			text = `"NaN"`
		}
		w.b = append(w.b, text...)
		return
	}
	var b []byte
	if bits == 32 {
		b, _ = json.Marshal(float32(v)) // it is finite
	} else {
		b, _ = json.Marshal(v)
	}
	w.b = append(w.b, b...)
}
