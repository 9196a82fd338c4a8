package main

import (
	"fmt"
	"math"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/inputs"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/recordjson"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/walk"
	"github.com/tfparse/tfparse/tfrecord"
)

// A pick is a Visitor that passes on the records that inputs ask for, and ends a file behind
// the last of them.
type pick struct {
	walk.Visitor
	records inputs.Range
	next    int64 // number of the next record
	lost    bool
}

// unwanted is for walk.Options.
func (p *pick) unwanted() bool { return p.next < p.records.First }

// Begin implements [walk.Visitor].
func (p *pick) Begin(f *walk.File) error {
	p.records, p.next, p.lost = inputs.Range{First: 0, End: math.MaxInt64}, 0, false
	if f.Records != nil {
		p.records = *f.Records
	}
	return p.Visitor.Begin(f)
}

// Record implements [walk.Visitor].
func (p *pick) Record(rec []byte, pos tfrecord.Position) error {
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
func (p *pick) Lost(fault *walk.Fault) error {
	p.lost = true
	return p.Visitor.Lost(fault)
}

// End implements [walk.Visitor].
func (p *pick) End(f *walk.File) error {
	if p.records.Named && p.next <= p.records.First && !p.lost {
		return fmt.Errorf("%s: there is no record %d: it ends after %d", f.Name, p.records.First, p.next)
	}
	return p.Visitor.End(f)
}

// A typedPick is a pick of records whose type is found first.
type typedPick struct {
	*pick
	of walk.TypedVisitor
}

// Type implements [walk.TypedVisitor].
func (p typedPick) Type(t recordjson.Type) error { return p.of.Type(t) }
