package records

import (
	"github.com/spf13/pflag"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/parallel"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/reading"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/tensortext"
	"github.com/tfparse/tfparse/example/recordjson"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/feature/raggedjson"
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
	cli.EnumVar(fs, &p.form, "format", batchForms, "print batches as `FORM`: json, text as TensorFlow prints, or dense")
	fs.Var(&p.pad, "pad", "with --format dense or text, pad ragged and sparse features with `VALUE`")
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

// formatter returns what makes the formatters of batches.
func (p *batchPrinting) formatter(parser *feature.Parser, opts *recordjson.Options) (func() parallel.Formatter, error) {
	if p.form == formJSON {
		return func() parallel.Formatter { return &batches{raggedjson.NewPrinter(parser, opts), nil} }, nil
	}
	options := &tensortext.Options{JSON: *opts}
	if p.pad.Given {
		options.Pad = &p.pad.Text
	}
	printer, err := tensortext.NewPrinter(parser, options)
	if err != nil {
		return nil, cli.Usagef("--pad: %w", err)
	}
	return func() parallel.Formatter { return &tensorTexts{printer, p.form, nil} }, nil
}

// A tensorTexts is a formatter that prints a batch for people.
type tensorTexts struct {
	printer   *tensortext.Printer
	form      batchForm
	positions []recordjson.Position
}

func (f *tensorTexts) Format(b *parallel.Batch) {
	if b.Rows.Len() == 0 {
		return
	}
	var err error
	if f.form == formText {
		b.Text, err = f.printer.AppendText(b.Text, b.Rows)
	} else {
		f.positions = f.positions[:0]
		for _, pos := range b.Positions {
			f.positions = append(f.positions, reading.Place(pos))
		}
		if b.Text, err = f.printer.AppendDense(b.Text, b.Rows, f.positions); err == nil {
			b.Text = append(b.Text, '\n')
		}
	}
	if err != nil { // no record of it is printed
		for i := range b.Positions {
			b.Unfit(i, err)
		}
	}
}
