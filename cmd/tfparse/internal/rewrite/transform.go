package rewrite

import (
	"github.com/spf13/pflag"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/tfrecord"
)

// A transform appends what becomes of a record to dst, or reports that it is left out. It
// belongs to one goroutine.
type transform func(dst, rec []byte) (out []byte, keep bool, err error)

// A transforming is a verb that looks at each record by itself, on several goroutines.
type transforming struct {
	job
	check func(t example.MessageType) error            // of records that the flags are not for; may be nil
	make  func(t example.MessageType) func() transform // for records of a type

	pool *scan.Pool
}

func (v *transforming) add(fs *pflag.FlagSet) {
	v.job.add(fs)
	v.addKeepShards(fs)
	v.reading.AddMissingFeatures(fs)
}

// run reads, transforms and writes. reason is why nothing may be left.
func (v *transforming) run(e *cli.Env, args []string, reason string) error {
	if err := v.begin(e, args); err != nil || v.out == nil {
		return err
	}
	v.pool = scan.StartPool(v.jobs, v.out.Output, v.reading.FaultIn(e))
	defer v.pool.Close()
	v.pool.Finish = v.write
	err := v.reading.Walk(e, v.in, nil, scan.Guess(v.typ, v))
	if err == nil {
		err = v.pool.Drain()
	}
	return v.finish(err, reason)
}

// Begin implements [scan.Visitor].
func (v *transforming) Begin(f *scan.OldFile) error {
	if v.writing.KeepShards {
		if err := v.pool.Drain(); err != nil {
			return err
		}
	}
	return v.job.Begin(f)
}

// Type implements [scan.TypedVisitor].
func (v *transforming) Type(t example.MessageType) error {
	err := v.oneType(t)
	if err == nil && v.check != nil {
		err = v.check(t)
	}
	if err != nil {
		return err
	}
	start := v.make(t)
	return v.pool.Use(func() scan.Formatter { return &transformer{start()} })
}

// longRecord is the size from which on a record is transformed where it is.
const longRecord = 64 << 10

// Record implements [scan.Visitor].
func (v *transforming) Record(rec []byte, pos tfrecord.Position) error {
	v.read++
	if len(rec) <= longRecord {
		return v.pool.Add(rec, pos)
	}
	if err := v.pool.Drain(); err != nil {
		return err
	}
	b := scan.OldBatch{Records: rec, Ends: []int{len(rec)}, Positions: []tfrecord.Position{pos}}
	v.pool.Here.Format(&b)
	return v.write(&b)
}

// Skipped implements [scan.Visitor].
func (v *transforming) Skipped(fault *scan.Fault) error {
	if err := v.pool.Drain(); err != nil {
		return err
	}
	return v.job.Skipped(fault)
}

// write writes what became of a batch, and reports its misfits.
func (v *transforming) write(b *scan.OldBatch) error {
	begin, misfits := 0, b.Misfits
	for _, m := range b.Made {
		for ; len(misfits) > 0 && misfits[0].At <= begin; misfits = misfits[1:] {
			if err := v.job.Skipped(misfits[0].Fault); err != nil {
				return err
			}
		}
		if err := v.out.Write(b.Text[begin:m.End]); err != nil {
			return err
		}
		begin = m.End
	}
	for _, m := range misfits {
		if err := v.job.Skipped(m.Fault); err != nil {
			return err
		}
	}
	return nil
}

// A transformer is a transform as a pool has it.
type transformer struct{ f transform }

// Format implements [scan.Formatter]. It goes through a whole batch: what a record becomes
// is not much larger.
func (t *transformer) Format(b *scan.OldBatch) {
	for b.Next < len(b.Ends) {
		i := b.Next
		b.Next++
		n := len(b.Text)
		text, keep, err := t.f(b.Text, b.Record(i))
		switch {
		case err != nil:
			b.Text = b.Text[:n]
			b.Unfit(i, err)
		case keep:
			b.Text = text
			b.Made = append(b.Made, scan.Made{End: len(text), Line: i})
		}
	}
}
