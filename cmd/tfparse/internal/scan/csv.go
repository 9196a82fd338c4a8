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

// A Table is the CSV files of one data set, whose rows become Examples. The types of the columns depend on all rows of
// all files, so [Infer] reads the files before the scan. It copies inputs that can be read only once, such as standard
// input, to temporary files, which Close removes.
type Table struct {
	Options     recordcsv.Options       // delimiters, columns and the limit of a row, for Infer and the scan
	Compression tfrecord.Compression    // of the files: Auto, None or GZIP
	Kinds       map[string]example.Kind // fixed kinds of columns; a cell that does not fit is an error
	Files       []Input                 // all files of the data set, including those of other machines

	columns  []recordcsv.Column             // nil before Infer
	codes    map[string]bool                // columns of strings whose cells are numbers, some with leading zeros
	inferred bool                           // Infer has read the files
	scratch  map[string]*atomicfile.Scratch // temporary copies, by the name of the input
}

// Infer infers the types of the columns of tables that have none yet. If all cells of a column fit the kind that prefer
// has for its name, the column gets that kind; prefer may be nil.
//
// Columns of one name get types that can be compared: floats if one table has floats and another one integers, strings
// if one table has codes such as 007 and another one numbers. Infer does not report faults in the files, since the scan
// reports them. It returns errors of temporary files and of the context.
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

// infer infers the types of the columns of one table.
func (t *Table) infer(ctx context.Context, opts *readSettings, prefer map[string]example.Kind) error {
	if t.inferred {
		return nil
	}
	inferrer := recordcsv.NewInferrer(&t.Options)
	for _, in := range t.Files {
		if err := t.inferFile(ctx, inferrer, in, opts); err != nil {
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

// inferFile reads a file for the types of its columns.
func (t *Table) inferFile(ctx context.Context, to *recordcsv.Inferrer, in Input, opts *readSettings) error {
	var src io.ReadCloser
	size, regular := in.size()
	if in.Name == Stdin {
		src = io.NopCloser(opts.stdin)
	} else {
		f, err := storage.OpenContext(ctx, in.Name)
		if err != nil {
			return nil // the scan fails with the reason
		}
		src = f
	}
	defer src.Close()
	if regular && opts.progress != nil && opts.progress.Total > 0 {
		opts.progress.More(size) // the file is read twice
	}
	look := &inferReader{ctx: ctx, r: src, progress: opts.progress}
	if !regular {
		beside := filepath.Join(os.TempDir(), "tfparse")
		kept, err := atomicfile.NewScratch(beside)
		if err != nil {
			return scratchError(beside, err)
		}
		if t.scratch == nil {
			t.scratch = map[string]*atomicfile.Scratch{}
		}
		t.scratch[in.Name], look.copy = kept, kept
	}
	err := to.Read(t.decompress(look), func(*recordcsv.Error) error { return nil })
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case look.failed != nil:
		return scratchError(look.copy.Name(), look.failed)
	}
	return err
}

// scratchError returns the error of a temporary file. It names the directory, since the name of the file has no
// meaning.
func scratchError(name string, err error) error {
	return fmt.Errorf("temporary file in %s: %w", filepath.Dir(name), err)
}

// An inferReader reads a file for the types of its columns. It shows progress, and copies what it reads.
type inferReader struct {
	ctx      context.Context
	r        io.Reader
	progress *console.Progress
	copy     *atomicfile.Scratch // copy of the file; may be nil
	failed   error               // error of writing copy
}

func (l *inferReader) Read(p []byte) (int, error) {
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

// open opens a file, or its temporary copy, for the scan.
func (t *Table) open(ctx context.Context, name string) (io.ReadCloser, error) {
	if kept := t.scratch[name]; kept != nil {
		info, err := kept.Stat()
		if err != nil {
			return nil, scratchError(kept.Name(), err)
		}
		return io.NopCloser(io.NewSectionReader(kept, 0, info.Size())), nil
	}
	f, err := storage.OpenContext(ctx, name)
	if err != nil {
		return nil, err // not f: a nil *os.File is not a nil interface
	}
	return f, nil
}

// records returns a reader of the rows of a file as records.
func (t *Table) records(r io.Reader) RecordReader {
	return recordcsv.NewReader(t.decompress(r), t.columns, &t.Options)
}

// decompress returns a reader of the decompressed file. The error about other content is that of the first Read.
func (t *Table) decompress(r io.Reader) io.Reader {
	const look = 512
	b := bufio.NewReaderSize(r, 64<<10)
	start, _ := b.Peek(look)
	codec := t.Compression
	if codec == tfrecord.Auto {
		switch looks := tfrecord.Identify(start); looks {
		case "gzip":
			codec = tfrecord.GZIP
		case "uncompressed":
			return errorReader{fmt.Errorf("want CSV, got a TFRecord")}
		case "zstd", "xz", "zip", "bzip2":
			return errorReader{fmt.Errorf("want CSV, got %s; CSV can be compressed with gzip only", looks)}
		case "parquet", "arrow", "avro", "orc":
			return errorReader{fmt.Errorf("want CSV, got %s", looks)}
		case "git-lfs":
			return errorReader{fmt.Errorf("want CSV, got a Git LFS pointer; fetch the data")}
		}
	}
	if codec != tfrecord.GZIP {
		return b
	}
	z, err := gzip.NewReader(b)
	if err != nil {
		return errorReader{err}
	}
	return z
}

// An errorReader returns an error from every Read.
type errorReader struct{ err error }

func (f errorReader) Read([]byte) (int, error) { return 0, f.err }

// Columns returns the names of the columns in the order of the files; nil before Infer.
func (t *Table) Columns() (names []string) {
	for _, c := range t.columns {
		names = append(names, c.Name)
	}
	return names
}

// Close removes temporary files.
func (t *Table) Close() error {
	for _, kept := range t.scratch {
		kept.Close()
	}
	t.scratch = nil
	return nil
}

// An inputFormat is the value of --input-format.
type inputFormat uint8

const (
	formatByName  inputFormat = iota // CSV if the name says so
	formatRecords                    // the other format of the verb
	formatCSV
)

// csvFlags holds the flags of verbs that read CSV besides another format.
type csvFlags struct {
	format               inputFormat  // --input-format
	delimiter, secondary string       // --csv-delimiter and --csv-list-delimiter
	columns, multivalent cli.NameList // --csv-columns and --csv-multivalent
	lazyQuotes           bool         // --csv-lazy-quotes

	tfdv          bool                    // read cells as TensorFlow Data Validation does
	kinds, prefer map[string]example.Kind // from SetKinds and Prefer
}

// CSVFlags are the names of the flags that AddCSV defines.
var CSVFlags = []string{"input-format", "csv-delimiter", "csv-columns", "csv-multivalent", "csv-list-delimiter", "csv-lazy-quotes"}

// AddCSV defines the flags. other is the name of the other format.
func (r *Flags) AddCSV(fs *pflag.FlagSet, other string) {
	c := &csvFlags{}
	r.csv = c
	cli.GroupFlags(fs, "CSV", "help csv", func(fs *pflag.FlagSet) { c.add(fs, other) })
	r.Rules(fs, Needs("csv-multivalent", "csv-list-delimiter"), Needs("csv-list-delimiter", "csv-multivalent"))
}

func (c *csvFlags) add(fs *pflag.FlagSet, other string) {
	cli.ChoiceVar(fs, &c.format, "input-format", []string{"auto", other, "csv"}, "read files as `FORMAT`: auto (by the name), "+other+" or csv")
	fs.StringVar(&c.delimiter, "csv-delimiter", "", "delimiter of cells: `C`, a character or tab [a comma]")
	fs.Var(&c.columns, "csv-columns", "the columns are `NAMES`, and there is no header; repeatable")
	fs.Var(&c.multivalent, "csv-multivalent", "cells of the columns `NAMES` are lists; repeatable")
	fs.StringVar(&c.secondary, "csv-list-delimiter", "", "delimiter in lists: `C`, a character or tab")
	fs.BoolVar(&c.lazyQuotes, "csv-lazy-quotes", false, "accept misplaced quotes as they are")
}

// SetKinds sets the kinds of columns. A cell that does not fit is an error.
func (r *Flags) SetKinds(kinds map[string]example.Kind) { r.csv.kinds = kinds }

// Prefer sets the kinds that columns get if all their cells fit.
func (r *Flags) Prefer(kinds map[string]example.Kind) { r.csv.prefer = kinds }

// SetTFDV sets whether cells are read as TensorFlow Data Validation reads them.
func (r *Flags) SetTFDV(tfdv bool) { r.csv.tfdv = tfdv }

// isCSV reports whether a file is CSV.
func (c *csvFlags) isCSV(name string) bool {
	return c.always() || c.format == formatByName && filelist.IsCSV(name)
}

// always reports whether all files are CSV, whatever their names.
func (c *csvFlags) always() bool { return c != nil && c.format == formatCSV }

// tabulate makes one Table of the inputs that are CSV.
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
		if in[i].Err == nil && r.csv.isCSV(in[i].Name) {
			t.Files = append(t.Files, in[i])
			in[i].Table = t
		}
	}
	if c := r.Compression; len(t.Files) > 0 && c != tfrecord.Auto && c != tfrecord.None && c != tfrecord.GZIP {
		return cli.Usagef("%s: CSV is read without compression or with gzip, not %v", t.Files[0].Name, c)
	}
	return nil
}

// options checks the flags and returns the options of package recordcsv.
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

// character parses the value of a flag that is one character.
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

// InferTypes infers the types of the columns of CSV inputs, as [Infer] does. Verbs that read several data sets one
// after another call it first, so that columns of one name have types that can be compared.
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

// infer infers the types of the columns of the CSV inputs.
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
