package example

import (
	"maps"
	"slices"
	"strconv"

	"github.com/tfparse/tfparse/internal/wire"
)

// Sequence is the owned form of a SequenceExample: features of the whole, and
// for each feature list one Value per frame. The zero value is empty.
type Sequence struct {
	Context Example
	Lists   map[string][]Value
}

// AppendBinary appends the encoded SequenceExample to b; see
// [Example.AppendBinary].
func (s Sequence) AppendBinary(b []byte) ([]byte, error) {
	start := len(b)
	b, err := s.Context.append(b, fieldFeatures)
	if err != nil {
		return b, in(err, "context", "")
	}
	names := slices.Sorted(maps.Keys(s.Lists))
	var total int64
	for _, name := range names {
		for i, v := range s.Lists[name] {
			if v.Kind() == Malformed {
				return b[:start], &Error{Offset: -1, Part: "feature_lists", Feature: name, Frame: i, Err: ErrValue, Want: "values of one kind", Got: "several"}
			}
		}
		total += wire.SizeField(entrySize(name, framesSize(s.Lists[name])))
	}
	if len(names) == 0 {
		return b, nil
	}
	if n := wire.SizeField(total) + int64(len(b)-start); n > maxSize {
		return b[:start], tooLarge(n)
	}
	b = slices.Grow(b, int(wire.SizeField(total)))
	b = wire.AppendHeader(b, fieldLists, total)
	for _, name := range names {
		frames := s.Lists[name]
		b = appendEntry(b, name, framesSize(frames))
		for _, v := range frames {
			l := v.layout()
			b = v.append(wire.AppendHeader(b, 1, l.feature), l)
		}
	}
	return b, nil
}

// framesSize is the size of a FeatureList message.
func framesSize(frames []Value) int64 {
	var n int64
	for _, v := range frames {
		n += wire.SizeField(v.layout().feature)
	}
	return n
}

// MarshalBinary is AppendBinary to a new slice.
func (s Sequence) MarshalBinary() ([]byte, error) { return s.AppendBinary(nil) }

// UnmarshalBinary replaces *s by the SequenceExample in msg, or leaves it as
// it is if there is an error: it fails exactly where [ValidateSequence] does.
// It copies.
func (s *Sequence) UnmarshalBinary(msg []byte) error {
	var buf [64]Entry
	entries, err := CollectContext(buf[:0], msg)
	if err != nil {
		return err
	}
	ctx, err := owned(entries)
	if err != nil {
		return in(err, "context", "")
	}
	var found [64]ListEntry
	lists, err := CollectLists(found[:0], msg)
	if err != nil {
		return err
	}
	x := Sequence{Context: ctx, Lists: make(map[string][]Value, len(lists))}
	for _, e := range lists {
		frames, err := ownedFrames(e.Frames)
		if err != nil {
			return in(err, "feature_lists", string(e.Name))
		}
		x.Lists[string(e.Name)] = frames
	}
	*s = x
	return nil
}

func ownedFrames(f Frames) ([]Value, error) {
	frames := []Value{}
	s := f.Scan()
	for s.Next() {
		v, err := s.Feature().Value()
		if err != nil {
			return nil, s.in(err)
		}
		frames = append(frames, v)
	}
	return frames, s.Err()
}

// List is the owned form of an ExampleListWithContext, as TensorFlow Ranking
// uses it: Examples, and one Example that holds for all of them. The zero
// value is empty.
type List struct {
	Context    Example
	HasContext bool // a context is written even if it is empty
	Examples   []Example
}

// AppendBinary appends the encoded ExampleListWithContext to b, the context
// after the examples; see [Example.AppendBinary]. A Context without HasContext
// is ErrValue.
func (l List) AppendBinary(b []byte) ([]byte, error) {
	if len(l.Context) > 0 && !l.HasContext {
		return b, &Error{Offset: -1, Part: "context", Frame: -1, Err: ErrValue, Got: "a context without HasContext"}
	}
	var total int64
	for _, e := range l.Examples {
		total += wire.SizeField(e.size())
	}
	if l.HasContext {
		total += wire.SizeField(l.Context.size())
	}
	if total > maxSize {
		return b, tooLarge(total)
	}
	start := len(b)
	b = slices.Grow(b, int(total))
	for i, e := range l.Examples {
		var err error
		if b, err = e.append(wire.AppendHeader(b, fieldExamples, e.size()), fieldFeatures); err != nil {
			return b[:start], inExample(err, 0, "examples["+strconv.Itoa(i)+"]")
		}
	}
	if l.HasContext {
		var err error
		if b, err = l.Context.append(wire.AppendHeader(b, fieldContext, l.Context.size()), fieldFeatures); err != nil {
			return b[:start], inExample(err, 0, "context")
		}
	}
	return b, nil
}

// MarshalBinary is AppendBinary to a new slice.
func (l List) MarshalBinary() ([]byte, error) { return l.AppendBinary(nil) }

// UnmarshalBinary replaces *l by the ExampleListWithContext in msg, or leaves
// it as it is if there is an error: it fails exactly where [ValidateList]
// does. It copies.
func (l *List) UnmarshalBinary(msg []byte) error {
	var x List
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

func formatSize(n int64) string { return strconv.FormatInt(n, 10) + " bytes" }
