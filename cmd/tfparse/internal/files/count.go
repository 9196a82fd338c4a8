package files

import (
	"fmt"
	"io"

	"github.com/spf13/pflag"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/console"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/partial"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/internal/jsonscan"
	"github.com/tfparse/tfparse/tfrecord"
)

// Count counts records.
func Count() *cli.Command { return newCount().command() }

func newCount() *count {
	return &count{partial: partial.Flag{Verb: "count", Alike: []string{"verify"}}}
}

// CountMerge puts together what count --partial has written.
func CountMerge() *cli.Command {
	c := newCount()
	return c.partial.MergeCommand(c.command())
}

func (c *count) command() *cli.Command {
	return &cli.Command{
		Name: "count",
		Flags: func(fs *pflag.FlagSet) {
			fs.BoolVar(&c.verify, "verify", false, "read payloads and verify their checksums")
			cli.FormatVar(fs, &c.format)
			c.partial.Add(fs)
			c.reading.Add(fs)
			c.reading.AddCSV(fs, "tfrecord")
			c.reading.AddShard(fs)
		},
		Run: c.run,
	}
}

type count struct {
	reading scan.Flags
	partial partial.Flag
	verify  bool
	format  cli.Format

	env    *cli.Env
	out    *cli.Output
	report countReport
	to     *partial.Writer // nil without --partial
	result *partial.Result // of the file; nil without --partial

	unknown unknownFiles
}

type countReport struct {
	Files   []countedFile `json:"files"`
	Records int64         `json:"records"`

	PassedOver []jsonscan.Name `json:"passed_over,omitempty"`
}

type countedFile struct {
	File    jsonscan.Name `json:"file"`
	Records int64         `json:"records"`

	// Of unknown messages only.
	Type      string `json:"type,omitempty"`
	LooksLike string `json:"looks_like,omitempty"`
}

func (c *count) run(e *cli.Env, args []string) error {
	if c.verify && c.reading.NoCRC {
		return cli.Usagef("--verify and --no-crc exclude each other")
	}
	in, err := c.reading.Expand(e, args)
	if err != nil {
		return err
	}
	c.env = e
	var parts *partial.Parts
	if c.partial.Merge {
		parts, err = partial.Open(e, &c.reading, in, c.partial.Settings(nil), c.partial.Verb)
	} else {
		err = c.partial.Check(e)
	}
	if err != nil {
		return err
	}
	if c.out, err = e.Create(""); err != nil {
		return err
	}
	c.out.Answer = true
	if c.partial.Name != "" {
		return c.writePart(in)
	}
	c.report.Files = []countedFile{}
	c.report.PassedOver = cli.JSONNames(c.reading.PassedOver)
	files := len(in)
	if parts != nil {
		files, err = parts.Files, parts.Each(c.use)
	} else {
		err = c.read(in)
	}
	if err != nil {
		return c.out.Finish(err)
	}
	switch {
	case c.format == cli.FormatJSON:
		c.out.JSON(c.report)
	case files > 1:
		c.line(c.report.Records, "total")
	}
	c.unknown.warn(e.Console, "%s: these records are unknown messages%s; "+scan.Remedy(c.unknown.looks))
	return c.out.Finish(nil)
}

// read counts the records of the inputs.
func (c *count) read(in []scan.Input) error {
	opts := &scan.OldOptions{Glance: true}
	if !c.verify {
		opts.Choose = func(int, int64) scan.Choice { return scan.LeaveOut }
	}
	return c.reading.Walk(c.env, in, opts, c)
}

// use takes the result of files that were read elsewhere.
func (c *count) use(r *partial.Result) error {
	if c.to != nil {
		if err := c.to.Write(r); err != nil {
			return err
		}
		return c.reading.Report(c.env, &r.Faults)
	}
	for _, n := range r.Counts {
		f := &scan.OldFile{Name: n.File, Opened: n.Opened, Count: n.Records, Glance: scan.Glance{Unknown: n.Unknown, Looks: n.LooksLike}}
		if err := c.End(f); err != nil {
			return err
		}
	}
	return c.reading.Report(c.env, &r.Faults)
}

// writePart counts the records of the inputs for tfparse count merge.
func (c *count) writePart(in []scan.Input) (err error) {
	c.env.Deferred = true
	c.out = &cli.Output{W: io.Discard}
	c.to, err = partial.Create(c.env, c.partial.Name, scan.Names(in), func() (*partial.Header, error) {
		return partial.NewHeader(c.partial.Verb, &c.reading, c.partial.Settings(nil), nil)
	})
	if err != nil {
		return err
	}
	return c.to.Finish(c.read(in))
}

// line adds one line to the text form.
func (c *count) line(n int64, name string) {
	c.out.Buf = fmt.Appendf(c.out.Buf, "%d\t%s\n", n, console.OneLine(name))
}

func (c *count) Begin(*scan.OldFile) error {
	if c.to != nil {
		c.result = partial.New(c.reading.Messages())
	}
	return nil
}

func (c *count) Record([]byte, tfrecord.Position) error { return nil }

func (c *count) Skipped(fault *scan.Fault) error {
	if kept := *fault; c.result != nil { // Fault adds to the other
		c.result.Faults.Add(&kept)
	}
	return c.reading.Fault(c.env, fault)
}

func (c *count) End(f *scan.OldFile) error {
	if c.to != nil {
		c.result.Records = f.Count
		c.result.Counts = []partial.Count{{File: f.Name, Opened: f.Opened, Records: f.Count, Unknown: f.Glance.Unknown, LooksLike: f.Glance.Looks}}
		return c.to.Write(c.result)
	}
	if !f.Opened {
		return nil
	}
	counted := countedFile{File: jsonscan.Name(f.Name), Records: f.Count}
	if f.Glance.Unknown {
		counted.Type, counted.LooksLike = unknownType, f.Glance.Looks
		c.unknown.add(f.Name, f.Glance.Looks)
	}
	c.report.Files = append(c.report.Files, counted)
	c.report.Records += f.Count
	if c.format == cli.FormatText {
		c.line(f.Count, f.Name)
	}
	return c.out.Flush()
}
