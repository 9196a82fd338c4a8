package reading

import (
	"github.com/tfparse/tfparse/cmd/tfparse/internal/walk"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/tfrecord"
	"github.com/tfparse/tfparse/validate/stats"
)

// FirstRecords counts the first records of a file, for the names in them.
type FirstRecords struct {
	Counted *stats.Accumulator
}

func (f *FirstRecords) Begin(*walk.File) error { return nil }

func (f *FirstRecords) End(*walk.File) error { return nil }

func (f *FirstRecords) Lost(*walk.Fault) error { return nil }

func (f *FirstRecords) Type(t example.MessageType) (err error) {
	if f.Counted != nil { // a file before has shown it
		return nil
	}
	o := &stats.Options{}
	switch t {
	case example.TypeSequence:
		o.RecordType = stats.SequenceExamples
	case example.TypeExampleList:
		o.RecordType = stats.ExampleLists
	}
	f.Counted, err = stats.New(o)
	return err
}

func (f *FirstRecords) Record(rec []byte, _ tfrecord.Position) error {
	_ = f.Counted.Add(rec) // others follow
	if f.Counted.Examples() == 100 {
		return walk.ErrStop
	}
	return nil
}
