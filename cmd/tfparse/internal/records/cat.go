package records

import (
	"math"
	"runtime"

	"github.com/spf13/pflag"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/console"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/example/recordjson"
	"github.com/tfparse/tfparse/feature"
)

// Cat prints records as JSON lines.
func Cat() *cli.Command {
	c := &cat{full: true} // whole files are read on, from a terminal too
	var shuffle bool
	var seed uint64
	return &cli.Command{
		Name:  "cat",
		Count: "limit",
		Flags: func(fs *pflag.FlagSet) {
			c.reading.AddLimit(fs, math.MaxInt64, "print at most `N` records of all files together")
			c.reading.AddWhere(fs)
			c.reading.AddSkip(fs)
			fs.BoolVar(&shuffle, "shuffle", false, "print the records of all files in a random order")
			fs.Uint64Var(&seed, "seed", 0, "with --shuffle, the order that the number `N` stands for")
			c.addSpec(fs)
			c.printing.add(fs)
			cli.OutputVar(fs, &c.output, "write to `FILE`; - is standard output")
			c.reading.Add(fs)
			c.reading.AddMissingFeatures(fs)
			c.reading.AddCSV(fs, "tfrecord")
			c.reading.Rules(fs, scan.Needs("seed", "shuffle"))
		},
		Run: func(e *cli.Env, args []string) error {
			if shuffle {
				c.order = scan.Shuffle(seed)
			}
			return c.run(e, args)
		},
	}
}

// A printing holds the flags of every verb that prints records.
type printing struct {
	typ    recordType
	opts   recordjson.Options
	color  cli.When
	pretty bool
	filter scan.FeatureFilter
}

func (p *printing) add(fs *pflag.FlagSet) { cli.GroupFlags(fs, "Printing", "", p.define) }

func (p *printing) define(fs *pflag.FlagSet) {
	p.typ.add(fs)
	p.filter.Add(fs, "print")
	fs.BoolVar(&p.opts.Typed, "typed", false, "with the kind of every feature")
	cli.EnumVar(fs, &p.opts.Bytes, "bytes", []string{"auto", "utf8", "base64", "hex", "len"}, "bytes as `FORM`: auto, utf8, base64, hex or len")
	cli.EnumVar(fs, &p.opts.Int64, "int64", []string{"number", "string"}, "int64 as `FORM`: number or string")
	cli.EnumVar(fs, &p.opts.NaN, "nan", []string{"string", "null", "error"}, "NaN and Inf as `FORM`: string, null or error")
	fs.BoolVar(&p.pretty, "pretty", false, "a line for each feature")
	cli.ColorVar(fs, &p.color)
	fs.BoolVar(&p.opts.Position, "with-position", false, `begin lines with "_file", "_record" and "_offset"`)
}

// fullVar defines --full, of the verbs that print a few records for a person.
func (c *cat) fullVar(fs *pflag.FlagSet) {
	cli.GroupFlags(fs, "Printing", "", func(fs *pflag.FlagSet) {
		fs.BoolVar(&c.full, "full", false, "print long values whole on a terminal, too")
	})
}

// A cat is one run of tfparse cat, or of a verb that differs in what it chooses.
type cat struct {
	reading  scan.Flags
	printing printing
	full     bool       // long values are printed whole on a terminal, too
	order    scan.Order // in which the records are read
	spec     string
	batch    int // records of a batch; 0: lines
	batches  batchPrinting
	output   string

	env   *cli.Env
	out   *cli.Output
	src   *scan.Source
	style style
}

func (c *cat) run(e *cli.Env, args []string) error {
	if err := c.printing.opts.Validate(); err != nil {
		return cli.Usage(err)
	}
	if c.printing.typ == typePredictionLog && (c.reading.Where != "" || c.spec != "" || c.printing.filter.Given()) {
		return cli.Usagef("--type prediction_log prints whole records: leave out --where, --spec, --select and --drop")
	}
	opts := &scan.Options{Type: c.printing.typ.message(), Order: c.order, FeatureSearch: scan.NewFeatureSearch("--select")}
	opts.FeatureSearch.Early = e.Console.Print
	if _, err := c.printing.filter.List(nil); err != nil {
		return err
	}
	in, err := c.reading.ExpandRecords(e, args)
	if err != nil {
		return err
	}
	if c.spec == "" && c.printing.filter.Given() { // a spec has all names
		list, err := c.reading.FilterFeatures(e, in, &c.printing.filter)
		if err != nil {
			return err
		}
		opts.FeatureSearch.AddList(list)
		c.printing.opts.Select = list.Texts
	}
	parser, err := c.parser()
	if err != nil {
		return err
	}
	c.env = e
	c.reading.Printing = !cli.IsFile(c.output)
	onScreen := !cli.IsFile(c.output) && console.IsTerminal(e.Stdout)
	c.style = style{
		color:  c.printing.color == cli.WhenAlways || !cli.IsFile(c.output) && e.Colored(c.printing.color),
		pretty: c.printing.pretty, fold: onScreen && !c.full,
	}
	if c.batches.form == formText { // which is no JSON
		c.style = style{}
	}
	if err := cli.CheckInputs(c.output, scan.Names(in)); err != nil {
		return err
	}
	what, endings := "JSON", cli.JSONEndings
	if c.batches.form == formText {
		what, endings = "text", cli.TextEndings
	}
	if err := cli.CheckName(c.output, what, endings, "tfparse convert copies records"); err != nil {
		return err
	}
	if c.out, err = e.Create(c.output, scan.Names(in)...); err != nil {
		return err
	}
	if parser != nil {
		opts.Type, opts.Spec = parser.Message(), true
	}
	if c.src, err = c.reading.Open(e, in, opts); err != nil {
		return c.out.Finish(err)
	}
	defer c.src.Close()
	prints := !cli.IsFile(c.output)
	err = c.print(parser)
	if err == nil && !prints { // nothing is written then
		err = c.src.MissingFeatures(prints)
	}
	if err = c.out.Finish(err); err == nil && prints { // below what is printed
		err = c.src.MissingFeatures(prints)
	}
	return err
}

// print prints the records, by a parser if it is not nil.
func (c *cat) print(parser *feature.Parser) error {
	newWorker := func(t example.MessageType) textWorker { return printLines(c.printing.printer(t)) }
	if parser != nil {
		if c.batch > 0 {
			return c.printBatches(parser)
		}
		newWorker = func(example.MessageType) textWorker { return newRows(parser, &c.printing.opts).work }
	}
	workers := min(runtime.GOMAXPROCS(0), scan.Workers)
	return scan.Map(c.src, workers, func(t example.MessageType) func(*scan.Batch[[]byte]) { return c.style.worker(newWorker(t)) }, c.emit)
}

// A textWorker appends the text of the records of a batch to its result, which it leaves to be written when it is long.
type textWorker = func(*scan.Batch[[]byte])

// textBytes is how long a text becomes before it is written. It may be many times as long as the records.
const textBytes = 1 << 20

// printLines returns a worker that prints each record as a line.
func printLines(p linePrinter) textWorker {
	return func(b *scan.Batch[[]byte]) {
		for b.Next < len(b.Records) && len(b.Result) < textBytes {
			rec := &b.Records[b.Next]
			b.Next++
			n := len(b.Result)
			err := rec.Err
			if err == nil {
				b.Result, err = p.Append(b.Result, rec.Bytes, rec.Position)
			}
			if err != nil {
				b.Result = b.Result[:n]
				b.Refuse(n, rec, err)
				continue
			}
			b.Result = append(b.Result, '\n')
		}
	}
}

// emit writes the text of a batch, and reports its misfits where they would be.
func (c *cat) emit(b *scan.Batch[[]byte]) error {
	written := 0
	for i, m := range b.Misfits {
		if err := c.write(b.Result[written:m.At]); err != nil {
			return err
		}
		written = m.At
		if err := c.src.Report(b.Misfits[i : i+1]); err != nil {
			return err
		}
	}
	err := c.write(b.Result[written:])
	if b.Result = b.Result[:0]; cap(b.Result) > 2*textBytes {
		b.Result = nil
	}
	return err
}

// write adds text to the output.
func (c *cat) write(text []byte) error {
	if len(text) >= cli.SpillAt {
		_, err := c.out.Write(text)
		return err
	}
	c.out.Buf = append(c.out.Buf, text...)
	return c.out.Spill()
}
