package files

import (
	"bufio"
	"fmt"

	"github.com/spf13/pflag"

	"github.com/tfparse/tfparse/cmd/tfparse/engine"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/console"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/onengine"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/reading"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/recordscan"
	"github.com/tfparse/tfparse/dataset"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/example/recordjson"
	"github.com/tfparse/tfparse/internal/storage"
	"github.com/tfparse/tfparse/tfrecord"
)

// Count counts records.
func Count() *cli.Command { return (&count{}).command() }

// CountOn is Count whose files are read by an engine.
func CountOn(on engine.Engine) *cli.Command {
	return onengine.Command((&count{engine: on}).command(), "")
}

func (c *count) command() *cli.Command {
	return &cli.Command{
		Name:  "count",
		Args:  "FILE...",
		Short: "count records",
		Long: `
Count the records of each file, and of all files together. Payloads are skipped:
their checksums are verified only with --verify, or with --on-error skip, which
has to find the intact records. A warning is printed if the records in the first
64 KiB of a file are other messages than Examples, such as a TensorBoard event
file. Of CSV, FILE.csv or --input-format csv, the rows are counted that tfparse encode
makes records of.`,
		Examples: []string{
			"tfparse count testdata/recipes.tfrecord",
			"tfparse count --verify --format json 'testdata/*.tfrecord'",
		},
		Flags: func(fs *pflag.FlagSet) {
			fs.BoolVar(&c.verify, "verify", false, "read payloads and verify their checksums")
			cli.FormatVar(fs, &c.format)
			c.reading.Add(fs, "compression")
			c.reading.AddCSV(fs, "tfrecord")
			c.reading.AddShard(fs)
		},
		Run: c.run,
	}
}

type count struct {
	reading reading.Flags
	verify  bool
	format  cli.Format
	engine  engine.Engine // reads the files; nil: this process

	env    *cli.Env
	out    *cli.Output
	report countReport
	file   countedFile
	buf    []byte

	unknown unknownFiles
	stdin   *bufio.Reader // nil unless standard input is read
}

type countReport struct {
	Files   []countedFile `json:"files"`
	Records int64         `json:"records"`

	PassedOver []recordjson.Name `json:"passed_over,omitempty"`
}

type countedFile struct {
	File    recordjson.Name `json:"file"`
	Records int64           `json:"records"`

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
	if c.out, err = e.Create(""); err != nil {
		return err
	}
	c.out.Answer = true
	c.report.Files = []countedFile{}
	c.report.PassedOver = cli.JSONNames(c.reading.PassedOver)
	for _, i := range in {
		if i.Name == recordscan.Stdin && c.stdin == nil {
			c.stdin = bufio.NewReaderSize(e.Stdin, recordscan.GlanceBytes)
			e.Stdin = c.stdin
		}
	}
	if err := c.read(in); err != nil {
		return c.out.Finish(err)
	}
	switch {
	case c.format == cli.FormatJSON:
		c.out.JSON(c.report)
	case len(in) > 1:
		c.line(c.report.Records, "total")
	}
	c.unknown.warn(e.Console, "%s: these records are unknown messages%s; "+recordscan.Remedy(c.unknown.looks))
	return c.out.Finish(nil)
}

// read counts the records of the inputs.
func (c *count) read(in []recordscan.Input) error {
	if c.engine != nil {
		r, err := onengine.Count(c.env, c.engine, &c.reading, in, c.verify)
		if err != nil {
			return err
		}
		for _, n := range r.Counts {
			c.begin(n.File, n.LooksLike, n.Unknown)
			if err := c.End(&recordscan.File{Name: n.File, Opened: n.Opened, Count: n.Records}); err != nil {
				return err
			}
		}
		return c.reading.Report(c.env, &r.Faults)
	}
	opts := &recordscan.Options{}
	if !c.verify {
		opts.Choose = func(int, int64) dataset.Choice { return dataset.LeaveOut }
	}
	return c.reading.Walk(c.env, in, opts, c)
}

// line adds one line to the text form.
func (c *count) line(n int64, name string) {
	c.out.Buf = fmt.Appendf(c.out.Buf, "%d\t%s\n", n, console.OneLine(name))
}

func (c *count) Begin(f *recordscan.File) error {
	if f.Type != example.TypeAuto { // the format says it
		c.begin(f.Name, "", false)
		return nil
	}
	looks, unknown := recordscan.Glance(c.head(f), c.reading.Compression)
	c.begin(f.Name, looks, unknown)
	return nil
}

// begin begins the line of a file. Its records may be unknown messages, which look like something.
func (c *count) begin(name, looks string, unknown bool) {
	c.file = countedFile{File: recordjson.Name(name)}
	if unknown {
		c.file.Type, c.file.LooksLike = unknownType, looks
	}
}

// head returns the first bytes of a file, which are read again later; none if they cannot
// be had so.
func (c *count) head(f *recordscan.File) []byte {
	if f.Name == recordscan.Stdin {
		b, _ := c.stdin.Peek(recordscan.GlanceBytes)
		return b
	}
	if info, err := storage.Stat(f.Name); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	file, err := storage.Open(f.Name)
	if err != nil {
		return nil
	}
	defer file.Close()
	if c.buf == nil {
		c.buf = make([]byte, recordscan.GlanceBytes)
	}
	n, _ := file.ReadAt(c.buf, 0)
	return c.buf[:n]
}

func (c *count) Record([]byte, tfrecord.Position) error { return nil }

func (c *count) Skipped(fault *recordscan.Fault) error { return c.reading.Fault(c.env, fault) }

func (c *count) End(f *recordscan.File) error {
	if !f.Opened {
		return nil
	}
	c.file.Records = f.Count
	if c.file.Type != "" {
		c.unknown.add(f.Name, c.file.LooksLike)
	}
	c.report.Files = append(c.report.Files, c.file)
	c.report.Records += f.Count
	if c.format == cli.FormatText {
		c.line(f.Count, f.Name)
	}
	return c.out.Flush()
}
