package example

import (
	"fmt"
	"strings"

	"github.com/tfparse/tfparse/internal/canonical"
)

// A MessageType is the message that a record holds. The text form is the value of flags and
// of members in JSON.
type MessageType uint8

// The messages of this package, and two types for other records:
// TypeAuto is for programs that find the type by looking at records, and of TypeRaw nothing is decoded.
const (
	TypeAuto        MessageType = iota // the zero type; text "auto"
	TypeExample                        // Example; text "example"
	TypeSequence                       // SequenceExample; text "sequence"
	TypeExampleList                    // ExampleListWithContext; text "elwc"
	TypeRaw                            // any bytes; text "raw"
)

var typeTexts = [...]string{"auto", "example", "sequence", "elwc", "raw"}

// String gives the text form.
func (t MessageType) String() string {
	if int(t) < len(typeTexts) {
		return typeTexts[t]
	}
	return fmt.Sprintf("MessageType(%d)", uint8(t))
}

// MarshalText gives the text form.
func (t MessageType) MarshalText() ([]byte, error) {
	if int(t) >= len(typeTexts) {
		return nil, fmt.Errorf("example: no text for %v", t)
	}
	return []byte(typeTexts[t]), nil
}

// UnmarshalText reads the text form.
func (t *MessageType) UnmarshalText(b []byte) error {
	for i, text := range typeTexts {
		if string(b) == text {
			*t = MessageType(i)
			return nil
		}
	}
	return fmt.Errorf("want one of %s, got %q", strings.Join(typeTexts[:], ", "), b)
}

// Messages in canonical encoding take the fast path of package canonical. Those that it does not
// accept take the slow path here, which also makes the errors.

// Validate decodes everything in a message and keeps nothing: a nil error
// means that every feature has one value, the same for all decoders. Any bytes are sound as
// TypeRaw, and none as TypeAuto.
func (t MessageType) Validate(msg []byte) error {
	switch t {
	case TypeExample:
		if canonical.CheckExample(msg) {
			return nil
		}
		return slowValidate(msg)
	case TypeSequence:
		if canonical.CheckSequence(msg) {
			return nil
		}
		return slowValidateSequence(msg)
	case TypeExampleList:
		if canonical.CheckList(msg) {
			return nil
		}
		return slowValidateList(msg)
	case TypeRaw:
		return nil
	}
	return fmt.Errorf("example: cannot validate as %v", t)
}

func slowValidate(msg []byte) error {
	var buf [64]Entry // more go to the heap
	return validate(TypeExample.Collect(buf[:0], msg))
}

func validate(entries []Entry, err error) error {
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := e.Feature.Validate(); err != nil {
			return in(err, "", string(e.Name))
		}
	}
	return nil
}

func slowValidateSequence(msg []byte) error {
	var buf [64]Entry
	if err := validate(TypeSequence.Collect(buf[:0], msg)); err != nil {
		return in(err, "context", "")
	}
	var lists [64]FeatureListEntry
	found, err := CollectFeatureLists(lists[:0], msg)
	if err != nil {
		return err
	}
	for _, e := range found {
		s := e.List.Scan()
		for s.Next() {
			if err := s.Feature().Validate(); err != nil {
				return in(s.in(err), "feature_lists", string(e.Name))
			}
		}
		if err := s.Err(); err != nil {
			return in(err, "feature_lists", string(e.Name))
		}
	}
	return nil
}

func slowValidateList(msg []byte) error {
	s := ScanExamples(msg)
	for s.Next() {
		if err := slowValidate(s.Example()); err != nil {
			return inExample(err, s.lo, s.part())
		}
	}
	if err := s.Err(); err != nil {
		return err
	}
	ctx, _ := s.Context()
	return inExample(slowValidate(ctx), s.ctx, "context")
}
