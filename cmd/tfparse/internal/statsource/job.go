package statsource

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/tfrecord"
	"github.com/tfparse/tfparse/validate/stats"
)

// A job makes statistics of the records of files on several goroutines. The records of a file are
// divided into portions, whose statistics are merged in order, and those of the files in the
// order of the files. So the result is the same whatever the number of goroutines, byte for
// byte, and so is what is reported.
//
// All functions but check are called by the goroutine of run, in the order of the records.
type job struct {
	stats    stats.Options // but for the record type
	typ      example.MessageType
	scan     scan.OldOptions
	jobs     int // goroutines, at least 1
	portion  int // bytes of records in a portion; 0: the default
	previews scan.Visitor
	preview  int // bytes of records that previews, if not nil, is shown before all else

	// begin, if not nil, is called before the first record of a type.
	begin func(t example.MessageType) error
	// check, if not nil, looks at a record, on several goroutines at a time. It returns what is
	// to be done about it in its turn, or nil, and whether it counts. What it returns must not
	// hold memory of rec.
	check func(rec []byte, pos tfrecord.Position) (later func() error, counts bool)
	// skipped gets what could not be read.
	skipped func(*scan.Fault) error
	// refused gets records that the statistics do not take.
	refused func(*scan.Fault) error
	// file is given the statistics of each file, nil if it has no records.
	file func(*stats.Accumulator) error
	// ended, if not nil, is given what is known of each file before that.
	ended func(*scan.OldFile)

	// lostSlices, if not nil, is called as soon as slices of the file are left out.
	lostSlices func([]stats.Slice)

	begun   map[example.MessageType]error
	empty   map[example.MessageType]*stats.Accumulator // which others are made from
	current *stats.Accumulator                         // of the file; nil without records
}

// portionSize is how many bytes of records are added by one goroutine. It does not depend on the machine, since the last digits of a mean, and
// what sketches keep, depend on it.
func (j *job) portionSize() int { return cmp.Or(j.portion, 2<<20) }

// run reads the inputs.
func (j *job) run(ctx context.Context, in []scan.Input) error {
	j.begun, j.empty = map[example.MessageType]error{}, map[example.MessageType]*stats.Accumulator{}
	j.scan.Jobs = j.jobs
	work := scan.NewInOrder(j)
	work.Size, work.Long = j.portionSize(), math.MaxInt
	work.Start(ctx, j.jobs, j.jobs+1)
	defer work.Stop()
	all := scan.NewScan(ctx, in, &j.scan)
	defer all.Close()
	if j.previews != nil {
		if err := all.Peek(j.previews, j.preview); err != nil {
			return err
		}
	}
	err := all.Walk(scan.Guess(j.typ, work.Visitor()))
	if failed := work.Finish(); failed != nil { // about records before
		return failed
	}
	return err
}

// Begin implements [scan.Reporter], as the other methods do.
func (j *job) Begin(*scan.OldFile) error {
	j.current = nil
	return nil
}

func (j *job) Type(t example.MessageType) error {
	err, ok := j.begun[t]
	if !ok && j.begin != nil {
		err = j.begin(t)
	}
	if j.begun[t] = err; err != nil {
		return err
	}
	j.current, err = j.accumulator(t)
	return err
}

func (j *job) Fresh(t example.MessageType) *stats.Accumulator {
	acc, _ := j.accumulator(t) // Type returns the error
	return acc
}

func (j *job) Look(p *scan.Portion[*stats.Accumulator], rec []byte, pos tfrecord.Position) {
	if p.Sum == nil {
		return
	}
	if j.check != nil {
		later, counts := j.check(rec, pos)
		if later != nil {
			p.Then(later)
		}
		if !counts {
			return
		}
	}
	err := p.Sum.Add(rec)
	switch {
	case err == nil:
	case errors.Is(err, stats.ErrFeatures):
		p.Then(func() error { return scan.Misfit(pos, named(err)) }) // whatever is done about records that are refused
	default:
		p.Then(func() error { return j.refused(scan.Misfit(pos, err)) })
	}
}

func (j *job) Merge(sum *stats.Accumulator) error {
	err := named(j.current.Merge(sum))
	if err == nil && j.lostSlices != nil {
		j.lostSlices(j.current.LostSlices())
	}
	return err
}

// named adds the flag to the error about too many features.
func named(err error) error {
	if errors.Is(err, stats.ErrFeatures) {
		return fmt.Errorf("%w (--max-features)", err)
	}
	return err
}

func (j *job) Skipped(fault *scan.Fault) error { return j.skipped(fault) }

func (j *job) End(f *scan.OldFile) error {
	if j.ended != nil {
		j.ended(f)
	}
	return j.file(j.current)
}

// accumulator returns an empty one for records of a type.
func (j *job) accumulator(t example.MessageType) (*stats.Accumulator, error) {
	if acc := j.empty[t]; acc != nil {
		return acc.Fresh(), nil
	}
	o := j.stats
	o.Message = t
	acc, err := stats.New(&o)
	if err != nil {
		return nil, err
	}
	j.empty[t] = acc
	return acc.Fresh(), nil
}
