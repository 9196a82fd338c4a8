package reading

import (
	"fmt"
	"math"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/inputs"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/walk"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/tfrecord"
)

// A Pick is a Visitor that passes on the records that inputs ask for, and ends a file behind
// the last of them.
type Pick struct {
	walk.Visitor
	records inputs.Range
	next    int64 // number of the next record
	lost    bool
}

// Unwanted is for walk.Options.
func (p *Pick) Unwanted() bool { return p.next < p.records.First }

// Begin implements [walk.Visitor].
func (p *Pick) Begin(f *walk.File) error {
	p.records, p.next, p.lost = inputs.Range{First: 0, End: math.MaxInt64}, 0, false
	if f.Records != nil {
		p.records = *f.Records
	}
	return p.Visitor.Begin(f)
}

// Record implements [walk.Visitor].
func (p *Pick) Record(rec []byte, pos tfrecord.Position) error {
	p.next = pos.Record + 1
	switch {
	case pos.Record < p.records.First:
		return nil
	case pos.Record >= p.records.End: // where damage was stepped over
		return walk.ErrNextFile
	}
	if err := p.Visitor.Record(rec, pos); err != nil {
		return err
	}
	if p.next == p.records.End {
		return walk.ErrNextFile
	}
	return nil
}

// Lost implements [walk.Visitor].
func (p *Pick) Lost(fault *walk.Fault) error {
	p.lost = true
	return p.Visitor.Lost(fault)
}

// End implements [walk.Visitor].
func (p *Pick) End(f *walk.File) error {
	if p.records.Named && p.next <= p.records.First && !p.lost {
		return fmt.Errorf("%s: there is no record %d: it ends after %d", f.Name, p.records.First, p.next)
	}
	return p.Visitor.End(f)
}

// A TypedPick is a pick of records whose type is found first.
type TypedPick struct {
	*Pick
	Of walk.TypedVisitor
}

// Type implements [walk.TypedVisitor].
func (p TypedPick) Type(t example.MessageType) error { return p.Of.Type(t) }
