package example

import (
	"strconv"

	"github.com/tfparse/tfparse/internal/canonical"
	"github.com/tfparse/tfparse/internal/wire"
)

// The tags of LEN fields in their shortest encoding, one byte each.
const (
	tag1 = byte(canonical.Tag1)
	tag2 = byte(canonical.Tag2)
	tag3 = byte(canonical.Tag3)
)

// The fields of an Example or a SequenceExample that hold maps.
const (
	fieldFeatures = 1 // in an Example; context in a SequenceExample
	fieldLists    = 2 // feature_lists
)

// A Scanner walks the features of one encoded message in wire order; a
// repeated name is returned each time. It is a value and allocates nothing.
//
// Scanning checks the framing: the fields of the message and of its maps, and that every map entry has one key and
// one value. Features are checked when they are decoded: a feature that is not read takes no time and may contain
// anything.
type Scanner struct {
	msg            []byte // the caller's; all offsets count from its beginning
	pos            int    // offset of the next byte to read
	end            int    // where the current map ends
	nameLo, nameHi int    // bounds of the name of the current entry
	lo, hi         int    // bounds of the value of the current entry
	tag            int    // offset of the field that is the current map
	wanted         int32  // the field whose entries Next returns
	lastMap        int32  // the last field that is a map; other maps than wanted are only checked
	skipping       bool   // the current map is not the wanted one
	inList         bool   // msg is an ExampleListWithContext, cut at the end of its context
	flags          uint8  // flags of the features
	err            *Error // the fault that ended the scan
}

// Scan returns a Scanner over the features of an Example, or over the context of
// another message. In a SequenceExample it checks the framing of the feature lists
// as it passes them; in an ExampleListWithContext, the fields of the list first.
// TypeRaw and TypeAuto have no features: the scan ends with an error.
func (t MessageType) Scan(msg []byte) Scanner {
	switch t {
	case TypeExample:
		return Scanner{msg: msg, wanted: fieldFeatures, lastMap: fieldFeatures}
	case TypeSequence:
		return Scanner{msg: msg, wanted: fieldFeatures, lastMap: fieldLists, flags: inSequence}
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
	context := msg[:list.ctxHi:list.ctxHi]
	return Scanner{msg: context, pos: list.ctxLo, end: list.ctxLo, wanted: fieldFeatures, lastMap: fieldFeatures, inList: true}
}

// Next advances to the next feature. It returns false at the end of the
// message and at a fault; Err reports which. Only a scan that has run to its end
// has checked the framing of the whole message.
func (s *Scanner) Next() bool {
	for s.err == nil {
		if s.pos >= s.end {
			if !s.enterMap() {
				return false
			}
		} else if s.readEntry() && !s.skipping {
			return true
		}
	}
	return false
}

// Name returns the name of the feature, any bytes; it aliases the message.
func (s *Scanner) Name() []byte { return s.msg[s.nameLo:s.nameHi:s.nameHi] }

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

// enterMap reads the fields of the message up to the next map, and the header of the map. It
// returns false at the end of the message and at a fault.
func (s *Scanner) enterMap() bool {
	for s.pos < len(s.msg) {
		f, next := wire.Next(s.msg, s.pos)
		if next < 0 {
			s.err = fieldError(s.msg, 0, s.pos, next)
			if s.inList {
				s.err.Part = s.partName()
			}
			return false
		}
		if f.Type == wire.TypeBytes && f.Num <= s.lastMap {
			if f.Padded {
				s.skipping = f.Num != s.wanted
				s.fail(newError(0, s.pos, ErrAmbiguous, "a tag of one byte", "a padded tag, which TensorFlow skips with its content"))
				return false
			}
			s.tag = s.pos
			s.pos, s.end, s.skipping = f.Lo, f.Hi, f.Num != s.wanted
			return true
		}
		s.pos = next
	}
	return false
}

// readEntry reads one field of a map and reports whether it is an entry.
func (s *Scanner) readEntry() bool {
	b, i := s.msg[:s.end], s.pos
	if b[i] == tag1 {
		lo, hi := wire.Length(b, i+1)
		if lo > 0 && lo < hi && b[lo] == tag1 { // canonical: key, then value
			e := b[:hi]
			name, next := wire.Length(e, lo+1)
			if name > 0 && next < hi && e[next] == tag2 {
				if lo, end := wire.Length(e, next+1); lo > 0 && end == hi {
					s.nameLo, s.nameHi, s.lo, s.hi, s.pos = name, next, lo, hi, hi
					return true
				}
			}
		}
	}
	return s.readAnyEntry()
}

// readAnyEntry is readEntry for any encoding. Unknown fields, padded tags and a value before
// its key are accepted; anything but one key and one value is an error.
func (s *Scanner) readAnyEntry() bool {
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
			s.nameLo, s.nameHi = f.Lo, f.Hi
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

// fail ends the scan with an error, to which it adds the map.
func (s *Scanner) fail(e *Error) {
	e.Part = s.partName()
	s.err = e
}

// failEntry is fail inside an entry; if it has read a key, it adds the name.
func (s *Scanner) failEntry(keys int, e *Error) {
	if keys > 0 {
		e.Feature = string(s.Name())
	}
	s.fail(e)
}

// partName returns the Path.Part of the map.
func (s *Scanner) partName() string {
	switch {
	case s.inList:
		return "context"
	case s.lastMap == fieldFeatures:
		return ""
	case (s.wanted == fieldFeatures) != s.skipping:
		return "context"
	}
	return "feature_lists"
}

// The fields of an ExampleListWithContext.
const (
	fieldExamples = 1
	fieldContext  = 2
)

// An ExampleScanner walks the encoded examples of an ExampleListWithContext in
// wire order. It is a value and allocates nothing. It checks the fields of the
// list; an example is checked by scanning it.
type ExampleScanner struct {
	msg          []byte // the caller's; all offsets count from its beginning
	pos          int    // offset of the next byte to read
	tag          int    // offset of the field of the current example
	lo, hi       int    // bounds of the current example
	ctxTag       int    // offset of the field of the context
	ctxLo, ctxHi int    // bounds of the context
	index        int    // index of the current example; -1 before the first
	contexts     int    // number of contexts so far
	err          *Error // the fault that ended the scan
}

// ScanExamples returns an ExampleScanner.
func ScanExamples(msg []byte) ExampleScanner {
	return ExampleScanner{msg: msg, index: -1}
}

// Next advances to the next example. It returns false at the end of the
// message and at a fault; Err reports which.
func (s *ExampleScanner) Next() bool {
	for s.err == nil && s.pos < len(s.msg) {
		at := s.pos
		f, next := wire.Next(s.msg, at)
		if next < 0 {
			s.err = fieldError(s.msg, 0, at, next)
			return false
		}
		s.pos = next
		if f.Type != wire.TypeBytes {
			continue // an unknown field to all decoders
		}
		switch f.Num {
		case fieldExamples:
			s.tag, s.lo, s.hi = at, f.Lo, f.Hi
			s.index++
			return true
		case fieldContext:
			s.ctxTag, s.ctxLo, s.ctxHi = at, f.Lo, f.Hi
			if s.contexts++; s.contexts > 1 {
				s.err = newError(0, at, ErrAmbiguous, "one context", "two; TensorFlow reads the last, other decoders merge them")
				s.err.Part = "context"
			}
		}
	}
	return false
}

// Index returns the index of the example.
func (s *ExampleScanner) Index() int { return s.index }

// Example returns the encoded Example; it aliases the message.
func (s *ExampleScanner) Example() []byte { return s.msg[s.lo:s.hi:s.hi] }

// Offset returns the offset of the example in the message.
func (s *ExampleScanner) Offset() int { return s.lo }

// Context returns the encoded context, an Example, and whether there is one.
// It may be anywhere in the message: call Context after the end of the scan. It aliases
// the message.
func (s *ExampleScanner) Context() (ctx []byte, ok bool) {
	return s.msg[s.ctxLo:s.ctxHi:s.ctxHi], s.contexts > 0
}

// ContextOffset returns the offset of the context in the message.
func (s *ExampleScanner) ContextOffset() int { return s.ctxLo }

// Err returns the fault that ended the scan, an *Error, or nil.
func (s *ExampleScanner) Err() error {
	if s.err == nil {
		return nil
	}
	return s.err
}

// encloseError adds the part of the list to an error of an Example in it.
func encloseError(err error, off int, part string) error {
	if e, ok := err.(*Error); ok {
		e.Enclose(part, off)
	}
	return err
}

// partName returns the Path.Part of the current example.
func (s *ExampleScanner) partName() string {
	return "examples[" + strconv.Itoa(s.index) + "]"
}

// A FeatureListScanner walks the feature lists of a SequenceExample in wire order; a repeated name is returned each
// time. It is a value and allocates nothing. It checks the framing of the message and of the map of lists;
// [FeatureList.Scan] checks the content of a list.
type FeatureListScanner struct{ s Scanner }

// ScanFeatureLists returns a FeatureListScanner. The scan checks the framing of the context,
// too.
func ScanFeatureLists(msg []byte) FeatureListScanner {
	return FeatureListScanner{s: Scanner{msg: msg, wanted: fieldLists, lastMap: fieldLists}}
}

// Next advances to the next feature list. It returns false at the end of the
// message and at a fault; Err reports which.
func (s *FeatureListScanner) Next() bool { return s.s.Next() }

// Name returns the name of the list, any bytes; it aliases the message.
func (s *FeatureListScanner) Name() []byte { return s.s.Name() }

// List returns the list; it aliases the message.
func (s *FeatureListScanner) List() FeatureList {
	return FeatureList{b: s.s.msg[s.s.lo:s.s.hi:s.s.hi], off: s.s.lo}
}

// Err returns the fault that ended the scan, an *Error, or nil.
func (s *FeatureListScanner) Err() error { return s.s.Err() }

// FeatureList is a lent view of one encoded feature list: a sequence of steps, each a feature.
// It aliases the message. [FeatureList.Scan] checks its framing.
type FeatureList struct {
	b   []byte // the FeatureList message
	off int    // offset of b in the whole message
}

// FeatureListAt returns the feature list msg[lo:hi], for callers that have found its bounds
// without a [FeatureListScanner].
func FeatureListAt(msg []byte, lo, hi int) FeatureList {
	return FeatureList{b: msg[lo:hi:hi], off: lo}
}

// Scan returns a StepScanner over the steps.
func (f FeatureList) Scan() StepScanner { return StepScanner{b: f.b, off: f.off, index: -1} }

// Len counts the steps and checks their framing, not their content.
func (f FeatureList) Len() (int, error) {
	n, s := 0, f.Scan()
	for s.Next() {
		n++
	}
	return n, s.Err()
}

// checkConforming checks a list that a later one replaces: its framing, and each step with
// [Feature.checkConforming].
func (f FeatureList) checkConforming() error {
	s := f.Scan()
	for s.Next() {
		if _, err := s.Feature().checkConforming(); err != nil {
			return s.addStep(err)
		}
	}
	return s.Err()
}

// Replace returns f as the list of a name that has an earlier list in the message: f itself, or an error if the
// earlier list does not decode. The last list of a name counts, also when it is empty; steps are never merged.
func (f FeatureList) Replace(earlier FeatureList) (FeatureList, error) {
	return f, earlier.checkConforming()
}

// Offset returns the offset of the list in the message.
func (f FeatureList) Offset() int { return f.off }

// Raw returns the encoded FeatureList message; it aliases the message.
func (f FeatureList) Raw() []byte { return f.b }

// A StepScanner walks the steps of one feature list. It is a value and
// allocates nothing. It checks the framing; a step is checked when it is
// decoded.
type StepScanner struct {
	b      []byte // the FeatureList message
	off    int    // offset of b in the whole message
	pos    int    // offset of the next byte in b
	lo, hi int    // bounds of the current step in b
	index  int    // index of the current step; -1 before the first
	err    *Error // the fault that ended the scan
}

// Next advances to the next step. It returns false at the end of the list and
// at a fault; Err reports which.
func (s *StepScanner) Next() bool {
	for s.err == nil && s.pos < len(s.b) {
		if s.b[s.pos] == tag1 {
			if lo, hi := wire.Length(s.b, s.pos+1); lo > 0 {
				s.lo, s.hi, s.pos = lo, hi, hi
				s.index++
				return true
			}
		}
		f, next := wire.Next(s.b, s.pos)
		switch {
		case next < 0:
			s.fail(fieldError(s.b, s.off, s.pos, next))
		case f.Num != 1:
			s.pos = next
		case f.Type != wire.TypeBytes:
			s.fail(typeError(s.off, s.pos, "step", f.Type))
		default:
			s.lo, s.hi, s.pos = f.Lo, f.Hi, next
			s.index++
			return true
		}
	}
	return false
}

// Index returns the index of the step.
func (s *StepScanner) Index() int { return s.index }

// Feature returns the step; it aliases the message.
func (s *StepScanner) Feature() Feature {
	return Feature{b: s.b[s.lo:s.hi:s.hi], off: s.off + s.lo, flags: inSequence | inStep}
}

// Err returns the fault that ended the scan, an *Error, or nil.
func (s *StepScanner) Err() error {
	if s.err == nil {
		return nil
	}
	return s.err
}

// fail ends the scan with an error in the next step.
func (s *StepScanner) fail(e *Error) {
	e.Step = s.index + 1
	s.err = e
}

// addStep adds the index of the step to an error from its content.
func (s *StepScanner) addStep(err error) error {
	if e, ok := err.(*Error); ok && e.Step < 0 {
		e.Step = s.index
	}
	return err
}
