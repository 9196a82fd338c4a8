package rewrite

import (
	"github.com/spf13/pflag"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/example"
)

// A transform appends what becomes of a record to dst. It belongs to one goroutine.
type transform func(dst, rec []byte) ([]byte, error)

// A transforming is a verb that looks at each record by itself, on several goroutines.
type transforming struct {
	job
	prepare func() error                                 // is called when the inputs are known, before they are read; may be nil
	check   func(t example.MessageType) error            // of records that the flags are not for; may be nil
	make    func(t example.MessageType) func() transform // for records of a type
}

func (v *transforming) add(fs *pflag.FlagSet) {
	v.job.add(fs)
	v.addKeepShards(fs)
}

// A transformed is what becomes of some records: their bytes, and where each of them ends.
type transformed struct {
	bytes []byte
	ends  []int
}

// run reads, transforms and writes. reason is why nothing may be left.
func (v *transforming) run(e *cli.Env, args []string, reason string) error {
	return v.job.run(e, args, reason, func() error {
		if v.prepare != nil {
			if err := v.prepare(); err != nil {
				return err
			}
		}
		return v.transform()
	})
}

// transform writes what becomes of the records.
func (v *transforming) transform() error {
	src, err := v.open(true)
	if err != nil {
		return err
	}
	defer func() { v.read = src.Read }()
	if v.check != nil && src.Type != example.TypeAuto {
		if err := v.check(src.Type); err != nil {
			src.Close()
			return err
		}
	}
	return scan.Map(src, v.jobs, func(t example.MessageType) func(*scan.Batch[transformed]) {
		f := v.make(t)()
		return func(b *scan.Batch[transformed]) { transformBatch(b, f) }
	}, func(b *scan.Batch[transformed]) error { return v.write(src, b) })
}

// transformBatch transforms a whole batch: what a record becomes is not much larger.
func transformBatch(b *scan.Batch[transformed], f transform) {
	made := &b.Result
	for ; b.Next < len(b.Records); b.Next++ {
		rec := &b.Records[b.Next]
		n, err := len(made.bytes), rec.Err
		if err == nil {
			made.bytes, err = f(made.bytes, rec.Bytes)
		}
		if err != nil {
			made.bytes = made.bytes[:n]
			b.Refuse(n, rec, err)
			continue
		}
		made.ends = append(made.ends, len(made.bytes))
	}
}

// write writes what became of a batch, and reports its misfits.
func (v *transforming) write(src *scan.Source, b *scan.Batch[transformed]) error {
	begin, misfits := 0, b.Misfits
	for _, end := range b.Result.ends {
		for ; len(misfits) > 0 && misfits[0].At <= begin; misfits = misfits[1:] {
			if err := src.Report(misfits[:1]); err != nil {
				return err
			}
		}
		if err := v.out.Write(b.Result.bytes[begin:end]); err != nil {
			return err
		}
		begin = end
	}
	b.Result.bytes, b.Result.ends = b.Result.bytes[:0], b.Result.ends[:0]
	return src.Report(misfits)
}
