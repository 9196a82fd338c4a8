package ipcfile

import (
	"bufio"
	"io"
	"strconv"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/tfparse/tfparse/arrow/recordbatch"
)

// WriterOptions are settings of a Writer.
type WriterOptions struct {
	File bool // the file format, with an index at its end; else the stream format
	Zstd bool // compress the buffers, which makes files smaller and pipes slower
}

// A Writer writes record batches.
type Writer struct {
	out interface { // the writer of the library, which writes every buffer and its padding by itself
		Write(arrow.RecordBatch) error
		Close() error
	}
	buffer *bufio.Writer // between out and the caller's writer
	schema *arrow.Schema // of all batches
	rows   int64         // number of rows written so far
	err    error         // the first error
}

// NewWriter returns a Writer of batches of a schema, and writes the schema. Close does not close w.
func NewWriter(w io.Writer, s *arrow.Schema, opts *WriterOptions) (*Writer, error) {
	if opts == nil {
		opts = &WriterOptions{}
	}
	settings := []ipc.Option{ipc.WithSchema(s)}
	if opts.Zstd {
		settings = append(settings, ipc.WithZstd())
	}
	out := &Writer{schema: s, buffer: bufio.NewWriterSize(w, 1<<16)}
	if !opts.File {
		out.out = ipc.NewWriter(out.buffer, settings...)
		return out, nil
	}
	var err error
	out.out, err = ipc.NewFileWriter(out.buffer, settings...)
	return out, err
}

// Write writes a batch. next goes into its metadata: the position of the record after the batch, in any form that the
// caller reads; "" for none. The batch may change after Write returns.
func (w *Writer) Write(rec arrow.RecordBatch, next string) error {
	if next == "" {
		return w.writeBatch(rec, arrow.Metadata{})
	}
	return w.writeBatch(rec, arrow.NewMetadata([]string{recordbatch.NextKey}, []string{next}))
}

// writeBatch writes a batch with metadata.
func (w *Writer) writeBatch(rec arrow.RecordBatch, md arrow.Metadata) error {
	if w.err == nil {
		rec = array.NewRecordBatchWithMetadata(w.schema, rec.Columns(), rec.NumRows(), md)
		if w.err = w.out.Write(rec); w.err == nil {
			w.err = w.buffer.Flush()
		}
		w.rows += rec.NumRows()
	}
	return w.err
}

// Close writes the empty batch with the number of rows, and the end marker. After an error the caller must not call it, so
// that readers see that the output is incomplete.
func (w *Writer) Close() error {
	empty := array.NewRecordBuilder(memory.DefaultAllocator, w.schema).NewRecordBatch()
	if err := w.writeBatch(empty, arrow.NewMetadata([]string{recordbatch.EndKey}, []string{strconv.FormatInt(w.rows, 10)})); err != nil {
		return err
	}
	if w.err = w.out.Close(); w.err == nil {
		w.err = w.buffer.Flush()
	}
	return w.err
}
