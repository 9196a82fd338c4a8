package records

import (
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/explain"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/internal/jsonscan"
	"github.com/tfparse/tfparse/internal/storage"
)

// Explain returns the verb explain, which explains how one record fits a spec.
func Explain() *cli.Command {
	c := &explainRecord{}
	return &cli.Command{
		Name: "explain",
		Flags: func(fs *pflag.FlagSet) {
			scan.SpecVar(fs, &c.spec, "explain with `SPEC`: a .json or .pbtxt file, or auto")
			cli.FormatVar(fs, &c.format)
			c.reading.Add(fs)
			c.reading.AddProto(fs, "spec", "format")
		},
		Run: c.run,
	}
}

// An explainRecord holds the flags of the verb.
type explainRecord struct {
	reading scan.Flags
	spec    string
	format  cli.Format
}

func (c *explainRecord) run(e *cli.Env, args []string) error {
	if len(args) > 1 {
		return cli.Usagef("want one FILE#RECORD")
	}
	described, err := c.reading.ProtoType(e)
	if err != nil {
		return err
	}
	if c.spec == "" && described == nil {
		return cli.Usagef("want a --spec or --proto to explain by")
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
			return cli.Usagef("%s: want FILE#RECORD, with the number of a record", in[0].Name)
		}
		in[0].Records = &scan.Range{End: 1}
	}
	if r := in[0].Records; r.End-r.First != 1 {
		return cli.Usagef("%s: want one record", args[0])
	}
	opts := &scan.Options{Type: example.TypeRaw}
	var parser *feature.Parser
	if described == nil {
		if c.spec, err = scan.AutoSpec(e, c.spec, args); err != nil {
			return err
		}
		if parser, err = scan.NewParser(c.spec, nil, nil); err != nil {
			return err
		}
		opts.Type, opts.Spec = parser.Message(), true
	}
	out := e.Report()
	src, err := c.reading.Open(e, in, opts)
	if err != nil {
		return out.Finish(err)
	}
	for rec, err := range src.Records() {
		if err == nil && described != nil {
			fmt.Fprintf(out, "%s: %d bytes of %s\n", scan.PlaceOf(rec.Position), len(rec.Bytes), described.Name())
			if err = described.Explain(out, rec.Bytes); err != nil {
				fmt.Fprintf(out, "%s: %v\n", scan.PlaceOf(rec.Position), err)
				e.Raise(cli.ExitNegative)
			}
			return out.Finish(nil)
		}
		var report *explain.Report
		if err == nil {
			if report, err = explain.Record(parser.Spec(), rec.Bytes); err != nil {
				err = fmt.Errorf("%s: %w", scan.PlaceOf(rec.Position), err)
			}
		}
		if err != nil {
			return out.Finish(err)
		}
		if report.Fault != nil {
			e.Raise(cli.ExitNegative)
		}
		if c.format == cli.FormatJSON {
			report.File, report.Record, report.Offset = jsonscan.Name(rec.Name), rec.Record, rec.Offset
			report.Address = jsonscan.Name(scan.Address(rec.Name, rec.Record))
			out.JSON(report)
		} else {
			report.Text(out, scan.PlaceOf(rec.Position))
		}
		return out.Finish(nil)
	}
	return out.Finish(fmt.Errorf("%s: no record %d", in[0].Name, in[0].Records.First))
}
