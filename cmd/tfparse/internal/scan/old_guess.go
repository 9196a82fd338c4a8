package scan

import (
	"bytes"
	"fmt"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/tfrecord"
)

// A TypedVisitor is a Visitor whose files hold one type of message each.
type TypedVisitor interface {
	Visitor
	// Type is called before the first record of a file.
	Type(t example.MessageType) error
}

// Guess returns a Visitor that finds out which message a file holds and passes
// everything on to v: what [example.DetectMost] says of the first records of the file, 64 of them
// that are not empty, or 4 MiB. Those that do not fit are for v to refuse.
// While the type is unknown, v gets no records: an [UnknownVisitor] gets them at the end of
// the file, for other visitors they count as skipped.
//
// Once the type is known a record that is another message is a Misfit, also where the
// type was named. So is a record among Examples, wherever it stands, with the
// field that other messages have besides, unless the type was named.
func Guess(t example.MessageType, v TypedVisitor) *Guesser {
	return &Guesser{fixed: t, v: v}
}

// A Guesser is what Guess returns.
type Guesser struct {
	fixed   example.MessageType
	v       TypedVisitor
	decided bool
	message example.MessageType // 0: raw, or not decided
	doubt   bool                // the type is Example by default, not by a flag
	unknown Unknown             // records that v did not get
	held    []oldEvent
	arena   []byte // the records among held
	filled  int    // of them those that may say something
}

// An oldEvent is something that happened while the type was not known.
type oldEvent struct {
	begin, end int // of the record in the arena
	pos        tfrecord.Position
	fault      *Fault
}

// Decided reports whether the type of the current file is known.
func (g *Guesser) Decided() bool { return g.decided }

// Begin implements [Visitor].
func (g *Guesser) Begin(f *OldFile) error {
	t := g.fixed
	switch {
	case f.Type == example.TypeAuto || t == example.TypeRaw:
	case t != example.TypeAuto && t != f.Type:
		return fmt.Errorf("%s: its rows become records of type %s, not %s", f.Name, f.Type, t)
	default:
		t = f.Type
	}
	g.decided, g.message = t != example.TypeAuto, messageOf(t)
	g.held, g.arena, g.filled, g.doubt = g.held[:0], g.arena[:0], 0, false
	g.unknown = Unknown{File: f.Name}
	if err := g.v.Begin(f); err != nil {
		return err
	}
	if g.decided {
		return g.v.Type(t)
	}
	return nil
}

// Record implements [Visitor].
func (g *Guesser) Record(rec []byte, pos tfrecord.Position) error {
	if g.decided {
		return g.pass(rec, pos)
	}
	begin := len(g.arena)
	if begin == 0 && len(rec) >= guessBytes {
		g.arena = rec[:len(rec):len(rec)] // which release lets go of
	} else {
		g.arena = append(g.arena, rec...)
	}
	g.held = append(g.held, oldEvent{begin: begin, end: len(g.arena), pos: pos})
	if string(rec) != "" && string(rec) != "\x0a\x00" {
		g.filled++
	}
	if g.filled < guessRecords && len(g.held) < guessEvents && len(g.arena) < guessBytes {
		return nil
	}
	return g.release()
}

// pass gives a record to v, now that the type is known.
func (g *Guesser) pass(rec []byte, pos tfrecord.Position) error {
	if g.doubt && !example.TypeExample.ReadsAll(rec) {
		return g.v.Skipped(Misfit(pos, ErrUnread))
	}
	if g.message != 0 {
		if err := Foreign(g.message, rec); err != nil {
			fault := Misfit(pos, err)
			if fault.LooksLike = example.Identify([][]byte{rec}); fault.LooksLike == "" {
				if found, ok := example.Detect([][]byte{rec}); ok {
					fault.LooksLike = found.String()
				}
			}
			return g.v.Skipped(fault)
		}
	}
	return g.v.Record(rec, pos)
}

// Skipped implements [Visitor].
func (g *Guesser) Skipped(fault *Fault) error {
	if g.decided || len(g.held) == 0 {
		return g.v.Skipped(fault)
	}
	g.held = append(g.held, oldEvent{fault: fault})
	if len(g.held) < guessEvents {
		return nil
	}
	return g.release()
}

// End implements [Visitor].
func (g *Guesser) End(f *OldFile) error {
	if err := g.release(); err != nil {
		return err
	}
	if err := g.reportUnknown(); err != nil {
		return err
	}
	return g.v.End(f)
}

// release passes on what was held back.
func (g *Guesser) release() error {
	defer func() {
		g.held, g.arena, g.filled = g.held[:0], g.arena[:0], 0
		if cap(g.arena) > keepBytes {
			g.arena = nil
		}
	}()
	if g.decided {
		return nil
	}
	var recs [][]byte
	for _, e := range g.held {
		if e.fault == nil {
			recs = append(recs, g.arena[e.begin:e.end])
		}
	}
	t, looks := decide(recs)
	if t != example.TypeAuto {
		g.unknown.open = true // the file does not end here
		if err := g.mixed(); err != nil {
			return err
		}
		g.decided, g.message, g.doubt = true, messageOf(t), t == example.TypeExample
		if err := g.v.Type(t); err != nil {
			return err
		}
	}
	n := 0
	for _, e := range g.held {
		var err error
		switch {
		case e.fault != nil:
			err = g.v.Skipped(e.fault)
		case g.decided:
			err = g.pass(recs[n], e.pos)
		default:
			g.unknown.add(recs[n], e.pos, looks)
		}
		if e.fault == nil {
			n++
		}
		if err != nil {
			return err
		}
	}
	if _, ok := g.v.(UnknownVisitor); !ok && g.unknown.Bytes >= unknownBytes {
		g.unknown.open = true
		return g.mixed()
	}
	return nil
}

// mixed reports to v records of unknown messages in a file that has others too.
func (g *Guesser) mixed() error {
	if g.unknown.Records == 0 {
		return nil
	}
	fault := g.unknown.fault()
	g.unknown = Unknown{File: g.unknown.File}
	return g.v.Skipped(fault)
}

// reportUnknown reports to v records of unknown messages at the end of the file.
func (g *Guesser) reportUnknown() error {
	if v, ok := g.v.(UnknownVisitor); ok && g.unknown.Records > 0 && !g.decided {
		return v.Unknown(&g.unknown)
	}
	return g.mixed()
}

// OneMessage returns a Visitor that passes everything on to v, for verbs that copy records without decoding
// them: it is an error if a file holds another message than those before.
func OneMessage(v Visitor) Visitor { return &oneMessage{Visitor: v} }

// A oneMessage is what OneMessage returns.
type oneMessage struct {
	Visitor
	finder messageFinder // of the file at hand
	files  fileMessages
}

// Begin implements [Visitor].
func (o *oneMessage) Begin(f *OldFile) error {
	o.finder = messageFinder{}
	return o.Visitor.Begin(f)
}

// Record implements [Visitor].
func (o *oneMessage) Record(rec []byte, pos tfrecord.Position) error {
	if o.finder.add(rec) {
		if err := o.files.add(pos.Name, o.finder.result()); err != nil {
			return err
		}
	}
	return o.Visitor.Record(rec, pos)
}

// End implements [Visitor].
func (o *oneMessage) End(f *OldFile) error {
	if err := o.files.add(f.Name, o.finder.result()); err != nil {
		return err
	}
	return o.Visitor.End(f)
}

// An UnknownVisitor is a TypedVisitor that has something to say of files whose records
// hold none of the messages known here.
type UnknownVisitor interface {
	TypedVisitor
	// Unknown is called before End, and instead of Type and Record. u is lent.
	Unknown(u *Unknown) error
}

// A messageFinder finds the message of a file by its first records.
type messageFinder struct {
	first [][]byte // copies of records that are not empty, until there are enough
	size  int      // of first, in bytes
	found *message // as soon as there are enough
}

// lookBytes is how many bytes of records are enough to find their message.
const lookBytes = 64 << 10

// add is given the records in order. It reports that this one was the last that is needed.
func (f *messageFinder) add(rec []byte) (enough bool) {
	if f.found != nil || string(rec) == "" || string(rec) == "\x0a\x00" {
		return false
	}
	f.first = append(f.first, bytes.Clone(rec))
	if f.size += len(rec); len(f.first) < guessRecords && f.size < lookBytes {
		return false
	}
	m := f.result()
	f.found, f.first = &m, nil
	return true
}

// result returns what the records hold.
func (f *messageFinder) result() message {
	switch {
	case f.found != nil:
		return *f.found
	case len(f.first) == 0:
		return message{}
	}
	if t, ok := example.DetectMost(f.first); ok {
		return message{Type: t}
	}
	return message{Unknown: true, Looks: example.Identify(f.first)}
}
