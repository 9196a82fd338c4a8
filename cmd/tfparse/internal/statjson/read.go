package statjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"
	"google.golang.org/protobuf/types/known/anypb"

	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/pbtext"
	"github.com/tfparse/tfparse/validate/stats"
)

// flag is the name of the field that says that the one before it is escaped.
const flag = "escaped"

// outside is the name of the field with the number of records in slices that were left out.
const outside = "outside_slices"

// placeholder stands in messages for what is not UTF-8, but for tokens, which have U+FFFD
// in them.
const (
	placeholder = "__BYTES_VALUE__"
	replacement = "\ufffd"
)

// Unmarshal reads JSON of statistics, as Append and protobuf write it. What is escaped
// becomes "__BYTES_VALUE__" in the messages, and integers the nearest float64: what they are
// in full is in the details, with which Append writes the same again. A field that
// statistics do not have is an error.
func Unmarshal(b []byte, list *pb.DatasetFeatureStatisticsList) (*stats.Details, error) {
	if err := unmarshal(b, list); err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(bytes.NewReader(b))
	decoder.UseNumber()
	var tree any
	if err := decoder.Decode(&tree); err != nil {
		return nil, err
	}
	d := collector{stats.NewDetails()}
	if object, ok := tree.(map[string]any); ok {
		text := strings.Trim(fmt.Sprint(object[outside]), `"`)
		d.OutsideSlices, _ = strconv.ParseUint(text, 10, 64) // what is none was refused with the messages
	}
	d.message(list.ProtoReflect(), tree)
	return d.Details, nil
}

// unmarshal reads the messages.
func unmarshal(b []byte, list *pb.DatasetFeatureStatisticsList) error {
	if !bytes.Contains(b, []byte(`"`+flag+`"`)) && !bytes.Contains(b, []byte(`"`+outside+`"`)) {
		return plain(protojson.UnmarshalOptions{Resolver: pbtext.Resolver{}}.Unmarshal(b, list))
	}
	forms, err := withFlag()
	if err != nil {
		return err
	}
	m := dynamicpb.NewMessage(forms.ByName("DatasetFeatureStatisticsList"))
	if err := (protojson.UnmarshalOptions{Resolver: resolver{forms: forms}}).Unmarshal(b, m); err != nil {
		return plain(err)
	}
	m.Clear(m.Descriptor().Fields().ByName(outside))
	if err := replace(m, forms, false); err != nil {
		return err
	}
	wire, err := proto.Marshal(m)
	if err != nil {
		return err
	}
	return proto.Unmarshal(wire, list)
}

// plain is the error without the name of the library that found it, and without the spaces that differ
// from build to build.
func plain(err error) error {
	if err == nil {
		return nil
	}
	text := strings.ReplaceAll(err.Error(), "\u00a0", " ")
	return errors.New(strings.TrimSpace(strings.TrimPrefix(text, "proto:")))
}

// flagged are the messages that JSON has the flag in, and the fields that it is said of.
var flagged = map[protoreflect.Name]protoreflect.Name{"FreqAndValue": "value", "Bucket": "label"}

// withFlag returns what the messages are in JSON: the same, some with one field more.
var withFlag = sync.OnceValues(func() (protoreflect.MessageDescriptors, error) {
	file := protodesc.ToFileDescriptorProto(pb.File_tfparse_metadatapb_statistics_proto)
	for _, outer := range file.MessageType {
		if outer.GetName() == "DatasetFeatureStatisticsList" {
			outer.Field = append(outer.Field, &descriptorpb.FieldDescriptorProto{
				Name: proto.String(outside), Number: proto.Int32(1<<29 - 1),
				Label: descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL.Enum(), Type: descriptorpb.FieldDescriptorProto_TYPE_UINT64.Enum(),
			})
		}
		for _, m := range outer.NestedType {
			said := flagged[protoreflect.Name(m.GetName())]
			for _, f := range m.Field {
				if f.GetName() == string(said) {
					m.Field = append(m.Field, &descriptorpb.FieldDescriptorProto{
						Name: proto.String(flag), Number: proto.Int32(1<<29 - 1),
						Label: descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL.Enum(), Type: descriptorpb.FieldDescriptorProto_TYPE_BOOL.Enum(),
					})
					break
				}
			}
		}
	}
	d, err := protodesc.NewFile(file, protoregistry.GlobalFiles)
	if err != nil {
		return nil, err
	}
	return d.Messages(), nil
})

// A resolver finds what is packed in an Any as it is in JSON.
type resolver struct {
	pbtext.Resolver
	forms protoreflect.MessageDescriptors
}

func (r resolver) FindMessageByURL(url string) (protoreflect.MessageType, error) {
	t, err := r.Resolver.FindMessageByURL(url)
	if err != nil {
		return nil, err
	}
	if form := r.forms.ByName(t.Descriptor().Name()); form != nil {
		return dynamicpb.NewMessageType(form), nil
	}
	return t, nil
}

// replace puts a placeholder where something is escaped, and takes the flags away. In an
// Any are tokens.
func replace(m protoreflect.Message, forms protoreflect.MessageDescriptors, tokens bool) error {
	fields := m.Descriptor().Fields()
	if m.Descriptor().FullName() == "google.protobuf.Any" {
		return replaceInside(m, forms)
	}
	if f := fields.ByName(flag); f != nil {
		if m.Get(f).Bool() {
			said, text := fields.ByName(flagged[m.Descriptor().Name()]), placeholder
			if tokens {
				text, _ = unquote(m.Get(said).String())
				text = strings.ToValidUTF8(text, replacement)
			}
			m.Set(said, protoreflect.ValueOfString(text))
		}
		m.Clear(f)
	}
	var err error
	m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case f.Kind() != protoreflect.MessageKind:
		case f.IsList():
			for i := 0; i < v.List().Len() && err == nil; i++ {
				err = replace(v.List().Get(i).Message(), forms, tokens)
			}
		default:
			err = replace(v.Message(), forms, tokens)
		}
		return err == nil
	})
	return err
}

// replaceInside is replace for what is packed in an Any.
func replaceInside(m protoreflect.Message, forms protoreflect.MessageDescriptors) error {
	fields := m.Descriptor().Fields()
	url, value := fields.ByName("type_url"), fields.ByName("value")
	t, err := resolver{forms: forms}.FindMessageByURL(m.Get(url).String())
	if err != nil {
		return nil // it is empty
	}
	inside := t.New()
	if err := proto.Unmarshal(m.Get(value).Bytes(), inside.Interface()); err != nil {
		return err
	}
	if err := replace(inside, forms, true); err != nil {
		return err
	}
	b, err := proto.MarshalOptions{Deterministic: true}.Marshal(inside.Interface())
	m.Set(value, protoreflect.ValueOfBytes(b))
	return err
}

// unquote makes the bytes of a value that is escaped.
func unquote(text string) (string, error) { return strconv.Unquote(`"` + text + `"`) }

// A collector fills in the details of messages from the JSON that they were read from.
type collector struct{ *stats.Details }

// message takes what JSON has more than a message.
func (c collector) message(m protoreflect.Message, tree any) {
	object, _ := tree.(map[string]any)
	if packed, ok := m.Interface().(*anypb.Any); ok {
		c.packed(packed, object)
		return
	}
	fields := m.Descriptor().Fields()
	if on, _ := object[flag].(bool); on {
		said := flagged[m.Descriptor().Name()]
		text, _ := object[string(said)].(string)
		if label, err := unquote(text); err == nil {
			c.Labels[stats.Figure{Message: m.Interface(), Field: string(said)}] = label
		}
	}
	for key, value := range object {
		f := fields.ByTextName(key)
		if f == nil {
			f = fields.ByJSONName(key)
		}
		switch {
		case f == nil:
		case f.Kind() == protoreflect.DoubleKind && !f.IsList():
			number, _ := value.(json.Number)
			if v, err := number.Int64(); err == nil && (v >= 1<<53 || v <= -1<<53) {
				c.Integers[stats.Figure{Message: m.Interface(), Field: string(f.Name())}] = v
			}
		case f.Kind() != protoreflect.MessageKind:
		case f.IsList():
			list, _ := value.([]any)
			for i := range min(len(list), m.Get(f).List().Len()) {
				c.message(m.Get(f).List().Get(i).Message(), list[i])
			}
		default:
			c.message(m.Get(f).Message(), value)
		}
	}
}

// packed is message for what is packed in an Any.
func (c collector) packed(a *anypb.Any, object map[string]any) {
	t, err := pbtext.Resolver{}.FindMessageByURL(a.GetTypeUrl())
	if err != nil {
		return
	}
	inside := t.New()
	if proto.Unmarshal(a.GetValue(), inside.Interface()) != nil {
		return
	}
	known := len(c.Labels) + len(c.Integers)
	c.message(inside, object)
	if len(c.Labels)+len(c.Integers) > known {
		c.Packed[a] = inside.Interface()
	}
}
