package parallel

import (
	"github.com/tfparse/tfparse/cmd/tfparse/internal/recordscan"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/tfrecord"
)

// A reporter reports on files in order. Its records are looked at elsewhere.
type reporter[S any] interface {
	Begin(*recordscan.File) error
	Type(example.MessageType) error
	Unknown(*recordscan.Unknown) error
	Lost(*recordscan.Fault) error
	End(*recordscan.File) error

	Fresh(example.MessageType) S  // an empty sum for records of a type, for one goroutine at a time
	Look(sum S, rec []byte) error // adds a record, on any goroutine
	Merge(sum S) error            // takes the sum of some records in a row, in order
}

// inOrder is a visitor that gives a reporter all that a scan finds, in order, while records
// further on are looked at by several goroutines: those of one file and of the files behind it.
type inOrder[S any] struct {
	Counter[S]
	to  reporter[S]
	typ example.MessageType // of the records that are read
}

// NewInOrder starts the goroutines, which stop ends.
func NewInOrder[S any](to reporter[S], jobs int) *inOrder[S] {
	o := &inOrder[S]{to: to}
	o.Counter = Counter[S]{Fresh: func() S { return to.Fresh(o.typ) }, Look: to.Look, Merge: to.Merge, Lost: to.Lost}
	o.Start(jobs)
	return o
}

func (o *inOrder[S]) Begin(f *recordscan.File) error {
	begun := *f
	return o.then(func() error { return o.to.Begin(&begun) })
}

func (o *inOrder[S]) Type(t example.MessageType) error {
	err := o.then(func() error { return o.to.Type(t) })
	o.typ = t
	return err
}

func (o *inOrder[S]) Record(rec []byte, pos tfrecord.Position) error { return o.Add(rec, pos) }

func (o *inOrder[S]) Unknown(u *recordscan.Unknown) error { // which is lent
	if err := o.drain(); err != nil {
		return err
	}
	return o.fail(o.to.Unknown(u))
}

func (o *inOrder[S]) Lost(fault *recordscan.Fault) error {
	return o.then(func() error { return o.to.Lost(fault) })
}

func (o *inOrder[S]) End(f *recordscan.File) error {
	ended := *f
	return o.then(func() error { return o.to.End(&ended) })
}
