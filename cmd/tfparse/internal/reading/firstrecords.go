package reading

import (
	"fmt"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/recordscan"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/tfrecord"
	"github.com/tfparse/tfparse/validate/stats"
)

// FirstRecords counts the first records of a file, for the names in them.
type FirstRecords struct {
	Counted *stats.Accumulator
}

func (f *FirstRecords) Begin(*recordscan.File) error { return nil }

func (f *FirstRecords) End(*recordscan.File) error { return nil }

func (f *FirstRecords) Skipped(*recordscan.Fault) error { return nil }

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
		return recordscan.ErrStop
	}
	return nil
}

// MixedTypes is the error of files with records of two types, where only one is possible.
// what says why: "a spec is for one".
func MixedTypes(a, b example.MessageType, what string) error {
	return fmt.Errorf("the files hold records of type %s and of type %s: %s", a, b, what)
}
