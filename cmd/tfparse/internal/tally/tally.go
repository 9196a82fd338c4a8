package tally

import (
	"context"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/recordscan"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/ordered"
	"github.com/tfparse/tfparse/tfrecord"
	"github.com/tfparse/tfparse/validate/stats"
)

// A Job says what to do. All but Check is called by the goroutine of Run, and in the order of
// the records.
type Job struct {
	Stats  stats.Options // but for the record type
	Type   example.MessageType
	Walk   recordscan.Options
	Jobs   int   // goroutines, at least 1
	Memory int64 // that all may take together; Share is what Stats.Memory should be

	// First, if not nil, is shown about FirstBytes bytes of records, before all else.
	First      recordscan.Visitor
	FirstBytes int

	// Begin, if not nil, is called before the first record of a type.
	Begin func(t example.MessageType) error
	// Check, if not nil, looks at a record, on several goroutines at a time. It
	// returns what is to be done about it in its turn, or nil, and whether it
	// counts. What it returns must not hold memory of rec.
	Check func(rec []byte, pos tfrecord.Position) (later func() error, counts bool)
	// Lost gets what could not be read.
	Lost func(*recordscan.Fault) error
	// Refused gets records that the statistics do not take.
	Refused func(*recordscan.Fault) error
	// File is given the statistics of each file, nil if it has no records.
	File func(*stats.Accumulator) error

	begun map[example.MessageType]error
}

// Share is how much of the memory for all is for the statistics of one file: those of
// the file that is read, and of all before, exist at the same time, together with
// chunks and what is free.
func Share(memory int64) int64 { return max(memory*5/16, 1<<20) }

// Whole is the memory for all of which share is the Share, or a little less.
func Whole(share int64) int64 { return share/5*16 + (share%5*16+4)/5 }

// Run reads the inputs.
func (j *Job) Run(ctx context.Context, in []recordscan.Input) error {
	r := &run{job: j}
	j.begun = map[example.MessageType]error{}
	j.Walk.Jobs = j.Jobs
	if j.Jobs > 1 && !j.Stats.TFDV { // whose batches go from chunk to chunk
		r.pool = ordered.New(ctx, j.Jobs, j.Jobs+1, func() func(*chunk) error {
			return func(c *chunk) error { c.add(j); return nil }
		})
		defer r.pool.Close()
	}
	scan := recordscan.NewScan(ctx, in, &j.Walk)
	defer scan.Close()
	if j.First != nil {
		if err := scan.Peek(j.First, j.FirstBytes); err != nil {
			return err
		}
	}
	err := scan.Walk(recordscan.Guess(j.Type, r))
	if failed := r.finish(); failed != nil { // about records before
		return failed
	}
	return err
}

// begin is Begin, once for each type.
func (j *Job) begin(t example.MessageType) error {
	err, ok := j.begun[t]
	if !ok && j.Begin != nil {
		err = j.Begin(t)
	}
	j.begun[t] = err
	return err
}

// accumulator returns one for records of a type.
func (j *Job) accumulator(t example.MessageType) (*stats.Accumulator, error) {
	o := j.Stats
	o.Message = t
	return stats.New(&o)
}
