package records

import (
	"errors"

	"github.com/spf13/pflag"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/tensortext"
	"github.com/tfparse/tfparse/example/recordjson"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/feature/raggedjson"
	"github.com/tfparse/tfparse/tfrecord"
)

// A batchForm is an output format of batches.
type batchForm uint8

const (
	formJSON  batchForm = iota // JSON of ragged and sparse tensors
	formText                   // text, as TensorFlow prints tensors
	formDense                  // JSON of padded, dense tensors
)

var batchForms = []string{"json", "text", "dense"}

// batchOptions holds the flags for printing batches.
type batchOptions struct {
	form batchForm
	pad  cli.Optional
}

func (p *batchOptions) addFlags(fs *pflag.FlagSet) {
	cli.ChoiceVar(fs, &p.form, "format", batchForms, "batches as `FORM`: json, text or dense")
	fs.Var(&p.pad, "pad", "with --format dense or text: pad with `VALUE`")
}

// checkFlags rejects flags that cannot be combined. batch is the value of --batch.
func (p *batchOptions) checkFlags(batch int, opts *recordjson.Options) error {
	switch {
	case batch == 0 && p.form != formJSON:
		return cli.Usagef("--format %s needs --batch", batchForms[p.form])
	case p.form == formJSON && p.pad.Given:
		return cli.Usagef("--pad needs --format dense or text")
	case p.form == formText && (opts.Int64 != recordjson.Int64Number || opts.NaN != recordjson.NaNString || opts.Bytes != recordjson.BytesAuto || opts.Position):
		return cli.Usagef("--format text excludes --bytes, --int64, --nan and --with-position, which are for JSON")
	}
	return nil
}

// A batchPrinter appends the text of a batch. It belongs to one goroutine.
type batchPrinter func(dst []byte, rows *feature.Batch, positions []tfrecord.Position) ([]byte, error)

// newPrinter returns the constructor of printers of batches.
func (p *batchOptions) newPrinter(parser *feature.Parser, opts *recordjson.Options) (func() batchPrinter, error) {
	options := &tensortext.Options{JSON: *opts}
	if p.pad.Given {
		options.Pad = &p.pad.Text
	}
	var other *tensortext.Printer // nil for formJSON
	if p.form != formJSON {
		var err error
		switch other, err = tensortext.NewPrinter(parser, options); {
		case errors.Is(err, tensortext.ErrDecoded):
			return nil, cli.Usagef("--format %s: %w", batchForms[p.form], err)
		case err != nil:
			return nil, cli.Usagef("--pad: %w", err)
		}
	}
	return func() batchPrinter {
		printer := raggedjson.NewPrinter(parser, opts)
		return func(dst []byte, rows *feature.Batch, positions []tfrecord.Position) (_ []byte, err error) {
			if p.form == formText {
				return other.AppendText(dst, rows)
			}
			var appendColumn func([]byte, feature.Column) ([]byte, error) // nil: ragged and sparse
			if p.form == formDense {
				appendColumn = other.AppendDense
			}
			printer.Load(rows)
			dst, err = printer.AppendBatchFunc(dst, positions, appendColumn)
			return append(dst, '\n'), err
		}
	}, nil
}
