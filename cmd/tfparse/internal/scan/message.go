package scan

import (
	"errors"
	"fmt"
	"io"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/detect"
	"github.com/tfparse/tfparse/tfrecord"
)

// What is held back until the message of a file is known.
const (
	guessRecords = 64
	guessEvents  = 1024 // records and faults
	guessBytes   = 4 << 20
	keepBytes    = 1 << 20 // of memory, from file to file
)

// ErrUnread is the reason of a fault in a record of a file of Examples that has the field which an Example does not read and other
// messages do: to go on could lose that part of it in silence. Fields that no message has are no reason.
var ErrUnread = errors.New("not just an Example, which is what the file was found to hold: it has field 2, the feature lists of a SequenceExample or the context of an ExampleListWithContext; --type says what to take it as")

// ErrForeign is in the reason of a fault in a record that is another message than the type of its file says, though it may decode
// as one.
var ErrForeign = errors.New("another message")

// messages finds the message that each file holds: what [detect.MostLikely] says of its first records that are not empty. They are
// held back until there are enough, and pass with the beginning of the file. While a file shows no message, its records count as
// unknown.
//
// Once the type is known a record that is another message is a fault, also where the type was named. So is a record among
// Examples with the field that other messages have besides, unless the type was named. Where records are copied, a file that shows
// another message than the one that was named is left out as a whole: each of its records might decode.
type messages struct {
	fixed   example.MessageType // of all files; TypeAuto: find out
	file    *File               // that the last record or fault delivered is of
	looking bool                // events are read ahead of the verb

	// Of the file that is read.
	reading *File
	begun   bool                // its beginning is in the queue, or has passed
	decided bool                // its type is known
	message example.MessageType // that records must be; 0: any
	doubt   bool                // the type is Example by default, and not by a flag
	unknown Unknown             // records that were not delivered
	filled  int                 // records held that say something
	copied  fileMessages        // of the files so far, with Options.Copy
	other   example.MessageType // that the file holds in the place of the one that was named, with Options.Copy; TypeAuto: it does not
	leftOut int64               // records of the file, because of other

	queue []event // that are ready, from head on
	head  int
	held  []event // whose type is not known
	arena []byte  // their records
	one   example.MessageType
}

// typed returns the next event of a file whose type is known.
func (s *Source) typed() (*event, error) {
	for {
		if s.head < len(s.queue) {
			ev := &s.queue[s.head]
			if s.head++; s.head == len(s.queue) {
				s.queue, s.head = s.queue[:0], 0
			}
			if ev.kind == evBegin {
				s.file = ev.file
			}
			return ev, nil
		}
		ev, err := s.files.next()
		if err != nil {
			return nil, err
		}
		if ev.kind == evRecord && s.decided && s.other == example.TypeAuto {
			s.check(ev)
			return ev, nil
		}
		s.take(ev)
	}
}

// take queues an event, or holds it back.
func (s *Source) take(ev *event) {
	switch {
	case ev.kind == evBegin:
		s.beginFile(ev)
	case ev.kind == evEnd:
		s.release()
		s.endUnknown(ev.file)
		if s.leftOut > 0 && s.skips() {
			s.queue = append(s.queue, event{kind: evFault, file: ev.file, fault: s.otherMessage()})
		}
		s.queue = append(s.queue, *ev)
	case s.other != example.TypeAuto && ev.kind == evRecord:
		s.leftOut++
	case s.decided:
		s.queue = append(s.queue, *ev)
	default:
		s.hold(ev)
	}
}

// beginFile begins a file.
func (s *Source) beginFile(ev *event) {
	f, t := ev.file, s.fixed
	s.reading, s.begun, s.decided = f, false, false
	s.held, s.filled, s.doubt = s.held[:0], 0, false
	s.other, s.leftOut = example.TypeAuto, 0
	if s.arena = s.arena[:0]; len(s.queue) > 0 || cap(s.arena) > keepBytes { // the queue has it
		s.arena = nil
	}
	s.unknown = Unknown{File: f.Name}
	switch {
	case f.Type == example.TypeAuto || t == example.TypeRaw:
	case t != example.TypeAuto && t != f.Type:
		s.queue = append(s.queue, event{kind: evError, err: fmt.Errorf("%s: its rows become records of type %s, not %s", f.Name, f.Type, t)})
		return
	default:
		t = f.Type
	}
	if t != example.TypeAuto && (!s.opts.Copy || t == example.TypeRaw || f.Type != example.TypeAuto) {
		s.decide(t)
	}
}

// otherMessage is the fault of a file that holds another message than the one that was named.
func (s *Source) otherMessage() *Fault {
	return &Fault{File: s.reading.Name, Class: ClassMessage, Record: -1, Offset: -1, Compressed: -1, Records: s.leftOut,
		Err: fmt.Errorf("%w: %s of type %v, not %v", ErrForeign, cli.Plural(s.leftOut, "record"), s.other, s.fixed)}
}

// begins queues the beginning of the file, unless that is done.
func (s *Source) begins() {
	if !s.begun {
		s.begun = true
		s.queue = append(s.queue, event{kind: evBegin, file: s.reading})
	}
}

// decide sets the type of the file.
func (s *Source) decide(t example.MessageType) {
	s.decided, s.message = true, messageOf(t)
	s.reading.Type = t
	s.begins()
	switch {
	case s.features() && t == example.TypeRaw:
		s.queue = append(s.queue, event{kind: evError, err: errRaw})
	case s.opts.OneType != "" && s.one != example.TypeAuto && s.one != t:
		s.queue = append(s.queue, event{kind: evError, err: MixedTypes(s.one, t, s.opts.OneType)})
	}
	s.one = t
	if s.Type == example.TypeAuto {
		s.Type = t
	}
}

// check turns a record that is another message into a fault.
func (s *Source) check(ev *event) {
	switch {
	case s.doubt && !detect.ReadsAll(example.TypeExample, ev.rec):
		ev.kind, ev.fault = evFault, Misfit(ev.pos, ErrUnread)
	case s.message != 0 && detect.Foreign(s.message, ev.rec):
		ev.kind, ev.fault = evFault, Misfit(ev.pos, s.foreign(ev.rec))
		if ev.fault.LooksLike = detect.Identify([][]byte{ev.rec}); ev.fault.LooksLike == "" {
			if found, ok := detect.Detect([][]byte{ev.rec}); ok {
				ev.fault.LooksLike = found.String()
			}
		}
	}
}

// foreign says that a record is another message.
func (s *Source) foreign(rec []byte) error {
	if s.opts.Spec {
		return ForeignToSpec(s.message, rec)
	}
	return Foreign(s.message, rec)
}

// hold holds an event back until the type of its file is known.
func (s *Source) hold(ev *event) {
	s.held = append(s.held, *ev)
	if ev.kind == evRecord {
		begin := len(s.arena)
		if begin == 0 && len(ev.rec) >= guessBytes && !s.looking {
			s.arena = ev.rec[:len(ev.rec):len(ev.rec)] // lent until the queue is empty
		} else {
			s.arena = append(s.arena, ev.rec...)
		}
		// The arena may move: the place of the record is set by release.
		s.held[len(s.held)-1].rec = s.arena[begin:]
		if string(ev.rec) != "" && string(ev.rec) != "\x0a\x00" {
			s.filled++
		}
	}
	if s.filled >= guessRecords || len(s.held) >= guessEvents || len(s.arena) >= guessBytes {
		s.release()
	}
}

// release queues what was held back, if that shows the type of the file.
func (s *Source) release() {
	if s.decided {
		return
	}
	var recs [][]byte
	at, faults := 0, 0
	for i := range s.held {
		if ev := &s.held[i]; ev.kind == evRecord {
			ev.rec = s.arena[at : at+len(ev.rec) : at+len(ev.rec)]
			at += len(ev.rec)
			recs = append(recs, ev.rec)
		} else {
			faults++
		}
	}
	t, looks := decide(recs)
	if s.opts.Copy {
		s.copies(t, recs)
	} else if t != example.TypeAuto {
		s.unknown.open = true // the file does not end here
		if s.unknown.Records > 0 {
			s.begins()
			s.mixed()
		}
		s.decide(t)
		s.doubt = t == example.TypeExample
	} else if faults > 0 {
		s.begins()
	}
	for i := range s.held {
		ev := s.held[i]
		switch {
		case ev.kind != evRecord:
			s.queue = append(s.queue, ev)
		case s.other != example.TypeAuto:
			s.leftOut++
		case s.decided:
			s.check(&ev)
			s.queue = append(s.queue, ev)
		default:
			s.unknown.add(ev.rec, ev.pos, looks)
		}
	}
	s.held, s.filled = s.held[:0], 0
	if s.leftOut > 0 && !s.skips() {
		s.queue = append(s.queue, event{kind: evFault, file: s.reading, fault: s.otherMessage()})
	}
	if !s.decided {
		if s.arena = s.arena[:0]; cap(s.arena) > keepBytes {
			s.arena = nil
		}
		if !s.opts.Unknown && s.unknown.Bytes >= unknownBytes {
			s.unknown.open = true
			s.begins()
			s.mixed()
		}
	}
}

// copies decides that the records of a file are copied, whatever they are, if the files before hold the same message. With a type that
// was named, they must be of that type; an Example may be a SequenceExample without lists.
func (s *Source) copies(t example.MessageType, recs [][]byte) {
	if s.fixed != example.TypeAuto {
		s.decide(s.fixed)
		if t != s.fixed && t > example.TypeExample {
			s.other = t
		}
		return
	}
	s.decided, s.message, s.reading.Type = true, 0, t
	s.begins()
	m := message{}
	if s.filled > 0 {
		if m.Type = t; t == example.TypeAuto {
			m.Unknown, m.Looks = true, detect.Identify(recs)
		}
	}
	if err := s.copied.add(s.reading.Name, m); err != nil {
		s.queue = append(s.queue, event{kind: evError, err: err})
	}
}

// mixed queues a fault about the unknown messages so far.
func (s *Source) mixed() {
	if s.unknown.Records > 0 {
		s.queue = append(s.queue, event{kind: evFault, file: s.reading, fault: s.unknown.fault()})
		s.unknown = Unknown{File: s.reading.Name}
	}
}

// endUnknown deals with unknown messages at the end of a file.
func (s *Source) endUnknown(f *File) {
	s.begins()
	if s.opts.Unknown && s.unknown.Records > 0 && !s.decided {
		u := s.unknown
		f.Unknown = &u
		return
	}
	s.mixed()
}

// findType reads up to the first file whose type is known.
func (s *Source) findType() error {
	if s.fixed != example.TypeAuto || s.opts.Copy {
		s.Type = s.fixed
		return nil
	}
	most := 64 * guessEvents // of what is kept
	return s.look(func(ev *event, _ example.MessageType) bool {
		most--
		return s.Type == example.TypeAuto && most > 0 && (ev.kind != evFault || s.skips())
	})
}

// skips reports whether reading goes on after a fault.
func (s *Source) skips() bool { return s.opts.Fault != nil || s.flags.OnError == cli.Skip }

// look reads ahead, and calls f for each event until it returns false. All events stay in the queue.
func (s *Source) look(f func(ev *event, t example.MessageType) bool) error {
	if s.files == nil {
		return nil
	}
	s.looking = true
	defer func() { s.looking = false }()
	t := example.TypeAuto
	if s.file != nil {
		t = s.file.Type
	}
	for i := s.head; ; i++ {
		for i >= len(s.queue) {
			ev, err := s.files.next()
			if err == io.EOF {
				return nil
			}
			if err != nil {
				return err
			}
			if ev.kind == evRecord && s.decided {
				ev.rec = append([]byte(nil), ev.rec...)
				s.check(ev)
			}
			s.take(ev)
		}
		ev := &s.queue[i]
		if ev.kind == evBegin {
			t = ev.file.Type
		}
		if ev.kind == evError || !f(ev, t) { // the loop over the records finds the error
			return nil
		}
	}
}

// messageOf returns the message of a type, 0 for those that are none.
func messageOf(t example.MessageType) example.MessageType {
	if t >= example.TypeExample && t <= example.TypeExampleList {
		return t
	}
	return 0
}

// decide finds the type of records that stand in one file. It is Auto if nothing in
// them shows one; then looks is what they look like, if that is known.
func decide(recs [][]byte) (t example.MessageType, looks string) {
	if len(recs) == 0 {
		return example.TypeAuto, ""
	}
	if found, ok := detect.MostLikely(recs); ok {
		return found, ""
	}
	if looks := detect.Identify(recs); looks != "" {
		return example.TypeAuto, looks
	}
	for _, rec := range recs {
		if len(rec) > 0 {
			return example.TypeAuto, tfrecord.Identify(rec)
		}
	}
	return example.TypeAuto, ""
}

// MixedTypes is the error of files with records of two types, where only one is possible.
// why says so: "a spec is for one".
func MixedTypes(a, b example.MessageType, why string) error {
	return fmt.Errorf("the files hold records of type %s and of type %s: %s", a, b, why)
}

// A message is what the records of a file hold. The zero value is that of a file in which no record shows one.
type message struct {
	Type    example.MessageType // TypeAuto: none of those
	Unknown bool                // another message
	Looks   string              // of another one, in the words of [detect.Identify]; "": nothing is known
}

func (m message) String() string {
	if m.Type != example.TypeAuto {
		return fmt.Sprintf("records of type %v", m.Type)
	}
	return "unknown messages" + InBrackets(m.Looks)
}

// differs reports whether records cannot be of both messages. Unknown messages may be the same.
func (m message) differs(n message) bool {
	return m.Type != n.Type || m.Looks != "" && n.Looks != "" && m.Looks != n.Looks
}

// fileMessages compares what files hold.
type fileMessages struct {
	file  string  // the first one that shows a message; "": none yet
	holds message // what that holds
}

// add is an error if a file holds another message than those before.
func (s *fileMessages) add(file string, m message) error {
	switch {
	case m == (message{}):
	case s.file == "":
		s.file, s.holds = file, m
	case s.holds.differs(m):
		return fmt.Errorf("%s: %v, and %s has %v; --type says what to copy", file, m, s.file, s.holds)
	}
	return nil
}
