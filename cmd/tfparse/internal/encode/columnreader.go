package encode

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/internal/atomicfile"
	"github.com/tfparse/tfparse/internal/columnfile"
	"github.com/tfparse/tfparse/internal/storage"
	"github.com/tfparse/tfparse/tfrecord"
)

// columnInputs returns the formats of the inputs, if they are files with columns; nil if they are text. A mixture is an error.
func columnInputs(e *cli.Env, in []scan.Input) (map[string]columnfile.Format, error) {
	formats := map[string]columnfile.Format{}
	for _, i := range in {
		name := cli.ColumnName(i.Name)
		if i.Name == scan.Stdin && i.Table == nil {
			name = streamFormat(e)
		}
		if name == "" {
			continue
		}
		f, err := cli.ColumnFormat("", i.Name, name)
		if err != nil {
			return nil, err
		}
		formats[i.Name] = f
	}
	for _, i := range in {
		if _, ok := formats[i.Name]; !ok && len(formats) > 0 {
			return nil, cli.Usagef("%s: the other files are Parquet or Arrow", i.Name)
		}
	}
	return formats, nil
}

// streamFormat returns the name of the format with columns that standard input has by its first bytes; "" for text.
func streamFormat(e *cli.Env) string {
	b := bufio.NewReader(e.Stdin)
	e.Stdin = b
	head, _ := b.Peek(8) // an error comes again when it is read
	switch {
	case bytes.HasPrefix(head, []byte("\xff\xff\xff\xff")):
		return "arrows"
	case bytes.HasPrefix(head, []byte("ARROW1")):
		return "arrow"
	case bytes.HasPrefix(head, []byte("PAR1")):
		return "parquet"
	}
	return ""
}

// columnReader reads the rows of a file with columns as records.
type columnReader struct {
	env    *cli.Env
	name   string
	format columnfile.Format
	stream io.Reader         // of the file, for one that can be read only once
	reader columnfile.Reader // nil before the first call of Next
	row    int64             // ordinal of the current row; -1 before the first one
	ended  bool              // Next returned an error that ends the file
}

// newColumnReader returns the constructor of readers for files of the formats.
func newColumnReader(e *cli.Env, formats map[string]columnfile.Format) func(string, io.Reader) scan.RecordReader {
	return func(name string, r io.Reader) scan.RecordReader {
		return &columnReader{env: e, name: name, format: formats[name], stream: r, row: -1}
	}
}

// Next implements [scan.RecordReader].
func (c *columnReader) Next() ([]byte, error) {
	if c.reader == nil {
		if err := c.open(); err != nil {
			c.ended = true
			return nil, err
		}
	}
	rec, err := c.reader.Next()
	c.row++
	bad, ok := errors.AsType[*columnfile.RowError](err)
	switch {
	case ok && bad.Row >= 0:
		return nil, scan.Misfit(tfrecord.Position{Name: c.name, Record: c.row, Offset: -1}, err)
	case err != nil && err != io.EOF:
		c.ended = true
	}
	return rec, err
}

// open opens the file.
func (c *columnReader) open() error {
	f, err := c.openFile()
	if err != nil {
		return err
	}
	c.env.AtEnd(func() { f.Close() })
	if c.reader, err = c.format.NewReader(f); err != nil {
		return err
	}
	c.env.AtEnd(func() { c.reader.Close() })
	if note := c.reader.Note(); note != "" {
		c.env.Console.Print(c.name + ": " + note)
	}
	return nil
}

// openFile returns the file. One that is not regular is a stream in the formats of Arrow, and else a temporary copy: Parquet is
// read from its end.
func (c *columnReader) openFile() (storage.File, error) {
	if info, err := storage.Stat(c.name); err == nil && info.Mode().IsRegular() {
		return storage.OpenContext(c.env.Ctx, c.name)
	}
	if c.format.Streams {
		return streamFile{Reader: c.stream}, nil
	}
	kept, err := atomicfile.NewScratch(filepath.Join(os.TempDir(), "tfparse"))
	if err != nil {
		return nil, err
	}
	if _, err = io.Copy(kept, c.stream); err == nil {
		_, err = kept.Seek(0, io.SeekStart)
	}
	if err != nil {
		kept.Close()
		return nil, err
	}
	return kept, nil
}

// streamFile is a file that is read from front to end.
type streamFile struct {
	storage.File // nil
	io.Reader
}

// Read implements [io.Reader].
func (f streamFile) Read(b []byte) (int, error) { return f.Reader.Read(b) }

// Close implements [io.Closer]. The source closes the stream.
func (f streamFile) Close() error { return nil }

// Pos implements [scan.RecordReader].
func (c *columnReader) Pos() (record, offset int64) { return c.row, -1 }

// Skipped implements [scan.RecordReader].
func (c *columnReader) Skipped() (records, end int64) {
	if c.ended {
		return -1, -1
	}
	return 1, c.row
}
