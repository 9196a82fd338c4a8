package encode

import (
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/example/recordjson"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/internal/jsonscan"
)

// Command turns JSON lines into records.
func Command() *cli.Command {
	c := &encode{}
	c.reading.AnyName = true
	return &cli.Command{
		Name:  "encode",
		Args:  "[FILE...] -o OUT",
		Short: "turn JSON lines or CSV into records",
		Long: `
Read JSON lines, from standard input if no file is named, and write one record
for each. The message type is detected from the lines unless --type is given.
Lines of tfparse cat --typed, and of cat --spec with the same --spec, give back
the same features: encode is the exact inverse of these two.

The lines of cat without --typed lose some information. In that form a list of
whole numbers is int64; a list in which any number has a point or an exponent, or
which has numbers and "NaN" or "Infinity", is float32; strings, {"b64": "..."} and
{"hex": "..."} are bytes; an empty list is a feature without kind, as null is.
--kind sets the kind of a feature whose values are ambiguous: jq, for one, prints
400.0 as 400. TensorFlow does not parse a feature that has different kinds in
different records: that is a warning, once for each feature, and with
--strict-kinds an error. Numbers are rounded to the nearest float32; one that is
too large for it, or so small that it would be 0, is an error. The members
"_file", "_record" and "_offset" and blank lines are ignored.

A line with "context" and "feature_lists" is a SequenceExample, one with "examples"
an ExampleListWithContext. A line with "context" alone is an Example with a feature
of that name, as in {"context": {"int64": [1]}}; with --type sequence or --type
elwc it is the context of a message of that type.

With --spec the lines are those of tfparse cat --spec, one for each record: every
feature is written as the spec parses it, so that the records give the same
columns. A feature that a line leaves out gets its default, or no values; it is an
error if the spec requires it.

CSV, which is FILE.csv, FILE.csv.gz, and with --input-format csv every input, has a record
for each row, with a feature for each column, which has no kind where the cell is empty.
The types of columns are those that tfparse stats --help describes, and --kind sets that
of a column: a cell that is no such value is an error, but 23.0 is an int64.`,
		Examples: []string{
			"tfparse cat testdata/recipes.tfrecord | tfparse encode -o copy.tfrecord --compression gzip",
			`echo '{"context": {"shown": 0}}' | tfparse encode --spec testdata/ranking.spec.json -o one.tfrecord`,
			`printf 'id,zip\n1,00501\n' | tfparse encode --input-format csv --kind id=float32 -o - | tfparse cat -`,
		},
		Flags: func(fs *pflag.FlagSet) {
			c.writing.Add(fs)
			scan.TypeVar(fs, &c.typ, "write records of")
			fs.StringArrayVar(&c.kinds, "kind", nil, "set the kind of a feature, `NAME=KIND`: int64, float32 or string; may be repeated")
			scan.SpecVar(fs, &c.spec, "read lines as rows of `SPEC`: a .json or .pbtxt file")
			fs.BoolVar(&c.strict, "strict-kinds", false, "fail if a feature has several kinds, also with --on-error skip")
			cli.JobsVar(fs, &c.jobs, "use `N` goroutines")
			cli.AllowEmptyVar(fs, &c.allowEmpty)
			c.reading.AddMaxRecord(fs, "refuse lines, rows and records of more than `SIZE` bytes, as 64MiB")
			c.reading.AddCommon(fs)
			c.reading.AddMissingFeatures(fs)
			c.reading.AddCSV(fs, "json")
		},
		Run: c.run,
	}
}

type encode struct {
	reading scan.Flags // the common flags only
	writing cli.Writing
	typ     example.MessageType
	kinds   []string

	spec string

	allowEmpty bool
	strict     bool
	jobs       int

	env    *cli.Env
	out    *cli.RecordOutput
	src    *scan.Source
	parser *feature.Parser     // of the rows that lines are; nil without a spec
	enc    *recordjson.Encoder // that has seen the first lines; nil with a spec
	forks  forks
	kind   kindTable
}

func (c *encode) run(e *cli.Env, args []string) error {
	opts, err := c.writing.Options()
	if err != nil {
		return err
	}
	kinds, err := parseKinds(c.kinds)
	if err != nil {
		return err
	}
	if len(args) == 0 {
		if err := scan.NoTerminal(e, "JSON lines"); err != nil {
			return err
		}
		args = []string{scan.Stdin}
	}
	c.reading.SetKinds(kinds)
	in, err := c.reading.Expand(e, args)
	if err != nil {
		return err
	}
	if err := c.checkCSV(in); err != nil {
		return err
	}
	c.env = e
	if err := cli.CheckJobs(c.jobs); err != nil {
		return err
	}
	if c.spec != "" {
		if c.parser, err = c.newParser(); err != nil {
			return err
		}
	}
	if c.out, err = e.CreateRecords(c.writing.Output, scan.Names(in), opts, c.jobs); err != nil {
		return err
	}
	c.src, err = c.reading.Open(e, in, &scan.Options{Format: newLineReader(c.reading.MaxRecord())})
	if err != nil {
		return c.out.Finish(err)
	}
	defer c.src.Close()
	workers := c.jobs
	if c.parser == nil {
		c.enc = recordjson.NewEncoder(c.typ, kinds)
		if err := c.findType(); err != nil {
			return c.out.Finish(err)
		}
		if !c.enc.Decided() { // by a line further on, which all lines after it depend on
			workers = 1
		}
	}
	err = scan.Map(c.src, workers, c.worker, c.emit)
	if err == nil && c.enc != nil && c.out.Records > 0 {
		err = c.reading.MissingFeatures(e, false, c.missing(in))
	}
	if err == nil && c.out.Records == 0 && !c.allowEmpty {
		// An input that failed without a word is the usual reason, and an empty file
		// would take the place of a good one.
		reason := "the input has no records"
		if e.Skipped.Any() {
			reason = "no line of the input became a record"
		}
		err = c.out.RefuseEmpty(reason)
	}
	if err := c.out.Finish(err); err != nil || c.enc == nil {
		return err
	}
	c.kind.printHidden(e.Console.Print)
	return nil
}

// firstBytes is how many bytes of lines are looked at for one that shows the type.
const firstBytes = 4 << 20

// findType has the encoder find the type of the lines.
func (c *encode) findType() error {
	var b []byte
	return c.src.First(firstBytes, func(rec scan.Record) bool {
		if rec.Type == example.TypeRaw { // else it is a row of CSV
			b, _ = c.enc.Append(b[:0], rec.Bytes)
		}
		return !c.enc.Decided()
	})
}

// missing is a sentence for each name of --kind that no line has.
func (c *encode) missing(in []scan.Input) (texts []string) {
	for _, name := range c.enc.Unused(c.forks.all...) {
		if !isColumn(name, in) {
			texts = append(texts, fmt.Sprintf("no line has a feature %q, which --kind names", name)+cli.Suggest(name, c.kind.names()))
		}
	}
	return texts
}

// parseKinds reads the values of --kind.
func parseKinds(flags []string) (map[string]example.Kind, error) {
	kinds := map[string]example.Kind{}
	for _, s := range flags {
		i := strings.LastIndexByte(s, '=')
		if i < 0 {
			return nil, cli.Usagef("--kind %s: want NAME=KIND", s)
		}
		kind, ok := recordjson.ParseKind(s[i+1:])
		if !ok {
			return nil, cli.Usagef("--kind %s: want one of int64, float32, string", s)
		}
		name, err := jsonscan.ParseName(s[:i])
		if err != nil {
			return nil, cli.Usagef("--kind: %v", err)
		}
		kinds[name] = kind
	}
	return kinds, nil
}
