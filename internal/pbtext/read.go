package pbtext

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protopath"
	"google.golang.org/protobuf/reflect/protorange"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	"github.com/tfparse/tfparse/proto/metadatapb"
)

// maxDepth is the maximum nesting of messages, as in other implementations of protobuf.
const maxDepth = 100

// An UnknownError names fields that the type of a message does not have. All other fields were read.
type UnknownError struct {
	// Faults name each unknown field, and in the binary form each unknown enum number, with its place, in the order
	// of the message. For the text form there is only the first.
	Faults []string
}

// Error returns the first fault.
func (e *UnknownError) Error() string { return e.Faults[0] }

// Read reads a message into m, whose content it replaces. It detects whether b is the text form or the binary form;
// text reports which. The error is that of Unmarshal or of UnmarshalBinary.
//
// A text has no control characters. No binary message without one is known: the length of its first field, or of a
// name in it, is a control character. So b is read as text first if it has none, and as binary first if it has one.
func Read(b []byte, m proto.Message) (text bool, err error) {
	first, second := Unmarshal, UnmarshalBinary
	text = utf8.Valid(b) && bytes.IndexFunc(b, control) < 0
	if !text {
		first, second = second, first
	}
	if err = first(b, m); err == nil {
		return text, nil
	}
	if other := m.ProtoReflect().New().Interface(); second(b, other) == nil {
		proto.Reset(m)
		proto.Merge(m, other)
		return !text, nil
	}
	if unknown := (*UnknownError)(nil); !text && !errors.As(err, &unknown) {
		err = fmt.Errorf("neither text nor binary: %w", err)
	}
	return text, err
}

func control(r rune) bool {
	return r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == 0x7f
}

// Unmarshal reads the text form of a message into m, whose content it replaces. The
// error has the line and the column; it is an *UnknownError for a field that the message
// does not have. m does not alias text.
func Unmarshal(text []byte, m proto.Message) error {
	if tooDeep(text) { // the runtime has no limit for unknown fields
		return fmt.Errorf("messages nest more than %d deep", maxDepth)
	}
	o := prototext.UnmarshalOptions{Resolver: Resolver{}, RecursionLimit: maxDepth}
	err := o.Unmarshal(text, m)
	if err == nil {
		return nil
	}
	// The runtime varies the space after its own name, and puts the position into brackets.
	reason := strings.TrimPrefix(strings.ReplaceAll(err.Error(), "\u00a0", " "), "proto: ")
	if place, what, ok := strings.Cut(reason, "): "); ok && strings.HasPrefix(place, "(line ") {
		reason = place[1:] + ": " + what
	}
	if o.DiscardUnknown = true; o.Unmarshal(text, m) == nil {
		return &UnknownError{[]string{reason}}
	}
	return errors.New(reason)
}

// tooDeep reports whether messages nest too deep in a text. It distinguishes only strings, comments and braces.
func tooDeep(b []byte) bool {
	depth := 0
	for i := 0; i < len(b); i++ {
		switch c := b[i]; c {
		case '{', '<':
			if depth++; depth > maxDepth {
				return true
			}
		case '}', '>':
			depth--
		case '#':
			n := bytes.IndexByte(b[i:], '\n')
			if n < 0 {
				return false
			}
			i += n
		case '"', '\'':
			for i++; i < len(b) && b[i] != c && b[i] != '\n'; i++ {
				if b[i] == '\\' {
					i++
				}
			}
		}
	}
	return false
}

// UnmarshalBinary reads the binary form of a message into m, whose content it replaces.
// The error is an *UnknownError for fields that the message does not have, anywhere in it, and
// for numbers that an enum does not have. m does not alias b.
func UnmarshalBinary(b []byte, m proto.Message) error {
	if err := (proto.UnmarshalOptions{RecursionLimit: maxDepth}).Unmarshal(b, m); err != nil {
		return errors.New(strings.TrimPrefix(strings.ReplaceAll(err.Error(), "\u00a0", " "), "proto: "))
	}
	var faults []string
	err := protorange.Range(m.ProtoReflect(), func(p protopath.Values) error {
		at, ok := p.Index(-1).Value.Interface().(protoreflect.Message)
		if !ok {
			return nil
		}
		for b := at.GetUnknown(); len(b) > 0; {
			n, _, size := protowire.ConsumeField(b)
			if size < 0 {
				break // the runtime keeps whole fields only
			}
			faults = append(faults, fmt.Sprintf("unknown field or enum value: field %d of %s%s", n, m.ProtoReflect().Descriptor().Name(), p.Path[1:]))
			b = b[size:]
		}
		return nil
	})
	if err == nil && len(faults) > 0 {
		err = &UnknownError{faults}
	}
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
