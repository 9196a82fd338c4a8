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
	scan.SpecVar(fs, &c.spec, "print the columns of `SPEC`: .json, .pbtxt or auto")
	scan.LabelsVar(fs, &c.labels)
	cli.NumberVar(fs, &c.batch, "batch", 0, 0, "with --spec: the tensors of `N` records as one object")
	c.batches.addFlags(fs)
	c.reading.Rules(fs, scan.Needs("batch", "spec"), scan.Excludes("typed", "spec"), scan.Excludes("batch", "labels"),
		scan.Excludes("pretty", "batch", "typed", "bytes", "int64", "nan", "with-position"))
}

// newParser returns the parser of --spec, or nil without the flag.
func (c *cat) newParser() (*feature.Parser, error) {
	if c.spec == "" {
		return nil, c.batches.checkFlags(0, &c.printing.opts)
	}
	if err := c.batches.checkFlags(c.batch, &c.printing.opts); err != nil {
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
	if c.renderings, err = scan.Renderings(c.env, c.spec, parser, c.labels, false); err != nil {
		return nil, err
	}
	return parser, scan.CheckType(c.printing.typ, parser)
}

// A rowPrinter parses records and prints each as a line. It belongs to one goroutine.
type rowPrinter struct {
	batch   *feature.Batch
	printer *raggedjson.Printer
	errs    []error // parse error of each record of the current group; nil: it is the next row of batch
}

func newRowPrinter(parser *feature.Parser, opts *recordjson.Options, renderings map[string]raggedjson.Rendering) *rowPrinter {
	p := raggedjson.NewPrinter(parser, opts)
	for name, r := range renderings {
		p.Render(name, r)
	}
	return &rowPrinter{batch: parser.NewBatch(), printer: p}
}

// rowsBytes limits the size of the batch of a rowPrinter, in bytes. The number of records is not a limit, since a short record
// may have a large row.
const rowsBytes = 1 << 20

// printBatch is a textWorker.
func (f *rowPrinter) printBatch(b *scan.Batch[[]byte]) {
	for b.Next < len(b.Records) && len(b.Result) < textBytes {
		f.batch.Reset()
		f.errs = f.errs[:0]
		for i := b.Next; i < len(b.Records) && f.batch.Size() < rowsBytes; i++ {
			err := b.Records[i].Err
			if err == nil {
				err = explain.AppendRecord(f.batch, b.Records[i].Bytes)
			}
			f.errs = append(f.errs, err)
		}
		f.printParsed(b)
	}
}

// printParsed prints the parsed records.
func (f *rowPrinter) printParsed(b *scan.Batch[[]byte]) {
	f.printer.Load(f.batch)
	row := 0
	for _, err := range f.errs {
		if len(b.Result) >= textBytes {
			return // the remaining records are parsed again
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
