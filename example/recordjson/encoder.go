package recordjson

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/jsonscan"
	"github.com/tfparse/tfparse/internal/wire"
)

// An Encoder turns lines into encoded messages. It reads a line once, checking
// as it goes that it is JSON, and writes values to the message as it finds them.
// It keeps scratch memory between calls: one Encoder is for one goroutine at a
// time.
type Encoder struct {
	typ   example.MessageType
	seen  example.MessageType // under Auto, the type of the lines before; Auto if they were all {}
	kinds map[string]example.Kind
	used  map[string]bool // of kinds

	c       jsonscan.Cursor
	part    string // where the cursor is, for errors
	example int    // in "examples"; -1 outside
	feature string
	step    int
	value   int

	features, lists, examples names
	object                    uint64 // counts objects of features
	sightings                 []Sighting
	named                     bool // a feature, or one of its steps, is in the typed form
	special                   bool // the list is of nothing but NaN and infinities, as strings
	doubtful                  bool // the line may have the form of another type

	// What was read of the line: the message, as far as it is encoded, and lists
	// of values.
	top, nested, listed entries
	exampled            []byte // the examples of a list
	one                 []byte // a Feature
	steps               []byte // a FeatureList
	body                []byte // fields of a BytesList, or packed numbers
	ints                []int64
	floats              []float32
	text                []byte
}

// NewEncoder returns an Encoder of lines that hold messages of type t. Auto
// takes the type from the first line that shows it; a line of another type is an
// error then, since the records of a file are of one type. kinds says which
// kind the lists of a feature are in the untyped form where their values leave it
// open; the name is that in the message. It may be nil.
func NewEncoder(t example.MessageType, kinds map[string]example.Kind) *Encoder {
	return &Encoder{typ: t, kinds: kinds, used: make(map[string]bool)}
}

// Decided reports whether the type of the lines is known.
func (e *Encoder) Decided() bool { return e.typ != example.TypeAuto || e.seen != example.TypeAuto }

// Fork returns another Encoder for lines of the same stream; e has read
// the first ones: it takes the same types and kinds.
func (e *Encoder) Fork() *Encoder {
	other := NewEncoder(e.typ, e.kinds)
	other.seen = e.seen
	return other
}

// Append appends the message that one line holds, encoded with its names
// sorted. On error dst is returned as it came; the error is an [*Error], or an
// [*example.Error] if the message is too large to be one. The line is not
// kept.
func (e *Encoder) Append(dst, line []byte) ([]byte, error) {
	e.sightings = e.sightings[:0]
	if e.Decided() {
		// The line is most likely sound, and of the type of those before.
		typ := e.typ
		if typ == example.TypeAuto {
			typ = e.seen
		}
		msg, err := e.read(dst, line, typ)
		if err == nil && e.fits(line) {
			return msg, nil
		}
		e.Forget()
	}
	// Otherwise faults are looked for in order: of JSON, of the type, of the rest.
	e.c = jsonscan.NewCursor(line)
	e.reset()
	if column, err := jsonscan.CheckLine(line); err != nil {
		if word, ok := err.(jsonscan.NotFiniteError); ok { // a list of nothing else would be strings
			err = fmt.Errorf("%w, or {\"float32\": [%q]}", err, string(word))
		}
		return dst, &Error{Column: column, Path: example.PathTo("", ""), Err: err}
	}
	e.c.Peek()
	typ, err := e.lineType()
	if err != nil {
		return dst, err
	}
	msg, err := e.read(dst, line, typ)
	if err != nil {
		e.Forget()
		return dst, err
	}
	return msg, nil
}

// read reads a line as a message of a type, which it appends to dst. Errors may
// hide that the line is no JSON.
func (e *Encoder) read(dst, line []byte, typ example.MessageType) ([]byte, error) {
	e.c = jsonscan.NewCursor(line)
	e.reset()
	if e.c.Peek() != '{' {
		return dst, jsonscan.ErrGrammar
	}
	msg, err := dst, error(nil)
	switch typ {
	case example.TypeSequence:
		if _, err = e.readParts(example.TypeSequence, nil); err == nil {
			msg = e.listed.append(e.top.append(dst, fieldFeatures), fieldLists)
		}
	case example.TypeExampleList:
		msg, err = e.readList(dst)
	case example.TypeRaw:
		msg, err = e.readRaw(dst)
	default:
		if err = e.readFeatures(&e.top, &e.features, true); err == nil {
			msg = e.top.append(dst, fieldFeatures)
		}
	}
	switch size := len(msg) - len(dst); {
	case err != nil:
		return dst, err
	case !e.c.Done():
		return dst, jsonscan.ErrGrammar
	case size > math.MaxInt32:
		return dst, &example.Error{Path: example.PathTo("", ""), Err: example.ErrTooLarge, Got: strconv.Itoa(size) + " bytes"}
	}
	return msg, nil
}

// The fields of the messages.
const (
	fieldFeatures = 1 // of an Example; context of a SequenceExample
	fieldLists    = 2
	fieldExamples = 1 // of an ExampleListWithContext
	fieldContext  = 2
)

// Unused returns the sorted names of the kinds given to NewEncoder that no
// line has had a feature for, neither here nor in the others.
func (e *Encoder) Unused(others ...*Encoder) []string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(e.kinds)) {
		used := e.used[name]
		for _, other := range others {
			used = used || other.used[name]
		}
		if !used {
			names = append(names, name)
		}
	}
	return names
}

func (e *Encoder) reset() {
	e.part, e.example, e.feature, e.step, e.value = "", -1, "", -1, -1
	e.features.begin(true)
	e.lists.begin(true)
	e.examples.begin(true)
	e.top.reset()
	e.listed.reset()
	e.exampled = e.exampled[:0]
	e.doubtful = false
}

// lineType finds the type of the line at the cursor, which is sound.
func (e *Encoder) lineType() (example.MessageType, error) {
	if e.typ != example.TypeAuto {
		return e.typ, nil
	}
	typ, doubt := shape(e.c)
	switch {
	case typ == example.TypeAuto:
		return e.seen, nil
	case e.seen == example.TypeAuto:
		e.seen = typ
	case typ != e.seen && doubt != e.seen:
		return 0, e.failWith(e.c.Pos, &undecided{fmt.Sprintf("line has the form of type %s, the lines before of type %s", typ, e.seen), ErrMixedTypes})
	}
	return e.seen, nil
}

// fits reports whether a line that was read as a message of type e.seen has the
// form of that type. One that could be read has, but for lines whose members
// other messages have too.
func (e *Encoder) fits(line []byte) bool {
	if e.typ != example.TypeAuto || !e.doubtful {
		return true
	}
	typ, doubt := shape(jsonscan.NewCursor(line))
	return typ == example.TypeAuto || typ == e.seen || doubt == e.seen
}

// readList reads a line with "context" and "examples".
func (e *Encoder) readList(dst []byte) ([]byte, error) {
	has, err := e.readParts(example.TypeExampleList, nil)
	if err != nil {
		return dst, err
	}
	dst = append(dst, e.exampled...)
	if has&partContext == 0 {
		return dst, nil
	}
	e.one = e.top.append(e.one[:0], fieldFeatures)
	return append(wire.AppendHeader(dst, fieldContext, int64(len(e.one))), e.one...), nil
}

// readRaw appends the bytes of a line with "b64" or "hex" to dst.
func (e *Encoder) readRaw(dst []byte) ([]byte, error) {
	has, err := e.readParts(example.TypeRaw, &dst)
	if err == nil && has&(partBase64|partHex) == 0 {
		err = e.fail(e.c.Pos, `want a member "b64" or "hex"`)
	}
	return dst, err
}

// The members of lines that are no Examples, as a set.
const (
	partContext = 1 << iota
	partLists
	partExamples
	partBase64
	partHex
	partFile
	partRecord
	partOffset
)

var parts = [...]string{"context", "feature_lists", "examples", jsonscan.Base64Member, jsonscan.HexMember, "_file", "_record", "_offset"}

// partsOf is what the messages of a type have.
func partsOf(t example.MessageType) int {
	switch t {
	case example.TypeSequence:
		return partContext | partLists
	case example.TypeExampleList:
		return partContext | partExamples
	}
	return partBase64 | partHex
}

// readParts reads the members of a line that is no Example, and returns the set
// of them. raw is where the bytes of a line of type Raw are appended.
func (e *Encoder) readParts(typ example.MessageType, raw *[]byte) (has int, err error) {
	allowed := partsOf(typ) | partFile | partRecord | partOffset
	e.c.Open()
	for e.c.More('}') {
		at := e.c.Pos
		name, ok := e.c.Name()
		if !ok {
			return 0, e.failWith(at, jsonscan.ErrSurrogate)
		}
		part := 0
		for i := range parts {
			if string(name) == parts[i] {
				part = 1 << i
				e.part = parts[i]
			}
		}
		if part&has != 0 {
			e.part = ""
			return 0, e.fail(at, "second member "+strconv.Quote(string(name)))
		}
		if part&allowed == 0 {
			e.part = ""
			return 0, e.fail(at, fmt.Sprintf("member %q is no part of a record of type %s", name, typ))
		}
		switch part {
		case partContext:
			err = e.readFeatures(&e.top, &e.features, false)
		case partLists:
			err = e.readLists()
		case partExamples:
			err = e.readExamples()
		case partBase64, partHex:
			if has&(partBase64|partHex) != 0 || e.c.Peek() != '"' {
				return 0, e.fail(e.c.Pos, "want one string")
			}
			if *raw, err = e.c.Decode(*raw, e.part); err != nil {
				err = e.failWith(e.c.Pos, err)
			}
		default:
			e.part = ""
			err = e.skipPosition(name)
		}
		if err != nil {
			return 0, err
		}
		e.part = ""
		has |= part
	}
	e.doubtful = typ != example.TypeRaw && has&partContext != 0 && has&(partLists|partExamples) == 0
	return has, nil
}

// skipPosition skips the value of a position member. It is a scalar: a
// list would be a feature that is lost.
func (e *Encoder) skipPosition(name []byte) error {
	if at := e.c.Pos; e.c.Peek() == '[' || e.c.Peek() == '{' {
		return e.fail(at, fmt.Sprintf("%s is where a record was found; a feature of that name is written %s",
			name, jsonscan.AppendEncodedName(nil, name)))
	}
	e.c.Skip()
	return nil
}

// readExamples reads the list of "examples".
func (e *Encoder) readExamples() error {
	if e.c.Peek() != '[' {
		return e.fail(e.c.Pos, "want a list of examples")
	}
	e.c.Open()
	for e.example = 0; e.c.More(']'); e.example++ {
		e.nested.reset()
		if err := e.readFeatures(&e.nested, &e.examples, false); err != nil {
			return err
		}
		e.one = e.nested.append(e.one[:0], fieldFeatures)
		e.exampled = append(wire.AppendHeader(e.exampled, fieldExamples, int64(len(e.one))), e.one...)
	}
	e.example = -1
	return nil
}

func (e *Encoder) fail(pos int, message string) error {
	return e.failWith(pos, errors.New(message))
}

// failWith places an error at a byte of the line and at what is being read.
func (e *Encoder) failWith(pos int, err error) error {
	part := e.part
	if e.example >= 0 {
		part = "examples[" + strconv.Itoa(e.example) + "]"
	}
	path := example.PathTo(part, e.feature)
	path.Step, path.Value = e.step, e.value
	return &Error{Column: pos + 1, Path: path, Err: err}
}
