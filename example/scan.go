package example

import (
	"strconv"

	"github.com/tfparse/tfparse/internal/wire"
)

// The tags of the messages, each one byte. A writer always writes them so.
const (
	tag1 = 1<<3 | byte(wire.TypeBytes)
	tag2 = 2<<3 | byte(wire.TypeBytes)
	tag3 = 3<<3 | byte(wire.TypeBytes)
)

// The fields of an Example or a SequenceExample that hold maps.
const (
	fieldFeatures = 1 // in an Example; context in a SequenceExample
	fieldLists    = 2 // feature_lists
)

// A Scanner walks the features of one encoded message in wire order; a
// repeated name is returned each time. It is a value and allocates nothing.
//
// Scanning checks the framing: the fields of the message and of its maps, and
// that every map entry has one key and one value. It does not look into the
// features, so that one that is not read costs nothing and may hold
// anything.
type Scanner struct {
	msg        []byte
	pos, end   int // the next byte to read, and where the map ends that it stands in
	name, next int // bounds of the name
	lo, hi     int // bounds of the value
	tag        int // where the field begins that is the map
	want, last int32
	quiet      bool // the map is only checked
	inList     bool // the map is the context of an ExampleListWithContext
	flags      uint8
	err        *Error
}

// Scan returns a Scanner over the features of an Example, or over the context of
// another message. In a SequenceExample it checks the framing of the feature lists
// as it passes them; in an ExampleListWithContext, the fields of the list first.
// Of TypeRaw and TypeAuto there are no features: the scan ends with an error.
func (t MessageType) Scan(msg []byte) Scanner {
	switch t {
	case TypeExample:
		return Scanner{msg: msg, want: fieldFeatures, last: fieldFeatures}
	case TypeSequence:
		return Scanner{msg: msg, want: fieldFeatures, last: fieldLists, flags: inSequence}
	case TypeExampleList:
		return scanListContext(msg)
	}
	return Scanner{err: &Error{Path: PathTo("", ""), Err: errNoFeatures, Got: "message type " + t.String()}}
}

// scanListContext scans the context of an ExampleListWithContext. Offsets count from
// the beginning of msg.
func scanListContext(msg []byte) Scanner {
	list := ScanExamples(msg)
	for list.Next() {
	}
	if list.err != nil {
		return Scanner{err: list.err}
	}
	context := msg[:list.end:list.end]
	return Scanner{msg: context, pos: list.ctx, end: list.ctx, want: fieldFeatures, last: fieldFeatures, inList: true}
}

// Next advances to the next feature. It returns false at the end of the
// message and at a fault; Err reports which. Only a scan that has run to its end
// has checked the framing of the whole message.
func (s *Scanner) Next() bool {
	for s.err == nil {
		if s.pos >= s.end {
			if !s.enter() {
				return false
			}
		} else if s.entry() && !s.quiet {
			return true
		}
	}
	return false
}

// Name returns the name of the feature, any bytes; it aliases the message.
func (s *Scanner) Name() []byte { return s.msg[s.name:s.next:s.next] }

// Feature returns the feature; it aliases the message.
func (s *Scanner) Feature() Feature {
	return Feature{b: s.msg[s.lo:s.hi:s.hi], off: s.lo, flags: s.flags}
}

// Err returns the fault that ended the scan, an *Error, or nil.
func (s *Scanner) Err() error {
	if s.err == nil {
		return nil
	}
	return s.err
}

// enter reads fields of the message up to the next map and enters it. It
// returns false at the end and at a fault.
func (s *Scanner) enter() bool {
	for s.pos < len(s.msg) {
		f, next := wire.Next(s.msg, s.pos)
		if next < 0 {
			s.err = fieldError(s.msg, 0, s.pos, next)
			if s.inList {
				s.err.Part = s.part()
			}
			return false
		}
		if f.Type == wire.TypeBytes && f.Num <= s.last {
			if f.Padded {
				s.quiet = f.Num != s.want
				s.fail(newError(0, s.pos, ErrAmbiguous, "a tag of one byte", "a padded tag, which TensorFlow skips with its content"))
				return false
			}
			s.tag = s.pos
			s.pos, s.end, s.quiet = f.Lo, f.Hi, f.Num != s.want
			return true
		}
		s.pos = next
	}
	return false
}

// entry reads one field of a map and reports whether it was an entry.
func (s *Scanner) entry() bool {
	b, i := s.msg[:s.end], s.pos
	if b[i] == tag1 {
		lo, hi := wire.Length(b, i+1)
		if lo > 0 && lo < hi && b[lo] == tag1 { // the form of every writer: key, then value
			e := b[:hi]
			name, next := wire.Length(e, lo+1)
			if name > 0 && next < hi && e[next] == tag2 {
				if lo, end := wire.Length(e, next+1); lo > 0 && end == hi {
					s.name, s.next, s.lo, s.hi, s.pos = name, next, lo, hi, hi
					return true
				}
			}
		}
	}
	return s.anyEntry()
}

// anyEntry is entry for any encoding. The dialect: unknown fields, padded tags and
// value before key lose nothing; anything but one key and one value is refused.
func (s *Scanner) anyEntry() bool {
	b := s.msg[:s.end]
	at := s.pos
	f, next := wire.Next(b, at)
	if next < 0 {
		s.fail(fieldError(b, 0, at, next))
		return false
	}
	s.pos = next
	if f.Num != 1 {
		return false
	}
	if f.Type != wire.TypeBytes {
		s.fail(typeError(0, at, "map entry", f.Type))
		return false
	}
	b = b[:f.Hi]
	keys, values := 0, 0
	for i := f.Lo; i < len(b); {
		f, next := wire.Next(b, i)
		if next < 0 {
			s.failEntry(keys, fieldError(b, 0, i, next))
			return false
		}
		switch {
		case f.Num > 2:
		case f.Type != wire.TypeBytes:
			s.failEntry(keys, typeError(0, i, [...]string{"key", "value"}[f.Num-1], f.Type))
			return false
		case f.Num == 1:
			s.name, s.next = f.Lo, f.Hi
			keys++
		default:
			s.lo, s.hi = f.Lo, f.Hi
			values++
		}
		i = next
	}
	if keys != 1 || values != 1 {
		s.failEntry(keys, newError(0, at, ErrEntry, "", strconv.Itoa(keys)+" keys, "+strconv.Itoa(values)+" values"))
		return false
	}
	return true
}

// fail ends the scan; the error learns which map it stands in.
func (s *Scanner) fail(e *Error) {
	e.Part = s.part()
	s.err = e
}

// failEntry is fail inside an entry whose key may be known.
func (s *Scanner) failEntry(keys int, e *Error) {
	if keys > 0 {
		e.Feature = string(s.Name())
	}
	s.fail(e)
}

// part names the map that the scanner is in.
func (s *Scanner) part() string {
	switch {
	case s.inList:
		return "context"
	case s.last == fieldFeatures:
		return ""
	case (s.want == fieldFeatures) != s.quiet:
		return "context"
	}
	return "feature_lists"
}
