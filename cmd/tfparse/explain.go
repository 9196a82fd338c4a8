package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/pflag"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/explain"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/inputs"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/walk"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/tfrecord"
)

func explainCommand() *command {
	c := &explainRecord{}
	return &command{
		name:  "explain",
		args:  "FILE#RECORD --spec SPEC",
		short: "say how one record fits a spec",
		long: `
Say how a record fits a spec, feature by feature: what it has under every key
that the feature reads, how the partitions cut it, and what comes out; or which
rule is broken and what would satisfy it. Records count from 0; without #RECORD
it is the first one. Of standard input record 17 is -#17, behind a --. A record
that does not fit is exit code 1.`,
		examples: []string{
			"tfparse explain testdata/recipes.tfrecord#2 --spec testdata/recipes.spec.json",
			"tfparse explain testdata/ranking.tfrecord --spec testdata/ranking.spec.json --format json",
		},
		flags: func(fs *pflag.FlagSet) {
			specVar(fs, &c.spec, "explain by `SPEC`: a .json or .pbtxt file")
			formatVar(fs, &c.format)
			c.reading.add(fs, "compression")
		},
		run: c.run,
	}
}

type explainRecord struct {
	reading reading
	spec    string
	format  format

	env    *env
	parser *feature.Parser
	out    *output
	found  bool
}

func (c *explainRecord) run(e *env, args []string) error {
	if len(args) > 1 {
		return usagef("want one FILE#RECORD")
	}
	if c.spec == "" {
		return usagef("want a --spec to explain by")
	}
	in, err := c.reading.expandRecords(e, args)
	if err != nil {
		return err
	}
	if len(in) != 1 {
		return usagef("%s is more than one file", args[0])
	}
	if in[0].Records == nil {
		if _, err := os.Stat(in[0].Name); err != nil && strings.Contains(in[0].Name, "#") {
			return usagef("%s: want a file, and the number of a record behind the #", in[0].Name)
		}
		in[0].Records = &inputs.Range{End: 1}
	}
	if r := in[0].Records; r.End-r.First != 1 {
		return usagef("%s: want one record", args[0])
	}
	if c.parser, err = newParser(c.spec, nil, nil); err != nil {
		return err
	}
	c.env = e
	if c.out, err = e.create("", nil); err != nil {
		return err
	}
	picked := &pick{Visitor: c}
	err = c.reading.walk(e, in, &walk.Options{Unwanted: picked.unwanted}, picked)
	if err == nil && !c.found {
		err = fmt.Errorf("%s: there is no record %d", in[0].Name, in[0].Records.First)
	}
	return c.out.finish(err)
}

func (c *explainRecord) Begin(*walk.File) error { return nil }

func (c *explainRecord) Record(rec []byte, pos tfrecord.Position) error {
	c.found = true
	if err := walk.ForeignToSpec(c.parser.Message(), rec); err != nil {
		return walk.Misfit(pos, err)
	}
	report, err := explain.Record(c.parser.Spec(), rec)
	if err != nil {
		return err
	}
	if report.Fault != nil {
		c.env.raise(exitNegative)
	}
	if c.format == formatJSON {
		c.out.json(report.JSON(place(pos)))
		return walk.ErrStop
	}
	report.Text(c.out, fmt.Sprintf("%s: record %d (offset %#x)", pos.Name, pos.Record, pos.Offset))
	return walk.ErrStop
}

func (c *explainRecord) Lost(fault *walk.Fault) error { return c.env.fault(fault, &c.reading) }

func (c *explainRecord) End(*walk.File) error { return nil }
