package main

import (
	"fmt"

	"github.com/spf13/pflag"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/console"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/recordjson"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/walk"
	"github.com/tfparse/tfparse/tfrecord"
)

func countCommand() *command {
	c := &count{}
	return &command{
		name:  "count",
		args:  "FILE...",
		short: "count records",
		long: `
Count the records of each file, and of all together if there are several.
Payloads are passed over: their checksums are verified only with --verify, or
where --on-error skip has to find what is intact.`,
		examples: []string{
			"tfparse count testdata/recipes.tfrecord",
			"tfparse count --verify --format json 'testdata/*.tfrecord'",
		},
		flags: func(fs *pflag.FlagSet) {
			fs.BoolVar(&c.verify, "verify", false, "read payloads and verify their checksums")
			formatVar(fs, &c.format)
			c.reading.add(fs, "compression")
		},
		run: c.run,
	}
}

type count struct {
	reading reading
	verify  bool
	format  format

	env    *env
	out    *output
	report countReport
	n      int64 // in the current file
}

type countReport struct {
	Files   []countedFile `json:"files"`
	Records int64         `json:"records"`

	PassedOver []recordjson.Name `json:"passed_over,omitempty"`
}

type countedFile struct {
	File    recordjson.Name `json:"file"`
	Records int64           `json:"records"`
}

func (c *count) run(e *env, args []string) error {
	if c.verify && c.reading.noCRC {
		return usagef("--verify and --no-crc exclude each other")
	}
	in, err := c.reading.expand(e, args)
	if err != nil {
		return err
	}
	c.env = e
	if c.out, err = e.create("", nil); err != nil {
		return err
	}
	c.out.answer = true
	c.report.Files = []countedFile{}
	c.report.PassedOver = jsonNames(c.reading.passedOver)
	opts := &walk.Options{}
	if !c.verify {
		opts.Unwanted = func() bool { return true }
	}
	if err := c.reading.walk(e, in, opts, c); err != nil {
		return c.out.finish(err)
	}
	switch {
	case c.format == formatJSON:
		c.out.json(c.report)
	case len(in) > 1:
		c.line(c.report.Records, "total")
	}
	return c.out.finish(nil)
}

// line adds one line to the text form.
func (c *count) line(n int64, name string) {
	c.out.buf = fmt.Appendf(c.out.buf, "%d\t%s\n", n, console.OneLine(name))
}

func (c *count) Begin(*walk.File) error { c.n = 0; return nil }

func (c *count) Record([]byte, tfrecord.Position) error { c.n++; return nil }

func (c *count) Lost(fault *walk.Fault) error { return c.env.fault(fault, &c.reading) }

func (c *count) End(f *walk.File) error {
	if !f.Opened {
		return nil
	}
	c.report.Files = append(c.report.Files, countedFile{recordjson.Name(f.Name), c.n})
	c.report.Records += c.n
	if c.format == formatText {
		c.line(c.n, f.Name)
	}
	return c.out.flush()
}
