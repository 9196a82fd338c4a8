package rewrite

import (
	"github.com/spf13/pflag"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/example"
)

// A transform appends the transformed record to dst. It belongs to one goroutine.
type transform func(dst, rec []byte) ([]byte, error)

// A recordTransform is a verb that transforms each record independently, on several goroutines.
type recordTransform struct {
	job
	prepare      func() error                          // called when the inputs are known, before they are read; may be nil
	checkType    func(t example.MessageType) error     // rejects message types that the flags do not allow; may be nil
	newTransform func(t example.MessageType) transform // returns a transform for records of a type; called for each goroutine
	copies       bool                                  // records are written as they are, so they may be of any type
}

func (v *recordTransform) addTransformFlags(fs *pflag.FlagSet) {
	v.job.addFlags(fs)
	v.addShardFlags(fs)
}

// A transformResult is the transformed records of a batch.
type transformResult struct {
	bytes []byte // concatenated records
	ends  []int  // end of each record in bytes
}

// runTransform reads, transforms and writes records. reason is the reason if none is written.
func (v *recordTransform) runTransform(e *cli.Env, args []string, reason string) error {
	return v.job.run(e, args, reason, func() error {
		if v.prepare != nil {
			if err := v.prepare(); err != nil {
				return err
			}
		}
		return v.transform()
	})
}

// transform writes the transformed records.
func (v *recordTransform) transform() error {
	src, err := v.open(!v.copies)
	if err != nil {
		return err
	}
	defer func() { v.recordsRead = src.Read }()
	if v.checkType != nil && src.Type != example.TypeAuto {
		if err := v.checkType(src.Type); err != nil {
			src.Close()
			return err
		}
	}
	return scan.Map(src, v.jobs, func(t example.MessageType) func(*scan.Batch[transformResult]) {
		f := v.newTransform(t)
		return func(b *scan.Batch[transformResult]) { transformBatch(b, f) }
	}, func(b *scan.Batch[transformResult]) error { return v.writeBatch(src, b) })
}

// transformBatch transforms all records of a batch. Transformed records are not much larger, so memory is bounded.
func transformBatch(b *scan.Batch[transformResult], f transform) {
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

// writeBatch writes the records of a batch, and reports its faults in between, in the order of the input.
func (v *recordTransform) writeBatch(src *scan.Source, b *scan.Batch[transformResult]) error {
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

// isFile reports whether an argument is the name of a file, and not an expression.
func isFile(arg string) bool {
	_, err := scan.CompileWhere("", arg)
	return err != nil && scan.IsInput(arg)
}

// Filter returns the verb filter, which keeps the records that match an expression.
func Filter() *cli.Command {
	v := &recordTransform{}
	return &cli.Command{
		Name: "filter",
		Flags: func(fs *pflag.FlagSet) {
			v.addTransformFlags(fs)
			v.reading.AddProto(fs, "type")
		},
		Run: func(e *cli.Env, args []string) error {
			v.copies = true
			flag, text := "the expression", ""
			switch where := &v.reading.Where; {
			case *where != "" && (len(args) == 0 || isFile(args[0])): // the expression is given as in other verbs
				flag, text, *where = "--where", *where, ""
			case len(args) == 0:
				return cli.Usagef("want an expression and files")
			case isFile(args[0]):
				return cli.Usagef("want an expression before the files, got the file %s", args[0])
			default:
				text, args = args[0], args[1:]
			}
			x, err := v.reading.Compile(e, flag, text)
			if err != nil {
				return err
			}
			v.sought, v.where = x.FeatureSearch, x
			v.newTransform = func(example.MessageType) transform {
				return func(dst, rec []byte) ([]byte, error) { return append(dst, rec...), nil }
			}
			return v.runTransform(e, args, noMatchReason)
		},
	}
}
