package filter

import (
	"errors"
	"iter"

	"github.com/tfparse/tfparse/example"
)

// Select returns the records for which the expression is true, of a sequence of Examples such as
// that of a file or of dataset.Files:
//
//	for rec, err := range f.Select(files.Records(ctx).All()) {
//
// Records are those of the sequence, and lent as they are there. An error of the sequence is passed
// on. For a record that cannot be evaluated there is an error with its index in the sequence, from 0; the
// loop may go on behind it.
func (f *Filter) Select(records iter.Seq2[[]byte, error]) iter.Seq2[[]byte, error] {
	return f.pick(records, f.Match)
}

// SelectSequences is Select for SequenceExamples.
func (f *Filter) SelectSequences(records iter.Seq2[[]byte, error]) iter.Seq2[[]byte, error] {
	return f.pick(records, f.MatchSequence)
}

// SelectLists is Select for ExampleListWithContexts.
func (f *Filter) SelectLists(records iter.Seq2[[]byte, error]) iter.Seq2[[]byte, error] {
	return f.pick(records, f.MatchList)
}

func (f *Filter) pick(records iter.Seq2[[]byte, error], match func([]byte) (bool, error)) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		n := 0
		for rec, err := range records {
			ok := err != nil
			if err == nil {
				if ok, err = match(rec); err != nil {
					rec, ok = nil, true
					if e, is := errors.AsType[*example.Error](err); is {
						e.Record = example.At(n)
					}
				}
				n++
			}
			if ok && !yield(rec, err) {
				return
			}
		}
	}
}
