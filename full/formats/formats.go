// Package formats registers the formats of the module arrow: Parquet, and Arrow IPC as files and streams.
package formats

import (
	"errors"
	"fmt"
	"io"
	"iter"

	arrowlib "github.com/apache/arrow-go/v18/arrow"

	"github.com/tfparse/tfparse/arrow/ipcfile"
	"github.com/tfparse/tfparse/arrow/parquetfile"
	"github.com/tfparse/tfparse/arrow/recordbatch"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/internal/columnfile"
)

// Register adds Parquet and Arrow to the formats of the command. It is called before command.Main.
func Register() {
	columnfile.Register(columnfile.Format{Name: "parquet", NewEncoder: encoderOf(newParquet), NewReader: readParquet})
	columnfile.Register(columnfile.Format{Name: "arrow", NewEncoder: encoderOf(newIPC(true)), NewReader: readIPC})
	columnfile.Register(columnfile.Format{Name: "arrows", Streams: true, NewEncoder: encoderOf(newIPC(false)), NewReader: readIPC})
}

// batchWriter writes record batches in one of the formats.
type batchWriter interface {
	Write(rec arrowlib.RecordBatch, next string) error
	Close() error
}

// writerFunc begins a file of a format.
type writerFunc func(io.Writer, *arrowlib.Schema) (batchWriter, error)

// newIPC returns the function that begins an Arrow file, or a stream.
func newIPC(file bool) writerFunc {
	return func(w io.Writer, s *arrowlib.Schema) (batchWriter, error) {
		return ipcfile.NewWriter(w, s, &ipcfile.WriterOptions{File: file})
	}
}

// parquetWriter drops the addresses of records: Parquet has no metadata for a batch.
type parquetWriter struct{ *parquetfile.Writer }

func (w parquetWriter) Write(rec arrowlib.RecordBatch, _ string) error { return w.Writer.Write(rec) }

// newParquet begins a Parquet file.
func newParquet(w io.Writer, s *arrowlib.Schema) (batchWriter, error) {
	p, err := parquetfile.NewWriter(w, s, nil)
	return parquetWriter{p}, err
}

// encoder implements columnfile.Encoder.
type encoder struct {
	schema *recordbatch.Schema // of all batches
	create writerFunc          // begins a file
}

// encoderOf returns the NewEncoder of a format.
func encoderOf(create writerFunc) func(*columnfile.Contents) (columnfile.Encoder, error) {
	return func(c *columnfile.Contents) (columnfile.Encoder, error) {
		opts := &recordbatch.Options{
			Text: c.Text, Images: c.Images, Labels: c.Labels, LabelNames: c.LabelNames, DTypes: c.DTypes, IgnoreOthers: true,
		}
		var s *recordbatch.Schema
		var err error
		if c.Spec != nil {
			s, err = recordbatch.ForSpec(*c.Spec, opts)
		} else {
			kinds := recordbatch.Kinds{}
			for name, kind := range c.Kinds {
				kinds[name] = recordbatch.Kind{Kind: kind}
			}
			s, err = recordbatch.ForKinds(kinds, opts)
		}
		if err != nil {
			return nil, err
		}
		return encoder{s, create}, nil
	}
}

// FromBatch implements columnfile.Encoder.
func (e encoder) FromBatch(b *feature.Batch) (columnfile.Rows, error) {
	rec, err := e.schema.FromBatch(b)
	return rec, rowError(err)
}

// FromRecords implements columnfile.Encoder.
func (e encoder) FromRecords(records [][]byte) (columnfile.Rows, error) {
	rec, err := e.schema.FromRecords(records)
	return rec, rowError(err)
}

// NewWriter implements columnfile.Encoder.
func (e encoder) NewWriter(w io.Writer) (columnfile.Writer, error) {
	b, err := e.create(w, e.schema.Arrow())
	return writer{b}, err
}

// rowError converts an error of package recordbatch. The text has no row: the command prints the ordinal of the record.
func rowError(err error) error {
	bad, ok := errors.AsType[*recordbatch.Error](err)
	if !ok {
		return err
	}
	column := *bad
	column.Row = -1
	return &columnfile.RowError{Row: bad.Row, Column: bad.Column, Err: &column}
}

// writer implements columnfile.Writer.
type writer struct{ batchWriter }

// Write implements columnfile.Writer.
func (w writer) Write(rows columnfile.Rows, next string) error {
	return w.batchWriter.Write(rows.(arrowlib.RecordBatch), next)
}

// reader implements columnfile.Reader.
type reader struct {
	decoder     *recordbatch.Decoder                       // converts batches to records
	nextBatch   func() (arrowlib.RecordBatch, error, bool) // pulls a batch of the file
	stopBatches func()                                     // ends nextBatch
	batch       arrowlib.RecordBatch                       // the current batch
	row         int64                                      // next row of batch
	start       int64                                      // row of batch at which nextRecord began
	refused     error                                      // error of the bad row that nextRecord ends before, which Next returns after it; nil: nextRecord reads all rows
	nextRecord  func() ([]byte, error, bool)               // pulls a record of batch; nil between two batches
	stopRecords func()                                     // ends nextRecord
}

// newReader returns a reader of batches.
func newReader(s *arrowlib.Schema, batches iter.Seq2[arrowlib.RecordBatch, error]) (columnfile.Reader, error) {
	d, err := recordbatch.NewDecoder(s)
	if err != nil {
		return nil, err
	}
	r := &reader{decoder: d}
	r.nextBatch, r.stopBatches = iter.Pull2(batches)
	return r, nil
}

// readIPC implements NewReader of columnfile.Format for Arrow.
func readIPC(f columnfile.File) (columnfile.Reader, error) {
	r, err := ipcfile.NewReader(f)
	if err != nil {
		return nil, err
	}
	return newReader(r.Schema(), r.Batches())
}

// readParquet implements NewReader of columnfile.Format for Parquet.
func readParquet(f columnfile.File) (columnfile.Reader, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	r, err := parquetfile.NewReader(io.NewSectionReader(f, 0, info.Size()))
	if err != nil {
		return nil, err
	}
	return newReader(r.Schema(), r.Batches())
}

// Note implements columnfile.Reader.
func (r *reader) Note() string { return r.decoder.Note() }

// Next implements columnfile.Reader.
func (r *reader) Next() ([]byte, error) {
	for {
		if r.nextRecord == nil {
			switch batch, err, ok := r.nextBatch(); {
			case !ok:
				return nil, io.EOF
			case err != nil:
				return nil, err
			default:
				if err := r.beginBatch(batch, batch.NumRows()); err != nil {
					return nil, err
				}
			}
		}
		rec, err, ok := r.nextRecord()
		switch {
		case ok && err == nil:
			r.row++
			return rec, nil
		case !ok && r.row == r.batch.NumRows():
			r.nextRecord = nil
			continue
		case !ok: // the row before which the batch was cut
			err, r.refused = r.refused, nil
		default:
			r.stopRecords() // a Decoder yields nothing after an error
			bad, isRow := errors.AsType[*recordbatch.Error](err)
			if !isRow || bad.Row < 0 {
				r.nextRecord = nil
				return nil, rowError(err)
			}
			// The columns are read before the first record: the rows before this one were not yielded.
			if bad.Row += int(r.start); int64(bad.Row) > r.row {
				r.refused = err
				if err := r.beginBatch(r.batch, int64(bad.Row)); err != nil {
					return nil, err
				}
				continue
			}
		}
		r.row++
		if failed := r.beginBatch(r.batch, r.batch.NumRows()); failed != nil {
			return nil, failed
		}
		return nil, rowError(err)
	}
}

// beginBatch reads the records of a batch from the current row to end. A batch that is not the current one begins at row 0. Other
// columns than that of a row that was refused may be damaged: then NewSlice panics.
func (r *reader) beginBatch(batch arrowlib.RecordBatch, end int64) (err error) {
	defer func() {
		if p := recover(); p != nil {
			r.nextRecord, err = nil, fmt.Errorf("%w: its structure is damaged", ipcfile.ErrFormat) // the text of p is about its code
		}
	}()
	if batch != r.batch {
		r.batch, r.row = batch, 0
	}
	if r.start = r.row; r.row > 0 || end < batch.NumRows() {
		batch = batch.NewSlice(r.row, end)
	}
	r.nextRecord, r.stopRecords = iter.Pull2(r.decoder.Records(batch))
	return nil
}

// Close implements columnfile.Reader.
func (r *reader) Close() error {
	if r.nextRecord != nil {
		r.stopRecords()
	}
	r.stopBatches()
	return nil
}
