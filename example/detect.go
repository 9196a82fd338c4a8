package example

import (
	"fmt"
	"strings"

	"github.com/tfparse/tfparse/internal/wire"
)

// A MessageType is the message that a record holds. The text form is the value of flags and
// of members in JSON.
type MessageType uint8

// The messages of this package, and two types for other records:
// TypeAuto is found by looking, as [Detect] does, and of TypeRaw nothing is decoded.
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

// fields is the number of top-level fields that the message has.
func (t MessageType) fields() int32 {
	if t == TypeExample {
		return 1
	}
	return 2
}

// ReadsAll reports whether no top-level field of msg is left unread that one of the messages
// of this package has: field 2 is, where an Example is read and the message is another one.
// It says nothing about damage, and looks at nothing behind it.
func (t MessageType) ReadsAll(msg []byte) bool {
	for i := 0; i < len(msg); {
		f, next := wire.Next(msg, i)
		if next < 0 {
			return true
		}
		if f.Type == wire.TypeBytes && t.fields() < f.Num && f.Num <= TypeExampleList.fields() {
			return false
		}
		i = next
	}
	return true
}

// Detect guesses what records hold, since nothing in them says it: the first
// of Example, SequenceExample and ExampleListWithContext that accepts every
// record and leaves no top-level field unread that another one has; if none does,
// the first that accepts them at all; else false.
//
// Almost any message can be read as one of the three that has unknown fields only,
// so one of the records must show what it is, as [MessageType.Shows] says. Records
// that are empty, or have nothing but empty fields, need not: no records, or empty
// ones, are Examples.
func Detect(records [][]byte) (MessageType, bool) {
	if Identify(records) != "" {
		return 0, false
	}
	var second MessageType
	for t := TypeExample; t <= TypeExampleList; t++ {
		accepts, reads, shows, hollow := true, true, false, true
		for _, r := range records {
			if accepts = t.Validate(r) == nil; !accepts {
				break
			}
			reads = reads && t.ReadsAll(r)
			shows = shows || t.Shows(r)
			hollow = hollow && t.hollow(r)
		}
		switch {
		case !accepts || !shows && !hollow:
		case reads:
			return t, true
		case second == 0:
			second = t
		}
	}
	return second, second != 0
}

// DetectMost is [Detect] for records that may be damaged in part or hold another message: where
// no type fits all, it is the one that fits most of those that show a type. Where none of the
// records is sound, it is what most of them show they were.
func DetectMost(records [][]byte) (MessageType, bool) {
	if t, ok := Detect(records); ok {
		return t, true
	}
	if Identify(records) != "" {
		return 0, false
	}
	var sound [][]byte
	for _, r := range records {
		if t, ok := Detect([][]byte{r}); ok && t.Shows(r) {
			sound = append(sound, r)
		}
	}
	if len(sound) == 0 {
		return mostShown(records)
	}
	if t, ok := Detect(sound); ok {
		return t, true
	}
	// What leaves fields unread would lose them in silence, so what is read in full counts first.
	var best MessageType
	bestFull, bestFits := -1, -1
	for t := TypeExample; t <= TypeExampleList; t++ {
		full, fits := 0, 0
		for _, r := range sound {
			if t.Validate(r) != nil {
				continue
			}
			fits++
			if t.ReadsAll(r) {
				full++
			}
		}
		if full > bestFull || full == bestFull && fits > bestFits {
			bestFull, bestFits, best = full, fits, t
		}
	}
	return best, true
}

// mostShown is the type that most records show, sound or not.
func mostShown(records [][]byte) (best MessageType, ok bool) {
	most := 0
	for t := TypeExample; t <= TypeExampleList; t++ {
		n := 0
		for _, r := range records {
			if t.Shows(r) {
				n++
			}
		}
		if n > most {
			most, best = n, t
		}
	}
	return best, most > 0
}
