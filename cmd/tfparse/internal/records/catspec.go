package records

import (
	"math"

	"github.com/spf13/pflag"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/explain"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/example/recordjson"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/feature/raggedjson"
)

// addSpec defines the flags for printing with a spec.
func (c *cat) addSpec(fs *pflag.FlagSet) {
	scan.SpecVar(fs, &c.spec, "print the columns of `SPEC`, a .json or .pbtxt file")
	fs.IntVar(&c.batch, "batch", 0, "with --spec: the tensors of `N` records as one object")
	c.batches.add(fs)
	c.reading.Rules(fs, scan.Needs("batch", "spec"), scan.Excludes("typed", "spec"))
}

// parser returns the parser of the spec that was named, or nil.
func (c *cat) parser() (*feature.Parser, error) {
	switch {
	case c.batch < 0:
		return nil, cli.Usagef("--batch is not negative")
	case c.spec == "":
		return nil, c.batches.check(0, &c.printing.opts)
	}
	if c.printing.pretty && c.batches.form == formText {
		return nil, cli.Usagef("--pretty is for JSON, and --format text is none")
	}
	if err := c.batches.check(c.batch, &c.printing.opts); err != nil {
		return nil, err
	}
	options := &feature.ParserOptions{}
	if c.batch == 0 {
		options.MaxPadded = math.MaxInt // lines have no padding
	}
	parser, err := scan.NewParser(c.spec, &c.printing.filter, options)
	if err != nil {
		return nil, err
	}
	return parser, scan.CheckType(c.printing.typ.message(), parser)
}

// A rows prints each record as a row.
type rows struct {
	batch   *feature.Batch
	printer *raggedjson.Printer
	faults  []error // of each record
}

func newRows(parser *feature.Parser, opts *recordjson.Options) *rows {
	return &rows{batch: parser.NewBatch(), printer: raggedjson.NewPrinter(parser, opts)}
}

// rowsBytes is how much memory the records take that are parsed before they are
// printed. A few bytes may declare many rows, so a count of records is no limit.
const rowsBytes = 1 << 20

// work is a worker.
func (f *rows) work(b *scan.Batch[[]byte]) {
	for b.Next < len(b.Records) && len(b.Result) < textBytes {
		f.batch.Reset()
		f.faults = f.faults[:0]
		for i := b.Next; i < len(b.Records) && f.batch.Size() < rowsBytes; i++ {
			err := b.Records[i].Err
			if err == nil {
				err = explain.AppendRecord(f.batch, b.Records[i].Bytes)
			}
			f.faults = append(f.faults, err)
		}
		f.print(b)
	}
}

// print prints the records that were parsed.
func (f *rows) print(b *scan.Batch[[]byte]) {
	f.printer.Load(f.batch)
	row := 0
	for _, err := range f.faults {
		if len(b.Result) >= textBytes {
			return // the others are parsed again
		}
		rec := &b.Records[b.Next]
		b.Next++
		if err == nil {
			b.Result, err = f.printer.AppendRow(b.Result, row, rec.Position)
			row++
		}
		if err != nil {
			b.Refuse(len(b.Result), rec, err)
			continue
		}
		b.Result = append(b.Result, '\n')
	}
}
