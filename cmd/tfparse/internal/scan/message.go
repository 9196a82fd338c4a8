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

// Limits of the events that are held back until the type of a file is known.
const (
	guessRecords = 64   // records that are not empty
	guessEvents  = 1024 // records and faults
	guessBytes   = 4 << 20
	keepBytes    = 1 << 20 // memory that is kept for the next file
)

// Message types besides those of package example, for verbs with Options.OtherTypes.
const (
	TypePredictionLog = example.TypeRaw + 1 + iota // PredictionLog, of TensorFlow Serving
	TypeEvent                                      // Event, of TensorBoard
	TypeTensor                                     // TensorProto, in a snapshot of tf.data
	typeCount                                      // number of types
)

// otherTypes has these types by the names of [detect.Identify].
var otherTypes = map[string]example.MessageType{predictionLog: TypePredictionLog, "tensorboard-event": TypeEvent, "tensor": TypeTensor}

// TypeNames returns the names of all types, in the order of their values.
func TypeNames() (names []string) {
	for t := range typeCount {
		names = append(names, typeName(t))
	}
	return names
}

// typeName returns the name of a type, as in --type.
func typeName(t example.MessageType) string {
	if t <= example.TypeRaw {
		return t.String()
	}
	return [...]string{"prediction_log", "event", "tensor"}[t-TypePredictionLog]
}

// ErrUnread is the error of a record with field 2 in a file of Examples. Other messages have the field, and reading the
// record as an Example would lose it silently. Unknown fields are no error.
var ErrUnread = errors.New("field 2 is not in Example; set --type sequence or elwc")

// ErrForeign is the error of a record of another message than the type of its file. The record may decode as that type.
var ErrForeign = errors.New("another message")

// messages detects the message type of each file, with [detect.MostLikely], from the first records that are not empty.
// It holds events back until there are enough records, or the file ends. Records of a file without a detected type are
// unknown messages.
//
// Once the type is known, a record of another message is a fault, also if --type sets the type. A record of Examples
// with field 2 is a fault unless --type sets the type. Where records are copied, a file of another message than --type
// is skipped as a whole, since each of its records might decode.
type messages struct {
	fixed example.MessageType // type of all files; TypeAuto: detect
	file  *File               // file of the last record or fault that nextTyped returned
	ahead bool                // readAhead is running

	// The state of the file being read.
	reading   *File               // the file
	begun     bool                // its evBegin was queued
	decided   bool                // the type is known
	message   example.MessageType // message of the records; 0: any
	doubt     bool                // the type is Example, and was detected
	unknown   Unknown             // records of unknown messages
	filled    int                 // records in held that are not empty
	copied    fileMessages        // messages of the files so far, with Options.Copy
	otherType example.MessageType // with Options.Copy: detected type of the file, if it is not that of --type; TypeAuto otherwise
	leftOut   int64               // skipped records because of otherType

	queue    []event             // events that are ready, from head on
	head     int                 // index of the next event in queue
	held     []event             // events before the type is known
	arena    []byte              // holds the records of held
	lastType example.MessageType // of the last file with a known type
}

// nextTyped returns the next event. The type of its file is known.
func (s *Source) nextTyped() (*event, error) {
	for {
		if s.head > 0 { // the last event may be all that refers to a large record
			s.queue[s.head-1] = event{}
		}
		if s.head == len(s.queue) {
			s.queue, s.head = s.queue[:0], 0
		}
		if s.head < len(s.queue) {
			ev := &s.queue[s.head]
			s.head++
			if ev.kind == evBegin {
				s.file = ev.file
			}
			return ev, nil
		}
		ev, err := s.files.next()
		if err != nil {
			return nil, err
		}
		if ev.kind == evRecord && s.decided && s.otherType == example.TypeAuto {
			s.check(ev)
			return ev, nil
		}
		s.enqueue(ev)
	}
}

// enqueue queues an event, or holds it back.
func (s *Source) enqueue(ev *event) {
	switch {
	case ev.kind == evBegin:
		s.beginFile(ev)
	case ev.kind == evEnd:
		s.release()
		s.endUnknown(ev.file)
		if s.leftOut > 0 && s.skips() {
			s.queue = append(s.queue, event{kind: evFault, file: ev.file, fault: s.otherTypeFault()})
		}
		s.queue = append(s.queue, *ev)
	case s.otherType != example.TypeAuto && ev.kind == evRecord:
		s.leftOut++
	case s.decided:
		s.queue = append(s.queue, *ev)
	default:
		s.holdBack(ev)
	}
}

// beginFile resets the state for a file.
func (s *Source) beginFile(ev *event) {
	f, t := ev.file, s.fixed
	s.reading, s.begun, s.decided = f, false, false
	s.held, s.filled, s.doubt = s.held[:0], 0, false
	s.otherType, s.leftOut = example.TypeAuto, 0
	if s.arena = s.arena[:0]; len(s.queue) > 0 || cap(s.arena) > keepBytes { // the queue refers to it
		s.arena = nil
	}
	s.unknown = Unknown{File: f.Name}
	switch {
	case f.Type == example.TypeAuto || t >= example.TypeRaw:
	case t != example.TypeAuto && t != f.Type:
		s.queue = append(s.queue, event{kind: evError, err: fmt.Errorf("%s: CSV rows are records of type %s, not %s", f.Name, f.Type, t)})
		return
	default:
		t = f.Type
	}
	if t != example.TypeAuto && (!s.opts.Copy || t == example.TypeRaw || f.Type != example.TypeAuto) {
		s.decide(t)
	}
}

// otherTypeFault returns the fault of a file of another message than --type.
func (s *Source) otherTypeFault() *Fault {
	return &Fault{File: s.reading.Name, Class: ClassMessage, Record: -1, Offset: -1, Compressed: -1, Records: s.leftOut,
		Err: fmt.Errorf("%w: %s of type %v, not %v", ErrForeign, cli.Plural(s.leftOut, "record"), s.otherType, s.fixed)}
}

// queueBegin queues the evBegin of the file, unless it was queued.
func (s *Source) queueBegin() {
	if !s.begun {
		s.begun = true
		s.queue = append(s.queue, event{kind: evBegin, file: s.reading})
	}
}

// decide sets the type of the file.
func (s *Source) decide(t example.MessageType) {
	s.decided, s.message = true, messageOf(t)
	s.reading.Type = t
	s.queueBegin()
	switch err := s.checkFeatures(t); {
	case err != nil:
		s.queue = append(s.queue, event{kind: evError, err: err})
	case s.opts.OneType != "" && s.lastType != example.TypeAuto && s.lastType != t:
		s.queue = append(s.queue, event{kind: evError, err: MixedTypes(s.lastType, t, s.opts.OneType)})
	}
	s.lastType = t
	if s.Type == example.TypeAuto {
		s.Type = t
	}
}

// check turns a record of another message into a fault.
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

// foreign returns the error of a record of another message.
func (s *Source) foreign(rec []byte) error {
	if s.opts.Spec {
		return ForeignToSpec(s.message, rec)
	}
	return Foreign(s.message, rec)
}

// holdBack holds an event back until the type of its file is known.
func (s *Source) holdBack(ev *event) {
	s.held = append(s.held, *ev)
	if ev.kind == evRecord {
		begin := len(s.arena)
		if begin == 0 && len(ev.rec) >= guessBytes && !s.ahead {
			s.arena = ev.rec[:len(ev.rec):len(ev.rec)] // valid until the queue is empty
		} else {
			s.arena = append(s.arena, ev.rec...)
		}
		// The arena may move: release sets the slice.
		s.held[len(s.held)-1].rec = s.arena[begin:]
		if string(ev.rec) != "" && string(ev.rec) != "\x0a\x00" {
			s.filled++
		}
	}
	if s.filled >= guessRecords || len(s.held) >= guessEvents || len(s.arena) >= guessBytes {
		s.release()
	}
}

// release queues the events that were held back, if they show the type of the file.
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
	t, looks := detectType(recs)
	if s.opts.OtherTypes && !s.opts.Features && looks != "" {
		t = otherTypes[looks] // TypeAuto for other messages
	}
	if s.opts.Copy {
		s.decideCopy(t, recs)
	} else if t != example.TypeAuto {
		s.unknown.open = true // the file does not end here
		if s.unknown.Records > 0 {
			s.queueBegin()
			s.queueUnknown()
		}
		s.decide(t)
		s.doubt = t == example.TypeExample
	} else if faults > 0 {
		s.queueBegin()
	}
	for i := range s.held {
		ev := s.held[i]
		switch {
		case ev.kind != evRecord:
			s.queue = append(s.queue, ev)
		case s.otherType != example.TypeAuto:
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
		s.queue = append(s.queue, event{kind: evFault, file: s.reading, fault: s.otherTypeFault()})
	}
	if !s.decided {
		if s.arena = s.arena[:0]; cap(s.arena) > keepBytes {
			s.arena = nil
		}
		if !s.opts.Unknown && s.unknown.Bytes >= unknownBytes {
			s.unknown.open = true
			s.queueBegin()
			s.queueUnknown()
		}
	}
}

// decideCopy decides that the records of a file are copied. Without --type they may be any message, but the same as in
// the files before. With --type the message must be of that type; an Example may be a SequenceExample without lists.
func (s *Source) decideCopy(t example.MessageType, recs [][]byte) {
	if s.fixed != example.TypeAuto {
		s.decide(s.fixed)
		if t != s.fixed && t > example.TypeExample {
			s.otherType = t
		}
		return
	}
	s.decided, s.message, s.reading.Type = true, 0, t
	s.queueBegin()
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

// queueUnknown queues a fault about the unknown messages so far.
func (s *Source) queueUnknown() {
	if s.unknown.Records > 0 {
		s.queue = append(s.queue, event{kind: evFault, file: s.reading, fault: s.unknown.fault()})
		s.unknown = Unknown{File: s.reading.Name}
	}
}

// endUnknown handles unknown messages at the end of a file.
func (s *Source) endUnknown(f *File) {
	s.queueBegin()
	if s.opts.Unknown && s.unknown.Records > 0 && !s.decided {
		u := s.unknown
		f.Unknown = &u
		return
	}
	s.queueUnknown()
}

// findType reads ahead up to the first file with a known type.
func (s *Source) findType() error {
	if s.fixed != example.TypeAuto || s.opts.Copy {
		s.Type = s.fixed
		return nil
	}
	most := 64 * guessEvents // limit of events to read ahead
	return s.readAhead(func(ev *event, _ example.MessageType) bool {
		most--
		return s.Type == example.TypeAuto && most > 0 && (ev.kind != evFault || s.skips())
	})
}

// skips reports whether reading continues after a fault.
func (s *Source) skips() bool { return s.opts.Fault != nil || s.flags.OnError == cli.Skip }

// readAhead reads ahead, and calls f for each event until it returns false. The events stay in the queue.
func (s *Source) readAhead(f func(ev *event, t example.MessageType) bool) error {
	if s.files == nil {
		return nil
	}
	s.ahead = true
	defer func() { s.ahead = false }()
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
			s.enqueue(ev)
		}
		ev := &s.queue[i]
		if ev.kind == evBegin {
			t = ev.file.Type
		}
		if ev.kind == evError || !f(ev, t) { // the loop over the records reports the error
			return nil
		}
	}
}

// messageOf returns the message of a type; 0 for other types.
func messageOf(t example.MessageType) example.MessageType {
	if t >= example.TypeExample && t <= example.TypeExampleList {
		return t
	}
	return 0
}

// detectType detects the type of the records of one file. It returns TypeAuto if no record shows a type; looks is then
// their format, or "" if it is not known.
func detectType(recs [][]byte) (t example.MessageType, looks string) {
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

// MixedTypes returns the error of files with records of two types, for verbs that need one type. why gives the reason.
func MixedTypes(a, b example.MessageType, why string) error {
	return fmt.Errorf("the files hold records of type %s and of type %s: %s", a, b, why)
}

// A message is the message type of the records of a file. The zero value means that no record shows a type.
type message struct {
	Type    example.MessageType // TypeAuto: another message, or none
	Unknown bool                // the records hold another message
	Looks   string              // format of the other message, a name of [detect.Identify]; "" unknown
}

func (m message) String() string {
	if m.Type != example.TypeAuto {
		return fmt.Sprintf("records of type %v", m.Type)
	}
	return "unknown messages" + InBrackets(m.Looks)
}

// differs reports whether m and n are different messages. Unknown messages of unknown format may be the same.
func (m message) differs(n message) bool {
	return m.Type != n.Type || m.Looks != "" && n.Looks != "" && m.Looks != n.Looks
}

// fileMessages checks that files hold the same message.
type fileMessages struct {
	file  string  // the first file with a message; "": none yet
	holds message // message of that file
}

// add returns an error if a file holds another message than the files before.
func (s *fileMessages) add(file string, m message) error {
	switch {
	case m == (message{}):
	case s.file == "":
		s.file, s.holds = file, m
	case s.holds.differs(m):
		return fmt.Errorf("%s: %v, but %s has %v; set --type to copy one type", file, m, s.file, s.holds)
	}
	return nil
}
