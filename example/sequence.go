package example

import (
	"maps"
	"slices"
	"strconv"

	"github.com/tfparse/tfparse/internal/encode"
)

// Sequence is the owned form of a SequenceExample: features of the whole, and
// for each feature list one Value per step. The zero value is empty.
type Sequence struct {
	Context Example
	Lists   map[string][]Value
}

// AppendBinary appends the encoded SequenceExample to b; see
// [Example.AppendBinary].
func (s Sequence) AppendBinary(b []byte) ([]byte, error) {
	least, err := s.Context.check()
	if err != nil {
		return b, in(err, "context", "")
	}
	var bad *Error
	for name, steps := range s.Lists {
		least += int64(len(name))
		for i, v := range steps {
			least += v.least()
			if v.Kind() == Malformed && (bad == nil || name < bad.Feature) {
				bad = severalKinds("feature_lists", name, i)
			}
		}
	}
	if bad != nil {
		return b, bad
	}
	return appendMessage(b, least, s.write)
}

// write writes the feature lists and the context.
func (s Sequence) write(b *encode.Buffer) {
	for _, name := range slices.Backward(slices.Sorted(maps.Keys(s.Lists))) {
		list := b.Len()
		writeSteps(b, s.Lists[name])
		b.Entry(name, list)
	}
	if len(s.Lists) > 0 {
		b.Field(fieldLists, 0)
	}
	s.Context.write(b)
}

// writeSteps writes the FeatureList message.
func writeSteps(b *encode.Buffer, steps []Value) {
	for _, v := range slices.Backward(steps) {
		at := b.Len()
		v.write(b)
		b.Field(1, at)
	}
}

// MarshalBinary is AppendBinary to a new slice.
func (s Sequence) MarshalBinary() ([]byte, error) { return s.AppendBinary(nil) }

// UnmarshalBinary replaces *s by the SequenceExample in msg, or leaves it as
// it is if there is an error: it fails exactly where [MessageType.Validate] does.
// It copies.
func (s *Sequence) UnmarshalBinary(msg []byte) error {
	var buf [64]Entry
	entries, err := TypeSequence.Collect(buf[:0], msg)
	if err != nil {
		return err
	}
	ctx, err := owned(entries)
	if err != nil {
		return in(err, "context", "")
	}
	var found [64]FeatureListEntry
	lists, err := CollectFeatureLists(found[:0], msg)
	if err != nil {
		return err
	}
	x := Sequence{Context: ctx, Lists: make(map[string][]Value, len(lists))}
	for _, e := range lists {
		steps, err := ownedSteps(e.List)
		if err != nil {
			return in(err, "feature_lists", string(e.Name))
		}
		x.Lists[string(e.Name)] = steps
	}
	*s = x
	return nil
}

func ownedSteps(f FeatureList) ([]Value, error) {
	steps := []Value{}
	s := f.Scan()
	for s.Next() {
		v, err := s.Feature().Value()
		if err != nil {
			return nil, s.in(err)
		}
		steps = append(steps, v)
	}
	return steps, s.Err()
}

// ExampleList is the owned form of an ExampleListWithContext, as TensorFlow Ranking
// uses it: Examples, and one Example that holds for all of them. The zero
// value is empty.
type ExampleList struct {
	Context    Example
	HasContext bool // a context is written even if it is empty
	Examples   []Example
}

// AppendBinary appends the encoded ExampleListWithContext to b, the context
// after the examples; see [Example.AppendBinary]. A Context without HasContext
// is ErrValue.
func (l ExampleList) AppendBinary(b []byte) ([]byte, error) {
	if len(l.Context) > 0 && !l.HasContext {
		return b, &Error{Path: PathTo("context", ""), Err: ErrValue, Got: "a context without HasContext"}
	}
	total := int64(0)
	for i, e := range l.Examples {
		least, err := e.check()
		if err != nil {
			return b, inExample(err, 0, "examples["+strconv.Itoa(i)+"]")
		}
		total += least
	}
	least, err := l.Context.check()
	if err != nil {
		return b, inExample(err, 0, "context")
	}
	return appendMessage(b, total+least, l.write)
}

// write writes the context and the examples.
func (l ExampleList) write(b *encode.Buffer) {
	if l.HasContext {
		l.Context.write(b)
		b.Field(fieldContext, 0)
	}
	for _, e := range slices.Backward(l.Examples) {
		mark := b.Len()
		e.write(b)
		b.Field(fieldExamples, mark)
	}
}

// MarshalBinary is AppendBinary to a new slice.
func (l ExampleList) MarshalBinary() ([]byte, error) { return l.AppendBinary(nil) }

// UnmarshalBinary replaces *l by the ExampleListWithContext in msg, or leaves
// it as it is if there is an error: it fails exactly where [MessageType.Validate]
// does. It copies.
func (l *ExampleList) UnmarshalBinary(msg []byte) error {
	var x ExampleList
	s := ScanExamples(msg)
	for s.Next() {
		var e Example
		if err := e.UnmarshalBinary(s.Example()); err != nil {
			return inExample(err, s.lo, s.part())
		}
		x.Examples = append(x.Examples, e)
	}
	if err := s.Err(); err != nil {
		return err
	}
	ctx, ok := s.Context()
	if ok {
		x.HasContext = true
		if err := x.Context.UnmarshalBinary(ctx); err != nil {
			return inExample(err, s.ctx, "context")
		}
	}
	*l = x
	return nil
}
