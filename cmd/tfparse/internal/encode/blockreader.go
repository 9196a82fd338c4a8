package encode

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
)

// A layout is how the records of a text are separated.
type layout uint8

const (
	oneALine     layout = iota // a JSON object on each line
	jsonValues                 // JSON objects that span lines, or the elements of an array
	textMessages               // messages in protobuf text format
)

// messageFields are the top-level fields of Example, SequenceExample and ExampleListWithContext in protobuf text format.
var messageFields = []string{"features", "context", "feature_lists", "examples"}

// layoutOf returns the layout of a text. It reads ahead no further than the first bytes that decide, since more may come late.
func layoutOf(r *bufio.Reader) layout {
	var word []byte // a name, or the brace of an object
	spaced := false // white space follows word
	for n := 1; ; n++ {
		start, err := r.Peek(n)
		if err != nil {
			return oneALine
		}
		c := start[n-1]
		isObject := string(word) == "{"
		switch {
		case isObject && c == '\n':
			return jsonValues
		case isSpace(c):
			spaced = len(word) > 0
		case isObject:
			return oneALine
		case len(word) == 0 && c == '[':
			return jsonValues
		case len(word) == 0 && c == '#': // a comment
			return textMessages
		case !spaced && (isNameByte(c) || len(word) == 0 && c == '{'):
			word = append(word, c)
		case (c == '{' || c == '<' || c == ':') && slices.Contains(messageFields, string(word)):
			return textMessages
		default:
			return oneALine
		}
	}
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }

func isNameByte(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' }

// A blockReader splits a text into records that span lines. It looks at no more than brackets, strings and comments; the
// decoder of a record finds what else is wrong with it.
type blockReader struct {
	in    *bufio.Reader // buffers the file; the lineReader owns it
	text  bool          // the layout is textMessages, not jsonValues
	limit int64         // maximum length of a record, in bytes
	at    place         // of the next byte

	array arrayState // for jsonValues
	field string     // for textMessages: the first field of the next record, which was read with the record before; "": none

	first string // for textMessages: the first field of the record
	torn  bool   // for textMessages: a string of the record has no end, so its brackets may not match

	start place  // of the record
	block []byte // the record, up to limit bytes
	size  int64  // length of the record
}

// A place is a position in a text.
type place struct {
	line   int64 // from 1
	column int64 // bytes before it in the line
}

type arrayState uint8

const (
	noArray     arrayState = iota // values follow each other
	firstInside                   // after [
	inside                        // after an element
	closed                        // after ]
)

// next returns the next record, which is valid until the next call. The error is errLongLine for a record of more than limit
// bytes; after any other error nothing can be read.
func (b *blockReader) next() ([]byte, error) {
	b.block, b.size, b.torn = b.block[:0], 0, false
	var err error
	if b.text {
		err = b.readMessage()
	} else {
		err = b.readValue()
	}
	if err == nil && b.size > b.limit {
		err = errLongLine
	}
	return b.block, err
}

// readByte reads one byte.
func (b *blockReader) readByte() (byte, error) {
	c, err := b.in.ReadByte()
	if err == nil {
		if b.at.column++; c == '\n' {
			b.at = place{b.at.line + 1, 0}
		}
	}
	return c, err
}

// keepByte reads one byte of the record. The record must not end before it.
func (b *blockReader) keepByte() (byte, error) {
	c, err := b.readByte()
	if err == nil {
		if b.size++; b.size <= b.limit {
			b.block = append(b.block, c)
		}
	} else if err == io.EOF {
		err = fmt.Errorf("the text ends within the record that begins in line %d", b.start.line)
	}
	return c, err
}

// peekByte returns the next byte that is neither white space nor part of a comment. It reads what comes before, and keeps it if
// it is inside a record, so that lines can be counted in the record.
func (b *blockReader) peekByte() (byte, error) {
	for {
		next, err := b.in.Peek(1)
		if err != nil {
			return 0, err
		}
		if !isSpace(next[0]) && !(b.text && next[0] == '#') {
			return next[0], nil
		}
		read := b.readByte
		if b.size > 0 {
			read = b.keepByte
		}
		if next[0] != '#' {
			read()
			continue
		}
		for c := byte(0); c != '\n'; {
			if c, err = b.readByte(); err != nil {
				return 0, err
			}
		}
		if b.size > 0 {
			b.block = append(b.block, '\n')
			b.size++
		}
	}
}

// readBrackets reads a value that begins with a bracket, up to the bracket that closes it. After a string without an end it reads
// no further than to the next message.
func (b *blockReader) readBrackets() error {
	for depth := 0; !b.atNextMessage(); {
		c, err := b.keepByte()
		if err != nil {
			return err
		}
		switch c {
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		case '"':
			err = b.readString(c)
		case '<', '>', '\'', '#':
			switch {
			case !b.text:
			case c == '<':
				depth++
			case c == '>':
				depth--
			case c == '#':
				for c != '\n' && err == nil {
					c, err = b.keepByte()
				}
			default:
				err = b.readString(c)
			}
		}
		if err != nil || depth == 0 {
			return err
		}
	}
	return nil
}

// atNextMessage reports whether the record has a string without an end, and a line begins as the record did. Another field at
// the beginning of a line may belong to the same message.
func (b *blockReader) atNextMessage() bool {
	if !b.torn || b.at.column > 0 {
		return false
	}
	next, _ := b.in.Peek(len(b.first) + 1)
	return len(next) > len(b.first) && string(next[:len(b.first)]) == b.first && !isNameByte(next[len(b.first)])
}

// readString reads a string after its quote. One that is not closed ends with its line.
func (b *blockReader) readString(quote byte) error {
	for {
		c, err := b.keepByte()
		if err == nil && c == '\\' {
			_, err = b.keepByte()
		}
		b.torn = b.torn || b.text && err == nil && c == '\n'
		if err != nil || c == quote || c == '\n' {
			return err
		}
	}
}

var errEndInArray = errors.New("the text ends within the array")

// readValue reads the next JSON value.
func (b *blockReader) readValue() error {
	c, err := b.peekByte()
	if b.start.line == 0 && b.array == noArray && c == '[' {
		b.array = firstInside
		b.readByte()
		c, err = b.peekByte()
	}
	switch {
	case err == io.EOF && (b.array == firstInside || b.array == inside):
		return errEndInArray
	case err != nil:
		return err
	case b.array == closed:
		return fmt.Errorf("want nothing after the array, got %q", c)
	case c == ']' && (b.array == firstInside || b.array == inside):
		b.array = closed
		b.readByte()
		return b.readValue()
	case b.array == inside && c != ',':
		return fmt.Errorf("want a comma or ] in the array, got %q", c)
	case b.array == inside:
		b.readByte()
		if c, err = b.peekByte(); err == io.EOF {
			return errEndInArray
		} else if err != nil {
			return err
		}
	case b.array == firstInside:
		b.array = inside
	}
	b.start = b.at
	switch c {
	case '{', '[':
		return b.readBrackets()
	case '}', ']', ',', ':':
		return fmt.Errorf("want a JSON value, got %q", c)
	}
	for { // not an object, which the encoder refuses
		c, err := b.keepByte()
		if err == nil && c == '"' {
			err = b.readString(c)
		}
		if err != nil {
			return err
		}
		if next, err := b.in.Peek(1); err != nil || isSpace(next[0]) || next[0] == ',' || next[0] == ']' {
			return nil
		}
	}
}

// readMessage reads the next message in protobuf text format. A message has each field once, except examples, so a field that
// the message has begins the next one: files of several messages are written so, with or without empty lines between them.
// Since a context may be absent, it has to come before the other field where both are: otherwise it might be that of the next
// message.
func (b *blockReader) readMessage() error {
	const contextAfterExamples = "context after examples"
	has := map[string]bool{}
	for {
		if b.field == "" {
			c, err := b.peekByte()
			if err == io.EOF && b.size > 0 {
				return nil
			}
			if err != nil {
				return err
			}
			if b.size > 0 && (c == ',' || c == ';') { // allowed after a field
				b.keepByte()
				continue
			}
			if err := b.readField(); err != nil {
				if b.size > 0 { // the message is complete; the next call returns the error
					return nil
				}
				return err
			}
		}
		name := b.field
		switch {
		case has[name] && name != "examples":
			return nil
		case name == "context" && has["feature_lists"], name == "examples" && has[contextAfterExamples]:
			b.at.column -= int64(len(name))
			return fmt.Errorf("%s comes too late: write context first in each message", name)
		}
		if len(has) == 0 {
			b.start, b.first = place{b.at.line, b.at.column - int64(len(name))}, name
		}
		has[contextAfterExamples] = name == "context" && has["examples"]
		has[name], b.field = true, ""
		b.block, b.size = append(b.block, name...), b.size+int64(len(name))
		c, err := b.peekByte()
		if err == nil && c == ':' {
			b.keepByte()
			c, err = b.peekByte()
		}
		if err == nil && c != '{' && c != '<' {
			err = fmt.Errorf("want { after %s, got %q", name, c)
		}
		if err == nil {
			err = b.readBrackets()
		}
		if err != nil {
			if err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			return err
		}
	}
}

// readField reads the name of a top-level field into b.field.
func (b *blockReader) readField() error {
	word, _ := b.in.Peek(len("feature_lists"))
	n := 0
	for n < len(word) && isNameByte(word[n]) {
		n++
	}
	if b.field = string(word[:n]); !slices.Contains(messageFields, b.field) {
		b.field = ""
		return fmt.Errorf("want a field of an Example or SequenceExample, got %q", word)
	}
	for range n {
		b.readByte()
	}
	return nil
}
