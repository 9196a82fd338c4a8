package files

import (
	"fmt"
	"io"
	"os"

	"github.com/spf13/pflag"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/console"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/reading"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/recordscan"
	"github.com/tfparse/tfparse/tfrecord"
)

// An indexForm is how an index is written.
type indexForm uint8

const (
	formIndex indexForm = iota // for tfparse
	formDALI                   // as tfrecord2idx writes it
)

var indexForms = []string{"tfindex", "dali"}

func (f indexForm) MarshalText() ([]byte, error)     { return []byte(indexForms[f]), nil }
func (f *indexForm) UnmarshalText(text []byte) error { return cli.SetName(f, indexForms, text) }

// daliExtension is appended to the name of the data for the index that DALI reads.
const daliExtension = ".idx"

// Index writes where the records of files begin.
func Index() *cli.Command {
	c := &index{}
	return &cli.Command{
		Name:  "index",
		Args:  "FILE...",
		Short: "write where records begin, for access in any order",
		Long: `
Write an index, FILE.tfindex, beside each file. With it tfparse get, tail and sample,
and tfrecord.OpenIndexed in Go, read any record without those before it. The file is
read once; of a file without compression only the headers of the records. For gzip,
zlib and snappy the index also has checkpoints, about one for each MiB of records, so
that reading one record does not decode the whole file. For zstd there is one for
each frame, and many files have one frame only.

An index stores the size of the file, its modification time and checksums of its
first and last 64 KiB. If one of them has changed, the verbs refuse the index. A copy
has another modification time unless the tool keeps it, as cp -p does: after other
copies, write the index again. --check writes nothing and compares the existing
indexes with their files; the exit code is 1 if one does not match. A damaged file
cannot have an index: see tfparse recover.

--format dali writes FILE.idx, the "offset size" lines of tfrecord2idx, for NVIDIA DALI
and the PyTorch package tfrecord. Neither reads compressed files by an index.`,
		Examples: []string{
			"tfparse index -o recipes.tfindex testdata/recipes.tfrecord",
			"tfparse index --format dali -o - testdata/recipes.tfrecord",
		},
		Negative: "an index does not match its file, with --check",
		Flags: func(fs *pflag.FlagSet) {
			cli.EnumVar(fs, &c.form, "format", indexForms, "write the `FORM`: tfindex or dali")
			cli.OutputVar(fs, &c.output, "write the index of one file to `INDEX`; - is standard output")
			fs.BoolVar(&c.check, "check", false, "write nothing; compare existing indexes with their files")
			c.reading.Add(fs, "compression")
		},
		Run: c.run,
	}
}

type index struct {
	reading reading.Flags
	form    indexForm
	output  string
	check   bool
}

func (c *index) run(e *cli.Env, args []string) error {
	if c.reading.NoCRC {
		return cli.Usagef("the checksums of lengths are how records are found; --no-crc leaves nothing")
	}
	in, err := c.reading.Expand(e, args)
	if err != nil {
		return err
	}
	if c.output != "" && len(in) != 1 {
		return cli.Usagef("-o is for the index of one file, and there are %d", len(in))
	}
	for _, i := range in {
		if i.Err == nil && i.Name == recordscan.Stdin {
			return cli.Usagef("%s: an index is of a file, not of a pipe", i.Name)
		}
	}
	if err := cli.CheckInputs(c.output, reading.Names(in)); err != nil {
		return err
	}
	opts := &recordscan.Options{}
	return c.reading.With(e, in, opts, func() error {
		for _, i := range in {
			err := i.Err
			var write func() error
			if err == nil {
				write, err = c.file(e, i.Name, opts)
			}
			if e.Ctx.Err() != nil {
				return e.Ctx.Err()
			}
			switch _, usage := err.(cli.UsageError); {
			case usage:
				return err
			case err != nil:
				err = c.reading.Fault(e, recordscan.FaultOf(i.Name, err, nil))
			default:
				err = write()
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// A progressAt counts what is read.
type progressAt struct {
	io.ReaderAt
	cancelled func() error
	progress  *console.Progress
}

func (p *progressAt) ReadAt(b []byte, off int64) (int, error) {
	if err := p.cancelled(); err != nil {
		return 0, err
	}
	n, err := p.ReaderAt.ReadAt(b, off)
	p.progress.Bytes(n)
	return n, err
}

// file makes or checks the index of one file. write writes what came of it: its errors are those of the output.
func (c *index) file(e *cli.Env, name string, opts *recordscan.Options) (write func() error, err error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, cli.Usagef("%s: an index is of a regular file", name)
	}
	at := c.output
	if at == "" {
		at = name + tfrecord.IndexExtension
		if c.form == formDALI {
			at = name + daliExtension
		}
	}
	if c.check {
		text := c.compare(e, at, name, f, info)
		return func() error { return c.line(e, text) }, nil
	}
	x, err := tfrecord.BuildIndex(&progressAt{f, e.Ctx.Err, opts.Progress}, info.Size(), &tfrecord.IndexOptions{
		Name: name, Compression: opts.Reader.Compression, MaxRecordSize: opts.Reader.MaxRecordSize, ModTime: info.ModTime()})
	if err != nil {
		return nil, err
	}
	var b []byte
	if c.form == formDALI {
		b, err = x.AppendText(nil)
	} else {
		b, err = x.MarshalBinary()
	}
	return func() error { return c.write(e, at, name, x, b) }, err
}

// write writes the index of a file, encoded as b.
func (c *index) write(e *cli.Env, at, name string, x *tfrecord.Index, b []byte) error {
	if c.form == formIndex && at == "-" && console.IsTerminal(e.Stdout) {
		return cli.Usagef("an index is not for a terminal; name a file with -o, or write to a pipe")
	}
	out, err := e.Create(at, name)
	if err != nil {
		return err
	}
	out.Buf = append(out.Buf, b...)
	if err := out.Finish(nil); err != nil || at == "-" {
		return err
	}
	points := ""
	if n := x.Checkpoints(); n > 0 {
		points = ", " + cli.Plural(int64(n), "checkpoint")
	}
	return c.line(e, fmt.Sprintf("%s: %s%s", at, cli.Plural(x.Len(), "record"), points))
}

// compare says whether the index of a file fits it.
func (c *index) compare(e *cli.Env, at, name string, f *os.File, info os.FileInfo) string {
	x, err := recordscan.ReadIndexFile(at)
	if err == nil {
		err = x.Check(f, info.Size(), info.ModTime())
	}
	if err != nil {
		e.Raise(cli.ExitNegative)
		return fmt.Sprintf("%s: %s; tfparse index %s makes it again", name, recordscan.FaultOf(name, err, nil).Detail(), name)
	}
	return fmt.Sprintf("%s: fits %s: %s", at, name, cli.Plural(x.Len(), "record"))
}

// line prints one line of the answer.
func (c *index) line(e *cli.Env, text string) error {
	out, err := e.Create("")
	if err != nil {
		return err
	}
	out.Answer = c.check
	out.Buf = append(out.Buf, console.OneLine(text)+"\n"...)
	return out.Finish(nil)
}
