package scan

import (
	"bufio"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/pflag"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/console"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/example/recordcsv"
	"github.com/tfparse/tfparse/internal/atomicfile"
	"github.com/tfparse/tfparse/internal/filelist"
	"github.com/tfparse/tfparse/internal/storage"
	"github.com/tfparse/tfparse/tfrecord"
)

// A Table is the CSV files of one data set, whose rows a scan makes Examples of. The types of the columns depend on
// all rows of all files, so [Infer] reads the files before the scan does. What can be read only once, as standard
// input, it copies to a temporary file, which Close removes.
type Table struct {
	Options     recordcsv.Options
	Compression tfrecord.Compression    // Auto, None or GZIP
	Kinds       map[string]example.Kind // of columns, whatever their cells are: one that does not fit is an error
	Files       []Input                 // all of the data set, also those that other machines scan

	columns  []recordcsv.Column
	codes    map[string]bool // columns of strings whose cells are numbers, some with leading zeros
	inferred bool
	kept     map[string]*atomicfile.Scratch // by the name of the input
}

// Infer finds out the types of the columns of tables, unless that is done. A column is of the kind that prefer, which may be nil,
// has for its name, if all of its cells can be. A column that has floats in one of the tables has floats in those where it has
// integers, and one that has codes, as 007, in one of them has strings in those where it has numbers. Infer reports nothing that is wrong with the files: the scan finds it again. Its error is that of
// a temporary file, or of the context.
func Infer(ctx context.Context, tables []*Table, opts *readSettings, prefer map[string]example.Kind) error {
	floats, codes := map[string]bool{}, map[string]bool{}
	for _, t := range tables {
		if err := t.infer(ctx, opts, prefer); err != nil {
			return err
		}
		for _, c := range t.columns {
			floats[c.Name] = floats[c.Name] || c.Kind == example.FloatList
			codes[c.Name] = codes[c.Name] || t.codes[c.Name]
		}
	}
	for _, t := range tables {
		for i := range t.columns {
			c := &t.columns[i]
			if _, fixed := t.Kinds[c.Name]; fixed || c.Kind == example.Unset {
				continue
			}
			if codes[c.Name] {
				c.Kind = example.BytesList
			} else if c.Kind == example.Int64List && floats[c.Name] {
				c.Kind = example.FloatList
			}
		}
	}
	return nil
}

func (t *Table) infer(ctx context.Context, opts *readSettings, prefer map[string]example.Kind) error {
	if t.inferred {
		return nil
	}
	inferrer := recordcsv.NewInferrer(&t.Options)
	for _, in := range t.Files {
		if err := t.look(ctx, inferrer, in, opts); err != nil {
			return err
		}
	}
	t.columns, t.inferred = inferrer.Columns(prefer), true
	numbers := map[string]example.Kind{}
	for i := range t.columns {
		c := &t.columns[i]
		if kind, ok := t.Kinds[c.Name]; ok {
			c.Kind = kind
		} else if c.Kind == example.BytesList && prefer[c.Name] != example.BytesList {
			numbers[c.Name] = example.FloatList
		}
	}
	t.codes = map[string]bool{}
	for _, c := range inferrer.Columns(numbers) {
		t.codes[c.Name] = c.Kind == example.FloatList && numbers[c.Name] == example.FloatList
	}
	return nil
}

// look shows a file to an Inferrer.
func (t *Table) look(ctx context.Context, to *recordcsv.Inferrer, in Input, opts *readSettings) error {
	var src io.ReadCloser
	size, regular := in.size()
	if in.Name == Stdin {
		src = io.NopCloser(opts.stdin)
	} else {
		f, err := storage.OpenContext(ctx, in.Name)
		if err != nil {
			return nil // the scan will fail with the reason
		}
		src = f
	}
	defer src.Close()
	if regular && opts.progress != nil && opts.progress.Total > 0 {
		opts.progress.More(size) // which is read twice
	}
	look := &lookedAt{ctx: ctx, r: src, progress: opts.progress}
	if !regular {
		beside := filepath.Join(os.TempDir(), "tfparse")
		kept, err := atomicfile.NewScratch(beside)
		if err != nil {
			return scratchError(beside, err)
		}
		if t.kept == nil {
			t.kept = map[string]*atomicfile.Scratch{}
		}
		t.kept[in.Name], look.copy = kept, kept
	}
	err := to.Read(t.plain(look), func(*recordcsv.Error) error { return nil })
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case look.failed != nil:
		return scratchError(look.copy.Name(), look.failed)
	}
	return err
}

// scratchError is an error of a temporary file, whose name says nothing: its directory does.
func scratchError(name string, err error) error {
	return fmt.Errorf("temporary file in %s: %w", filepath.Dir(name), err)
}

// A lookedAt is a file that is read for the types of its columns.
type lookedAt struct {
	ctx      context.Context
	r        io.Reader
	progress *console.Progress
	copy     *atomicfile.Scratch // gets what is read; may be nil
	failed   error               // to write copy
}

func (l *lookedAt) Read(p []byte) (int, error) {
	if err := l.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := l.r.Read(p)
	l.progress.Bytes(n)
	if l.copy != nil {
		if _, l.failed = l.copy.Write(p[:n]); l.failed != nil {
			return 0, l.failed
		}
	}
	return n, err
}

// open opens a file for a scan.
func (t *Table) open(ctx context.Context, name string) (io.ReadCloser, error) {
	if kept := t.kept[name]; kept != nil {
		info, err := kept.Stat()
		if err != nil {
			return nil, scratchError(kept.Name(), err)
		}
		return io.NopCloser(io.NewSectionReader(kept, 0, info.Size())), nil
	}
	f, err := storage.OpenContext(ctx, name)
	if err != nil {
		return nil, err // not f, which is another interface
	}
	return f, nil
}

// records reads the rows of a file as records.
func (t *Table) records(r io.Reader) RecordReader {
	return recordcsv.NewReader(t.plain(r), t.columns, &t.Options)
}

// plain returns what a file holds without compression. What is no CSV is an error of the first Read.
func (t *Table) plain(r io.Reader) io.Reader {
	const look = 512
	b := bufio.NewReaderSize(r, 64<<10)
	start, _ := b.Peek(look)
	codec := t.Compression
	if codec == tfrecord.Auto {
		switch looks := tfrecord.Identify(start); looks {
		case "gzip":
			codec = tfrecord.GZIP
		case "uncompressed":
			return failing{fmt.Errorf("want CSV, got a TFRecord")}
		case "zstd", "xz", "zip", "bzip2":
			return failing{fmt.Errorf("want CSV, got %s; gzip is the only compression of CSV that is read", looks)}
		case "git-lfs":
			return failing{fmt.Errorf("want CSV, got a Git LFS pointer: the data itself was not fetched")}
		}
	}
	if codec != tfrecord.GZIP {
		return b
	}
	z, err := gzip.NewReader(b)
	if err != nil {
		return failing{err}
	}
	return z
}

// A failing reader has nothing but an error.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// Columns returns the names of the columns, in the order of the files. There are none before Infer.
func (t *Table) Columns() (names []string) {
	for _, c := range t.columns {
		names = append(names, c.Name)
	}
	return names
}

// Close removes temporary files.
func (t *Table) Close() error {
	for _, kept := range t.kept {
		kept.Close()
	}
	t.kept = nil
	return nil
}

// An inputFormat says what files are: one of its names, which are auto, another format and csv.
type inputFormat struct {
	names []string
	index int
}

func (f inputFormat) MarshalText() ([]byte, error) { return []byte(f.names[f.index]), nil }

func (f *inputFormat) UnmarshalText(text []byte) error {
	i := slices.Index(f.names, string(text))
	if i < 0 {
		return fmt.Errorf("want one of %s", strings.Join(f.names, ", "))
	}
	f.index = i
	return nil
}

// csvFlags are the flags of a verb that reads CSV too.
type csvFlags struct {
	format               inputFormat
	delimiter, secondary string
	columns, multivalent cli.NameList
	lazyQuotes           bool

	tfdv          bool                    // cells are read as TensorFlow Data Validation does
	kinds, prefer map[string]example.Kind // of columns, as SetKinds and Prefer say
}

// CSVFlags are the names of the flags that AddCSV defines.
var CSVFlags = []string{"input-format", "csv-delimiter", "csv-columns", "csv-multivalent", "csv-list-delimiter", "csv-lazy-quotes"}

// AddCSV defines the flags of a verb that reads CSV beside another format.
func (r *Flags) AddCSV(fs *pflag.FlagSet, other string) {
	c := &csvFlags{format: inputFormat{names: []string{"auto", other, "csv"}}}
	r.csv = c
	cli.GroupFlags(fs, "CSV", "help csv", func(fs *pflag.FlagSet) { c.add(fs, other) })
	r.Rules(fs, Needs("csv-multivalent", "csv-list-delimiter"), Needs("csv-list-delimiter", "csv-multivalent"))
}

func (c *csvFlags) add(fs *pflag.FlagSet, other string) {
	cli.EnumVar(fs, &c.format, "input-format", c.format.names, "read files as `FORMAT`: auto (by the name), "+other+" or csv")
	fs.StringVar(&c.delimiter, "csv-delimiter", "", "delimiter of cells: `C`, a character or tab [a comma]")
	fs.Var(&c.columns, "csv-columns", "the columns are `NAMES`, and there is no header; repeatable")
	fs.Var(&c.multivalent, "csv-multivalent", "cells of the columns `NAMES` are lists; repeatable")
	fs.StringVar(&c.secondary, "csv-list-delimiter", "", "delimiter in lists: `C`, a character or tab")
	fs.BoolVar(&c.lazyQuotes, "csv-lazy-quotes", false, "accept misplaced quotes as they are")
}

// SetKinds sets the kinds of columns of CSV, whatever their cells are: one that does not fit is an error.
func (r *Flags) SetKinds(kinds map[string]example.Kind) { r.csv.kinds = kinds }

// Prefer says which kinds columns of CSV have if all of their cells can be.
func (r *Flags) Prefer(kinds map[string]example.Kind) { r.csv.prefer = kinds }

// SetTFDV has the cells of CSV read as TensorFlow Data Validation reads them.
func (r *Flags) SetTFDV(tfdv bool) { r.csv.tfdv = tfdv }

// is reports whether a file is CSV.
func (c *csvFlags) is(name string) bool {
	return c.always() || c.format.index == 0 && filelist.IsCSV(name)
}

// always reports whether all files are CSV, whatever their names.
func (c *csvFlags) always() bool { return c != nil && c.format.index == 2 }

// tabulate makes a table of those inputs that are CSV: they are one data set.
func (r *Flags) tabulate(in []Input) error {
	if r.csv == nil {
		return nil
	}
	o, err := r.csv.options()
	if err != nil {
		return err
	}
	if r.maxRecord != tfrecord.MaxRecordSize {
		o.MaxRowSize = int64(r.maxRecord)
	}
	t := &Table{Options: *o, Compression: r.Compression, Kinds: r.csv.kinds}
	for i := range in {
		if in[i].Err == nil && r.csv.is(in[i].Name) {
			t.Files = append(t.Files, in[i])
			in[i].Table = t
		}
	}
	if c := r.Compression; len(t.Files) > 0 && c != tfrecord.Auto && c != tfrecord.None && c != tfrecord.GZIP {
		return cli.Usagef("%s: CSV is read without compression or with gzip, not %v", t.Files[0].Name, c)
	}
	return nil
}

func (c *csvFlags) options() (*recordcsv.Options, error) {
	o := &recordcsv.Options{LazyQuotes: c.lazyQuotes, TFDV: c.tfdv}
	var err error
	if c.delimiter != "" {
		if o.Delimiter, err = character("csv-delimiter", c.delimiter); err != nil {
			return nil, err
		}
	}
	if c.secondary != "" {
		if o.SecondaryDelimiter, err = character("csv-list-delimiter", c.secondary); err != nil {
			return nil, err
		}
	}
	if o.Columns, err = c.columns.Names("csv-columns"); err != nil {
		return nil, err
	}
	if o.Multivalent, err = c.multivalent.Names("csv-multivalent"); err != nil {
		return nil, err
	}
	if err := o.Validate(); err != nil {
		return nil, cli.Usagef("%s", strings.TrimPrefix(err.Error(), recordcsv.ErrOptions.Error()+": "))
	}
	return o, nil
}

// character is the value of a flag that is one character.
func character(flag, text string) (rune, error) {
	if text == "tab" || text == `\t` {
		return '\t', nil
	}
	c, size := utf8.DecodeRuneInString(text)
	if size == 0 || size < len(text) || c == 0 {
		return 0, cli.Usagef("--%s %q: want one character, or tab", flag, text)
	}
	return c, nil
}

// InferTypes finds out the types of the columns of inputs that are CSV, before they are read one data set after the
// other: a column has types that can be compared in all of them, as [Infer] says.
func (r *Flags) InferTypes(e *cli.Env, in []Input) error {
	if !slices.ContainsFunc(in, func(i Input) bool { return i.Table != nil }) {
		return nil
	}
	settings := &readSettings{stdin: e.Stdin, progress: r.ShowProgress(e, in)}
	if settings.progress != nil {
		defer e.Console.Show(settings.progress)()
	}
	return r.infer(e, in, settings)
}

// infer finds out the types of the columns of the inputs that are CSV.
func (r *Flags) infer(e *cli.Env, in []Input, opts *readSettings) error {
	var tables []*Table
	for _, i := range in {
		if t := i.Table; t != nil && !slices.Contains(tables, t) {
			tables = append(tables, t)
			e.AtEnd(func() { t.Close() })
		}
	}
	if tables == nil {
		return nil
	}
	return Infer(e.Ctx, tables, opts, r.csv.prefer)
}
