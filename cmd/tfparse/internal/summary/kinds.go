package summary

import (
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/canonical"
	"github.com/tfparse/tfparse/tfrecord"
)

// Kinds finds the first place of each kind of each feature, of messages of one type in a row. It
// decodes every message as [example.MessageType.Validate] does, and takes little longer: names are
// looked at only in messages of a shape that was not seen before. A test compares it
// with a Table that has all messages.
type Kinds struct {
	table *Table
	shape func(msg []byte) (uint64, bool)
	file  string
	last  uint64          // shape of the message before
	known map[uint64]bool // shapes of messages of the file that the table has
}

// maxShapes bounds the shapes that are kept. Messages with others are added to the table.
const maxShapes = 1 << 12

// NewKinds returns an empty Kinds for messages of one type.
func NewKinds(t example.MessageType) *Kinds {
	shapes := map[example.MessageType]func([]byte) (uint64, bool){
		example.TypeExample: canonical.ExampleShape, example.TypeSequence: canonical.SequenceShape, example.TypeExampleList: canonical.ListShape,
	}
	return &Kinds{table: NewPart(t), shape: shapes[t], known: map[uint64]bool{}}
}

// Type returns the type of the messages.
func (k *Kinds) Type() example.MessageType { return k.table.typ }

// Add adds one message. The error is that of [example.MessageType.Validate], and then nothing is
// added.
func (k *Kinds) Add(msg []byte, pos tfrecord.Position) error {
	if k.file != pos.Name {
		k.file, k.last = pos.Name, 0
		clear(k.known)
	}
	shape, ok := k.shape(msg)
	if ok && shape == k.last && shape != 0 { // 0 is that of a message without features
		return nil
	}
	if ok && k.known[shape] {
		k.last = shape
		return nil
	}
	k.table.At = Place{pos.Name, pos.Record}
	if !ok {
		return k.table.addAny(msg)
	}
	if k.last = shape; len(k.known) < maxShapes {
		k.known[shape] = true
	}
	return k.table.Add(msg)
}

// MergeInto adds the places to those of a Table for the messages before, and reports whether the
// Kinds may be used again, for messages behind these. The Table then has no counts of use, but those of Omitted.
func (k *Kinds) MergeInto(t *Table) (again bool) { return t.Merge(k.table) }
