package statjson

import (
	"bytes"
	"errors"
	"strings"
	"sync"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"

	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/pbtext"
)

// flag is the name of the field that says that the one before it is escaped.
const flag = "escaped"

// placeholder stands in messages for what is not UTF-8.
const placeholder = "__BYTES_VALUE__"

// Unmarshal reads JSON of statistics, as Append and protobuf write it. What is escaped
// becomes "__BYTES_VALUE__", and integers the nearest float64: messages have no room for
// more. A field that statistics do not have is an error.
func Unmarshal(b []byte, list *pb.DatasetFeatureStatisticsList) error {
	options := protojson.UnmarshalOptions{Resolver: pbtext.Resolver{}}
	if !bytes.Contains(b, []byte(`"`+flag+`"`)) {
		return plain(options.Unmarshal(b, list))
	}
	form, err := withFlag()
	if err != nil {
		return err
	}
	m := dynamicpb.NewMessage(form)
	if err := options.Unmarshal(b, m); err != nil {
		return plain(err)
	}
	replace(m)
	wire, err := proto.Marshal(m)
	if err != nil {
		return err
	}
	return proto.Unmarshal(wire, list)
}

// plain is the error without the name of who found it, and without the spaces that differ
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

// withFlag returns what lists are in JSON: the same messages, some with one field more.
var withFlag = sync.OnceValues(func() (protoreflect.MessageDescriptor, error) {
	file := protodesc.ToFileDescriptorProto(pb.File_tfparse_metadatapb_statistics_proto)
	for _, outer := range file.MessageType {
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
	return d.Messages().ByName("DatasetFeatureStatisticsList"), nil
})

// replace puts the placeholder where something is escaped, and takes the flags away.
func replace(m protoreflect.Message) {
	fields := m.Descriptor().Fields()
	if f := fields.ByName(flag); f != nil {
		if m.Get(f).Bool() {
			m.Set(fields.ByName(flagged[m.Descriptor().Name()]), protoreflect.ValueOfString(placeholder))
		}
		m.Clear(f)
	}
	m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case f.Kind() != protoreflect.MessageKind:
		case f.IsList():
			for i := range v.List().Len() {
				replace(v.List().Get(i).Message())
			}
		default:
			replace(v.Message())
		}
		return true
	})
}
