package scan

import (
	"fmt"
	"math"
	"slices"

	"github.com/tfparse/tfparse/dataset"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/tfrecord"
)

// A Pick is a Visitor that passes on the records that inputs ask for.
type Pick struct {
	Visitor
	records Range
	skipped bool
}

// Choose returns what Options.Choose is to be where some inputs ask for some records. Records
// that skip, if not nil, leaves out are not read. But every record is read until decided says that the
// type of the records is known.
func (p *Pick) Choose(in []Input, skip *Skip, decided func() bool) func(int, int64) dataset.Choice {
	if skip == nil {
		skip = new(Skip)
	}
	if skip.N == 0 && !slices.ContainsFunc(in, func(i Input) bool { return i.Records != nil }) {
		return nil
	}
	return func(file int, record int64) dataset.Choice {
		r := in[file].Records
		switch {
		case !decided():
			return dataset.ReadRecord
		case r != nil && record < r.First:
			return dataset.LeaveOut
		case r != nil && record >= r.End:
			return dataset.LeaveFile
		case skip.leaveOut():
			return dataset.LeaveOut
		case r == nil || r.End == math.MaxInt64:
			return dataset.ReadRest
		}
		return dataset.ReadRecord
	}
}

// Begin implements [Visitor].
func (p *Pick) Begin(f *OldFile) error {
	p.records, p.skipped = Range{First: 0, End: math.MaxInt64}, false
	if f.records != nil {
		p.records = *f.records
	}
	return p.Visitor.Begin(f)
}

// Record implements [Visitor].
func (p *Pick) Record(rec []byte, pos tfrecord.Position) error {
	if pos.Record < p.records.First || pos.Record >= p.records.End {
		return nil // it was read for its type
	}
	return p.Visitor.Record(rec, pos)
}

// Skipped implements [Visitor].
func (p *Pick) Skipped(fault *Fault) error {
	p.skipped = true
	if fault.Record >= p.records.End {
		return nil // it was read for its type
	}
	return p.Visitor.Skipped(fault)
}

// End implements [Visitor].
func (p *Pick) End(f *OldFile) error {
	if p.records.Named && f.Count <= p.records.First && !p.skipped {
		return fmt.Errorf("%s: there is no record %d: it ends after %d", f.Name, p.records.First, f.Count)
	}
	return p.Visitor.End(f)
}

// A Skip is a Visitor that leaves out the first N records of all files.
type Skip struct {
	Visitor
	N int64 // records still to be left out
}

// leaveOut reports whether the next record is left out, and counts it.
func (s *Skip) leaveOut() bool {
	if s.N == 0 {
		return false
	}
	s.N--
	return true
}

// Record implements [Visitor].
func (s *Skip) Record(rec []byte, pos tfrecord.Position) error {
	if s.leaveOut() {
		return nil
	}
	return s.Visitor.Record(rec, pos)
}

// A TypedPick is a pick of records whose type is found first.
type TypedPick struct {
	*Pick
	Of TypedVisitor
}

// Type implements [TypedVisitor].
func (p TypedPick) Type(t example.MessageType) error { return p.Of.Type(t) }
