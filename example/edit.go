package example

import (
	"bytes"
	"slices"
	"sort"

	"github.com/tfparse/tfparse/internal/encode"
	"github.com/tfparse/tfparse/internal/wire"
)

// An Edit is a list of changes to single features of encoded messages: set, delete, rename, copy. [Edit.Append]
// applies it to an Example, or to the context of another message; [Edit.AppendLists] applies it to the feature
// lists of a SequenceExample ("feature" below then means a feature list), or to each example of an
// ExampleListWithContext. Everything else is copied byte for byte and not decoded. The zero Edit changes nothing.
//
// All changes refer to the input message, so that two renames can swap two names. A change
// of a feature that the message does not have, other than Set, does nothing. A feature
// keeps its place; a new one is inserted before the first name that is greater, so that sorted
// names stay sorted, and a canonical encoding stays canonical.
//
// After the first message an Edit allocates only the memory of dst. It is not safe for concurrent use.
type Edit struct {
	changes []editChange           // sorted by name
	keep    bool                   // Keep was called: features without a change are deleted
	filter  func(name []byte) bool // decides about features without a change, in place of keep; may be nil
	err     *Error                 // the first error of the changes
	indexed bool                   // all editChange.sourceIndex are set

	// Of the message that is edited.
	next    int           // index of the first change whose name is greater than that of the last entry
	inserts int           // offset of the last entry before which a new entry may go; removed entries are not joined across it
	entries []editedEntry // the entries that changes may replace or remove, in order
	maps    []mapBounds   // the maps that are edited, in order
	splices []splice      // sorted by offset
	scratch []byte        // buffer for an edited Example of a list
}

// An editChange is the change of the feature of one name.
type editChange struct {
	name   []byte     // any bytes; Edit.changes is sorted by it
	remove bool       // Delete or Rename removes the feature
	keep   bool       // Keep was called with the name
	set    bool       // Set gives the feature a value
	entry  []byte     // the encoded entry, if set
	source sourceKind // Copy or Rename gives the feature a value
	from   string     // the name that the value comes from

	sourceIndex int // index of the change of from

	// Of the message that is edited.
	found     bool    // the message has the feature
	value     Feature // the last feature of the name
	lastEntry int     // index of its entry in Edit.entries
	insert    int     // offset of the entry before which a new entry goes; -1: after all entries
}

// A sourceKind says how a feature gets the value of another feature.
type sourceKind uint8

const (
	noSource sourceKind = iota
	copySource
	renameSource
)

// Set gives the feature a value, whether or not the message has it. It copies v. A second
// Set of the same name replaces the value of the first, and costs no new memory: so one Edit
// serves for a value that is computed for each record.
func (e *Edit) Set(name string, v Value) {
	if v.Kind() == Malformed {
		e.fail(errSeveralKinds("", name, -1))
		return
	}
	if v.minSize() > maxSize {
		e.fail(errSize(v.minSize()))
		return
	}
	buf := buffers.Get().(*encode.Buffer)
	defer buffers.Put(buf)
	buf.Reset()
	v.writeTo(buf)
	c := e.changeOf(name)
	if c.source != noSource {
		e.fail(errTwoWriters(name))
		return
	}
	c.set = true
	c.entry = appendEntry(c.entry[:0], c.name, buf.Bytes())
}

// Delete deletes features.
func (e *Edit) Delete(names ...string) {
	for _, name := range names {
		e.changeOf(name).remove = true
	}
}

// Keep deletes all features except the named ones, those of an earlier Keep, and those that other changes write.
func (e *Edit) Keep(names ...string) {
	e.keep = true
	for _, name := range names {
		e.changeOf(name).keep = true
	}
}

// Filter deletes each feature for which keep returns false and that has no other change.
func (e *Edit) Filter(keep func(name []byte) bool) { e.filter = keep }

// Rename gives the feature another name. It is an error if the message has a feature of the new name that the Edit
// neither deletes nor renames.
func (e *Edit) Rename(from, to string) {
	if from != to {
		e.addSource(from, to, renameSource)
		e.changeOf(from).remove = true
	}
}

// Copy adds a copy of the feature under another name, in place of a feature of that name.
func (e *Edit) Copy(from, to string) {
	if from != to {
		e.addSource(from, to, copySource)
	}
}

func (e *Edit) addSource(from, to string, how sourceKind) {
	c := e.changeOf(to)
	if c.set || c.source != noSource {
		e.fail(errTwoWriters(to))
		return
	}
	c.from, c.source = from, how
	e.changeOf(from)
	e.indexed = false
}

func (e *Edit) fail(err *Error) {
	if e.err == nil {
		e.err = err
	}
}

// errTwoWriters returns the error of a name that two changes give a value.
func errTwoWriters(name string) *Error {
	return &Error{Path: PathTo("", name), Err: ErrValue, Want: "one change that writes the feature", Got: "two"}
}

func (e *Edit) searchName(name string) (int, bool) {
	i := sort.Search(len(e.changes), func(i int) bool { return string(e.changes[i].name) >= name })
	return i, i < len(e.changes) && string(e.changes[i].name) == name
}

// changeOf returns the change of a name, which it adds if there is none. The pointer is valid until
// the next call.
func (e *Edit) changeOf(name string) *editChange {
	i, ok := e.searchName(name)
	if !ok {
		e.changes = slices.Insert(e.changes, i, editChange{name: []byte(name)})
		e.indexed = false
	}
	return &e.changes[i]
}

// Append appends msg to dst with its features changed: those of an Example, or of the context of a
// SequenceExample or an ExampleListWithContext. A list without a context gets one if the changes write a
// feature. dst must not overlap msg. It checks the framing of the whole message, as a [Scanner] does, and
// repeats of the names that it changes, as [MessageType.Lookup] does. The error is an *Error, and dst is
// returned as it was. It panics for any other type.
func (e *Edit) Append(dst, msg []byte, t MessageType) ([]byte, error) {
	switch t {
	case TypeExample, TypeSequence:
		return e.applyToMap(dst, t.Scan(msg))
	case TypeExampleList:
		return e.applyList(dst, msg, fieldContext)
	}
	panic("example: a message of type " + t.String() + " has no features")
}

// AppendLists is Append for the other parts of a message than its context: the feature lists of a SequenceExample,
// which cannot be Set, or each of the examples of an ExampleListWithContext. It panics for any
// other type.
func (e *Edit) AppendLists(dst, msg []byte, t MessageType) ([]byte, error) {
	switch t {
	case TypeSequence:
		return e.applyToMap(dst, ScanFeatureLists(msg).s)
	case TypeExampleList:
		return e.applyList(dst, msg, fieldExamples)
	}
	panic("example: a message of type " + t.String() + " has no feature lists and no examples")
}

// applyList applies the Edit to one field of an ExampleListWithContext: to the examples, or to the
// context.
func (e *Edit) applyList(dst, msg []byte, field int32) ([]byte, error) {
	before := len(dst)
	copied := 0 // number of bytes of msg that dst has
	edit := func(tag, lo, hi int, part func() string) error {
		var err error
		if e.scratch, err = e.applyToMap(e.scratch[:0], TypeExample.Scan(msg[lo:hi:hi])); err != nil {
			if x, ok := err.(*Error); ok && x.Part == "" && x.Byte < 0 {
				return err // an error of the changes
			}
			return encloseError(err, lo, part())
		}
		if bytes.Equal(e.scratch, msg[lo:hi]) {
			return nil
		}
		dst = append(dst, msg[copied:tag]...)
		dst = append(wire.AppendHeader(dst, field, int64(len(e.scratch))), e.scratch...)
		copied = hi
		return nil
	}
	s := ScanExamples(msg)
	for s.Next() {
		if field != fieldExamples {
			continue
		}
		if err := edit(s.tag, s.lo, s.hi, s.partName); err != nil {
			return dst[:before], err
		}
	}
	if err := s.Err(); err != nil {
		return dst[:before], err
	}
	if field == fieldContext {
		tag := s.ctxTag
		if s.contexts == 0 { // a new context goes after the examples, as in every encoder
			tag, s.ctxLo, s.ctxHi = len(msg), len(msg), len(msg)
		}
		if err := edit(tag, s.ctxLo, s.ctxHi, func() string { return "context" }); err != nil {
			return dst[:before], err
		}
	}
	dst = append(dst, msg[copied:]...)
	if size := int64(len(dst) - before); size > maxSize {
		return dst[:before], errSize(size)
	}
	return dst, nil
}
