package recordjson

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/tfparse/tfparse/example"
)

// An Encoder turns lines into encoded messages, the inverse of a Printer. It
// keeps scratch memory between calls: one Encoder is for one goroutine at a
// time.
type Encoder struct {
	typ   Type
	seen  Type // under Auto, the type of the lines before; Auto if they were all {}
	kinds map[string]example.Kind
	used  map[string]bool // of kinds

	c       Cursor
	part    string // where the cursor is, for errors
	feature string
	frame   int
	value   int

	// What the line holds. Values lie in the arenas, or alias the line.
	context  example.Example
	lists    map[string][]example.Value
	examples []example.Example
	names    map[string]string
	ints     []int64
	floats   []float32
	bytes    [][]byte
	frames   []example.Value
	text     []byte
}

// NewEncoder returns an Encoder of lines that hold messages of type t. Auto
// takes the type from the first line that tells; a line of another type is an
// error then, since the records of a file are of one type. kinds says which
// kind the lists of a feature are in the plain form where their values do not
// tell; the name is that in the message. It may be nil.
func NewEncoder(t Type, kinds map[string]example.Kind) *Encoder {
	return &Encoder{
		typ:     t,
		kinds:   kinds,
		used:    make(map[string]bool),
		context: make(example.Example),
		lists:   make(map[string][]example.Value),
		names:   make(map[string]string),
		ints:    make([]int64, 0, 64), // never nil: an empty list has a kind
		floats:  make([]float32, 0, 64),
		bytes:   make([][]byte, 0, 64),
		frames:  make([]example.Value, 0, 64),
	}
}

// Append appends the message that one line holds, encoded with its names
// sorted. On error dst is returned as it came; the error is an [*Error], or an
// [*example.Error] if the message is too large to be one. The line is not
// kept.
func (e *Encoder) Append(dst, line []byte) ([]byte, error) {
	var err error
	if e.c, err = NewCursor(line); err != nil {
		return dst, err
	}
	e.reset()
	if e.c.Peek() != '{' {
		return dst, e.fail(e.c.pos, "want an object, which is one record")
	}
	typ, err := e.lineType()
	if err != nil {
		return dst, err
	}
	msg := dst
	switch typ {
	case Sequence:
		if err = e.readSequence(); err == nil {
			msg, err = example.Sequence{Context: e.context, Lists: e.lists}.AppendBinary(dst)
		}
	case List:
		var list example.List
		if list.HasContext, err = e.readList(); err == nil {
			list.Context, list.Examples = e.context, e.examples
			msg, err = list.AppendBinary(dst)
		}
	case Raw:
		msg, err = e.readRaw(dst)
	default:
		if err = e.readFeatures(e.context, true); err == nil {
			msg, err = e.context.AppendBinary(dst)
		}
	}
	if err != nil {
		return dst, err
	}
	return msg, nil
}

// Unused returns the sorted names of the kinds given to NewEncoder that no
// line has had a feature for.
func (e *Encoder) Unused() []string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(e.kinds)) {
		if !e.used[name] {
			names = append(names, name)
		}
	}
	return names
}

// maxNames bounds the names that are kept from line to line.
const maxNames = 1 << 14

func (e *Encoder) reset() {
	e.part, e.feature, e.frame, e.value = "", "", -1, -1
	clear(e.context)
	clear(e.lists)
	e.examples = e.examples[:0]
	if len(e.names) > maxNames {
		clear(e.names)
	}
	e.ints, e.floats, e.text = e.ints[:0], e.floats[:0], e.text[:0]
	e.bytes, e.frames = e.bytes[:0], e.frames[:0]
}

// lineType finds the type of the line at the cursor.
func (e *Encoder) lineType() (Type, error) {
	if e.typ != Auto {
		return e.typ, nil
	}
	typ, doubt := shape(e.c)
	switch {
	case typ == Auto:
		return e.seen, nil
	case e.seen == Auto:
		e.seen = typ
	case typ != e.seen && doubt != e.seen:
		return 0, e.fail(e.c.pos, fmt.Sprintf(
			"line has the form of type %s, the lines before of type %s; --type settles doubts", typ, e.seen))
	}
	return e.seen, nil
}

// readSequence reads a line with "context" and "feature_lists".
func (e *Encoder) readSequence() error {
	return e.readParts(Sequence, func(name string) error {
		switch name {
		case "context":
			return e.readFeatures(e.context, false)
		case "feature_lists":
			return e.readLists()
		}
		return errNoPart
	})
}

// readList reads a line with "context" and "examples".
func (e *Encoder) readList() (hasContext bool, err error) {
	err = e.readParts(List, func(name string) error {
		switch name {
		case "context":
			hasContext = true
			return e.readFeatures(e.context, false)
		case "examples":
			return e.readExamples()
		}
		return errNoPart
	})
	return hasContext, err
}

// readRaw appends the bytes of a line with "b64" or "hex" to dst.
func (e *Encoder) readRaw(dst []byte) ([]byte, error) {
	found := false
	err := e.readParts(Raw, func(name string) error {
		if name != "b64" && name != "hex" {
			return errNoPart
		}
		if found || e.c.Peek() != '"' {
			return e.fail(e.c.pos, "want one string")
		}
		found = true
		var err error
		if dst, err = e.c.decode(dst, name); err != nil {
			return e.failWith(e.c.pos, err)
		}
		return nil
	})
	if err == nil && !found {
		return dst, e.fail(e.c.pos, `want a member "b64" or "hex"`)
	}
	return dst, err
}

var errNoPart = errors.New("no part of the message")

// readParts reads the members of a line that is no Example. read is called at
// the value of each; it answers errNoPart to names it does not know.
func (e *Encoder) readParts(typ Type, read func(name string) error) error {
	seen := make(map[string]bool, 8)
	e.c.Open()
	for e.c.More() {
		at := e.c.pos
		text, ok := e.c.Name()
		if !ok {
			return e.failWith(at, errSurrogate)
		}
		name := string(text)
		if seen[name] {
			return e.fail(at, "second member "+strconv.Quote(name))
		}
		seen[name] = true
		if IsPosition(text) {
			if err := e.skipPosition(text); err != nil {
				return err
			}
			continue
		}
		e.part = name
		err := read(name)
		e.part = ""
		if err == errNoPart {
			return e.fail(at, fmt.Sprintf("member %q is no part of a record of type %s", name, typ))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// skipPosition steps over the value of a position member. It is a scalar: a
// list would be a feature that is lost.
func (e *Encoder) skipPosition(name []byte) error {
	if at := e.c.pos; e.c.Peek() == '[' || e.c.Peek() == '{' {
		return e.fail(at, fmt.Sprintf("%s is where a record was found; a feature of that name is written %s",
			name, appendEncodedName(nil, name)))
	}
	e.c.Skip()
	return nil
}

// readExamples reads the list of "examples".
func (e *Encoder) readExamples() error {
	if e.c.Peek() != '[' {
		return e.fail(e.c.pos, "want a list of examples")
	}
	e.c.Open()
	for e.c.More() {
		i := len(e.examples)
		if i < cap(e.examples) {
			e.examples = e.examples[:i+1]
		} else {
			e.examples = append(e.examples, nil)
		}
		if e.examples[i] == nil {
			e.examples[i] = make(example.Example)
		}
		clear(e.examples[i])
		e.part = "examples[" + strconv.Itoa(i) + "]"
		if err := e.readFeatures(e.examples[i], false); err != nil {
			return err
		}
	}
	return nil
}

func (e *Encoder) fail(pos int, message string) error {
	return e.failWith(pos, errors.New(message))
}

// failWith places an error at a byte of the line and at what is being read.
func (e *Encoder) failWith(pos int, err error) error {
	return &Error{Column: pos + 1, Part: e.part, Feature: e.feature, Frame: e.frame, Value: e.value, Err: err}
}
