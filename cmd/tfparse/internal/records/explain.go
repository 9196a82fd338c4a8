package records

import (
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/explain"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/reading"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/recordscan"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/internal/storage"
	"github.com/tfparse/tfparse/tfrecord"
)

// Explain says how one record fits a spec.
func Explain() *cli.Command {
	c := &explainRecord{}
	return &cli.Command{
		Name:  "explain",
		Args:  "FILE#RECORD --spec SPEC",
		Short: "explain how one record fits a spec",
		Long: `
Explain how a record fits a spec. For each feature, print the values under every
key that it reads, the rows of its partitions, and the resulting value, or the
rule that the record breaks and what would satisfy it. Records are counted from 0;
without #RECORD the first one is explained. Record 17 of standard input is -#17,
after a --. A record that does not fit is exit code 1.`,
		Examples: []string{
			"tfparse explain testdata/recipes.tfrecord#2 --spec testdata/recipes.spec.json",
			"tfparse explain testdata/ranking.tfrecord --spec testdata/ranking.spec.json --format json",
		},
		Flags: func(fs *pflag.FlagSet) {
			reading.SpecVar(fs, &c.spec, "explain with `SPEC`: a .json or .pbtxt file")
			cli.FormatVar(fs, &c.format)
			c.reading.Add(fs, "compression")
		},
		Negative: "the record does not fit the spec",
		Run:      c.run,
	}
}

type explainRecord struct {
	reading reading.Flags
	spec    string
	format  cli.Format

	env    *cli.Env
	parser *feature.Parser
	out    *cli.Output
	found  bool
}

func (c *explainRecord) run(e *cli.Env, args []string) error {
	if len(args) > 1 {
		return cli.Usagef("want one FILE#RECORD")
	}
	if c.spec == "" {
		return cli.Usagef("want a --spec to explain by")
	}
	in, err := c.reading.ExpandRecords(e, args)
	if err != nil {
		return err
	}
	if len(in) != 1 {
		return cli.Usagef("%s is more than one file", args[0])
	}
	if in[0].Records == nil {
		if _, err := storage.Stat(in[0].Name); err != nil && strings.Contains(in[0].Name, "#") {
			return cli.Usagef("%s: want a file, and the number of a record behind the #", in[0].Name)
		}
		in[0].Records = &recordscan.Range{End: 1}
	}
	if r := in[0].Records; r.End-r.First != 1 {
		return cli.Usagef("%s: want one record", args[0])
	}
	if c.parser, err = reading.NewParser(c.spec, nil, nil); err != nil {
		return err
	}
	c.env = e
	if c.out, err = e.Create(""); err != nil {
		return err
	}
	picked := &reading.Pick{Visitor: c}
	err = c.reading.Walk(e, in, &recordscan.Options{Choose: picked.Choose(in, nil, func() bool { return true })}, picked)
	if err == nil && !c.found {
		err = fmt.Errorf("%s: there is no record %d", in[0].Name, in[0].Records.First)
	}
	return c.out.Finish(err)
}

func (c *explainRecord) Begin(*recordscan.File) error { return nil }

func (c *explainRecord) Record(rec []byte, pos tfrecord.Position) error {
	c.found = true
	if err := recordscan.ForeignToSpec(c.parser.Message(), rec); err != nil {
		return recordscan.Misfit(pos, err)
	}
	report, err := explain.Record(c.parser.Spec(), rec)
	if err != nil {
		return err
	}
	if report.Fault != nil {
		c.env.Raise(cli.ExitNegative)
	}
	if c.format == cli.FormatJSON {
		c.out.JSON(report.JSON(reading.Place(pos)))
		return recordscan.ErrStop
	}
	report.Text(c.out, fmt.Sprintf("%s: record %d (offset %#x)", pos.Name, pos.Record, pos.Offset))
	return recordscan.ErrStop
}

func (c *explainRecord) Skipped(fault *recordscan.Fault) error { return c.reading.Fault(c.env, fault) }

func (c *explainRecord) End(*recordscan.File) error { return nil }
