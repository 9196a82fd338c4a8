package encode

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
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

// columnInputs returns the formats of columnar inputs by name. It is empty if all inputs are text; a mixture is an error.
func columnInputs(e *cli.Env, in []scan.Input) (map[string]columnfile.Format, error) {
	formats := map[string]columnfile.Format{}
	for _, i := range in {
		var format string
		var err error
		switch {
		case i.Table != nil: // CSV
		case i.Name == scan.Stdin:
			b := bufio.NewReader(e.Stdin)
			e.Stdin = b
			head, _ := b.Peek(8) // reading reports an error again
			format = contentFormat(head)
		default:
			if format, err = fileFormat(e, i.Name); err != nil {
				return nil, err
			}
		}
		if format == "" {
			continue
		}
		f, err := cli.ColumnFormat("", i.Name, format)
		if err != nil {
			return nil, err
		}
		formats[i.Name] = f
	}
	for _, i := range in {
		if _, ok := formats[i.Name]; !ok && len(formats) > 0 {
			return nil, cli.Usagef("%s: cannot be encoded with Parquet or Arrow files", i.Name)
		}
	}
	return formats, nil
}

// fileFormat returns the name of the columnar format of a file, by its extension or else by its content; "" for text. An
// extension that contradicts the content is an error.
func fileFormat(e *cli.Env, name string) (format string, err error) {
	named := cli.ColumnName(name)
	if info, err := storage.Stat(name); err != nil || !info.Mode().IsRegular() {
		return named, nil // reading reports an error again
	}
	f, err := storage.OpenContext(e.Ctx, name)
	if err != nil {
		return named, nil
	}
	defer f.Close()
	head := make([]byte, 512)
	n, _ := io.ReadFull(f, head)
	content := contentFormat(head[:n])
	switch {
	case named == "":
		return content, nil
	case content != "" && (content == "parquet") != (named == "parquet"):
		return "", fmt.Errorf("%s: %s, in spite of its name", name, contentTitles[content])
	case content == "":
		_, err := tfrecord.NewReader(io.MultiReader(bytes.NewReader(head[:n]), f), nil).Next()
		if looks := tfrecord.Identify(head[:n]); err == nil {
			return "", fmt.Errorf("%s: a TFRecord, in spite of its name; tfparse convert copies it", name)
		} else if looks != "" {
			return "", fmt.Errorf("%s: want %s, got %s", name, named, looks)
		}
	}
	return named, nil
}

// contentTitles names the formats of contentFormat.
var contentTitles = map[string]string{"arrows": "an Arrow IPC stream", "arrow": "an Arrow IPC file", "parquet": "a Parquet file"}

// contentFormat returns the name of the columnar format of a file that begins with head; "" for text.
func contentFormat(head []byte) string {
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

// columnReader reads the rows of a columnar file as records.
type columnReader struct {
	env    *cli.Env          // prints notes, and closes files at the end
	name   string            // name of the file
	format columnfile.Format // opens the reader
	stream io.Reader         // content of the file, used if it is not a regular one
	reader columnfile.Reader // nil before the first call of Next
	row    int64             // ordinal of the current row; -1 before the first one
	ended  bool              // whether Next returned an error that ends the file
}

// newColumnReader returns a function that makes readers of files. formats has the format of each file.
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

// open opens the file and prints its note.
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

// openFile opens the file. One that is not regular is read as a stream in the formats of Arrow, and copied to a temporary file
// in Parquet, which is read from its end.
func (c *columnReader) openFile() (storage.File, error) {
	if info, err := storage.Stat(c.name); err == nil && info.Mode().IsRegular() {
		return storage.OpenContext(c.env.Ctx, c.name)
	}
	if c.format.Streams {
		return streamFile{Reader: c.stream}, nil
	}
	scratch, err := atomicfile.NewScratch(filepath.Join(os.TempDir(), "tfparse"))
	if err != nil {
		return nil, err
	}
	if _, err = io.Copy(scratch, c.stream); err == nil {
		_, err = scratch.Seek(0, io.SeekStart)
	}
	if err != nil {
		scratch.Close()
		return nil, err
	}
	return scratch, nil
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
