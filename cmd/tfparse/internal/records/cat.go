package records

import (
	"math"
	"slices"

	"github.com/spf13/pflag"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/parallel"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/reading"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/recordscan"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/example/recordjson"
	"github.com/tfparse/tfparse/tfrecord"
)

// Cat prints records as JSON lines.
func Cat() *cli.Command {
	c := &cat{}
	var shuffle bool
	var seed uint64
	var seeded func() bool
	return &cli.Command{
		Name:  "cat",
		Args:  "FILE[#RECORDS]...",
		Count: "limit",
		Short: "print records as JSON lines",
		Long: `
Print every record as one line of JSON: {"feature": [values...]}, names sorted.
A SequenceExample prints as {"context": {...}, "feature_lists": {...}}, an
ExampleListWithContext as {"context": {...}, "examples": [...]}, and with --type
raw any record as {"b64": "..."}.

The message type of each file is detected from its first 64 records, or 4 MiB of
them; a file of empty records has type example, as in TensorFlow. In a file of
Examples a record with field 2, which the other messages have, is an error;
fields that none of them has are ignored. A record of another message, which has
fields but none of its type, is an error, with --type too. If no record shows
its type, one error names the file, the number of its records (a lower bound, if
Examples follow later), and the likely message, such as a TensorBoard event
file; --type raw prints them. --type prediction_log prints requests to TensorFlow
Serving, as its logs and warm-up files have them, with tensors as {"dtype": ...,
"shape": [...], "values": [...]}.

Byte strings that are not UTF-8 print as {"b64": "..."}, names of features as
"b64:..."; --select takes names as they are printed, and a name with a comma as
b64:... too. --typed prints the kind of every feature and all bits of a NaN:
{"nan": "7fc00001"}. tfparse encode reads both forms.

With --spec a record prints as columns: nested lists for ragged features and
var_len, a scalar or nested list for fixed_len, the blocks of fixed_len_sequence,
{"indices": [[...]], "values": [...]} for sparse. A SequenceExample prints as
{"context": {...}, "sequence": {...}}, an ExampleListWithContext as
{"context": {...}, "examples": [{...}, ...]}. Only the features of the spec, or
of --select, are decoded. --batch N prints one object for N records, with the
tensors that TensorFlow parses: {"rows": N, "columns": {"name": {"ragged": ...}}}.
A SPEC is JSON, as tfparse schema prints it, or a schema.pbtxt of TensorFlow
Metadata.

On a terminal names, kinds and values have colours, unless --color never or the
variable NO_COLOR is set; CLICOLOR_FORCE=1 is --color always. --pretty prints a
line for each feature; tfparse encode does not read that form.

CSV, FILE.csv or --input-format csv, prints as the records that tfparse encode makes of
its rows. Its types are those that tfparse stats --help describes.

FILE#5 is record 5 of a file, counted from 0, and FILE#5:9 are records 5 to 8. --where
EXPR prints those for which an expression is true, which tfparse filter --help
describes; with --with-position each line begins with its file and number. tfparse
get reads records without those before them, and counts from the end too.

--shuffle prints the records of all files in one random order, which --seed decides;
-n 5 then prints 5 random ones. It takes no shuffle buffer: records are read by the
index FILE.tfindex, as tfparse index writes it, or one that is made first. So the
files must be regular files; in a compressed one each record may cost decoding up to
1 MiB before it. All files must hold the same message. tfparse shuffle writes files in
a random order, another one for the same seed, and takes pipes.

--format text prints the tensors of a batch as TensorFlow does, and shortens long
ones. --format dense prints JSON in which ragged and sparse features are padded
with 0 or "", or with --pad VALUE, which must fit the type of each of them. With
--format text, --pad makes the tensors dense before they are printed.`,
		Examples: []string{
			"tfparse cat --where 'minutes < 10' --select title testdata/recipes.tfrecord",
			"tfparse cat --shuffle --seed 7 -n 3 --select title testdata/recipes.tfrecord",
			"tfparse cat --spec testdata/recipes.spec.json --batch 4 --format text testdata/recipes.tfrecord",
		},
		Flags: func(fs *pflag.FlagSet) {
			fs.Int64VarP(&c.limit, "limit", "n", math.MaxInt64, "print at most `N` records of all files together")
			reading.WhereVar(fs, &c.where)
			fs.Lookup("limit").DefValue = "0" // no default is shown: there is no limit
			fs.Int64Var(&c.skip, "skip", 0, "skip the first `N` records of all files together")
			fs.BoolVar(&shuffle, "shuffle", false, "print the records of all files in a random order")
			fs.Uint64Var(&seed, "seed", 0, "with --shuffle, the order that the number `N` stands for")
			c.addSpec(fs)
			c.printing.add(fs)
			cli.OutputVar(fs, &c.output, "write to `FILE`; - is standard output")
			c.reading.Add(fs, "compression")
			c.reading.AddMissingFeatures(fs)
			c.reading.AddCSV(fs, "tfrecord")
			seeded = func() bool { return fs.Changed("seed") }
		},
		Negative: noFeature,
		Run: func(e *cli.Env, args []string) error {
			if shuffle {
				c.walk = func(e *cli.Env, in []recordscan.Input, v recordscan.Visitor) error { return c.shuffled(e, in, seed, v) }
			} else if seeded() {
				return cli.Usagef("--seed is the order of --shuffle")
			}
			return c.run(e, args)
		},
	}
}

// noFeature is what exit code 1 says of verbs that print records.
const noFeature = "no record that was read has a feature that a flag names"

// A printing holds the flags of every verb that prints records.
type printing struct {
	typ    recordType
	opts   recordjson.Options
	color  cli.When
	pretty bool
}

func (p *printing) add(fs *pflag.FlagSet) {
	p.typ.add(fs)
	fs.Var((*cli.NameList)(&p.opts.Select), "select", "print these `FEATURES` only, as a,b; may be repeated")
	fs.BoolVar(&p.opts.Typed, "typed", false, "print the kind of every feature")
	cli.EnumVar(fs, &p.opts.Bytes, "bytes", []string{"auto", "utf8", "base64", "hex", "len"}, "print byte strings as `FORM`: auto, utf8, base64, hex or len")
	cli.EnumVar(fs, &p.opts.Int64, "int64", []string{"number", "string"}, "print int64 as `FORM`: number or string")
	cli.EnumVar(fs, &p.opts.NaN, "nan", []string{"string", "null", "error"}, "print NaN and infinities as `FORM`: string, null or error")
	fs.BoolVar(&p.pretty, "pretty", false, "indent JSON, a line for each feature")
	cli.ColorVar(fs, &p.color)
	fs.BoolVar(&p.opts.Position, "with-position", false, `begin every line with "_file", "_record" and "_offset"`)
}

// A walker calls a Visitor for the records that a verb chooses.
type walker func(e *cli.Env, in []recordscan.Input, v recordscan.Visitor) error

// A cat is one run of tfparse cat, or of a verb that differs in what it chooses.
type cat struct {
	reading  reading.Flags
	printing printing
	limit    int64
	limited  func() bool // the limit was given; nil: it always counts
	skip     int64
	where    string
	spec     string
	batch    int
	batches  batchPrinting
	output   string
	walk     walker // nil: reads the inputs from front to end

	env     *cli.Env
	out     *cli.Output
	pool    *parallel.Pool
	printed *reading.Expression // selects the records that printers print; nil: all
	style   style

	typ      example.MessageType // of the records that printers print
	selected *reading.Sought     // the features of --select; nil: the spec or an expression looks for them
}

func (c *cat) run(e *cli.Env, args []string) error {
	if c.limit < 0 || c.skip < 0 {
		return cli.Usagef("--limit and --skip are not negative")
	}
	if err := c.printing.opts.Validate(); err != nil {
		return cli.Usage(err)
	}
	if c.printing.typ == typePredictionLog && (c.where != "" || c.spec != "" || c.printing.opts.Select != nil) {
		return cli.Usagef("--type prediction_log prints whole records: leave out --where, --spec and --select")
	}
	var where *reading.Where
	var sought *reading.Sought
	selected := reading.NewSought("--select")
	if c.spec == "" { // which has all names
		if err := selected.AddPrinted(c.printing.opts.Select); err != nil {
			return err
		}
	}
	selected.Early = e.Console.Print
	c.selected = selected
	if c.where != "" {
		x, err := reading.CompileWhere("--where", c.where)
		if err != nil {
			return err
		}
		where, sought = &reading.Where{Expression: x}, x.Sought
		x.Others, c.selected = selected, nil
	}
	in, err := c.reading.ExpandRecords(e, args)
	if err != nil {
		return err
	}
	if c.limited != nil && !c.limited() && !slices.ContainsFunc(in, func(i recordscan.Input) bool { return i.Records == nil }) {
		c.limit = math.MaxInt64
	}
	parser, err := c.parser()
	if err != nil {
		return err
	}
	c.env = e
	c.reading.Printing = !cli.IsFile(c.output)
	c.style = style{c.printing.color == cli.WhenAlways || !cli.IsFile(c.output) && e.Colored(c.printing.color), c.printing.pretty}
	if c.batches.form == formText { // which is no JSON
		c.style = style{}
	}
	if err := cli.CheckInputs(c.output, reading.Names(in)); err != nil {
		return err
	}
	what, endings := "JSON", cli.JSONEndings
	if c.batches.form == formText {
		what, endings = "text", cli.TextEndings
	}
	if err := cli.CheckName(c.output, what, endings, "tfparse convert copies records"); err != nil {
		return err
	}
	if c.out, err = e.Create(c.output, reading.Names(in)...); err != nil {
		return err
	}
	if c.limit == 0 {
		return c.out.Finish(nil)
	}
	c.pool = parallel.NewPool(c.out, func(f *recordscan.Fault) error {
		c.limit++ // it was counted when it was added
		return c.fault(f)
	})
	defer c.pool.Close()
	var v recordscan.Visitor
	if where != nil && parser == nil && c.limit == math.MaxInt64 && c.skip == 0 {
		// Nothing counts the records that match, so each goroutine that prints looks for
		// itself, which takes a third of the time.
		c.printed, where = where.Expression, nil
	}
	skip := &reading.Skip{Visitor: c, N: c.skip}
	picked := &reading.Pick{Visitor: skip}
	unread := skip // counts records that are skipped before they are read
	if where != nil {
		where.Visitor, picked.Visitor = skip, where
		unread = nil // which are to match first
	}
	decided := func() bool { return true }
	if parser != nil {
		if skip.Visitor, err = c.withSpec(parser); where != nil && err == nil {
			err = where.Use(parser.Message())
		}
		v = picked
	} else {
		of := recordscan.TypedVisitor(c)
		if where != nil {
			of = typedWhere{where, c}
		}
		guess := recordscan.Guess(c.printing.typ.message(), reading.TypedPick{Pick: picked, Of: of})
		v, decided = guess, guess.Decided
	}
	switch {
	case err != nil:
	case c.walk != nil:
		err = c.walk(e, in, v)
	default:
		err = c.reading.Walk(e, in, &recordscan.Options{Choose: picked.Choose(in, unread, decided)}, v)
	}
	if err == nil {
		err = c.pool.Drain()
	}
	prints := !cli.IsFile(c.output)
	missing := func() error {
		selected.LookAtColumns(in)
		sought.LookAtColumns(in)
		return c.reading.MissingFeatures(e, prints, append(sought.Texts(), selected.Texts()...))
	}
	if err == nil && !prints { // nothing is written then
		err = missing()
	}
	if err = c.out.Finish(err); err == nil && prints { // below what is printed
		err = missing()
	}
	return err
}

// A typedWhere passes the type of the records to both of its parts.
type typedWhere struct {
	*reading.Where
	c *cat
}

func (w typedWhere) Type(t example.MessageType) error {
	if err := w.Use(t); err != nil {
		return err
	}
	return w.c.Type(t)
}

func (c *cat) fault(f *recordscan.Fault) error { return c.reading.Fault(c.env, f) }

func (c *cat) Begin(*recordscan.File) error { return nil }

func (c *cat) Type(t example.MessageType) error {
	c.typ = t
	match := func([]byte) (bool, error) { return true, nil }
	if c.printed != nil {
		if err := reading.RefuseRaw(t); err != nil {
			return err
		}
		match = c.printed.MatchOf(t)
	}
	return c.use(func() parallel.Formatter {
		p := c.printing.printer(t)
		return parallel.Each(func(dst, rec []byte, pos tfrecord.Position) ([]byte, error) {
			if ok, err := match(rec); err != nil || !ok {
				return dst, err
			}
			n := len(dst)
			dst, err := p.Append(dst, rec, recordjson.Position{File: pos.Name, Record: pos.Record, Offset: pos.Offset})
			if err != nil {
				return dst[:n], err
			}
			return append(dst, '\n'), nil
		})
	})
}

// use sets how the records that follow are formatted. Looks cost nothing where there is none.
func (c *cat) use(formatters func() parallel.Formatter) error {
	if c.style.none() {
		return c.pool.Use(formatters)
	}
	return c.pool.Use(func() parallel.Formatter { return &styleFormatter{formatters(), c.style} })
}

func (c *cat) Record(rec []byte, pos tfrecord.Position) error {
	c.selected.Look(c.typ, rec)
	if err := c.pool.Add(rec, pos); err != nil {
		return err
	}
	if c.limit--; c.limit > 0 {
		return nil
	}
	if err := c.pool.Drain(); err != nil {
		return err
	}
	if c.limit > 0 { // not all had a text
		return nil
	}
	return recordscan.ErrStop
}

func (c *cat) Skipped(fault *recordscan.Fault) error {
	if err := c.pool.Drain(); err != nil {
		return err
	}
	return c.fault(fault)
}

func (c *cat) End(*recordscan.File) error { return nil }
