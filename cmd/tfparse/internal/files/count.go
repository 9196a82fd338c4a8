package files

import (
	"fmt"

	"github.com/spf13/pflag"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/console"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/partial"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/jsonscan"
)

// Count returns the verb count, which counts records.
func Count() *cli.Command { return newCount().command() }

func newCount() *count {
	c := &count{}
	c.view, c.typ, c.part = c, example.TypeRaw, partial.Flag{Verb: "count", Alike: []string{"verify"}}
	return c
}

// CountMerge returns the verb count merge, which adds up the outputs of count --partial.
func CountMerge() *cli.Command {
	c := newCount()
	return c.part.MergeCommand(c.command())
}

func (c *count) command() *cli.Command {
	return &cli.Command{
		Name: "count",
		Flags: func(fs *pflag.FlagSet) {
			fs.BoolVar(&c.verify, "verify", false, "read payloads and verify their checksums")
			cli.FormatVar(fs, &c.format)
			c.part.Add(fs)
			c.reading.Add(fs)
			c.reading.AddCSV(fs, "tfrecord")
			c.reading.AddShard(fs)
		},
		Run: c.runCount,
	}
}

// count is a survey whose view prints the number of records. Without --verify it does not read payloads.
type count struct {
	survey
	verify bool // --verify: read payloads and check their checksums
	format cli.Format
	report countReport
}

// A countReport is the JSON output.
type countReport struct {
	Files   []countedFile `json:"files"`
	Records int64         `json:"records"`

	PassedOver []jsonscan.Name `json:"passed_over,omitempty"`
}

// A countedFile is the JSON output for a file.
type countedFile struct {
	File    jsonscan.Name `json:"file"`
	Records int64         `json:"records"`

	// Set for unknown messages only.
	Type      string `json:"type,omitempty"`
	LooksLike string `json:"looks_like,omitempty"`
}

func (c *count) runCount(e *cli.Env, args []string) (err error) {
	if c.verify && c.reading.NoCRC {
		return cli.Usagef("--verify and --no-crc exclude each other")
	}
	c.env, c.maxFaults = e, c.reading.Messages()
	var in []scan.Input
	var parts *partial.Parts
	if c.part.Merge {
		parts, err = c.openParts(args)
	} else if in, err = c.reading.Expand(e, args); err == nil {
		err = c.part.Check(e)
	}
	if err != nil {
		return err
	}
	c.out = e.Report()
	c.out.Answer = true
	files := len(in)
	if parts != nil {
		files = parts.Files
		if err = c.replay(parts); err == nil {
			err = c.reading.Report(e, &c.unlistedFaults)
		}
	} else {
		opts := &scan.Options{Glance: true}
		if !c.verify {
			opts.Choose = func(int, int64) scan.Choice { return scan.LeaveOut }
		}
		err = c.run(in, opts)
	}
	if err != nil || c.part.Name != "" {
		return c.out.Finish(err)
	}
	switch {
	case c.format == cli.FormatJSON:
		c.report.Files = append([]countedFile{}, c.report.Files...)
		c.report.PassedOver = cli.JSONNames(c.reading.PassedOver)
		c.out.JSON(c.report)
	case files > 1:
		c.addLine(c.report.Records, "total")
	}
	c.unknownFiles.warn(e, func(name, looks string) string {
		return fmt.Sprintf("%s: these records are unknown messages%s; %s", name, scan.InBrackets(looks), scan.Remedy(looks))
	})
	return c.out.Finish(nil)
}

// addLine adds a line to the text output.
func (c *count) addLine(n int64, name string) {
	c.out.Buf = fmt.Appendf(c.out.Buf, "%d\t%s\n", n, console.OneLine(name))
}

func (c *count) beginFile(*fileSummary) error { return nil }

func (c *count) addFault(_ *fileSummary, fault *scan.Fault) error {
	return c.reading.Fault(c.env, fault)
}

func (c *count) endFile(f *fileSummary) error {
	if !f.Opened {
		return nil
	}
	counted := countedFile{File: f.Name, Records: f.Count}
	if f.Type == unknownType {
		counted.Type, counted.LooksLike = f.Type, f.LooksLike
	}
	c.report.Records += f.Count
	if c.format == cli.FormatText {
		c.addLine(f.Count, string(f.Name))
	} else {
		c.report.Files = append(c.report.Files, counted)
	}
	return c.out.Flush()
}
