package content

import (
	"fmt"

	"github.com/tfparse/tfparse/example"
)

// A Former gives records of one type in their one form. It belongs to one goroutine.
type Former struct {
	typ                       example.MessageType
	features, lists, examples group

	example  example.Example
	sequence example.Sequence
	list     example.ExampleList
}

// NewFormer returns a Former for records of a type that is known: not [example.TypeAuto].
func NewFormer(t example.MessageType) *Former {
	return &Former{typ: t, features: newGroup(), lists: newGroup(), examples: newGroup()}
}

// Type returns the type of the records.
func (f *Former) Type() example.MessageType { return f.typ }

// Append appends the form of a record to dst. The error is the one of a record that does not
// decode; dst is returned as it was then.
func (f *Former) Append(dst, rec []byte) ([]byte, error) {
	n := len(dst)
	var ok bool
	switch f.typ {
	case example.TypeRaw:
		return append(dst, rec...), nil
	case example.TypeExample:
		dst, ok = f.features.appendExample(dst, rec, 0)
	case example.TypeSequence:
		dst, ok = f.appendSequence(dst, rec)
	case example.TypeExampleList:
		dst, ok = f.appendList(dst, rec)
	default:
		return dst, fmt.Errorf("no form of records of type %v", f.typ)
	}
	if ok {
		return dst, nil
	}
	return f.decodeAndEncode(dst[:n], rec)
}

// decodeAndEncode is Append for any encoding, through the owned forms of package example. The
// fast path is 4 to 10 times as fast; TestFastPath compares the two.
func (f *Former) decodeAndEncode(dst, rec []byte) ([]byte, error) {
	switch f.typ {
	case example.TypeExample:
		if err := f.example.UnmarshalBinary(rec); err != nil {
			return dst, err
		}
		learn(&f.features, f.example)
		return f.example.AppendBinary(dst)
	case example.TypeSequence:
		if err := f.sequence.UnmarshalBinary(rec); err != nil {
			return dst, err
		}
		learn(&f.features, f.sequence.Context)
		learn(&f.lists, f.sequence.Lists)
		return f.sequence.AppendBinary(dst)
	}
	if err := f.list.UnmarshalBinary(rec); err != nil {
		return dst, err
	}
	learn(&f.features, f.list.Context)
	for _, e := range f.list.Examples {
		learn(&f.examples, e)
	}
	return f.list.AppendBinary(dst)
}
