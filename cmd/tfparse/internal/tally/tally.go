package tally

import (
	"context"
	"sync"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/inputs"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/walk"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/tfrecord"
	"github.com/tfparse/tfparse/validate/stats"
)

// A Job says what to do. All but Check and Read is called by one goroutine at a time, and in the
// order of the records, for what they say of them.
type Job struct {
	Stats  stats.Options // but for the record type
	Type   example.MessageType
	Walk   walk.Options
	Jobs   int   // goroutines, at least 1
	Memory int64 // that all may take together; Share is what Stats.Memory should be

	// Read, if not nil, walks input i, instead of walk.Walk. It is called on several
	// goroutines at a time.
	Read func(ctx context.Context, i int, v walk.Visitor) error

	// Begin, if not nil, is called before the first record of a type.
	Begin func(t example.MessageType) error
	// Check, if not nil, looks at a record, on several goroutines at a time. It
	// returns what is to be done about it in its turn, or nil, and whether it
	// counts. What it returns must not hold memory of rec.
	Check func(rec []byte, pos tfrecord.Position) (later func() error, counts bool)
	// Lost is told of what could not be read.
	Lost func(*walk.Fault) error
	// Refused is told of records that the statistics do not take.
	Refused func(*walk.Fault) error
	// File is given the statistics of each file, nil if it has no records.
	File func(*stats.Accumulator) error

	mu    sync.Mutex // of what follows
	begun map[example.MessageType]error
	ahead int64 // what files take that must wait for those before

	work chan *chunk
	ctx  context.Context
}

// Share is how much of the memory for all is for the statistics of one file: those of
// the file that is next, and of all before, exist at the same time, together with
// files that must wait, chunks and what is free.
func Share(memory int64) int64 { return max(memory*5/16, 1<<20) }

// Whole is the memory for all of which share is the Share, or a little less.
func Whole(share int64) int64 { return share/5*16 + (share%5*16+4)/5 }

// aheadShare is the part of the memory for files that must wait.
const aheadShare = 8

// Run reads the inputs.
func (j *Job) Run(ctx context.Context, in []inputs.Input) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	j.ctx, j.begun = ctx, map[example.MessageType]error{}
	j.work = make(chan *chunk)
	var workers sync.WaitGroup
	defer workers.Wait()
	defer close(j.work)
	files := make([]*file, len(in))
	inline := j.Jobs == 1 || j.Stats.TFDV // whose batches go from chunk to chunk
	if !inline {
		for range j.Jobs {
			workers.Go(func() {
				for c := range j.work {
					c.add(j)
					close(c.done)
				}
			})
		}
	}
	var readers sync.WaitGroup
	defer readers.Wait()
	defer cancel()
	next := 0
	for i := range in {
		for ; next < len(in) && next < i+j.Jobs; next++ {
			f, i := newFile(j, inline), next
			files[i] = f
			read := func() {
				defer close(f.done)
				f.err = j.read(ctx, in, i, walk.Guess(j.Type, f))
			}
			if j.Jobs == 1 {
				f.first()
				read()
			} else {
				readers.Go(read)
			}
		}
		f := files[i]
		files[i] = nil
		f.first()
		<-f.done
		if err := f.finish(); err != nil {
			return err
		}
		if err := j.File(f.acc); err != nil {
			return err
		}
	}
	return nil
}

// read is Read, or what it is without.
func (j *Job) read(ctx context.Context, in []inputs.Input, i int, v walk.Visitor) error {
	if j.Read != nil {
		return j.Read(ctx, i, v)
	}
	return walk.Walk(ctx, in[i:i+1], &j.Walk, v)
}

// begin is Begin, once for each type.
func (j *Job) begin(t example.MessageType) error {
	j.mu.Lock()
	defer j.mu.Unlock()
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
	switch t {
	case example.TypeSequence:
		o.RecordType = stats.SequenceExamples
	case example.TypeExampleList:
		o.RecordType = stats.ExampleLists
	}
	return stats.New(&o)
}
