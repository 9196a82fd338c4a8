package example

import (
	"slices"
	"sort"

	"github.com/tfparse/tfparse/internal/encode"
)

// An Edit is a list of changes to single features of encoded messages: set, delete, rename,
// copy. [Edit.Append] applies it to an Example, [Edit.Append] to the context of a
// SequenceExample and [Edit.AppendLists] to its feature lists, for which "feature"
// means feature list below, [Edit.Append] to the context of an ExampleListWithContext
// and [Edit.AppendLists] to each of its examples. Everything else is copied byte for byte, and no other feature is
// decoded. The zero Edit changes nothing.
//
// All changes refer to the input message, so that two renames can swap two names. A change
// of a feature that the message does not have, other than Set, does nothing. A feature
// keeps its place; a new one goes before the first name that is greater, so that sorted
// names stay sorted, and the result for a canonical encoding is canonical.
//
// An Edit that has been applied once allocates no more than dst needs. It belongs to one
// goroutine.
type Edit struct {
	changes []change // sorted by name
	keep    bool     // features without a change are deleted
	err     *Error   // of the changes: the first
	linked  bool     // change.source is known

	// Of the message at hand.
	next    int // the first change whose name is not less than that of the last entry
	inserts int // the last entry before which a new one may go; entries that are removed end there
	hits    []hit
	maps    []mapBounds
	splices []splice
	inner   []byte // an example of a list, or its context, with the changes
}

// A change says what becomes of the feature of one name, and how a feature gets that name.
type change struct {
	name []byte
	drop bool   // it is deleted, or renamed
	keep bool   // Keep names it
	set  bool   // it gets a value of its own
	text []byte // the entry with that value
	has  fromKind
	from string // what it gets its value from

	source int // index of from
	// Of the message at hand.
	found  bool
	value  Feature // of the last entry with the name
	last   int     // hit
	insert int     // before which entry a new one goes; -1: behind all
}

// A fromKind says how a feature comes from another one.
type fromKind uint8

const (
	fromNone fromKind = iota
	fromCopy
	fromRename
)

// Set gives the feature a value, whether or not the message has it. It copies v. A second
// Set of the same name replaces the value of the first, and costs no new memory: so one Edit
// serves for a value that is computed for each record.
func (e *Edit) Set(name string, v Value) {
	if v.Kind() == Malformed {
		e.fail(severalKinds("", name, -1))
		return
	}
	if v.least() > maxSize {
		e.fail(tooLarge(v.least()))
		return
	}
	buf := buffers.Get().(*encode.Buffer)
	defer buffers.Put(buf)
	buf.Reset()
	v.write(buf)
	c := e.change(name)
	if c.has != fromNone {
		e.fail(twice(name))
		return
	}
	c.set = true
	c.text = appendEntry(c.text[:0], c.name, buf.Bytes())
}

// Delete removes features.
func (e *Edit) Delete(names ...string) {
	for _, name := range names {
		e.change(name).drop = true
	}
}

// Keep removes all features but these, those of an earlier Keep, and those that other changes
// of the Edit write.
func (e *Edit) Keep(names ...string) {
	e.keep = true
	for _, name := range names {
		e.change(name).keep = true
	}
}

// Rename gives the feature another name. If the message has a feature of that name, which is
// neither deleted nor renamed by the same Edit, applying the Edit is an error.
func (e *Edit) Rename(from, to string) {
	if from != to {
		e.take(from, to, fromRename)
		e.change(from).drop = true
	}
}

// Copy adds the feature under another name. A feature that has that name is replaced.
func (e *Edit) Copy(from, to string) {
	if from != to {
		e.take(from, to, fromCopy)
	}
}

func (e *Edit) take(from, to string, how fromKind) {
	c := e.change(to)
	if c.set || c.has != fromNone {
		e.fail(twice(to))
		return
	}
	c.from, c.has = from, how
	e.change(from)
	e.linked = false
}

func (e *Edit) fail(err *Error) {
	if e.err == nil {
		e.err = err
	}
}

// twice is the error of a name that two changes give a value.
func twice(name string) *Error {
	return &Error{Path: PathTo("", name), Err: ErrValue, Want: "one change that writes the feature", Got: "two"}
}

func (e *Edit) search(name string) (int, bool) {
	i := sort.Search(len(e.changes), func(i int) bool { return string(e.changes[i].name) >= name })
	return i, i < len(e.changes) && string(e.changes[i].name) == name
}

// change returns the change of a name, which it makes if there is none. It is good until the
// next call.
func (e *Edit) change(name string) *change {
	i, ok := e.search(name)
	if !ok {
		e.changes = slices.Insert(e.changes, i, change{name: []byte(name)})
		e.linked = false
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
		return e.apply(dst, t.Scan(msg))
	case TypeExampleList:
		return e.applyList(dst, msg, fieldContext)
	}
	panic("example: a message of type " + t.String() + " has no features")
}

// AppendLists is Append for what a message has beside its context: the feature lists of a SequenceExample,
// which cannot be Set, or each of the examples of an ExampleListWithContext. It panics for any
// other type.
func (e *Edit) AppendLists(dst, msg []byte, t MessageType) ([]byte, error) {
	switch t {
	case TypeSequence:
		return e.apply(dst, ScanFeatureLists(msg).s)
	case TypeExampleList:
		return e.applyList(dst, msg, fieldExamples)
	}
	panic("example: a message of type " + t.String() + " has no feature lists and no examples")
}
