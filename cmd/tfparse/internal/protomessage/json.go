package protomessage

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/tfparse/tfparse/internal/jsonscan"
	"github.com/tfparse/tfparse/internal/wire"
	"github.com/tfparse/tfparse/tfrecord"
)

// A Printer prints records as lines of protobuf's JSON. Only one goroutine may use it.
type Printer struct {
	typ      *Type  // type of the records
	position bool   // print the position of each record
	text     []byte // buffer: JSON of a record, with the spaces of protobuf-go, which vary
	encoded  []byte // buffer: the record that Encode makes of the JSON
}

// NewPrinter returns a Printer. If position is true, it prints the position of each record.
func (t *Type) NewPrinter(position bool) *Printer { return &Printer{typ: t, position: position} }

// Append appends a record as one line of JSON, without the newline. On error it returns dst unchanged.
func (p *Printer) Append(dst, rec []byte, pos tfrecord.Position) ([]byte, error) {
	m, special, err := p.typ.decode(rec)
	if err != nil {
		return dst, err
	}
	if p.text, err = (protojson.MarshalOptions{Resolver: p.typ.types, AllowPartial: true}).MarshalAppend(p.text[:0], m); err != nil {
		return dst, fmt.Errorf("message has no JSON: %s", reason(err)) // such as a Timestamp beyond the year 9999
	}
	p.typ.Printed.Add(1)
	if !p.restores(rec, m, special) {
		p.typ.Changed.Add(1)
	}
	if !p.position || p.text[0] != '{' {
		return appendCompact(dst, p.text), nil
	}
	dst = jsonscan.AppendPosition(append(dst, '{'), pos.Name, pos.Record, pos.Offset)
	if len(p.text) > len("{}") {
		dst = append(dst, ',')
	}
	return appendCompact(dst, p.text[1:]), nil
}

// restores reports whether Encode restores the record from its JSON in p.text. Reading the JSON takes most of the time of
// printing, and the message m itself shows whether the encoding is the one of Encode. Only special messages, such as
// google.protobuf.Any, and NaN lose more than that in JSON.
func (p *Printer) restores(rec []byte, m *dynamicpb.Message, special bool) bool {
	var err error
	if special || bytes.Contains(p.text, []byte("NaN")) {
		p.encoded, err = p.typ.Encode(p.encoded[:0], p.text)
	} else {
		p.encoded, err = p.typ.appendMessage(p.encoded[:0], m)
	}
	return err == nil && bytes.Equal(p.encoded, rec)
}

// appendCompact appends JSON without the spaces between its tokens.
func appendCompact(dst, text []byte) []byte {
	for i := 0; i < len(text); {
		switch text[i] {
		case ' ':
			i++
		case '"':
			begin := i
			for i++; text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
			i++
			dst = append(dst, text[begin:i]...)
		default:
			dst = append(dst, text[i])
			i++
		}
	}
	return dst
}

// Encode appends the record of a line of JSON. It ignores members of a position at the beginning of the line.
func (t *Type) Encode(dst, line []byte) ([]byte, error) {
	m := dynamicpb.NewMessage(t.desc)
	if err := (protojson.UnmarshalOptions{Resolver: t.types, RecursionLimit: maxDepth + 1}).Unmarshal(withoutPosition(line), m); err != nil {
		return dst, err
	}
	return t.appendMessage(dst, m)
}

// appendMessage appends a message with its fields in the order of their numbers.
func (t *Type) appendMessage(dst []byte, m *dynamicpb.Message) ([]byte, error) {
	begin := len(dst)
	dst, err := proto.MarshalOptions{Deterministic: true, AllowPartial: true}.MarshalAppend(dst, m)
	if err == nil {
		t.sortFields(t.desc, dst[begin:])
	}
	return dst, err
}

// sortFields sorts the fields of an encoded message, and of the messages in it, by number. Protobuf for C++ and Python writes
// them in this order; protobuf-go writes the fields of a oneof last.
func (t *Type) sortFields(desc protoreflect.MessageDescriptor, msg []byte) {
	type span struct {
		num        int32
		begin, end int
	}
	var fields []span
	content, _ := t.contentOfAny(desc, msg)
	for i := 0; i < len(msg); {
		f, next := wire.Next(msg, i)
		if next < 0 {
			return // not reached: the message was just encoded
		}
		fields = append(fields, span{f.Num, i, next})
		i = next
		fd := t.field(desc, f.Num)
		switch {
		case content != nil && f.Num == 2:
			t.sortFields(content, msg[f.Lo:f.Hi])
		case fd != nil && fd.Kind() == protoreflect.GroupKind:
			t.sortFields(fd.Message(), bodyOfGroup(msg[f.Lo:f.Hi]))
		case fd != nil && fd.Message() != nil:
			t.sortFields(fd.Message(), msg[f.Lo:f.Hi])
		}
	}
	byNumber := func(a, b span) int { return cmp.Compare(a.num, b.num) }
	if slices.IsSortedFunc(fields, byNumber) {
		return
	}
	slices.SortStableFunc(fields, byNumber)
	unsorted := bytes.Clone(msg)
	msg = msg[:0]
	for _, f := range fields {
		msg = append(msg, unsorted[f.begin:f.end]...)
	}
}

// withoutPosition returns a line with spaces in place of the position, so that errors of protojson name the right column.
func withoutPosition(line []byte) []byte {
	c := jsonscan.NewCursor(line)
	if c.Peek() != '{' {
		return line
	}
	c.Open()
	begin, end := c.Pos, c.Pos
	for more := c.More('}'); more; more = c.More('}') {
		name, ok := c.Name()
		if !ok || !jsonscan.IsPosition(name) {
			break
		}
		c.Skip()
		if end = c.Pos; c.Peek() == ',' {
			end = c.Pos + 1
		}
	}
	if begin == end || c.Bad {
		return line
	}
	line = bytes.Clone(line)
	for i := begin; i < end; i++ {
		if line[i] != '\n' { // errors of protojson name the line
			line[i] = ' '
		}
	}
	return line
}
