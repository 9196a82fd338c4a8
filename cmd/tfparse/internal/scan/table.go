package scan

import (
	"bufio"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/console"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/example/recordcsv"
	"github.com/tfparse/tfparse/internal/atomicfile"
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
