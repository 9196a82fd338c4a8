package pbtext

import (
	"errors"
	"fmt"
	"strings"

	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protopath"
	"google.golang.org/protobuf/reflect/protorange"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	"github.com/tfparse/tfparse/proto/metadatapb"
)

// TypePrefix stands before TensorFlow's name of a message in the URL of an Any.
const TypePrefix = "type.googleapis.com/tensorflow.metadata.v0."

// Unmarshal reads the text form of a message into m, whose content it replaces. The
// error has the line and the column; a field that the message does not have is an
// error that names it. Nothing of text is kept.
func Unmarshal(text []byte, m proto.Message) error {
	err := prototext.UnmarshalOptions{Resolver: Resolver{}}.Unmarshal(text, m)
	if err == nil {
		return nil
	}
	// The runtime varies the space after its own name, and puts the place into brackets.
	reason := strings.TrimPrefix(strings.ReplaceAll(err.Error(), "\u00a0", " "), "proto: ")
	if place, what, ok := strings.Cut(reason, "): "); ok && strings.HasPrefix(place, "(line ") {
		reason = place[1:] + ": " + what
	}
	return errors.New(reason)
}

// UnmarshalBinary reads the binary form of a message into m, whose content it replaces.
// A field that the message does not have, anywhere in it, is an error that says where and
// gives its number; so is a number that an enum does not have. Nothing of b is kept.
func UnmarshalBinary(b []byte, m proto.Message) error {
	if err := proto.Unmarshal(b, m); err != nil {
		return err
	}
	var err error
	protorange.Range(m.ProtoReflect(), func(p protopath.Values) error {
		at, ok := p.Index(-1).Value.Interface().(protoreflect.Message)
		if !ok || len(at.GetUnknown()) == 0 {
			return nil
		}
		n, _, _ := protowire.ConsumeTag(at.GetUnknown())
		err = fmt.Errorf("unknown field %d, or a value that its enum does not have, in %s%s", n, m.ProtoReflect().Descriptor().Name(), p.Path[1:])
		return protorange.Terminate
	})
	return err
}

// A Resolver finds our messages under TensorFlow's names. It knows no extensions.
type Resolver struct{}

// FindMessageByName finds a message of ours by TensorFlow's name of it.
func (Resolver) FindMessageByName(name protoreflect.FullName) (protoreflect.MessageType, error) {
	short, ok := strings.CutPrefix(string(name), "tensorflow.metadata.v0.")
	if !ok {
		return nil, protoregistry.NotFound
	}
	d := metadatapb.File_tfparse_metadatapb_statistics_proto.Messages().ByName(protoreflect.Name(short))
	if d == nil {
		d = metadatapb.File_tfparse_metadatapb_schema_proto.Messages().ByName(protoreflect.Name(short))
	}
	if d == nil {
		return nil, protoregistry.NotFound
	}
	return protoregistry.GlobalTypes.FindMessageByName(d.FullName())
}

// FindMessageByURL finds a message of ours by the URL of an Any.
func (r Resolver) FindMessageByURL(url string) (protoreflect.MessageType, error) {
	return r.FindMessageByName(protoreflect.FullName(url[strings.LastIndexByte(url, '/')+1:]))
}

// FindExtensionByName finds nothing.
func (Resolver) FindExtensionByName(protoreflect.FullName) (protoreflect.ExtensionType, error) {
	return nil, protoregistry.NotFound
}

// FindExtensionByNumber finds nothing.
func (Resolver) FindExtensionByNumber(protoreflect.FullName, protoreflect.FieldNumber) (protoreflect.ExtensionType, error) {
	return nil, protoregistry.NotFound
}
