package parquetfile

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"iter"
	"runtime"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"

	"github.com/tfparse/tfparse/arrow/ipcfile"
)

// ErrFormat is the error of bytes that are not an intact Parquet file.
var ErrFormat = errors.New("not an intact Parquet file")

// batchBytes is the size of the batches of a Reader, in bytes of uncompressed columns.
const batchBytes = 4 << 20

// A Reader reads the rows of a file.
type Reader struct {
	in     *file.Reader        // the footer and the row groups
	arrow  *pqarrow.FileReader // reads in as Arrow
	schema *arrow.Schema       // of all batches
	rows   int64               // number of rows read so far
}

// NewReader returns a Reader of a file, and reads its footer. The caller closes r after the last batch.
func NewReader(r parquet.ReaderAtSeeker) (out *Reader, err error) {
	defer recoverError(&err)
	props := parquet.NewReaderProperties(memory.DefaultAllocator)
	props.BufferedStreamEnabled = true
	// A page has at least one value, of any size. Allocations by sizes that the file claims are at most as large as the file.
	size, err := r.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, err
	}
	props.MaxCompressedPageSize = max(size, parquet.DefaultMaxCompressedPageSize)
	props.MaxUncompressedPageSize = max(size, parquet.DefaultMaxUncompressedPageSize)
	in, err := file.NewParquetReader(r, file.WithReadProps(props))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	out = &Reader{in: in}
	if err := checkStoredSchema(in); err != nil {
		return nil, fmt.Errorf("%w: ARROW:schema: %w", ErrFormat, err)
	}
	total, rows := int64(0), max(in.NumRows(), 1)
	for i := range in.NumRowGroups() {
		total += in.MetaData().RowGroups[i].GetTotalByteSize()
	}
	perRow := max(total/rows, 1)
	// Parallel stays off: a panic in a goroutine of the library could not be recovered from.
	out.arrow, err = pqarrow.NewFileReader(in, pqarrow.ArrowReadProperties{BatchSize: min(max(batchBytes/perRow, 1), 1<<16)}, memory.DefaultAllocator)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	if out.schema, err = out.arrow.Schema(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	return out, nil
}

// checkStoredSchema checks the Arrow schema in the metadata, because pqarrow allocates by the sizes that it claims.
func checkStoredSchema(in *file.Reader) error {
	text := in.MetaData().KeyValueMetadata().FindValue("ARROW:schema")
	if text == nil {
		return nil
	}
	stored, err := base64.StdEncoding.DecodeString(*text)
	if err != nil {
		return err
	}
	_, err = ipcfile.NewReader(bytes.NewReader(stored))
	return err
}

// Schema returns the schema of the batches.
func (r *Reader) Schema() *arrow.Schema { return r.schema }

// Batches yields the rows as record batches, each valid until the next. The sequence ends after the first error.
func (r *Reader) Batches() iter.Seq2[arrow.RecordBatch, error] {
	return func(yield func(arrow.RecordBatch, error) bool) {
		columns := make([]int, r.in.MetaData().Schema.NumColumns())
		for i := range columns {
			columns[i] = i
		}
		for i := range r.in.NumRowGroups() {
			rows := int64(0) // rows of the row group
			in, err := r.openGroup(i, columns...)
			for err == nil {
				var rec arrow.RecordBatch
				if rec, err = readBatch(in); err != nil {
					break
				}
				rows += rec.NumRows()
				r.rows += rec.NumRows()
				if !yield(rec, nil) {
					return
				}
			}
			if want := r.in.MetaData().RowGroups[i].GetNumRows(); err == io.EOF && rows != want {
				err = fmt.Errorf("%w: %d rows, want %d", io.ErrUnexpectedEOF, rows, want)
			}
			if err != io.EOF {
				yield(nil, fmt.Errorf("%w: row group %d: row %d: %w", ErrFormat, i, r.rows, r.nameColumn(i, err)))
				return
			}
		}
	}
}

// openGroup returns a reader of columns of a row group, by their indexes in the file: each field of a struct is a column.
// It opens each column alone first, because the library opens the fields of structs in goroutines of its own, and a panic
// there ends the program.
func (r *Reader) openGroup(group int, columns ...int) (in pqarrow.RecordReader, err error) {
	defer recoverError(&err)
	if len(columns) == 0 {
		return nil, io.EOF
	}
	for _, i := range columns {
		chunk, err := r.in.MetaData().RowGroup(group).ColumnChunk(i)
		if err == nil {
			start, n, size := chunk.DataPageOffset(), chunk.TotalCompressedSize(), r.in.MetaData().GetSourceFileSize()
			if dict := chunk.DictionaryPageOffset(); chunk.HasDictionaryPage() && dict > 0 {
				start = min(start, dict) // as the library does: the size is that of all pages
			}
			if start < 0 || n < 0 || n > size || start > size-n {
				err = fmt.Errorf("%d bytes at offset %d in a file of %d", n, start, size)
			} else {
				_, err = r.in.RowGroup(group).GetColumnPageReader(i)
			}
		}
		if err != nil {
			return nil, fmt.Errorf("column %q: %w", r.columnPath(i), err)
		}
	}
	return r.arrow.GetRecordReader(context.Background(), columns, []int{group})
}

// columnPath returns the name of a column by its index in the file.
func (r *Reader) columnPath(i int) string { return r.in.MetaData().Schema.Column(i).Path() }

// readBatch returns the next batch, or io.EOF.
func readBatch(in pqarrow.RecordReader) (rec arrow.RecordBatch, err error) {
	defer recoverError(&err)
	return in.Read()
}

// nameColumn adds a name to the error of a row group: that of the first column that cannot be read alone.
func (r *Reader) nameColumn(group int, err error) error {
	for i := range r.in.MetaData().Schema.NumColumns() {
		rows := int64(0)
		in, colErr := r.openGroup(group, i)
		for colErr == nil {
			var rec arrow.RecordBatch
			if rec, colErr = readBatch(in); colErr == nil {
				rows += rec.NumRows()
			}
		}
		if colErr != io.EOF || rows != r.in.MetaData().RowGroups[group].GetNumRows() {
			return fmt.Errorf("column %q: %w", r.columnPath(i), err)
		}
	}
	return err
}

// recoverError turns a panic of the Arrow library about broken data into an error.
func recoverError(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("%w: %v", ErrFormat, p)
		if failed, ok := p.(runtime.Error); ok {
			*err = failed
		}
	}
	// The library recovers from some panics itself. The text of a runtime error is about its code.
	if _, ok := errors.AsType[runtime.Error](*err); ok {
		*err = fmt.Errorf("%w: its structure is damaged", ErrFormat)
	}
}
