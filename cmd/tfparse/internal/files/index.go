package files

import (
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/console"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/internal/jsonscan"
	"github.com/tfparse/tfparse/internal/ordered"
	"github.com/tfparse/tfparse/internal/storage"
	"github.com/tfparse/tfparse/tfrecord"
)

// An indexForm is the form of an index, or of the report about it.
type indexForm uint8

const (
	indexText indexForm = iota // an index of our own, and a report as text
	indexJSON                  // the same, with a report as JSON
	indexDALI                  // the lines of tfrecord2idx, and a report as text
)

var indexForms = []string{"text", "json", "dali"}

func (f indexForm) MarshalText() ([]byte, error)     { return []byte(indexForms[f]), nil }
func (f *indexForm) UnmarshalText(text []byte) error { return cli.SetName(f, indexForms, text) }

// daliExtension is appended to the name of the data for the index that DALI reads.
const daliExtension = ".idx"

// Index writes where the records of files begin.
func Index() *cli.Command {
	c := &index{}
	return &cli.Command{
		Name: "index",
		Flags: func(fs *pflag.FlagSet) {
			cli.OutputVar(fs, &c.output, "write the index of one file to `INDEX`; - is standard output")
			fs.BoolVar(&c.check, "verify", false, "write nothing; compare existing indexes with their files")
			cli.EnumVar(fs, &c.format, "format", indexForms, "report as `FORMAT`: text or json; dali: write FILE.idx")
			cli.JobsVar(fs, &c.jobs, "read `N` files at once")
			c.reading.Add(fs)
			c.reading.AddShard(fs)
		},
		Run: c.run,
	}
}

type index struct {
	reading scan.Flags
	output  string
	check   bool
	format  indexForm
	jobs    int

	env      *cli.Env
	opts     tfrecord.ReaderOptions
	progress *console.Progress // may be nil
}

func (c *index) run(e *cli.Env, args []string) error {
	if c.reading.NoCRC {
		return cli.Usagef("the checksums of lengths are how records are found; --no-crc leaves nothing")
	}
	what, endings := "an index", []string{".tfindex"}
	if c.format == indexDALI {
		what, endings = "the lines of tfrecord2idx", []string{".idx", ".txt"}
	}
	if err := cli.CheckName(c.output, what, endings, "--format dali writes .idx"); err != nil {
		return err
	}
	in, err := c.reading.Expand(e, args)
	if err != nil {
		return err
	}
	if c.output != "" && len(in) != 1 {
		return cli.Usagef("-o is for the index of one file, and there are %d", len(in))
	}
	for _, i := range in {
		if i.Err == nil && i.Name == scan.Stdin {
			return cli.Usagef("%s: an index is of a file, not of a pipe", i.Name)
		}
	}
	if c.format == indexJSON && c.output == "-" {
		return cli.Usagef("--format json prints its report on standard output: name a file with -o")
	}
	if err := cli.CheckInputs(c.output, scan.Names(in)); err != nil {
		return err
	}
	if err := cli.CheckJobs(c.jobs); err != nil {
		return err
	}
	c.env, c.opts, c.progress = e, c.reading.Reader(), c.reading.ShowProgress(e, in)
	if c.progress != nil {
		defer e.Console.Show(c.progress)()
	}
	workers := c.jobs
	if workers == 1 {
		workers = 0
	}
	work := ordered.NewQueue(e.Ctx, workers, 2*c.jobs, func() func(*indexWork) error {
		return func(w *indexWork) error { c.file(w); return nil }
	}, c.use)
	defer work.Close()
	for _, i := range in {
		if err := work.Submit(&indexWork{name: i.Name, err: i.Err}); err != nil {
			return err
		}
	}
	return work.Drain()
}

// An indexWork is one file, and what came of it.
type indexWork struct {
	name  string
	at    string // the index
	index *tfrecord.Index
	other bool   // the file was modified at another time
	bytes []byte // of it, to be written
	err   error
}

// file makes or checks the index of one file, on any goroutine.
func (c *index) file(w *indexWork) {
	if w.err != nil {
		return
	}
	info, err := storage.Stat(w.name)
	if w.err = err; err != nil {
		return
	}
	if !info.Mode().IsRegular() {
		w.err = cli.Usagef("%s: an index is of a regular file", w.name)
		return
	}
	if w.at = c.output; w.at == "" {
		w.at = w.name + tfrecord.IndexExtension
		if c.format == indexDALI {
			w.at = w.name + daliExtension
		}
	}
	if c.check {
		w.compare()
		return
	}
	if w.index, w.err = scan.BuildIndex(c.env.Ctx, w.name, &c.opts, c.progress); w.err != nil {
		return
	}
	c.progress.Records(int(w.index.Len()))
	if c.format == indexDALI {
		w.bytes, w.err = w.index.AppendText(nil)
	} else {
		w.bytes, w.err = w.index.MarshalBinary()
	}
}

// compare reads the index of a file if it fits.
func (w *indexWork) compare() {
	x, err := scan.ReadIndexFile(w.at)
	if err == nil {
		var f *tfrecord.Indexed
		f, err = tfrecord.OpenIndexedFile(w.name, &tfrecord.IndexedOptions{Index: x, OnModTime: func(error) { w.other = true }})
		if err == nil {
			f.Close()
		}
	}
	if w.index = x; err != nil {
		w.err = &misfit{strings.TrimPrefix(scan.FaultOf(w.name, err, nil).Detail(), w.name+": ")}
	}
}

// A misfit is an index that does not fit its file.
type misfit struct{ detail string }

func (m *misfit) Error() string { return m.detail }

// use writes and reports what came of one file, in the order of the files.
func (c *index) use(w *indexWork) error {
	if err := c.env.Ctx.Err(); err != nil {
		return err
	}
	r := indexReport{File: jsonscan.Name(w.name), Index: jsonscan.Name(w.at)}
	if m, ok := w.err.(*misfit); ok {
		c.env.Raise(cli.ExitNegative)
		r.Error = m.detail
		return c.print(r, fmt.Sprintf("%s: %s; tfparse index %s rebuilds it", w.name, m.detail, w.name))
	}
	if _, usage := w.err.(cli.UsageError); usage {
		return w.err
	}
	if w.err != nil {
		return c.reading.Fault(c.env, scan.FaultOf(w.name, w.err, nil))
	}
	r.Codec, r.Records, r.Checkpoints = cli.CodecName(w.index.Compression()), cli.Known(w.index.Len(), true), w.index.Checkpoints()
	if c.check {
		note := ""
		if r.Modified = w.other; w.other {
			note = ", modified at another time, as a copy is"
		}
		return c.print(r, fmt.Sprintf("%s: fits %s: %s%s", w.at, w.name, cli.Plural(w.index.Len(), "record"), note))
	}
	r.Bytes = cli.Known(int64(len(w.bytes)), true)
	if err := c.write(w); err != nil || w.at == "-" {
		return err
	}
	points := ""
	if n := w.index.Checkpoints(); n > 0 {
		points = ", " + cli.Plural(int64(n), "checkpoint")
	}
	return c.print(r, fmt.Sprintf("%s: %s%s", w.at, cli.Plural(w.index.Len(), "record"), points))
}

// write writes the index of a file.
func (c *index) write(w *indexWork) error {
	if c.format != indexDALI && w.at == "-" && console.IsTerminal(c.env.Stdout) {
		return cli.Usagef("an index is not for a terminal; name a file with -o, or write to a pipe")
	}
	out, err := c.env.Create(w.at, w.name)
	if err != nil {
		return err
	}
	out.Buf = append(out.Buf, w.bytes...)
	return out.Finish(nil)
}

// An indexReport is a line of --format json.
type indexReport struct {
	File        jsonscan.Name `json:"file"`
	Index       jsonscan.Name `json:"index"`
	Codec       *string       `json:"codec,omitempty"`
	Records     *int64        `json:"records,omitempty"`
	Checkpoints int           `json:"checkpoints,omitempty"`
	Bytes       *int64        `json:"bytes,omitempty"`    // of the index, where it was written
	Modified    bool          `json:"modified,omitempty"` // the file, at another time than the index says
	Error       string        `json:"error,omitempty"`    // why it does not fit
}

// print prints one line of the answer.
func (c *index) print(r indexReport, text string) error {
	out, err := c.env.Create("")
	if err != nil {
		return err
	}
	out.Answer = c.check
	if c.format == indexJSON {
		out.JSON(r)
	} else {
		out.Buf = append(out.Buf, console.OneLine(text)+"\n"...)
	}
	return out.Finish(nil)
}
