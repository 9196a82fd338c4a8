package scan

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/pflag"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/example/recordcsv"
	"github.com/tfparse/tfparse/internal/filelist"
	"github.com/tfparse/tfparse/tfrecord"
)

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
	switch {
	case c.secondary != "" && c.multivalent == nil, c.secondary == "" && c.multivalent != nil:
		return nil, cli.Usagef("--csv-multivalent and --csv-list-delimiter go together")
	case c.secondary != "":
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
