// Package message splits messages into the entries of their maps. A [Table] gives each name an ID and
// each value in canonical encoding, whatever the encoding of the message. Its caller keeps state per
// name in slices indexed by ID and reads values with package canonical. A [Finder] finds the
// values of names that are known in advance, in the encoding of the message.
//
// The fast path finds the values of a message in canonical encoding, as nearly every message is, in
// one pass and without a copy. The slow path reads any other message with the scanners of package
// example, and a Table rewrites the values that are not canonical and reads again.
package message

import (
	"errors"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/canonical"
)

// Part is one of the maps of a message.
type Part uint8

// The parts. An Example has Features; a SequenceExample has Context and Lists; an
// ExampleListWithContext has Context and Examples.
const (
	Features Part = iota
	Context
	Lists
	Examples
	NumParts = iota
)

// Entry is one entry of a map: a feature, or in [Lists] a feature list.
type Entry struct {
	ID     int32 // of the name, within its part; negative: see Table.Name
	Lo, Hi int   // bounds of the value in Table.Bytes; canonical only in the second call of take: see Read
}

// Map is one map of a message. It has each name once.
type Map struct {
	Part   Part
	Lo, Hi int // the entries are Table.Entries[Lo:Hi]
}

// Table splits one message after another into its entries. The exported fields are valid until the
// next message, IDs for the life of the Table. Not safe for concurrent use.
type Table struct {
	Bytes      []byte  // the message itself, or a copy of it followed by rewritten values
	Maps       []Map   // an Example's features; a context, then lists; or all examples in order, then a context
	Entries    []Entry // of all Maps
	HasContext bool    // whether an ExampleListWithContext has a context; Maps has one in either case

	// Wanted reports whether the caller reads the value of an entry; nil: every value. Values that are not wanted are not
	// checked and may be invalid. The caller may set it before the first message.
	Wanted func(p Part, name []byte) bool

	typ   example.MessageType        // neither TypeAuto nor TypeRaw
	names [NumParts]*canonical.Names // names and their IDs
	walks [NumParts]canonical.Walk   // the fast path

	// State of the slow path.
	scanned  []byte                     // copy of the message, then rewritten values
	found    []example.Entry            // features of one map
	lists    []example.FeatureListEntry // feature lists
	unlisted [][]byte                   // names beyond the limits of canonical.Names: the ID of unlisted[i] is ^i
	rewriter rewriter                   // encodes values that are not canonical
}

// Shared lets Tables for messages of the same data share the names they learn. It affects speed only.
// The zero value is ready to use; it is safe for concurrent use.
type Shared [NumParts]canonical.LatestIndex

// NewTable returns a Table for messages of type t, which must not be raw.
func NewTable(t example.MessageType, shared *Shared) *Table {
	x := &Table{typ: t}
	for p := range x.names {
		x.names[p] = canonical.NewNames(&shared[p])
		x.walks[p] = x.names[p].NewWalk()
	}
	return x
}

// Names returns the number of IDs of a part. Every ID in Entries is less than it.
func (t *Table) Names(p Part) int { return t.names[p].Len() }

// Name returns the name of an ID in Entries. A negative ID is valid for the current message only: it
// is given to names beyond the limits of canonical.Names.
func (t *Table) Name(p Part, id int32) string {
	if id < 0 {
		return string(t.unlisted[^id])
	}
	return t.names[p].Text(id)
}

// Read reads a message and calls take with the Table filled. If take returns false because a value is
// not in the encoding it expects, Read calls take again with every value in its shortest canonical
// encoding, so take must keep nothing before it returns true. The error is that of
// [example.MessageType.Validate], except that values that are not wanted have no errors. take may have
// been called before an error.
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

// fill is the fast path of Read: it fills the table from a message whose maps are in canonical encoding,
// and reports whether they are. The values may have any encoding.
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

// fillMap adds the entries of the map b[i:], or of one piece of the map.
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

// fillSequence adds the maps of a SequenceExample. Their pieces may alternate.
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
