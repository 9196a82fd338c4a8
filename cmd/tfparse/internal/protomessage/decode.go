package protomessage

import (
	"errors"
	"fmt"
	"unicode/utf8"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/tfmessage"
	"github.com/tfparse/tfparse/internal/wire"
)

// maxDepth limits the nesting of messages, as protobuf for C++ and Python does.
const maxDepth = 100

// A Field is an encoded field of a record: a tag and its value.
type Field struct {
	Desc   protoreflect.FieldDescriptor // name and type
	Offset int                          // offset of the tag in the record, in bytes
	Depth  int                          // number of messages around the field; 0 in the record itself
	Wire   wire.Type                    // wire type in the tag
	Value  []byte                       // the bytes after the tag, without the length of a message or string
}

// decode decodes a record. An unknown field is an error, because the JSON of the message would lose it. special reports whether
// the record is or has a message of the package google.protobuf, which have a JSON of their own.
func (t *Type) decode(rec []byte) (m *dynamicpb.Message, special bool, err error) {
	isSpecial := func(desc protoreflect.MessageDescriptor) bool {
		return desc != nil && desc.ParentFile().Package() == "google.protobuf"
	}
	special = isSpecial(t.desc)
	if err := t.walk(t.desc, rec, 0, 0, func(f Field) { special = special || isSpecial(f.Desc.Message()) }); err != nil {
		return nil, false, err
	}
	m = dynamicpb.NewMessage(t.desc)
	if err := (proto.UnmarshalOptions{Resolver: t.types, RecursionLimit: maxDepth + 1}).Unmarshal(rec, m); err != nil {
		return nil, false, &tfmessage.DecodeError{Err: errors.New(reason(err))}
	}
	return m, special, nil
}

// walk calls visit for the fields of a message and of the messages in it, in their order, up to the first error. An unknown
// field is an error. base is the offset of the message in the record.
func (t *Type) walk(desc protoreflect.MessageDescriptor, msg []byte, base, depth int, visit func(Field)) error {
	if depth > maxDepth {
		return &tfmessage.DecodeError{Offset: base, Err: fmt.Errorf("more than %d nested messages", maxDepth)}
	}
	content, err := t.contentOfAny(desc, msg)
	if err != nil {
		return &tfmessage.DecodeError{Offset: base, Err: err}
	}
	for i := 0; i < len(msg); {
		f, next := wire.Next(msg, i)
		if next < 0 {
			return &tfmessage.DecodeError{Offset: base + i, Err: wire.Err(next)}
		}
		fd := t.field(desc, f.Num)
		if fd == nil {
			return &tfmessage.DecodeError{Offset: base + i, Path: fmt.Sprintf("field %d", f.Num), Err: fmt.Errorf("unknown field of %s", desc.FullName())}
		}
		field := Field{fd, base + i, depth, f.Type, msg[f.Lo:f.Hi]}
		if f.Type == wire.TypeStartGroup {
			field.Value = bodyOfGroup(field.Value)
		}
		err := field.check()
		if err == nil {
			visit(field)
		}
		sub := fd.Message()
		if content != nil && f.Num == 2 {
			sub = content
		}
		if sub != nil && err == nil {
			err = t.walk(sub, field.Value, base+f.Lo, depth+1, visit)
		}
		if err != nil {
			return addName(err, fd, base+i, msg[:i])
		}
		i = next
	}
	return nil
}

// field returns the field or extension with a number; nil if the message has none.
func (t *Type) field(desc protoreflect.MessageDescriptor, number int32) protoreflect.FieldDescriptor {
	if fd := desc.Fields().ByNumber(protoreflect.FieldNumber(number)); fd != nil {
		return fd
	}
	if extension, err := t.types.FindExtensionByNumber(desc.FullName(), protoreflect.FieldNumber(number)); err == nil {
		return extension.TypeDescriptor()
	}
	return nil
}

// contentOfAny returns the type of the message in a google.protobuf.Any. It is nil for another message or an empty Any.
func (t *Type) contentOfAny(desc protoreflect.MessageDescriptor, msg []byte) (protoreflect.MessageDescriptor, error) {
	if desc.FullName() != "google.protobuf.Any" {
		return nil, nil
	}
	url := ""
	for i := 0; i < len(msg); {
		f, next := wire.Next(msg, i)
		if next < 0 {
			break // walk reports it
		}
		if i = next; f.Num == 1 && f.Type == wire.TypeBytes {
			url = string(msg[f.Lo:f.Hi])
		}
	}
	if url == "" {
		return nil, nil
	}
	content, err := t.types.FindMessageByURL(url)
	if err != nil {
		return nil, fmt.Errorf("google.protobuf.Any of an unknown message: %q", url)
	}
	return content.Descriptor(), nil
}

// bodyOfGroup returns the fields of a group without its end tag.
func bodyOfGroup(value []byte) []byte {
	for i := 0; i < len(value); {
		_, next := wire.Next(value, i)
		if next < 0 {
			return value[:i] // at the end tag: wire.Next has checked the fields before it
		}
		i = next
	}
	return value
}

// addName adds the name of a field to the path of an error in its value. before has the encoded fields before it, which
// determine the index in a list.
func addName(err error, fd protoreflect.FieldDescriptor, offset int, before []byte) error {
	e, ok := err.(*tfmessage.DecodeError)
	if !ok {
		e = &tfmessage.DecodeError{Offset: offset, Err: err}
	}
	name := string(fd.Name())
	if fd.IsList() {
		n := 0
		for i := 0; i < len(before); {
			f, next := wire.Next(before, i)
			if i = next; f.Num == int32(fd.Number()) {
				n++
			}
		}
		name = fmt.Sprintf("%s[%d]", name, n)
	}
	if e.Path != "" {
		name += "." + e.Path
	}
	e.Path = name
	return e
}

// wireTypes has the wire types of kinds; all others are LEN.
var wireTypes = map[protoreflect.Kind]wire.Type{
	protoreflect.BoolKind: wire.TypeVarint, protoreflect.EnumKind: wire.TypeVarint,
	protoreflect.Int32Kind: wire.TypeVarint, protoreflect.Sint32Kind: wire.TypeVarint, protoreflect.Uint32Kind: wire.TypeVarint,
	protoreflect.Int64Kind: wire.TypeVarint, protoreflect.Sint64Kind: wire.TypeVarint, protoreflect.Uint64Kind: wire.TypeVarint,
	protoreflect.Fixed32Kind: wire.TypeFixed32, protoreflect.Sfixed32Kind: wire.TypeFixed32, protoreflect.FloatKind: wire.TypeFixed32,
	protoreflect.Fixed64Kind: wire.TypeFixed64, protoreflect.Sfixed64Kind: wire.TypeFixed64, protoreflect.DoubleKind: wire.TypeFixed64,
	protoreflect.GroupKind: wire.TypeStartGroup,
}

// packed reports whether the field is a packed list.
func (f *Field) packed() bool { return f.Wire == wire.TypeBytes && f.Desc.IsList() && f.numeric() }

// numeric reports whether the field has numbers, bools or enums.
func (f *Field) numeric() bool {
	_, ok := wireTypes[f.Desc.Kind()]
	return ok && f.Desc.Message() == nil
}

// check returns an error unless the value is valid for the type. Protobuf takes a field of another wire type for an unknown
// one.
func (f *Field) check() error {
	want, ok := wireTypes[f.Desc.Kind()]
	if !ok {
		want = wire.TypeBytes
	}
	if f.packed() {
		for i := 0; i < len(f.Value); {
			if i = skipNumber(f.Value, i, want); i < 0 {
				return wire.Err(i)
			}
		}
		return nil
	}
	if f.Wire != want {
		return fmt.Errorf("want wire type %v, got %v", want, f.Wire)
	}
	if f.Desc.Kind() == protoreflect.StringKind && !utf8.Valid(f.Value) {
		return errors.New("string is not UTF-8")
	}
	return nil
}

// skipNumber returns the end of the number at b[i], or the code of an error.
func skipNumber(b []byte, i int, typ wire.Type) int {
	size := 4
	switch typ {
	case wire.TypeVarint:
		_, next := wire.Varint(b, i)
		return next
	case wire.TypeFixed64:
		size = 8
	}
	if size > len(b)-i {
		return wire.Truncated
	}
	return i + size
}
