package statsource

import (
	"context"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/recordscan"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/tfrecord"
	"github.com/tfparse/tfparse/validate/stats"
)

// A FileJob makes the statistics of one file at a time, the same to the byte as those that a Gatherer
// merges: merged in the order of the files they give its Result.
type FileJob struct {
	Options stats.Options       // but for the record type
	Type    example.MessageType // of the records; TypeAuto: find out
	Reader  tfrecord.ReaderOptions
	Skip    bool // damage is skipped

	Begin   func(example.MessageType) error                                           // may be nil
	Check   func(rec []byte, pos tfrecord.Position) (later func() error, counts bool) // may be nil
	Skipped func(*recordscan.Fault) error                                             // gets what could not be read
	Refused func(*recordscan.Fault) error                                             // gets records that the statistics do not take
	End     func(*recordscan.File)                                                    // what is known of the file
}

// Run reads a file. It returns nil if that has no records to describe.
func (f *FileJob) Run(ctx context.Context, in recordscan.Input) (result *stats.Accumulator, err error) {
	j := &job{
		stats: f.Options, typ: f.Type, jobs: 1, begin: f.Begin, check: f.Check, skipped: f.Skipped, refused: f.Refused,
		scan: recordscan.Options{Reader: f.Reader, Step: f.Skip}, ended: f.End,
	}
	j.file = func(part *stats.Accumulator) error {
		result = part
		return nil
	}
	err = j.run(ctx, []recordscan.Input{in})
	return result, err
}
