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

// Encoder encodes lines as messages. It reads a line in one pass, including the check of the JSON
// grammar, and encodes each value when it has been read. Not safe for concurrent use.
type Encoder struct {
	typ   example.MessageType     // the type given to NewEncoder
	seen  example.MessageType     // if typ is TypeAuto: the type of the lines so far; TypeAuto if all were {}
	kinds map[string]example.Kind // the kinds given to NewEncoder, by name
	used  map[string]bool         // names in kinds that occurred in a line

	// The position in the line, for errors.
	cursor  jsonscan.Cursor
	part    string // Path.Part
	example int    // index in "examples"; -1 outside
	feature string // Path.Feature
	step    int    // Path.Step
	value   int    // Path.Value

	features, lists, examples nameTable // the names of each part of the messages
	objects                   uint64    // number of objects of features so far
	newKinds                  []NewKind // of the last line
	isTyped                   bool      // the current feature or one of its steps is in the typed form
	allSpecial                bool      // the current list has only strings that are NaN or infinities
	ambiguous                 bool      // the line may also be a message of another type

	// The encoded parts of the current message.
	topEntries    entries // the features of an Example or a context
	nestedEntries entries // the features of one example of a list
	listEntries   entries // the feature lists
	examplesField []byte  // the examples of a list

	// Buffers.
	oneFeature []byte    // a Feature
	steps      []byte    // a FeatureList
	body       []byte    // fields of a BytesList, or packed numbers
	ints       []int64   // values of an Int64List
	floats     []float32 // values of a FloatList
	text       []byte    // a decoded string
}

// NewEncoder returns an Encoder for messages of type t. With TypeAuto it uses the type of the first line
// that has a clear type; a later line of another type is an error. kinds, which may be nil, are the kinds of
// features by name, for lists in the untyped form.
func NewEncoder(t example.MessageType, kinds map[string]example.Kind) *Encoder {
	return &Encoder{typ: t, kinds: kinds, used: make(map[string]bool)}
}

// Decided reports whether the type of the lines is known.
func (e *Encoder) Decided() bool { return e.typ != example.TypeAuto || e.seen != example.TypeAuto }

// Fork returns another Encoder for later lines of the same stream. It starts with the type that e has
// found.
func (e *Encoder) Fork() *Encoder {
	other := NewEncoder(e.typ, e.kinds)
	other.seen = e.seen
	return other
}

// Append encodes the message of one line, with its names sorted, and appends it to dst. If it fails, it
// returns dst unchanged; the error is an [*Error], or an [*example.Error] if the message is too
// large. It does not retain the line.
func (e *Encoder) Append(dst, line []byte) ([]byte, error) {
	e.newKinds = e.newKinds[:0]
	if e.Decided() {
		// Most lines are valid and have the type of the previous lines.
		typ := e.typ
		if typ == example.TypeAuto {
			typ = e.seen
		}
		msg, err := e.readLine(dst, line, typ)
		if err == nil && e.fitsType(line) {
			return msg, nil
		}
		e.Forget()
	}
	// Errors are reported in this order: syntax, type, features.
	e.cursor = jsonscan.NewCursor(line)
	e.resetLine()
	if column, err := jsonscan.CheckLine(line); err != nil {
		return dst, &Error{Column: column, Path: example.PathTo("", ""), Err: err}
	}
	e.cursor.Peek()
	typ, err := e.lineType()
	if err != nil {
		return dst, err
	}
	msg, err := e.readLine(dst, line, typ)
	if err != nil {
		e.Forget()
		return dst, err
	}
	return msg, nil
}

// readLine encodes a line as a message of a type and appends it to dst. For a line that is not valid JSON
// its error may differ from that of encoding/json.
func (e *Encoder) readLine(dst, line []byte, typ example.MessageType) ([]byte, error) {
	e.cursor = jsonscan.NewCursor(line)
	e.resetLine()
	if e.cursor.Peek() != '{' {
		return dst, jsonscan.ErrGrammar
	}
	msg, err := dst, error(nil)
	switch typ {
	case example.TypeSequence:
		if _, err = e.readParts(example.TypeSequence, nil); err == nil {
			msg = e.listEntries.append(e.topEntries.append(dst, fieldFeatures), fieldLists)
		}
	case example.TypeExampleList:
		msg, err = e.readList(dst)
	case example.TypeRaw:
		msg, err = e.readRaw(dst)
	default:
		if err = e.readFeatures(&e.topEntries, &e.features, true); err == nil {
			msg = e.topEntries.append(dst, fieldFeatures)
		}
	}
	switch size := len(msg) - len(dst); {
	case err != nil:
		return dst, err
	case !e.cursor.Done():
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

// Unused returns the names of the kinds given to NewEncoder that no line had, sorted. It considers the lines
// of this Encoder and of the others.
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

func (e *Encoder) resetLine() {
	e.part, e.example, e.feature, e.step, e.value = "", -1, "", -1, -1
	e.features.beginObject(true)
	e.lists.beginObject(true)
	e.examples.beginObject(true)
	e.topEntries.reset()
	e.listEntries.reset()
	e.examplesField = e.examplesField[:0]
	e.ambiguous = false
}

// lineType returns the type of the line at the cursor, which must be valid JSON.
func (e *Encoder) lineType() (example.MessageType, error) {
	if e.typ != example.TypeAuto {
		return e.typ, nil
	}
	typ, doubt := lineShape(e.cursor)
	switch {
	case typ == example.TypeAuto:
		return e.seen, nil
	case e.seen == example.TypeAuto:
		e.seen = typ
	case typ != e.seen && doubt != e.seen:
		return 0, e.failWith(e.cursor.Pos, &sentinelError{fmt.Sprintf("line has the form of type %s, earlier lines of type %s", typ, e.seen), ErrMixedTypes})
	}
	return e.seen, nil
}

// fitsType reports whether a line that was read as a message of type e.seen has that type. Only a line
// whose members also occur in other messages may have another.
func (e *Encoder) fitsType(line []byte) bool {
	if e.typ != example.TypeAuto || !e.ambiguous {
		return true
	}
	typ, doubt := lineShape(jsonscan.NewCursor(line))
	return typ == example.TypeAuto || typ == e.seen || doubt == e.seen
}

// readList reads a line with "context" and "examples".
func (e *Encoder) readList(dst []byte) ([]byte, error) {
	has, err := e.readParts(example.TypeExampleList, nil)
	if err != nil {
		return dst, err
	}
	dst = append(dst, e.examplesField...)
	if has&partContext == 0 {
		return dst, nil
	}
	e.oneFeature = e.topEntries.append(e.oneFeature[:0], fieldFeatures)
	return append(wire.AppendHeader(dst, fieldContext, int64(len(e.oneFeature))), e.oneFeature...), nil
}

// readRaw appends the bytes of a line with "b64" or "hex" to dst.
func (e *Encoder) readRaw(dst []byte) ([]byte, error) {
	has, err := e.readParts(example.TypeRaw, &dst)
	if err == nil && has&(partBase64|partHex) == 0 {
		err = e.fail(e.cursor.Pos, `want a member "b64" or "hex"`)
	}
	return dst, err
}

// The members of a line that is not an Example, as a bit set.
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

// partsOf returns the members of the messages of a type.
func partsOf(t example.MessageType) int {
	switch t {
	case example.TypeSequence:
		return partContext | partLists
	case example.TypeExampleList:
		return partContext | partExamples
	}
	return partBase64 | partHex
}

// readParts reads the members of a line that is not an Example, and returns their set. It appends the
// bytes of a line of TypeRaw to raw.
func (e *Encoder) readParts(typ example.MessageType, raw *[]byte) (has int, err error) {
	allowed := partsOf(typ) | partFile | partRecord | partOffset
	e.cursor.Open()
	for e.cursor.More('}') {
		at := e.cursor.Pos
		name, ok := e.cursor.Name()
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
			return 0, e.fail(at, "member "+strconv.Quote(string(name))+" is given twice")
		}
		if part&allowed == 0 {
			e.part = ""
			return 0, e.fail(at, fmt.Sprintf("member %q is not part of a record of type %s", name, typ))
		}
		switch part {
		case partContext:
			err = e.readFeatures(&e.topEntries, &e.features, false)
		case partLists:
			err = e.readLists()
		case partExamples:
			err = e.readExamples()
		case partBase64, partHex:
			if has&(partBase64|partHex) != 0 || e.cursor.Peek() != '"' {
				return 0, e.fail(e.cursor.Pos, "want one string")
			}
			if *raw, err = e.cursor.Decode(*raw, e.part); err != nil {
				err = e.failWith(e.cursor.Pos, err)
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
	e.ambiguous = typ != example.TypeRaw && has&partContext != 0 && has&(partLists|partExamples) == 0
	return has, nil
}

// skipPosition skips the value of a position member, a scalar. A list is an error, because it may be a
// feature.
func (e *Encoder) skipPosition(name []byte) error {
	if at := e.cursor.Pos; e.cursor.Peek() == '[' || e.cursor.Peek() == '{' {
		return e.fail(at, fmt.Sprintf("%s is a record position; write the feature as %s",
			name, jsonscan.AppendEncodedName(nil, name)))
	}
	e.cursor.Skip()
	return nil
}

// readExamples reads the list of "examples".
func (e *Encoder) readExamples() error {
	if e.cursor.Peek() != '[' {
		return e.fail(e.cursor.Pos, "want a list of examples")
	}
	e.cursor.Open()
	for e.example = 0; e.cursor.More(']'); e.example++ {
		e.nestedEntries.reset()
		if err := e.readFeatures(&e.nestedEntries, &e.examples, false); err != nil {
			return err
		}
		e.oneFeature = e.nestedEntries.append(e.oneFeature[:0], fieldFeatures)
		e.examplesField = append(wire.AppendHeader(e.examplesField, fieldExamples, int64(len(e.oneFeature))), e.oneFeature...)
	}
	e.example = -1
	return nil
}

func (e *Encoder) fail(pos int, message string) error {
	return e.failWith(pos, errors.New(message))
}

// failWith adds the position in the line and the current feature to an error.
func (e *Encoder) failWith(pos int, err error) error {
	part := e.part
	if e.example >= 0 {
		part = "examples[" + strconv.Itoa(e.example) + "]"
	}
	path := example.PathTo(part, e.feature)
	path.Step, path.Value = e.step, e.value
	return &Error{Column: pos + 1, Path: path, Err: err}
}
