package view

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/example/recordjson"
	"github.com/tfparse/tfparse/internal/columnfile"
	"github.com/tfparse/tfparse/tfrecord"
)

// serveExport sends the records that meet a condition as a file. Records that the format cannot hold end it: the
// connection is closed, so that the browser reports an incomplete file.
func (h *Handler) serveExport(w http.ResponseWriter, r *http.Request) error {
	s, err := h.newSearch(r)
	format, err2 := choiceParam(r, "as", h.exports()...)
	if err := cmp.Or(err, err2); err != nil {
		return withStatus(http.StatusBadRequest, err)
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": "selection." + format}))
	if r.Method == http.MethodHead {
		return nil
	}
	out, control := &download{w: w}, http.NewResponseController(w)
	var enc *recordEncoder
	if enc, err = h.newEncoder(format, out); err == nil {
		if err = s.run(r.Context(), enc.add, func() error { extendWrite(control); return nil }); err == nil {
			err = enc.close()
		}
	}
	if err == nil && s.misfits > 0 {
		err = fmt.Errorf("%d records cannot be compared with the condition", s.misfits)
	}
	if err == nil {
		err = out.send()
	}
	if err != nil && out.begun {
		panic(http.ErrAbortHandler)
	} else if err != nil {
		w.Header().Del("Content-Disposition")
	}
	return withStatus(http.StatusBadRequest, err)
}

// A download is the body of an answer. Its beginning is kept back, so that an early error has a status.
type download struct {
	w     io.Writer
	buf   []byte
	begun bool // something was sent
}

// Write implements io.Writer.
func (d *download) Write(p []byte) (int, error) {
	d.buf = append(d.buf, p...)
	if len(d.buf) < 256<<10 {
		return len(p), nil
	}
	return len(p), d.send()
}

// send sends what is kept back.
func (d *download) send() error {
	d.begun = true
	_, err := d.w.Write(d.buf)
	d.buf = d.buf[:0]
	return err
}

// A recordEncoder writes records in a format.
type recordEncoder struct {
	add   func(match) error
	close func() error
}

// newEncoder returns the encoder of a format.
func (h *Handler) newEncoder(format string, w io.Writer) (*recordEncoder, error) {
	e := &recordEncoder{close: func() error { return nil }}
	switch format {
	case "tfrecord":
		to := tfrecord.NewWriter(w, nil)
		e.add, e.close = func(m match) error { return to.WriteRecord(m.data) }, to.Close
	case "jsonl":
		printer := recordjson.NewPrinter(h.kind, nil)
		var line []byte
		e.add = func(m match) (err error) {
			if line, err = printer.Append(line[:0], m.data, tfrecord.Position{}); err == nil {
				_, err = w.Write(append(line, '\n'))
			}
			return err
		}
	case "csv":
		c := &cellEncoder{w: w, h: h}
		e.add = c.add
		return e, c.writeHeader()
	default:
		c, err := h.newColumnEncoder(format, w)
		if err != nil {
			return nil, err
		}
		e.add, e.close = c.add, c.close
	}
	return e, nil
}

// cellEncoder writes CSV: a column for each feature of the first records, and a cell for its only value. A feature
// with several values, or that the first records lack, is an error.
type cellEncoder struct {
	h       *Handler
	w       io.Writer
	names   []string
	entries []example.Entry
	line    []byte
}

// writeHeader writes the names of the columns.
func (e *cellEncoder) writeHeader() error {
	for _, f := range e.h.sample {
		_, name, _ := strings.Cut(f.ID, ":")
		if e.line = appendCell(e.line, name); f.ID != e.h.sample[len(e.h.sample)-1].ID {
			e.line = append(e.line, ',')
		}
		e.names = append(e.names, name)
	}
	_, err := e.w.Write(append(e.line, '\n'))
	return err
}

func (e *cellEncoder) add(m match) (err error) {
	if e.entries, err = e.h.kind.Collect(e.entries[:0], m.data); err != nil {
		return err
	}
	e.line = e.line[:0]
	next := 0
	for i, name := range e.names {
		if i > 0 {
			e.line = append(e.line, ',')
		}
		if next < len(e.entries) && string(e.entries[next].Name) == name {
			if e.line, err = appendValue(e.line, e.entries[next].Feature); err != nil {
				return fmt.Errorf("record %d: feature %q: %w", m.record, name, err)
			}
			next++
		}
	}
	if next < len(e.entries) {
		return fmt.Errorf("record %d: feature %q is not in the first records", m.record, e.entries[next].Name)
	}
	if len(e.line) == 0 { // readers skip blank lines
		e.line = append(e.line, `""`...)
	}
	_, err = e.w.Write(append(e.line, '\n'))
	return err
}

// appendValue appends the value of a feature as a cell. A feature without a value is an empty cell.
func appendValue(dst []byte, f example.Feature) ([]byte, error) {
	n, err := f.Len()
	if err == nil && n > 1 {
		err = fmt.Errorf("want 1 value in a cell of CSV, got %d", n)
	}
	if err != nil || n == 0 {
		return dst, err
	}
	switch v := firstValue(f); {
	case f.Kind() != example.BytesList:
		return append(dst, numberText(f.Kind(), v)...), nil
	case bytes.Contains(v, []byte("\r\n")): // readers turn it into "\n", even in quotes
		return dst, errors.New(`CSV cannot hold "\r\n"`)
	default:
		return appendCell(dst, string(v)), nil
	}
}

// appendCell appends a string as a cell, in quotes if necessary.
func appendCell(dst []byte, text string) []byte {
	if !strings.ContainsAny(text, ",\"\r\n") {
		return append(dst, text...)
	}
	return append(append(append(dst, '"'), strings.ReplaceAll(text, `"`, `""`)...), '"')
}

// columnEncoder writes a format with columns, such as Parquet. Each feature of the first records is a column of lists.
type columnEncoder struct {
	encoder columnfile.Encoder
	writer  columnfile.Writer
	records [][]byte // of the next group of rows
	size    int      // their bytes
}

// columnBytes is the size of the records of one call of the encoder.
const columnBytes = 512 << 10

// newColumnEncoder returns the encoder of a registered format.
func (h *Handler) newColumnEncoder(name string, w io.Writer) (*columnEncoder, error) {
	format, ok := columnfile.Find(name)
	if !ok {
		return nil, fmt.Errorf("this build does not write %s", name)
	}
	contents := &columnfile.Contents{Kinds: map[string]example.Kind{}}
	for _, f := range h.sample {
		kind, ok := map[string]example.Kind{"int64": example.Int64List, "float": example.FloatList, "bytes": example.BytesList}[f.Kind]
		if !ok {
			continue
		}
		contents.Kinds[f.Name] = kind
		if f.Content != nil && *f.Content == "text" {
			contents.Text = append(contents.Text, f.Name)
		}
	}
	encoder, err := format.NewEncoder(contents)
	if err != nil {
		return nil, err
	}
	writer, err := encoder.NewWriter(w)
	return &columnEncoder{encoder: encoder, writer: writer}, err
}

func (e *columnEncoder) add(m match) error {
	e.records = append(e.records, slices.Clone(m.data))
	if e.size += len(m.data); e.size < columnBytes {
		return nil
	}
	return e.write()
}

// write writes the records so far.
func (e *columnEncoder) write() error {
	rows, err := e.encoder.FromRecords(e.records)
	if err == nil {
		err = e.writer.Write(rows, "")
	}
	clear(e.records)
	e.records, e.size = e.records[:0], 0
	return err
}

func (e *columnEncoder) close() error {
	if len(e.records) > 0 {
		if err := e.write(); err != nil {
			return err
		}
	}
	return e.writer.Close()
}
