package records

import (
	"math"
	"runtime"

	"github.com/spf13/pflag"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/console"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/protomessage"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/tfmessage"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/example/recordjson"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/feature/raggedjson"
	"github.com/tfparse/tfparse/tfrecord"
)

// Cat returns the verb cat, which prints records as JSON lines.
func Cat() *cli.Command {
	c := &cat{full: true} // cat prints long values whole, even on a terminal
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
			fs.Uint64Var(&seed, "seed", 0, "with --shuffle: the same `N` gives the same order")
			c.addSpec(fs)
			c.printing.addFlags(fs)
			cli.OutputVar(fs, &c.output, "write to `FILE`; - is standard output")
			c.reading.Add(fs)
			c.reading.AddMissingFeatures(fs)
			c.reading.AddProto(fs, otherFlags...)
			c.reading.AddCSV(fs, "tfrecord")
			c.reading.Rules(fs, scan.Needs("seed", "shuffle"))
		},
		Run: func(e *cli.Env, args []string) error {
			if c.joins = !shuffle; shuffle {
				c.order = scan.Shuffle(seed)
			}
			return c.run(e, args)
		},
	}
}

// otherFlags are flags for records of the types in --type, and of specs.
var otherFlags = []string{"type", "spec", "select", "drop", "typed", "bytes", "int64", "nan", "input-format"}

// printOptions holds the flags of all verbs that print records.
type printOptions struct {
	typ    example.MessageType // --type: any type of package scan
	opts   recordjson.Options  // --typed, --bytes, --int64, --nan and --with-position
	color  cli.When            // --color
	pretty bool                // --pretty: trees in place of JSON
	filter scan.FeatureFilter  // --select and --drop

	described *protomessage.Type // message of --proto; nil: none
}

func (p *printOptions) addFlags(fs *pflag.FlagSet) { cli.GroupFlags(fs, "Printing", "", p.defineFlags) }

func (p *printOptions) defineFlags(fs *pflag.FlagSet) {
	names := scan.TypeNames()
	cli.ChoiceVar(fs, &p.typ, "type", names, "message `TYPE`: "+cli.OneOf(names))
	p.filter.Add(fs, "print")
	fs.BoolVar(&p.opts.Typed, "typed", false, "with the kind of every feature")
	cli.EnumVar(fs, &p.opts.Bytes, "bytes", []string{"auto", "utf8", "base64", "hex", "len"}, "bytes as `FORM`: auto, utf8, base64, hex or len")
	cli.EnumVar(fs, &p.opts.Int64, "int64", []string{"number", "string"}, "int64 as `FORM`: number or string")
	cli.EnumVar(fs, &p.opts.NaN, "nan", []string{"string", "null", "error"}, "NaN and Inf as `FORM`: string, null or error")
	fs.BoolVar(&p.pretty, "pretty", false, "records as trees, for people")
	cli.ColorVar(fs, &p.color)
	fs.BoolVar(&p.opts.Position, "with-position", false, `begin lines with "_file", "_record" and "_offset"`)
}

// fullVar defines --full, for verbs that print a few records for a person.
func (c *cat) fullVar(fs *pflag.FlagSet) {
	cli.GroupFlags(fs, "Printing", "", func(fs *pflag.FlagSet) {
		fs.BoolVar(&c.full, "full", false, "print long values whole on a terminal, too")
	})
}

// A cat holds the flags and the state of one run of cat, or of a verb that prints other records: head, tail, get, sample.
type cat struct {
	reading  scan.Flags     // flags that read and select records
	printing printOptions   // flags that format records
	full     bool           // print long values whole on a terminal, too
	order    scan.Order     // which records are read, and in which order
	spec     string         // --spec; "": none
	labels   scan.LabelForm // --labels
	batch    int            // --batch: records of a batch; 0: print lines
	batches  batchOptions   // form and padding of batches, for --batch
	output   string         // -o; "" and -: standard output
	joins    bool           // all records are read in order, so components can be joined to elements

	env        *cli.Env                        // set by run
	out        *cli.Output                     // set by run
	src        *scan.Source                    // set by run
	style      style                           // of JSON; zero for --format text
	renderings map[string]raggedjson.Rendering // of columns of a features.json; set by run
	elements   *scan.Snapshot                  // the data set whose elements are printed; nil: records are
}

func (c *cat) run(e *cli.Env, args []string) error {
	if err := c.printing.opts.Validate(); err != nil {
		return cli.Usage(err)
	}
	if c.printing.typ > example.TypeRaw && (c.spec != "" || c.printing.filter.Given()) {
		return cli.Usagef("--type %s prints whole records: leave out --spec, --select and --drop", scan.TypeNames()[c.printing.typ])
	}
	opts := &scan.Options{Type: c.printing.typ, OtherTypes: true, Features: c.spec == "" && c.printing.filter.Given(), Order: c.order, FeatureSearch: scan.NewFeatureSearch("--select")}
	opts.FeatureSearch.Early = e.Console.Print
	if _, err := c.printing.filter.List(nil); err != nil {
		return err
	}
	in, err := c.reading.ExpandRecords(e, args)
	if err != nil {
		return err
	}
	if c.labels == scan.LabelNames && c.spec == "" {
		c.spec = "auto"
	}
	if c.spec, err = scan.AutoSpec(e, c.spec, args); err != nil {
		return err
	}
	if c.printing.described, err = c.reading.ProtoType(e); err != nil {
		return err
	}
	if c.printing.described != nil {
		opts.Type = example.TypeRaw
	}
	if c.findElements(args); c.elements != nil {
		opts.Unit = int64(len(c.elements.DTypes))
	}
	if c.spec == "" && c.printing.filter.Given() { // with a spec, NewParser applies the filter
		list, err := c.reading.FilterFeatures(e, in, &c.printing.filter)
		if err != nil {
			return err
		}
		opts.FeatureSearch.AddList(list)
		c.printing.opts.Select = list.Texts
	}
	c.env = e
	parser, err := c.newParser()
	if err != nil {
		return err
	}
	c.reading.Printing = !cli.IsFile(c.output)
	c.style = c.newStyle(parser)
	if err := cli.CheckInputs(c.output, scan.Names(in)); err != nil {
		return err
	}
	what, endings := "JSON", cli.JSONEndings
	if c.batches.form == formText || c.printing.pretty {
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
	err = c.printRecords(parser)
	if err == nil && !prints { // an error here discards the output file
		err = c.src.MissingFeatures(prints)
	}
	if err = c.out.Finish(err); err == nil && prints { // after the printed records
		err = c.src.MissingFeatures(prints)
	}
	c.reading.PrintChanged(e)
	return err
}

// newStyle returns the style of the output. For trees it sets the options of the JSON that they are made from.
func (c *cat) newStyle(parser *feature.Parser) style {
	if c.batches.form == formText { // styles are for JSON
		return style{}
	}
	onScreen := !cli.IsFile(c.output)
	s := style{color: c.printing.color == cli.WhenAlways || onScreen && c.env.Colored(c.printing.color)}
	if !c.printing.pretty {
		s.fold = onScreen && console.IsTerminal(c.env.Stdout) && !c.full
		return s
	}
	s.tree = &recordTree{color: s.color, fold: !c.full, width: defaultWidth}
	if onScreen {
		s.tree.width = console.Width(c.env.Stdout)
	}
	if parser != nil {
		s.tree.kinds = columnKinds(parser, c.renderings)
	}
	s.tree.typed = parser == nil && c.printing.described == nil
	c.printing.opts.Typed, c.printing.opts.Position = s.tree.typed, true
	return s
}

// defaultWidth is the width of trees in files, in columns.
const defaultWidth = 80

// printRecords prints the records: as messages, or if parser is not nil, as columns.
func (c *cat) printRecords(parser *feature.Parser) error {
	if c.elements != nil {
		return c.printElements()
	}
	newWorker := func(t example.MessageType) textWorker { return printLines(c.printing.newPrinter(t)) }
	if parser != nil {
		if c.batch > 0 {
			return c.printBatches(parser)
		}
		newWorker = func(example.MessageType) textWorker {
			return newRowPrinter(parser, &c.printing.opts, c.renderings).printBatch
		}
	}
	workers := min(runtime.GOMAXPROCS(0), scan.Workers)
	return scan.Map(c.src, workers, func(t example.MessageType) func(*scan.Batch[[]byte]) { return c.style.styleWorker(newWorker(t)) }, c.writeBatch)
}

// A textWorker appends the text of the records of a batch to its result. It may return before the end of the batch, to have a
// long result written first.
type textWorker = func(*scan.Batch[[]byte])

// textBytes is the length of a result, in bytes, at which a textWorker returns. Text may be many times as long as its records.
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

// writeBatch writes the text of a batch, and reports its faults in between, in the order of the records.
func (c *cat) writeBatch(b *scan.Batch[[]byte]) error {
	written := 0
	for i, m := range b.Misfits {
		if err := c.writeText(b.Result[written:m.At]); err != nil {
			return err
		}
		written = m.At
		if err := c.src.Report(b.Misfits[i : i+1]); err != nil {
			return err
		}
	}
	err := c.writeText(b.Result[written:])
	if b.Result = b.Result[:0]; cap(b.Result) > 2*textBytes {
		b.Result = nil
	}
	return err
}

// writeText adds text to the output.
func (c *cat) writeText(text []byte) error {
	if len(text) >= cli.SpillAt {
		_, err := c.out.Write(text)
		return err
	}
	c.out.Buf = append(c.out.Buf, text...)
	return c.out.Spill()
}

// Head returns the verb head, which prints the first records.
func Head() *cli.Command {
	c := &cat{joins: true}
	return &cli.Command{
		Name:  "head",
		Count: "limit",
		Flags: func(fs *pflag.FlagSet) {
			c.reading.AddLimit(fs, 10, "print `N` records")
			c.reading.AddWhere(fs)
			c.addSpec(fs)
			c.printing.addFlags(fs)
			c.fullVar(fs)
			cli.OutputVar(fs, &c.output, "write to `FILE`; - is standard output")
			c.reading.Add(fs)
			c.reading.AddMissingFeatures(fs)
			c.reading.AddProto(fs, otherFlags...)
			c.reading.AddCSV(fs, "tfrecord")
		},
		Run: c.run,
	}
}

// A linePrinter prints records as JSON lines.
type linePrinter interface {
	Append(dst, rec []byte, pos tfrecord.Position) ([]byte, error)
}

// newPrinter returns a printer of records of type t.
func (p *printOptions) newPrinter(t example.MessageType) linePrinter {
	switch {
	case p.described != nil:
		return p.described.NewPrinter(p.opts.Position)
	case t == scan.TypePredictionLog:
		return tfmessage.NewPrinter(tfmessage.PredictionLog, &p.opts)
	case t == scan.TypeEvent:
		return tfmessage.NewPrinter(tfmessage.Event, &p.opts)
	case t == scan.TypeTensor:
		return tfmessage.NewPrinter(tfmessage.TensorProto, &p.opts)
	}
	return recordjson.NewPrinter(t, &p.opts)
}
