package parquetfile

import (
	"fmt"
	"io"
	"math"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"

	"github.com/tfparse/tfparse/arrow/recordbatch"
)

// maxGroupRows is the maximum number of rows of a row group of several batches.
const maxGroupRows = 1 << 20

// WriterOptions are settings of a Writer. The zero values are the defaults.
type WriterOptions struct {
	RowGroupBytes int64 // size of a row group before compression, in bytes; the default is 96 MiB
}

// A Writer writes a file. It keeps the compressed columns of the current row group in memory.
type Writer struct {
	out        *pqarrow.FileWriter // writes row groups and the footer
	schema     *arrow.Schema       // of all batches
	groupBytes int64               // size at which a row group is complete, before compression
	bytes      int64               // size of the rows in the current row group, before compression; -1 before the first group
	rows       int64               // number of rows in the current row group
	err        error               // the first error
}

// NewWriter returns a Writer of batches of a schema. Close does not close w.
func NewWriter(w io.Writer, s *arrow.Schema, opts *WriterOptions) (out *Writer, err error) {
	defer recoverPanic(&err)
	out = &Writer{schema: s, groupBytes: 96 << 20, bytes: -1}
	if opts != nil && opts.RowGroupBytes > 0 {
		out.groupBytes = opts.RowGroupBytes
	}
	settings := []parquet.WriterProperty{
		parquet.WithVersion(parquet.V2_LATEST), parquet.WithDataPageVersion(parquet.DataPageV1),
		parquet.WithCompression(compress.Codecs.Zstd), parquet.WithCompressionLevel(1),
		parquet.WithMaxRowGroupLength(math.MaxInt64), // the Writer ends row groups between batches
		parquet.WithDictionaryDefault(false), parquet.WithCreatedBy("tfparse"),
	}
	for _, f := range s.Fields() {
		settings = appendLeafSettings(settings, parquet.ColumnPath{f.Name}, f.Type)
	}
	out.out, err = pqarrow.NewFileWriter(s, keepOpen{w}, parquet.NewWriterProperties(settings...), pqarrow.NewArrowWriterProperties(pqarrow.WithStoreSchema()))
	return out, err
}

// appendLeafSettings appends the settings of the Parquet columns of a field. Dictionaries of numbers make files larger and
// slower. Statistics of large byte strings make footers as large as the strings.
func appendLeafSettings(dst []parquet.WriterProperty, path parquet.ColumnPath, t arrow.DataType) []parquet.WriterProperty {
	switch t := t.(type) {
	case *arrow.LargeListType:
		return appendLeafSettings(dst, path.Extend("list").Extend("element"), t.Elem())
	case *arrow.FixedSizeListType:
		return appendLeafSettings(dst, path.Extend("list").Extend("element"), t.Elem())
	case *arrow.StructType:
		for _, f := range t.Fields() {
			dst = appendLeafSettings(dst, path.Extend(f.Name), f.Type)
		}
		return dst
	case *arrow.LargeStringType:
		return append(dst, parquet.WithDictionaryPath(path, true))
	case *arrow.LargeBinaryType, *arrow.BinaryType:
		return append(dst, parquet.WithStatsPath(path, false))
	}
	return dst
}

// keepOpen hides a Close method, which the Parquet writer would call.
type keepOpen struct{ io.Writer }

// Write adds the rows of a batch. The batch may change after Write returns.
func (w *Writer) Write(rec arrow.RecordBatch) (err error) {
	if w.err != nil {
		return w.err
	}
	defer func() { w.err = err }()
	defer recoverPanic(&err)
	if !rec.Schema().Equal(w.schema) {
		return fmt.Errorf("%w: batch and file have different schemas", recordbatch.ErrType)
	}
	if rec.NumRows() == 0 {
		return nil
	}
	if w.bytes < 0 || w.bytes >= w.groupBytes || w.rows+rec.NumRows() > maxGroupRows {
		if err := w.beginGroup(); err != nil {
			return err
		}
	}
	w.bytes += recordbatch.Size(rec)
	w.rows += rec.NumRows()
	for i, c := range rec.Columns() {
		if c.Data().Offset() == 0 {
			continue
		}
		// Version 18.8.0 of the library ignores the offset of a fixed_size_list, and writes the values of other rows.
		if c, err = array.Concatenate([]arrow.Array{c}, memory.DefaultAllocator); err == nil {
			rec, err = rec.SetColumn(i, c)
		}
		if err != nil {
			return err
		}
	}
	return w.out.WriteBuffered(rec)
}

// beginGroup completes the current row group and begins another one.
func (w *Writer) beginGroup() error {
	w.bytes, w.rows = 0, 0
	return w.out.NewBufferedRowGroupChecked()
}

// Close writes the last row group and the footer. A file without rows has one empty row group, as those of pyarrow: awkward
// reads no file without row groups. After an error the caller must not call it, so that readers refuse the file, which has no footer then.
func (w *Writer) Close() (err error) {
	if w.err != nil {
		return w.err
	}
	defer func() { w.err = err }()
	defer recoverPanic(&err)
	if w.bytes < 0 {
		if err := w.beginGroup(); err != nil {
			return err
		}
	}
	return w.out.Close()
}

// recoverPanic turns a panic of the Arrow library into an error.
func recoverPanic(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("parquet: cannot encode: %v", p)
	}
}
