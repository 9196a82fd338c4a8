package scan

import (
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/tfrecord"
	"github.com/tfparse/tfparse/validate/stats"
)

// FirstRecords counts the first records of a file, for the names in them.
type FirstRecords struct {
	Counted *stats.Accumulator
}

func (f *FirstRecords) Begin(*OldFile) error { return nil }

func (f *FirstRecords) End(*OldFile) error { return nil }

func (f *FirstRecords) Skipped(*Fault) error { return nil }

func (f *FirstRecords) Type(t example.MessageType) (err error) {
	if f.Counted != nil { // a file before has shown it
		return nil
	}
	f.Counted, err = stats.New(&stats.Options{Message: t})
	return err
}

func (f *FirstRecords) Record(rec []byte, _ tfrecord.Position) error {
	_ = f.Counted.Add(rec) // others follow
	if f.Counted.Examples() == 100 {
		return ErrStop
	}
	return nil
}
