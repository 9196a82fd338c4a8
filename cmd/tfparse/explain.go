package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/explain"
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
it is the first one. Of standard input record 17 is -#17, behind a --. A record that
does not fit is exit code 1.`,
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
	wanted int64
	next   int64 // number of the next record
	parser *feature.Parser
	out    *output
	found  bool
}

func (c *explainRecord) run(e *env, args []string) error {
	if len(args) != 1 {
		return usagef("want one FILE#RECORD")
	}
	if c.spec == "" {
		return usagef("want a --spec to explain by")
	}
	file, err := c.record(args[0])
	if err != nil {
		return err
	}
	in, err := expand([]string{file})
	if err != nil {
		return err
	}
	if len(in) != 1 {
		return usagef("%s is more than one file", file)
	}
	if c.parser, err = newParser(c.spec, nil, nil); err != nil {
		return err
	}
	c.env = e
	if c.out, err = e.create("", nil); err != nil {
		return err
	}
	err = c.reading.walk(e, in, &walk.Options{Unwanted: func() bool { return c.next < c.wanted }}, c)
	if err == nil && !c.found {
		err = fmt.Errorf("%s: there is no record %d: it ends after %d", in[0].Name, c.wanted, c.next)
	}
	return c.out.finish(err)
}

// record takes the number of the record from an argument.
func (c *explainRecord) record(arg string) (file string, err error) {
	file, number := arg, ""
	if i := strings.LastIndexByte(arg, '#'); i >= 0 {
		file, number = arg[:i], arg[i+1:]
		if c.wanted, err = strconv.ParseInt(number, 10, 64); err != nil || c.wanted < 0 {
			return "", usagef("%s: want the number of a record behind the #", arg)
		}
	}
	if file == "" {
		return "", usagef("%s: want a file before the #", arg)
	}
	return file, nil
}

func (c *explainRecord) Begin(*walk.File) error { return nil }

func (c *explainRecord) Record(rec []byte, pos tfrecord.Position) error {
	c.next = pos.Record + 1
	if pos.Record != c.wanted {
		return nil
	}
	c.found = true
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
