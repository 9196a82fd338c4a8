package records

import (
	"math"

	"github.com/spf13/pflag"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/explain"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/parallel"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/reading"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/recordscan"
	"github.com/tfparse/tfparse/example/recordjson"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/feature/raggedjson"
	"github.com/tfparse/tfparse/tfrecord"
)

// addSpec defines the flags for printing with a spec.
func (c *cat) addSpec(fs *pflag.FlagSet) {
	reading.SpecVar(fs, &c.spec, "print records as `SPEC` parses them: a .json or .pbtxt file")
	fs.IntVar(&c.batch, "batch", 0, "with --spec, print the tensors of `N` records as one object")
	c.batches.add(fs)
}

// parser returns the parser of the spec that was named, or nil.
func (c *cat) parser() (*feature.Parser, error) {
	switch {
	case c.batch < 0:
		return nil, cli.Usagef("--batch is not negative")
	case c.spec == "" && c.batch > 0:
		return nil, cli.Usagef("--batch needs a --spec, which says what the tensors are")
	case c.spec == "":
		return nil, c.batches.check(0, &c.printing.opts)
	case c.printing.opts.Typed:
		return nil, cli.Usagef("--typed is what there is without a spec")
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
	parser, err := reading.NewParser(c.spec, c.printing.opts.Select, options)
	if err != nil {
		return nil, err
	}
	return parser, reading.CheckType(c.printing.typ.message(), parser)
}

// withSpec prepares printing with a spec, and returns the visitor of the records.
func (c *cat) withSpec(parser *feature.Parser) (recordscan.Visitor, error) {
	opts := &c.printing.opts
	if c.batch == 0 {
		return c, c.use(func() parallel.Formatter { return newRows(parser, opts) })
	}
	t := &tensors{cat: c, parser: parser}
	if opts.NaN == recordjson.NaNError || opts.Bytes == recordjson.BytesUTF8 {
		t.trial = newRows(parser, opts)
	}
	if err := raggedjson.NewPrinter(parser, opts).ValidateBatch(); err != nil {
		return nil, cli.Usagef("padding: %w", err)
	}
	f, err := c.batches.formatter(parser, opts)
	if err != nil {
		return nil, err
	}
	return t, c.use(f)
}

// A rows is a formatter that prints each record as a row.
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

func (f *rows) Format(b *parallel.Batch) {
	for !b.Full() {
		f.batch.Reset()
		f.faults = f.faults[:0]
		for i := b.Next; i < len(b.Ends) && f.batch.Size() < rowsBytes; i++ {
			f.faults = append(f.faults, explain.AppendRecord(f.batch, b.Record(i)))
		}
		f.print(b)
	}
}

// print prints the records that were parsed.
func (f *rows) print(b *parallel.Batch) {
	f.printer.Load(f.batch)
	row := 0
	for _, err := range f.faults {
		if b.Full() {
			return
		}
		i := b.Next
		b.Next++
		if err == nil {
			b.Text, err = f.printer.AppendRow(b.Text, row, reading.Place(b.Positions[i]))
			row++
		}
		if err != nil {
			b.Unfit(i, err)
			continue
		}
		b.Text = append(b.Text, '\n')
	}
}

// tensors gathers records in batches that are printed as tensors. A record that
// does not fit is found here, so that all batches but the last are full.
type tensors struct {
	*cat
	parser *feature.Parser
	trial  *rows // prints what goes into a batch, if there are values that do not print; else nil
	try    parallel.Batch
}

// Limits on the memory of large batches: the bytes of columns under way, or
// two batches.
const tensorBytes = 16 << 20

func (t *tensors) Record(rec []byte, pos tfrecord.Position) error {
	b := t.pool.Current
	if b == nil {
		b = t.pool.Batch()
		if b.Rows == nil {
			b.Rows = t.parser.NewBatch()
		}
		t.pool.Current = b
	}
	if fault := t.add(b, rec, pos); fault != nil {
		return t.Skipped(fault)
	}
	t.limit--
	if b.Rows.Len() == t.batch {
		size := b.Rows.Size()
		if t.batches.form == formText {
			size *= 4 // a byte of an image prints as \xff
		}
		t.pool.Limit(tensorBytes / max(size, 1))
		if err := t.pool.Submit(); err != nil {
			return err
		}
	}
	if t.limit == 0 {
		return recordscan.ErrStop
	}
	return nil
}

// add adds a record to a batch, or returns why it cannot.
func (t *tensors) add(b *parallel.Batch, rec []byte, pos tfrecord.Position) *recordscan.Fault {
	if t.trial != nil {
		t.try = parallel.Batch{Records: rec, Ends: append(t.try.Ends[:0], len(rec)), Positions: append(t.try.Positions[:0], pos), Text: t.try.Text[:0]}
		if t.trial.Format(&t.try); len(t.try.Misfits) > 0 {
			return t.try.Misfits[0].Fault
		}
	}
	if err := explain.AppendRecord(b.Rows, rec); err != nil {
		return recordscan.Misfit(pos, err)
	}
	b.Positions = append(b.Positions, pos)
	return nil
}

// Skipped implements recordscan.Visitor. Where damage is skipped, the batch goes on
// behind it.
func (t *tensors) Skipped(fault *recordscan.Fault) error {
	if t.reading.OnError == cli.Stop {
		if err := t.pool.Drain(); err != nil {
			return err
		}
	}
	return t.fault(fault)
}

// A batches is a formatter that prints a batch as its tensors.
type batches struct {
	printer   *raggedjson.Printer
	positions []recordjson.Position
}

func (f *batches) Format(b *parallel.Batch) {
	if b.Rows.Len() == 0 {
		return
	}
	f.printer.Load(b.Rows)
	f.positions = f.positions[:0]
	for _, pos := range b.Positions {
		f.positions = append(f.positions, reading.Place(pos))
	}
	var err error
	if b.Text, err = f.printer.AppendBatch(b.Text, f.positions); err != nil {
		b.Unfit(0, err) // which the trial has ruled out
		return
	}
	b.Text = append(b.Text, '\n')
}
