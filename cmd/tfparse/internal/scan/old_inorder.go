package scan

import (
	"context"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/tfrecord"
)

// A Reporter reports on files in order. Its records are looked at elsewhere. One that has also
// the method of UnknownVisitor is such a visitor.
type Reporter[S any] interface {
	Begin(*OldFile) error
	Type(example.MessageType) error
	Skipped(*Fault) error
	End(*OldFile) error

	Fresh(example.MessageType) S                           // an empty sum for records of a type, for one goroutine at a time
	Look(p *Portion[S], rec []byte, pos tfrecord.Position) // adds a record, on any goroutine
	Merge(sum S) error                                     // takes the sum of some records in a row, in order
}

// InOrder gives a Reporter all that a scan finds, in order, while records further on are looked
// at by several goroutines: those of one file and of the files behind it.
type InOrder[S any] struct {
	Counter[S]
	// RawHere says that the Reporter only counts records of type raw. They are looked at where they
	// are read: to copy them for another goroutine takes longer.
	RawHere bool

	to  Reporter[S]
	typ example.MessageType // of the records that are read
}

// NewInOrder returns an InOrder, which is to be started.
func NewInOrder[S any](to Reporter[S]) *InOrder[S] {
	o := &InOrder[S]{to: to}
	o.Counter = Counter[S]{Fresh: func() S { return to.Fresh(o.typ) }, Look: to.Look, Merge: to.Merge}
	return o
}

// Run starts, has walk visit a scan, and finishes.
func (o *InOrder[S]) Run(ctx context.Context, jobs int, walk func(TypedVisitor) error) error {
	o.Start(ctx, jobs, 2*jobs)
	defer o.Stop()
	if err := walk(o.Visitor()); err != nil {
		return err
	}
	return o.Finish()
}

// Visitor returns what visits the scan.
func (o *InOrder[S]) Visitor() TypedVisitor {
	if u, ok := o.to.(unknowns); ok {
		return inOrderWithUnknowns[S]{visitor[S]{o}, u}
	}
	return visitor[S]{o}
}

type visitor[S any] struct{ *InOrder[S] }

func (v visitor[S]) Begin(f *OldFile) error {
	begun := *f
	return v.then(func() error { return v.to.Begin(&begun) })
}

func (v visitor[S]) Type(t example.MessageType) error {
	err := v.then(func() error { return v.to.Type(t) })
	v.typ, v.here = t, v.RawHere && t == example.TypeRaw
	return err
}

func (v visitor[S]) Record(rec []byte, pos tfrecord.Position) error { return v.Add(rec, pos) }

func (v visitor[S]) Skipped(fault *Fault) error {
	return v.report(func() error { return v.to.Skipped(fault) })
}

func (v visitor[S]) End(f *OldFile) error {
	ended := *f
	return v.then(func() error { return v.to.End(&ended) })
}

type unknowns interface {
	Unknown(*Unknown) error
}

type inOrderWithUnknowns[S any] struct {
	visitor[S]
	to unknowns
}

// Unknown implements [UnknownVisitor].
func (v inOrderWithUnknowns[S]) Unknown(u *Unknown) error { // which is lent
	if err := v.drain(); err != nil {
		return err
	}
	return v.fail(v.to.Unknown(u))
}
