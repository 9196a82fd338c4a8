package encode

import (
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/protomessage"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/example/recordjson"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/internal/jsonscan"
	"github.com/tfparse/tfparse/internal/nearest"
)

// Command returns the verb encode.
func Command() *cli.Command {
	c := &encode{}
	c.reading.AnyName = true
	return &cli.Command{
		Name: "encode",
		Flags: func(fs *pflag.FlagSet) {
			c.writing.Add(fs)
			scan.TypeVar(fs, &c.typ)
			fs.StringArrayVar(&c.kinds, "kind", nil, "kind of a feature, `NAME=KIND`: int64, float32 or string; repeatable")
			scan.SpecVar(fs, &c.spec, "read lines as rows of `SPEC`, a .json or .pbtxt file")
			fs.BoolVar(&c.strict, "strict-kinds", false, "fail if a feature has several kinds")
			cli.JobsVar(fs, &c.jobs, "use `N` goroutines")
			cli.AllowEmptyVar(fs, &c.allowEmpty)
			c.reading.AddCommon(fs)
			c.reading.AddMissingFeatures(fs)
			c.reading.AddCounts(fs)
			c.reading.AddCSV(fs, "json")
			c.reading.AddProto(fs, "type", "kind", "spec", "strict-kinds", "input-format")
			c.reading.Rules(fs, scan.Excludes("spec", "kind", "strict-kinds"))
		},
		Run: c.run,
	}
}

// An encode holds the flags and the state of one run of the verb.
type encode struct {
	reading scan.Flags          // the common flags only
	writing cli.Writing         // -o, --to and --level
	typ     example.MessageType // --type; TypeAuto: that of the first lines, or of the spec
	kinds   []string            // values of --kind
	spec    string              // --spec; "": none

	allowEmpty bool // --allow-empty: an output without records is not an error
	strict     bool // --strict-kinds: a second kind of a feature is an error, not a warning
	jobs       int  // --jobs: number of goroutines that encode, and that write shards

	env          *cli.Env            // set by run
	out          *cli.RecordOutput   // set by run
	src          *scan.Source        // lines, or rows of CSV as encoded Examples; set by run
	parser       *feature.Parser     // for --spec; nil: none
	described    *protomessage.Type  // for --proto; nil: none
	columns      bool                // the inputs are Parquet or Arrow
	enc          *recordjson.Encoder // encoded the first lines to find the type; nil with --spec and columns
	encoders     encoderList         // the forks of enc
	featureKinds kindTable           // kinds in the lines so far; empty with --spec
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
	if c.described, err = c.reading.ProtoType(e); err != nil {
		return err
	}
	if err := c.checkCSV(in); err != nil {
		return err
	}
	c.env = e
	if c.spec != "" {
		if c.parser, err = c.newParser(); err != nil {
			return err
		}
	}
	if c.out, err = e.CreateRecords(c.writing.Output, scan.Names(in), opts, c.jobs); err != nil {
		return err
	}
	// Standard input may be idle, and the output is there while it is read.
	formats, err := columnInputs(e, in)
	if err != nil {
		return c.out.Finish(err)
	}
	if c.columns = len(formats) > 0; c.columns && (c.spec != "" || len(kinds) > 0 || c.typ != example.TypeAuto || c.described != nil) {
		return c.out.Finish(cli.Usagef("%s has types: leave out --spec, --kind, --type and --proto", in[0].Name))
	}
	format := newLineReader(c.reading.MaxRecord(), c.parser != nil)
	if c.columns {
		format = newColumnReader(e, formats)
	}
	c.src, err = c.reading.Open(e, in, &scan.Options{Format: format})
	if err != nil {
		return c.out.Finish(err)
	}
	defer c.src.Close()
	workers := c.jobs
	if c.described != nil {
		c.typ = example.TypeRaw
	}
	if c.parser == nil && !c.columns {
		c.enc = recordjson.NewEncoder(c.typ, kinds)
		size, err := c.findType()
		if err != nil {
			return c.out.Finish(err)
		}
		if len(kinds) == 0 { // with kinds it knows which of them the first lines have
			c.enc = c.enc.Fork() // without the buffers of a first line of many megabytes
		}
		if size > firstBytes {
			runtime.GC() // these buffers are several times the line, which is encoded again: 100 MB took 1,060 MB, now 670 MB
		}
		if !c.enc.Decided() { // a later line decides the type of all lines after it, so encode in order
			workers = 1
		}
	}
	err = scan.Map(c.src, workers, c.newWorker, c.writeBatch)
	if err == nil && c.enc != nil && c.out.Records > 0 {
		err = c.reading.MissingFeatures(e, false, c.unusedKinds(in))
	}
	if err == nil && c.out.Records == 0 && !c.allowEmpty {
		// Usually the program before the pipe has failed, and an empty file must not replace a good one.
		reason := "the input has no records"
		if e.Skipped.Any() {
			reason = "no line of the input became a record"
		}
		err = c.out.RefuseEmpty(reason)
	}
	if err := c.out.Finish(err); err != nil || c.enc == nil {
		return err
	}
	c.featureKinds.printUnlisted(e.Console.Print)
	return nil
}

// firstBytes limits the lines that are read to find the type, in bytes.
const firstBytes = 4 << 20

// findType encodes the first lines until the encoder knows the message type. It returns the size of the last record.
func (c *encode) findType() (size int, err error) {
	var b []byte
	lines := &lineEncoder{enc: c.enc, messages: messageReader{typ: c.typ}}
	err = c.src.First(firstBytes, func(rec scan.Record) bool {
		if rec.Type == example.TypeRaw { // a line; rows of CSV are Examples
			b, _ = lines.appendRecord(b[:0], rec.Bytes)
		}
		return !c.enc.Decided()
	})
	return len(b), err
}

// unusedKinds returns a message for each name of --kind that no line has.
func (c *encode) unusedKinds(in []scan.Input) (texts []string) {
	for _, name := range c.enc.Unused(c.encoders.all...) {
		if !isColumn(name, in) {
			texts = append(texts, fmt.Sprintf("no line has a feature %q, which --kind names", name)+nearest.Question(name, c.featureKinds.featureNames()))
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

// checkCSV rejects flags that cannot be used with CSV input.
func (c *encode) checkCSV(in []scan.Input) error {
	i := slices.IndexFunc(in, func(i scan.Input) bool { return i.Table != nil })
	switch {
	case i < 0:
		return nil
	case c.described != nil:
		return cli.Usagef("--proto is for JSON lines, but %s is CSV", in[i].Name)
	case c.spec != "":
		return cli.Usagef("--spec is for JSON lines, but %s is CSV", in[i].Name)
	case c.typ != example.TypeAuto && c.typ != example.TypeExample:
		return cli.Usagef("--type %v: want %v for the CSV file %s", c.typ, example.TypeExample, in[i].Name)
	}
	return nil
}

// isColumn reports whether a CSV input has a column with that name.
func isColumn(name string, in []scan.Input) bool {
	return slices.ContainsFunc(in, func(i scan.Input) bool { return i.Table != nil && slices.Contains(i.Table.Columns(), name) })
}

// newParser returns the parser of --spec.
func (c *encode) newParser() (*feature.Parser, error) {
	parser, err := scan.NewParser(c.spec, nil, &feature.ParserOptions{})
	if err != nil {
		return nil, err
	}
	return parser, scan.CheckType(c.typ, parser)
}
