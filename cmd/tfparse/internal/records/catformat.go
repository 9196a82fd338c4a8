package records

import (
	"github.com/spf13/pflag"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/tensortext"
	"github.com/tfparse/tfparse/example/recordjson"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/feature/raggedjson"
	"github.com/tfparse/tfparse/tfrecord"
)

// A batchForm is how a batch is printed.
type batchForm uint8

const (
	formJSON  batchForm = iota // the tensors as they are
	formText                   // as TensorFlow prints them
	formDense                  // JSON of dense tensors
)

var batchForms = []string{"json", "text", "dense"}

func (f batchForm) MarshalText() ([]byte, error)     { return []byte(batchForms[f]), nil }
func (f *batchForm) UnmarshalText(text []byte) error { return cli.SetName(f, batchForms, text) }

// A batchPrinting holds the flags that say how batches are printed.
type batchPrinting struct {
	form batchForm
	pad  cli.Optional
}

func (p *batchPrinting) add(fs *pflag.FlagSet) {
	cli.EnumVar(fs, &p.form, "format", batchForms, "batches as `FORM`: json, text or dense")
	fs.Var(&p.pad, "pad", "with --format dense or text: pad with `VALUE`")
}

// check refuses flags that do not go together. batch is the number of records of a
// batch, 0 if there are none.
func (p *batchPrinting) check(batch int, opts *recordjson.Options) error {
	switch {
	case batch == 0 && p.form != formJSON:
		return cli.Usagef("--format %s needs --batch: it prints batches", batchForms[p.form])
	case p.form == formJSON && p.pad.Given:
		return cli.Usagef("--pad needs --format dense or text: other tensors are not padded")
	case p.form == formText && (opts.Int64 != recordjson.Int64Number || opts.NaN != recordjson.NaNString || opts.Bytes != recordjson.BytesAuto || opts.Position):
		return cli.Usagef("--format text prints as TensorFlow does: --bytes, --int64, --nan and --with-position are for JSON")
	}
	return nil
}

// A batchPrinter appends the text of a batch. It belongs to one goroutine.
type batchPrinter func(dst []byte, rows *feature.Batch, positions []tfrecord.Position) ([]byte, error)

// printer returns what makes printers of batches.
func (p *batchPrinting) printer(parser *feature.Parser, opts *recordjson.Options) (func() batchPrinter, error) {
	if p.form == formJSON {
		return func() batchPrinter {
			printer := raggedjson.NewPrinter(parser, opts)
			return func(dst []byte, rows *feature.Batch, positions []tfrecord.Position) ([]byte, error) {
				printer.Load(rows)
				dst, err := printer.AppendBatch(dst, positions)
				return append(dst, '\n'), err
			}
		}, nil
	}
	options := &tensortext.Options{JSON: *opts}
	if p.pad.Given {
		options.Pad = &p.pad.Text
	}
	printer, err := tensortext.NewPrinter(parser, options)
	if err != nil {
		return nil, cli.Usagef("--pad: %w", err)
	}
	return func() batchPrinter {
		return func(dst []byte, rows *feature.Batch, positions []tfrecord.Position) ([]byte, error) {
			if p.form == formText {
				return printer.AppendText(dst, rows)
			}
			dst, err := printer.AppendDense(dst, rows, positions)
			return append(dst, '\n'), err
		}
	}, nil
}
