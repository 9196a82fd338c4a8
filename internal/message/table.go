// Package message divides the messages of TFRecord files into the entries of their maps. A Table
// gives each name an ID and each value in canonical encoding, whatever the encoding of the message,
// so a caller finds what it keeps for a name by an index, and reads values with package canonical.
// A Finder finds the values of names that are known beforehand, as they are encoded.
//
// A message in canonical encoding, as nearly every one is, is not copied: its values are found in
// one pass. Any other is read by the scanners of package example, which know the dialect, and those
// of its values that are not canonical are rewritten.
package message

import (
	"errors"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/canonical"
)

// A Part is one of the maps of a message.
type Part uint8

// The parts. An Example has one; a SequenceExample has a context and feature lists; an
// ExampleListWithContext has a context and examples.
const (
	Features Part = iota
	Context
	Lists
	Examples
	NumParts = iota
)

// An Entry is one entry of a map: a feature, in [Lists] a feature list.
type Entry struct {
	ID     int32 // of the name in its part; negative: see Table.Name
	Lo, Hi int   // the value is Table.Bytes[Lo:Hi], in canonical encoding
}

// A Map is one map of a message: Table.Entries[Lo:Hi]. Each name is there once.
type Map struct {
	Part   Part
	Lo, Hi int
}

// A Table has the entries of one message of a type. It belongs to one goroutine. What its fields
// hold is good until the next message; IDs are good for the life of the Table.
type Table struct {
	Bytes      []byte // the message, lent, or a copy of it with the values that were rewritten at its end
	Maps       []Map  // features; or a context, lists; or examples in their order, a context
	Entries    []Entry
	HasContext bool // an ExampleListWithContext has a context; Maps has one in any case

	// Wanted reports whether the value of an entry is read; nil: all are. Others may hold anything. The caller may set it before
	// the first message.
	Wanted func(p Part, name []byte) bool

	typ   example.MessageType
	names [NumParts]*canonical.Names
	walks [NumParts]canonical.Walk

	// Of the message that was scanned.
	scanned  []byte // its copy, and rewritten values
	found    []example.Entry
	lists    []example.FeatureListEntry
	unlisted [][]byte // names beyond the limits of canonical.Names: that of ID i is unlisted[^i]
	rewriter rewriter
}

// Shared is what Tables for messages of the same data learn from one another: names. It makes no
// difference but in time. The zero value is ready; it is safe for all goroutines.
type Shared [NumParts]canonical.LatestIndex

// NewTable returns a Table for messages of a type, which is not raw.
func NewTable(t example.MessageType, shared *Shared) *Table {
	x := &Table{typ: t}
	for p := range x.names {
		x.names[p] = canonical.NewNames(&shared[p])
		x.walks[p] = x.names[p].NewWalk()
	}
	return x
}

// Names returns how many IDs a part has. All IDs in Entries that are not negative are smaller.
func (t *Table) Names(p Part) int { return t.names[p].Len() }

// Name returns the name of an ID in Entries. A negative ID is good for this message only: there
// are too many names to give each one an ID.
func (t *Table) Name(p Part, id int32) string {
	if id < 0 {
		return string(t.unlisted[^id])
	}
	return t.names[p].Text(id)
}

// Read reads a message and calls take with the Table filled. If take returns false because a value
// is not encoded as it expects, it is called once more with every value in its shortest canonical
// encoding, so it must keep nothing before it returns true. The error is that of
// [example.MessageType.Validate], but for entries that are not wanted; take may have been called before.
func (t *Table) Read(msg []byte, take func(*Table) bool) error {
	if t.fill(msg) && take(t) {
		return nil
	}
	if err := t.scan(msg); err != nil {
		return err
	}
	if !take(t) {
		return errors.New("message: a value is not canonical after it was rewritten")
	}
	return nil
}

// fill fills the table from a message in canonical encoding, and reports whether it is one. The
// values may have any encoding.
func (t *Table) fill(msg []byte) bool {
	t.reset(msg)
	switch t.typ {
	case example.TypeExample:
		return t.fillExample(Features, msg, 0, len(msg))
	case example.TypeSequence:
		return t.fillSequence(msg)
	}
	return t.fillList(msg)
}

func (t *Table) reset(msg []byte) {
	t.Bytes, t.Maps, t.Entries, t.HasContext, t.unlisted = msg, t.Maps[:0], t.Entries[:0], false, t.unlisted[:0]
}

// fillExample adds the map of the Example msg[i:end].
func (t *Table) fillExample(p Part, msg []byte, i, end int) bool {
	t.walks[p].Start()
	lo := len(t.Entries)
	for i < end {
		from, to, ok := canonical.Message(msg[:end], i, canonical.Tag1)
		if !ok || !t.fillMap(p, msg[:to], from) {
			return false
		}
		i = to
	}
	t.Maps = append(t.Maps, Map{p, lo, len(t.Entries)})
	return true
}

// fillMap adds the entries of the map b[i:], or of a piece of it.
func (t *Table) fillMap(p Part, b []byte, i int) bool {
	w := &t.walks[p]
	keys, _, ok := w.Map(b, i)
	if !ok {
		return false
	}
	for _, k := range keys {
		lo, hi, _ := w.Value(int(k))
		t.Entries = append(t.Entries, Entry{k, lo, hi})
	}
	return true
}

// fillSequence adds the maps of a SequenceExample, whose pieces may come in any order.
func (t *Table) fillSequence(msg []byte) bool {
	for number, p := range []Part{1: Context, 2: Lists} {
		if number == 0 {
			continue
		}
		t.walks[p].Start()
		m := Map{Part: p, Lo: len(t.Entries)}
		for i := 0; i < len(msg); {
			n, lo, hi := canonical.Field(msg, i)
			if n == 0 || n == number && !t.fillMap(p, msg[:hi], lo) {
				return false
			}
			i = hi
		}
		m.Hi = len(t.Entries)
		t.Maps = append(t.Maps, m)
	}
	return true
}

// fillList adds the maps of an ExampleListWithContext.
func (t *Table) fillList(msg []byte) bool {
	from, to := 0, 0
	for i := 0; i < len(msg); {
		number, lo, hi := canonical.Field(msg, i)
		switch {
		case number == 1 && t.fillExample(Examples, msg, lo, hi):
		case number == 2 && !t.HasContext:
			from, to, t.HasContext = lo, hi, true
		default:
			return false
		}
		i = hi
	}
	return t.fillExample(Context, msg, from, to)
}
