package example

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"sync"

	"github.com/tfparse/tfparse/internal/encode"
)

// maxSize is the largest size of a message in bytes, the limit of protobuf.
const maxSize = math.MaxInt32

// Example is the owned form of an Example: features by name. The zero value is
// an empty Example.
type Example map[string]Value

// AppendBinary appends the encoded Example to b. The encoding is deterministic:
// names sorted by their bytes, lists packed, nothing written for an Example
// without features. The error, ErrValue or ErrTooLarge in an *Error, is about
// the values; names may be any bytes, though decoders other than TensorFlow
// and this package refuse names that are not UTF-8.
func (e Example) AppendBinary(b []byte) ([]byte, error) {
	least, err := e.checkValues()
	if err != nil {
		return b, err
	}
	return appendMessage(b, least, e.writeTo)
}

// MarshalBinary returns the encoded Example; see AppendBinary.
func (e Example) MarshalBinary() ([]byte, error) { return e.AppendBinary(nil) }

// UnmarshalBinary replaces *e by the Example in msg, or leaves it as it is if
// there is an error: it fails exactly where [MessageType.Validate] does. It copies the values.
func (e *Example) UnmarshalBinary(msg []byte) error {
	var buf [64]Entry
	entries, err := TypeExample.Collect(buf[:0], msg)
	if err != nil {
		return err
	}
	x, err := decodeAll(entries)
	if err != nil {
		return err
	}
	*e = x
	return nil
}

// decodeAll decodes entries into an Example.
func decodeAll(entries []Entry) (Example, error) {
	x := make(Example, len(entries))
	for _, n := range entries {
		v, err := n.Feature.Value()
		if err != nil {
			return nil, addPath(err, "", string(n.Name))
		}
		x[string(n.Name)] = v
	}
	return x, nil
}

// checkValues returns a lower bound of the size of the encoded Example, or the error of the
// first value, by name, that cannot be encoded.
func (e Example) checkValues() (least int64, err error) {
	var bad *Error
	for name, v := range e {
		least += int64(len(name)) + v.minSize()
		if v.Kind() == Malformed && (bad == nil || name < bad.Feature) {
			bad = errSeveralKinds("", name, -1)
		}
	}
	if bad != nil {
		return 0, bad
	}
	return least, nil
}

// writeTo writes the map of features.
func (e Example) writeTo(b *encode.Buffer) {
	if len(e) == 0 {
		return
	}
	mark := b.Len()
	for _, name := range slices.Backward(slices.Sorted(maps.Keys(e))) {
		at := b.Len()
		e[name].writeTo(b)
		b.Entry(name, at)
	}
	b.Field(fieldFeatures, mark)
}

// buffers are free encode.Buffers.
var buffers = sync.Pool{New: func() any { return new(encode.Buffer) }}

// appendMessage appends the output of write, unless it is too large. least is a lower bound of
// its size: if that is too large, write is not called.
func appendMessage(b []byte, least int64, write func(*encode.Buffer)) ([]byte, error) {
	if least > maxSize {
		return b, errSize(least)
	}
	buf := buffers.Get().(*encode.Buffer)
	defer buffers.Put(buf)
	buf.Reset()
	write(buf)
	if n := int64(buf.Len()); n > maxSize {
		return b, errSize(n)
	}
	return append(b, buf.Bytes()...), nil
}

func errSeveralKinds(part, name string, step int) *Error {
	e := &Error{Path: PathTo(part, name), Err: ErrValue, Want: "values of one kind", Got: "several"}
	e.Step = step
	return e
}

func errSize(size int64) *Error {
	return &Error{Path: PathTo("", ""), Err: ErrTooLarge, Got: strconv.FormatInt(size, 10) + " bytes"}
}

// Sequence is the owned form of a SequenceExample. The zero value is empty.
type Sequence struct {
	Context Example            // the features of the whole sequence
	Lists   map[string][]Value // the feature lists: one Value for each step
}

// AppendBinary appends the encoded SequenceExample to b; see
// [Example.AppendBinary].
func (s Sequence) AppendBinary(b []byte) ([]byte, error) {
	least, err := s.Context.checkValues()
	if err != nil {
		return b, addPath(err, "context", "")
	}
	var bad *Error
	for name, steps := range s.Lists {
		least += int64(len(name))
		for i, v := range steps {
			least += v.minSize()
			if v.Kind() == Malformed && (bad == nil || name < bad.Feature) {
				bad = errSeveralKinds("feature_lists", name, i)
			}
		}
	}
	if bad != nil {
		return b, bad
	}
	return appendMessage(b, least, s.writeTo)
}

// writeTo writes the feature lists and the context.
func (s Sequence) writeTo(b *encode.Buffer) {
	for _, name := range slices.Backward(slices.Sorted(maps.Keys(s.Lists))) {
		list := b.Len()
		writeSteps(b, s.Lists[name])
		b.Entry(name, list)
	}
	if len(s.Lists) > 0 {
		b.Field(fieldLists, 0)
	}
	s.Context.writeTo(b)
}

// writeSteps writes the FeatureList message.
func writeSteps(b *encode.Buffer, steps []Value) {
	for _, v := range slices.Backward(steps) {
		at := b.Len()
		v.writeTo(b)
		b.Field(1, at)
	}
}

// MarshalBinary returns the encoded SequenceExample; see AppendBinary.
func (s Sequence) MarshalBinary() ([]byte, error) { return s.AppendBinary(nil) }

// UnmarshalBinary replaces *s by the SequenceExample in msg, or leaves it as
// it is if there is an error: it fails exactly where [MessageType.Validate] does.
// It copies the values.
func (s *Sequence) UnmarshalBinary(msg []byte) error {
	var buf [64]Entry
	entries, err := TypeSequence.Collect(buf[:0], msg)
	if err != nil {
		return err
	}
	ctx, err := decodeAll(entries)
	if err != nil {
		return addPath(err, "context", "")
	}
	var found [64]FeatureListEntry
	lists, err := CollectFeatureLists(found[:0], msg)
	if err != nil {
		return err
	}
	x := Sequence{Context: ctx, Lists: make(map[string][]Value, len(lists))}
	for _, e := range lists {
		steps, err := decodeSteps(e.List)
		if err != nil {
			return addPath(err, "feature_lists", string(e.Name))
		}
		x.Lists[string(e.Name)] = steps
	}
	*s = x
	return nil
}

func decodeSteps(f FeatureList) ([]Value, error) {
	steps := []Value{}
	s := f.Scan()
	for s.Next() {
		v, err := s.Feature().Value()
		if err != nil {
			return nil, s.addStep(err)
		}
		steps = append(steps, v)
	}
	return steps, s.Err()
}

// ExampleList is the owned form of an ExampleListWithContext, the message of TensorFlow
// Ranking. The zero value is empty.
type ExampleList struct {
	Context    Example   // the features of the whole list
	HasContext bool      // the message has a context, which may be empty
	Examples   []Example // the examples of the list
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
		least, err := e.checkValues()
		if err != nil {
			return b, encloseError(err, 0, "examples["+strconv.Itoa(i)+"]")
		}
		total += least
	}
	least, err := l.Context.checkValues()
	if err != nil {
		return b, encloseError(err, 0, "context")
	}
	return appendMessage(b, total+least, l.writeTo)
}

// writeTo writes the context and the examples.
func (l ExampleList) writeTo(b *encode.Buffer) {
	if l.HasContext {
		l.Context.writeTo(b)
		b.Field(fieldContext, 0)
	}
	for _, e := range slices.Backward(l.Examples) {
		mark := b.Len()
		e.writeTo(b)
		b.Field(fieldExamples, mark)
	}
}

// MarshalBinary returns the encoded list; see AppendBinary.
func (l ExampleList) MarshalBinary() ([]byte, error) { return l.AppendBinary(nil) }

// UnmarshalBinary replaces *l by the ExampleListWithContext in msg, or leaves
// it as it is if there is an error: it fails exactly where [MessageType.Validate]
// does. It copies the values.
func (l *ExampleList) UnmarshalBinary(msg []byte) error {
	var x ExampleList
	s := ScanExamples(msg)
	for s.Next() {
		var e Example
		if err := e.UnmarshalBinary(s.Example()); err != nil {
			return encloseError(err, s.lo, s.partName())
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
			return encloseError(err, s.ctxLo, "context")
		}
	}
	*l = x
	return nil
}
