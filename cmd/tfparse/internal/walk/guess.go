package walk

import (
	"errors"
	"fmt"
	"strings"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/recordjson"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/wire"
	"github.com/tfparse/tfparse/tfrecord"
)

// What is held back until the message type of a file is known.
const (
	guessRecords = 64
	guessEvents  = 1024 // records and faults
	guessBytes   = 4 << 20
	keepBytes    = 1 << 20 // of memory, from file to file
)

// ErrNoMessage is in the reason of a Misfit in a record that holds none of the
// messages known here.
var ErrNoMessage = errors.New("neither an Example nor a SequenceExample nor an ExampleListWithContext")

// ErrUnread is the reason of a Misfit in a record of a file of Examples that has
// the field which an Example does not read and other messages do: to go on could
// lose that part of it in silence. Fields that no message has are no reason.
var ErrUnread = errors.New("not just an Example, which is what the file was found to hold: it has field 2, the feature lists of a SequenceExample or the context of an ExampleListWithContext; --type says what to take it as")

// A TypedVisitor is a Visitor whose files hold one type of message each.
type TypedVisitor interface {
	Visitor
	// Type is called before the first record of a file.
	Type(t recordjson.Type) error
}

// Guess returns a Visitor that finds out which message a file holds and passes
// everything on to v. It is the first of Example, SequenceExample and
// ExampleListWithContext that the first records of the file agree on, 64 of
// them or 4 MiB. If they agree on none, it is the one that fits most of them,
// and the others are for v to refuse; as long as none fits any, records are
// Misfits. So is a record among Examples, wherever it stands, with the field that
// other messages have besides. A type other than Auto is taken as it is.
func Guess(t recordjson.Type, v TypedVisitor) *Guesser {
	return &Guesser{fixed: t, v: v}
}

// A Guesser is what Guess returns.
type Guesser struct {
	fixed   recordjson.Type
	v       TypedVisitor
	decided bool
	doubt   bool // the type is Example, and nobody named it
	held    []event
	arena   []byte // the records among held
}

// An event is something that happened while the type was not known.
type event struct {
	begin, end int // of the record in the arena
	pos        tfrecord.Position
	fault      *Fault
}

// Decided reports whether the type of the current file is known.
func (g *Guesser) Decided() bool { return g.decided }

// Begin implements [Visitor].
func (g *Guesser) Begin(f *File) error {
	g.decided = g.fixed != recordjson.Auto
	g.held, g.arena, g.doubt = g.held[:0], g.arena[:0], false
	if err := g.v.Begin(f); err != nil {
		return err
	}
	if g.decided {
		return g.v.Type(g.fixed)
	}
	return nil
}

// Record implements [Visitor].
func (g *Guesser) Record(rec []byte, pos tfrecord.Position) error {
	if g.decided {
		return g.pass(rec, pos)
	}
	begin := len(g.arena)
	g.arena = append(g.arena, rec...)
	g.held = append(g.held, event{begin: begin, end: len(g.arena), pos: pos})
	if len(g.held) < guessRecords && len(g.arena) < guessBytes {
		return nil
	}
	return g.release()
}

// pass gives a record to v, now that the type is known.
func (g *Guesser) pass(rec []byte, pos tfrecord.Position) error {
	if g.doubt && hasSecond(rec) {
		return g.v.Lost(Misfit(pos, ErrUnread))
	}
	return g.v.Record(rec, pos)
}

// Lost implements [Visitor].
func (g *Guesser) Lost(fault *Fault) error {
	if g.decided || len(g.held) == 0 {
		return g.v.Lost(fault)
	}
	g.held = append(g.held, event{fault: fault})
	if len(g.held) < guessEvents {
		return nil
	}
	return g.release()
}

// End implements [Visitor].
func (g *Guesser) End(f *File) error {
	if err := g.release(); err != nil && !errors.Is(err, ErrNextFile) {
		return err
	}
	return g.v.End(f)
}

// release passes on what was held back.
func (g *Guesser) release() error {
	defer func() {
		g.held, g.arena = g.held[:0], g.arena[:0]
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
	t := decide(recs)
	if t != recordjson.Auto {
		g.decided, g.doubt = true, t == recordjson.Example
		if err := g.v.Type(t); err != nil {
			return err
		}
	}
	n := 0
	for _, e := range g.held {
		var err error
		switch {
		case e.fault != nil:
			err = g.v.Lost(e.fault)
		case g.decided:
			err = g.pass(recs[n], e.pos)
		default:
			err = g.v.Lost(Misfit(e.pos, noMessage(recs[n])))
		}
		if e.fault == nil {
			n++
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// noMessage says why a record holds no message: what is wrong with it as the one
// that reads furthest.
func noMessage(rec []byte) error {
	var nearest error
	var as example.MessageType
	furthest := -1
	for mt := example.TypeExample; mt <= example.TypeList; mt++ {
		err := mt.Validate(rec)
		if e, ok := errors.AsType[*example.Error](err); ok && e.Offset > furthest {
			nearest, as, furthest = err, mt, e.Offset
		}
	}
	if nearest == nil {
		return ErrNoMessage
	}
	return fmt.Errorf("%w; as %s: %s", ErrNoMessage, messageNames[as], strings.TrimPrefix(nearest.Error(), "example: "))
}

var messageNames = map[example.MessageType]string{
	example.TypeExample:  "an Example",
	example.TypeSequence: "a SequenceExample",
	example.TypeList:     "an ExampleListWithContext",
}

// decide finds the type of records that stand in one file. It is Auto if none of
// them holds a message.
func decide(recs [][]byte) recordjson.Type {
	if len(recs) == 0 {
		return recordjson.Auto
	}
	if found, ok := example.Detect(recs); ok {
		return recordjson.TypeOf(found)
	}
	var sound [][]byte
	for _, rec := range recs {
		if _, ok := example.Detect([][]byte{rec}); ok {
			sound = append(sound, rec)
		}
	}
	if len(sound) == 0 {
		return recordjson.Auto
	}
	if found, ok := example.Detect(sound); ok {
		return recordjson.TypeOf(found)
	}
	// No type holds them all. One that leaves fields unread would lose them in
	// silence, so what is read in full counts first.
	var best example.MessageType
	bestFull, bestFits := -1, -1
	for mt := example.TypeExample; mt <= example.TypeList; mt++ {
		full, fit := 0, 0
		for _, rec := range sound {
			if mt.Validate(rec) != nil {
				continue
			}
			fit++
			if mt != example.TypeExample || !hasSecond(rec) {
				full++
			}
		}
		if full > bestFull || full == bestFull && fit > bestFits {
			bestFull, bestFits, best = full, fit, mt
		}
	}
	return recordjson.TypeOf(best)
}

// hasSecond reports whether a message has a top-level field of number 2, the only
// one that an Example does not have and another message has. What is malformed is
// for others to say.
func hasSecond(msg []byte) bool {
	for i := 0; i < len(msg); {
		f, next := wire.Next(msg, i)
		if next < 0 {
			return false
		}
		if f.Num == 2 && f.Type == wire.TypeBytes {
			return true
		}
		i = next
	}
	return false
}
