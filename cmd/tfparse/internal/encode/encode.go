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
	"github.com/tfparse/tfparse/internal/nearest"
)

// Command turns JSON lines into records.
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
			c.reading.Rules(fs, scan.Excludes("spec", "kind", "strict-kinds"))
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
			texts = append(texts, fmt.Sprintf("no line has a feature %q, which --kind names", name)+nearest.Question(name, c.kind.names()))
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
