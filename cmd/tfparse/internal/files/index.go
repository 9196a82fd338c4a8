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

// An indexForm is the value of --format: the format of the index and of the report.
type indexForm uint8

const (
	indexText indexForm = iota // a .tfindex, with a text report
	indexJSON                  // a .tfindex, with a JSON report
	indexDALI                  // the .idx of tfrecord2idx, with a text report
)

var indexForms = []string{"text", "json", "dali"}

// daliExtension is appended to the name of a file for its DALI index.
const daliExtension = ".idx"

// Index returns the verb index, which writes the offsets of the records of a file.
func Index() *cli.Command {
	c := &index{}
	return &cli.Command{
		Name: "index",
		Flags: func(fs *pflag.FlagSet) {
			cli.OutputVar(fs, &c.output, "write the index of one file to `INDEX`; - is standard output")
			fs.BoolVar(&c.check, "verify", false, "write nothing; compare existing indexes with their files")
			cli.ChoiceVar(fs, &c.format, "format", indexForms, "report as `FORMAT`: text or json; dali: write FILE.idx")
			cli.JobsVar(fs, &c.jobs, "read `N` files at once")
			c.reading.Add(fs)
			c.reading.AddShard(fs)
		},
		Run: c.run,
	}
}

// An index holds the flags and the state of one run of the verb.
type index struct {
	reading scan.Flags // which files are read, and how
	output  string     // -o: the index of the only file; "": beside each file, "-": standard output
	check   bool       // --verify
	format  indexForm  // --format
	jobs    int        // --jobs: number of files read at once

	env      *cli.Env               // set by run
	opts     tfrecord.ReaderOptions // from reading; without a name
	progress *console.Progress      // may be nil
}

func (c *index) run(e *cli.Env, args []string) error {
	if c.reading.NoCRC {
		return cli.Usagef("--no-crc cannot be used: checksums are how records are found")
	}
	what, endings := "an index", []string{".tfindex"}
	if c.format == indexDALI {
		what, endings = "the lines of tfrecord2idx", []string{".idx", ".txt"}
	}
	if err := cli.CheckName(c.output, what, endings, "--format dali writes .idx"); err != nil {
		return err
	}
	in, err := c.reading.Expand(e, args)
	if err == nil {
		err = scan.WholeFiles(in)
	}
	if err != nil {
		return err
	}
	if c.output != "" && len(in) != 1 {
		return cli.Usagef("-o: want one file to index, got %d", len(in))
	}
	for _, i := range in {
		if i.Err == nil && i.Name == scan.Stdin {
			return cli.Usagef("%s: cannot index a pipe", i.Name)
		}
	}
	if c.format == indexJSON && c.output == "-" {
		return cli.Usagef("--format json needs -o FILE: standard output has the report")
	}
	if err := cli.CheckInputs(c.output, scan.Names(in)); err != nil {
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
		return func(w *indexWork) error { c.makeIndex(w); return nil }
	}, c.writeResult)
	defer work.Close()
	for _, i := range in {
		if err := work.Submit(&indexWork{name: i.Name, err: i.Err}); err != nil {
			return err
		}
	}
	return work.Drain()
}

// An indexWork is one file to index or check, and the result.
type indexWork struct {
	name         string          // of the file
	indexName    string          // file of the index
	index        *tfrecord.Index // nil on error
	otherModTime bool            // the index has another modification time of the file
	encoded      []byte          // the index to write; nil with --verify
	err          error           // why the index is not used; an *indexMismatch if it differs from the file
}

// makeIndex makes or checks the index of one file. It is called by workers.
func (c *index) makeIndex(w *indexWork) {
	if w.err != nil {
		return
	}
	info, err := storage.Stat(w.name)
	if w.err = err; err != nil {
		return
	}
	if !info.Mode().IsRegular() {
		w.err = cli.Usagef("%s: cannot index: not a regular file", w.name)
		return
	}
	if w.indexName = c.output; w.indexName == "" {
		w.indexName = w.name + tfrecord.IndexExtension
		if c.format == indexDALI {
			w.indexName = w.name + daliExtension
		}
	}
	if c.check {
		w.checkIndex()
		return
	}
	if w.index, w.err = scan.BuildIndex(c.env.Ctx, w.name, &c.opts, c.progress); w.err != nil {
		return
	}
	c.progress.Records(int(w.index.Len()))
	if c.format == indexDALI {
		w.encoded, w.err = w.index.AppendText(nil)
	} else {
		w.encoded, w.err = w.index.MarshalBinary()
	}
}

// checkIndex reads the index of a file, and sets err if it does not match the file.
func (w *indexWork) checkIndex() {
	x, err := scan.ReadIndexFile(w.indexName)
	if err == nil {
		var f *tfrecord.Indexed
		f, err = tfrecord.OpenIndexedFile(w.name, &tfrecord.IndexedOptions{Index: x, OnModTime: func(error) { w.otherModTime = true }})
		if err == nil {
			f.Close()
		}
	}
	if w.index = x; err != nil {
		w.err = &indexMismatch{strings.TrimPrefix(scan.FaultOf(w.name, err, nil).Detail(), w.name+": ")}
	}
}

// An indexMismatch is the error of an index that does not match its file.
type indexMismatch struct{ detail string }

func (m *indexMismatch) Error() string { return m.detail }

// writeResult writes and reports the result for one file. It is called in the order of the files.
func (c *index) writeResult(w *indexWork) error {
	if err := c.env.Ctx.Err(); err != nil {
		return err
	}
	r := indexReport{File: jsonscan.Name(w.name), Index: jsonscan.Name(w.indexName)}
	if m, ok := w.err.(*indexMismatch); ok {
		c.env.Raise(cli.ExitNegative)
		r.Error = m.detail
		return c.printReport(r, fmt.Sprintf("%s: %s; tfparse index %s rebuilds it", w.name, m.detail, w.name))
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
		if r.Modified = w.otherModTime; w.otherModTime {
			note = ", modified at another time, as a copy is"
		}
		return c.printReport(r, fmt.Sprintf("%s: fits %s: %s%s", w.indexName, w.name, cli.Plural(w.index.Len(), "record"), note))
	}
	r.Bytes = cli.Known(int64(len(w.encoded)), true)
	if err := c.writeIndex(w); err != nil || w.indexName == "-" {
		return err
	}
	points := ""
	if n := w.index.Checkpoints(); n > 0 {
		points = ", " + cli.Plural(int64(n), "checkpoint")
	}
	return c.printReport(r, fmt.Sprintf("%s: %s%s", w.indexName, cli.Plural(w.index.Len(), "record"), points))
}

// writeIndex writes the index of a file.
func (c *index) writeIndex(w *indexWork) error {
	if c.format != indexDALI && w.indexName == "-" && console.IsTerminal(c.env.Stdout) {
		return cli.Usagef("cannot write an index to a terminal; name a file with -o")
	}
	out, err := c.env.Create(w.indexName, w.name)
	if err != nil {
		return err
	}
	out.Buf = append(out.Buf, w.encoded...)
	return out.Finish(nil)
}

// An indexReport is a line of --format json.
type indexReport struct {
	File        jsonscan.Name `json:"file"`
	Index       jsonscan.Name `json:"index"`
	Codec       *string       `json:"codec,omitempty"`
	Records     *int64        `json:"records,omitempty"`
	Checkpoints int           `json:"checkpoints,omitempty"`
	Bytes       *int64        `json:"bytes,omitempty"`    // size of the index; nil with --verify
	Modified    bool          `json:"modified,omitempty"` // indexWork.otherModTime
	Error       string        `json:"error,omitempty"`    // why the index does not match the file
}

// printReport prints one line of the report.
func (c *index) printReport(r indexReport, text string) error {
	out := c.env.Report()
	out.Answer = c.check
	if c.format == indexJSON {
		out.JSON(r)
	} else {
		out.Buf = append(out.Buf, console.OneLine(text)+"\n"...)
	}
	return out.Finish(nil)
}
