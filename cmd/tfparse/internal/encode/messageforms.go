package encode

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/example/recordjson"
	"github.com/tfparse/tfparse/internal/jsonscan"
	"github.com/tfparse/tfparse/internal/pbtext"
	"github.com/tfparse/tfparse/proto/examplepb"
	"github.com/tfparse/tfparse/tfrecord"
)

// A messageReader reads messages in protobuf text format and in protobuf's JSON, and prints them in the typed form that a
// [recordjson.Encoder] reads. This way types, kinds and warnings are those of any other line.
type messageReader struct {
	typ      example.MessageType                              // --type
	printers [example.TypeExampleList + 1]*recordjson.Printer // by type; nil until used
	msg      []byte                                           // buffer for the encoded message
	line     []byte                                           // buffer for the typed form
}

// readMessage returns the typed form of a message, valid until the next call. ok is false if text is in neither form.
func (r *messageReader) readMessage(text []byte) (line []byte, ok bool, err error) {
	types, unmarshal := textTypes(text), pbtext.Unmarshal
	if types == nil {
		typ := jsonType(text)
		if typ == example.TypeAuto {
			return nil, false, nil
		}
		types, unmarshal = []example.MessageType{typ}, protojson.Unmarshal
	}
	if r.typ != example.TypeAuto {
		types = []example.MessageType{r.typ}
	}
	var first error
	for _, typ := range types {
		var m proto.Message
		switch typ {
		case example.TypeExample:
			m = &examplepb.Example{}
		case example.TypeSequence:
			m = &examplepb.SequenceExample{}
		case example.TypeExampleList:
			m = &examplepb.ExampleListWithContext{}
		default:
			return nil, true, fmt.Errorf("want a line of type %s, got a protobuf message", typ)
		}
		if err = unmarshal(text, m); err == nil {
			line, err = r.print(typ, m)
			return line, true, err
		}
		if first == nil {
			first = err
		}
	}
	return nil, true, messageError(first)
}

// print returns the typed form of a message.
func (r *messageReader) print(typ example.MessageType, m proto.Message) (line []byte, err error) {
	if r.msg, err = (proto.MarshalOptions{}).MarshalAppend(r.msg[:0], m); err != nil {
		return nil, err
	}
	if r.printers[typ] == nil {
		r.printers[typ] = recordjson.NewPrinter(typ, &recordjson.Options{Typed: true})
	}
	r.line, err = r.printers[typ].Append(r.line[:0], r.msg, tfrecord.Position{})
	return r.line, err
}

// textTypes returns the types that a message in protobuf text format may have, by its first field; nil if text is not in that
// format.
func textTypes(text []byte) []example.MessageType {
	n := 0
	for n < len(text) && isNameByte(text[n]) {
		n++
	}
	rest := bytes.TrimLeft(text[n:], " \t\r\n")
	if i := slices.Index(messageFields, string(text[:n])); i >= 0 && len(rest) > 0 && strings.IndexByte("{<:", rest[0]) >= 0 {
		return [...][]example.MessageType{
			{example.TypeExample}, {example.TypeSequence, example.TypeExampleList}, {example.TypeSequence}, {example.TypeExampleList},
		}[i]
	}
	return nil
}

// jsonType returns the type of a message in protobuf's JSON; TypeAuto if line is not in that form. The encoder's own forms do
// not have the members of protobuf where they are here, as objects.
func jsonType(line []byte) example.MessageType {
	c := jsonscan.NewCursor(line)
	if c.Peek() != '{' {
		return example.TypeAuto
	}
	for c.Open(); c.More('}'); c.Skip() {
		name, ok := c.Name()
		if !ok {
			return example.TypeAuto
		}
		switch string(name) {
		case "features":
			if c.Peek() == '{' && (isEmptyObject(c) || hasObject(c, "feature")) {
				return example.TypeExample
			}
		case "context":
			switch {
			case c.Peek() == '{' && isEmptyObject(c): // a member of our own form too
				continue
			case hasObject(c, "feature") && !hasList(c, "feature"):
				return example.TypeSequence
			case hasObject(c, "features") && !hasList(c, "features"):
				return example.TypeExampleList
			}
		case "featureLists", "feature_lists":
			switch {
			case c.Peek() == '{' && isEmptyObject(c) && string(name) == "feature_lists":
				continue
			case c.Peek() == '{' && isEmptyObject(c), hasObject(c, "featureList"), hasObject(c, "feature_list"):
				return example.TypeSequence
			}
		case "examples":
			if c.Peek() != '[' {
				return example.TypeAuto
			}
			list := c
			list.Open()
			if !list.More(']') || list.Peek() == '{' && isEmptyObject(list) {
				continue
			}
			if hasObject(list, "features") && !hasList(list, "features") {
				return example.TypeExampleList
			}
		}
		return example.TypeAuto
	}
	return example.TypeAuto
}

// isEmptyObject reports whether the object at c has no members.
func isEmptyObject(c jsonscan.Cursor) bool {
	c.Open()
	return !c.More('}') && !c.Bad
}

// firstMember moves c into the object there, to the value of its first member. ok is false if that member has another name.
func firstMember(c jsonscan.Cursor, name string) (value jsonscan.Cursor, ok bool) {
	if c.Peek() != '{' {
		return c, false
	}
	c.Open()
	if !c.More('}') {
		return c, false
	}
	got, ok := c.Name()
	return c, ok && string(got) == name
}

// hasObject reports whether the first member of the object at c has a name and an object.
func hasObject(c jsonscan.Cursor, name string) bool {
	value, ok := firstMember(c, name)
	return ok && value.Peek() == '{'
}

// hasList reports whether the first member of the object that hasObject found has a list, as in {"feature": {"int64": [1]}}: a
// feature of that name in the typed form.
func hasList(c jsonscan.Cursor, name string) bool {
	value, _ := firstMember(c, name)
	value.Open()
	if !value.More('}') {
		return false
	}
	value.Name()
	return value.Peek() == '['
}

// A textError is an error of a protobuf decoder.
type textError struct {
	line, column int64 // in the message, from 1; 0: unknown
	reason       string
}

func (e *textError) Error() string { return e.reason }

// decoderPlace matches the place in an error of protobuf's decoders: (line 3:5).
var decoderPlace = regexp.MustCompile(`\(?line (\d+):(\d+)\)?: `)

// secondKind matches the error of protobuf's decoders about a second member of a oneof, with its name in our generated code.
var secondKind = regexp.MustCompile(`error parsing ("[^"]*"), oneof [\w.]*\.(\w+) is already set`)

// messageError converts an error of protobuf's decoders. They vary the space after their name.
func messageError(err error) error {
	reason := strings.TrimSpace(strings.TrimPrefix(strings.ReplaceAll(err.Error(), "\u00a0", " "), "proto: "))
	reason = secondKind.ReplaceAllString(reason, "$1: a second $2")
	e := &textError{reason: reason}
	if at := decoderPlace.FindStringSubmatchIndex(reason); at != nil {
		e.line, _ = strconv.ParseInt(reason[at[2]:at[3]], 10, 64)
		e.column, _ = strconv.ParseInt(reason[at[4]:at[5]], 10, 64)
		e.reason = strings.TrimSuffix(reason[:at[0]], " ")
		if e.reason != "" {
			e.reason += ": "
		}
		e.reason += reason[at[1]:]
	}
	e.reason = "protobuf message: " + e.reason
	return e
}

// placeInFile returns the line of an error about a record, and the error with its column in that line. Most records are lines;
// others begin somewhere in a line and have several.
func placeInFile(rec *scan.Record, err error) (line int64, placed error) {
	line = rec.Record
	before := max(rec.Offset, 0) // bytes before the record in its first line
	if e, ok := errors.AsType[*textError](err); ok {
		if e.line == 0 {
			return line, err
		}
		if e.line == 1 {
			e.column += before
		}
		return line + e.line - 1, fmt.Errorf("column %d: %w", e.column, err)
	}
	if e, ok := err.(*recordjson.Error); ok && e.Column > 0 && rec.Offset >= 0 {
		text := rec.Bytes[:min(e.Column-1, len(rec.Bytes))]
		if n := bytes.Count(text, []byte("\n")); n > 0 {
			line += int64(n)
			e.Column -= bytes.LastIndexByte(text, '\n') + 1
		} else {
			e.Column += int(before)
		}
	}
	return line, err
}
