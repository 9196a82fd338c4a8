package parquetfile

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"runtime"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"golang.org/x/sync/errgroup"

	"github.com/tfparse/tfparse/arrow/recordbatch"
)

// maxGroupRows is the maximum number of rows of a row group.
const maxGroupRows = 1 << 20

// WriterOptions are settings of a Writer. The zero values are the defaults.
type WriterOptions struct {
	RowGroupBytes int64 // size of a row group before compression, in bytes; the default is 96 MiB
	Workers       int   // number of goroutines that encode columns; the default is GOMAXPROCS
}

// A Writer writes a file. It keeps the compressed columns of the current row group in memory.
type Writer struct {
	opts   WriterOptions               // with defaults filled in
	schema *arrow.Schema               // of all batches
	out    *file.Writer                // writes row groups and the footer
	leaves []leafPath                  // the Parquet columns, in the order of the file
	group  file.BufferedRowGroupWriter // the current row group; nil between two of them
	bytes  int64                       // size of the rows in group, before compression
	rows   int64                       // number of rows in group
	err    error                       // the first error
}

// NewWriter returns a Writer of batches of a schema that a recordbatch.Schema made. Close does not close w.
func NewWriter(w io.Writer, s *arrow.Schema, opts *WriterOptions) (out *Writer, err error) {
	defer recoverPanic(&err)
	out = &Writer{schema: s}
	if opts != nil {
		out.opts = *opts
	}
	if out.opts.RowGroupBytes <= 0 {
		out.opts.RowGroupBytes = 96 << 20
	}
	if out.opts.Workers <= 0 {
		out.opts.Workers = runtime.GOMAXPROCS(0)
	}
	for i, f := range s.Fields() {
		if out.leaves, err = appendLeaves(out.leaves, i, f); err != nil {
			return nil, err
		}
	}
	// Page statistics of large byte strings make footers as large as the strings. Dictionaries of numbers make files larger
	// and slower.
	settings := []parquet.WriterProperty{
		parquet.WithVersion(parquet.V2_LATEST), parquet.WithDataPageVersion(parquet.DataPageV1),
		parquet.WithCompression(compress.Codecs.Zstd), parquet.WithCompressionLevel(1),
		parquet.WithDictionaryDefault(false), parquet.WithCreatedBy("tfparse"),
	}
	for _, l := range out.leaves {
		switch l.kind.ID() {
		case arrow.LARGE_STRING:
			settings = append(settings, parquet.WithDictionaryPath(l.path, true))
		case arrow.LARGE_BINARY:
			settings = append(settings, parquet.WithStatsPath(l.path, false))
		}
	}
	props := parquet.NewWriterProperties(settings...)
	ps, err := pqarrow.ToParquet(s, props, pqarrow.DefaultWriterProps())
	if err != nil {
		return nil, err
	}
	var stored bytes.Buffer
	if err := ipc.NewWriter(&stored, ipc.WithSchema(s)).Close(); err != nil {
		return nil, err
	}
	kv := metadata.NewKeyValueMetadata()
	for i, key := range s.Metadata().Keys() {
		kv.Append(key, s.Metadata().Values()[i])
	}
	kv.Append("ARROW:schema", base64.StdEncoding.EncodeToString(stored.Bytes()))
	out.out, err = file.NewParquetWriterWithError(keepOpen{w}, ps.Root(), file.WithWriterProps(props), file.WithWriteMetadata(kv))
	return out, err
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
	size := recordbatch.Size(rec)
	for lo := int64(0); lo < rec.NumRows(); {
		if w.group == nil {
			if w.group, err = w.out.AppendBufferedRowGroupChecked(); err != nil {
				return err
			}
		}
		hi := min(rec.NumRows(), lo+maxGroupRows-w.rows)
		if err := w.writeRows(rec, int(lo), int(hi)); err != nil {
			return err
		}
		w.rows += hi - lo
		w.bytes += size * (hi - lo) / rec.NumRows()
		lo = hi
		if w.bytes >= w.opts.RowGroupBytes || w.rows >= maxGroupRows {
			if err := w.closeGroup(); err != nil {
				return err
			}
		}
	}
	return nil
}

// writeRows encodes rows lo to hi, each column in one goroutine, and waits for the goroutines.
func (w *Writer) writeRows(rec arrow.RecordBatch, lo, hi int) error {
	var group errgroup.Group
	group.SetLimit(w.opts.Workers)
	for i := range w.leaves {
		l := &w.leaves[i]
		group.Go(func() (err error) {
			defer recoverPanic(&err)
			column, err := w.group.Column(i)
			if err != nil {
				return err
			}
			def, rep, values, err := l.levels(rec.Column(l.column), lo, hi)
			if err != nil {
				return err
			}
			props := pqarrow.DefaultWriterProps()
			ctx := pqarrow.NewArrowWriteContext(context.Background(), &props)
			if err = pqarrow.WriteArrowToColumn(ctx, column, values, def, rep, false); err != nil {
				return &recordbatch.Error{Column: rec.ColumnName(l.column), Row: -1, Err: err}
			}
			return nil
		})
	}
	return group.Wait()
}

// closeGroup writes the current row group.
func (w *Writer) closeGroup() error {
	err := w.group.Close()
	w.group, w.rows, w.bytes = nil, 0, 0
	return err
}

// Close writes the last row group and the footer. After an error the caller must not call it, so that readers refuse the
// file, which has no footer then.
func (w *Writer) Close() (err error) {
	if w.err != nil {
		return w.err
	}
	defer func() { w.err = err }()
	defer recoverPanic(&err)
	if w.group != nil {
		if err := w.closeGroup(); err != nil {
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

// A leafPath is one Parquet column: a column of the schema, or a field of a struct in it.
type leafPath struct {
	column   int                // index in the schema
	path     parquet.ColumnPath // name in the file
	kind     arrow.DataType     // type of the values
	fields   []int              // index of the field in each struct around the values, from the outside in
	nullable bool               // rows may be null
}

// appendLeaves appends the leaves of a field.
func appendLeaves(dst []leafPath, column int, f arrow.Field) ([]leafPath, error) {
	return appendBelow(dst, leafPath{column: column, path: parquet.ColumnPath{f.Name}, nullable: f.Nullable}, f.Type)
}

// appendBelow appends the leaves of a type. l is the path to it.
func appendBelow(dst []leafPath, l leafPath, t arrow.DataType) ([]leafPath, error) {
	switch t := t.(type) {
	case *arrow.LargeListType:
		l.path = append(slices.Clip(l.path), "list", "element")
		return appendBelow(dst, l, t.Elem())
	case *arrow.FixedSizeListType:
		l.path = append(slices.Clip(l.path), "list", "element")
		return appendBelow(dst, l, t.Elem())
	case *arrow.StructType:
		for i, f := range t.Fields() {
			child := l
			child.fields = append(slices.Clip(l.fields), i)
			child.path = append(slices.Clip(l.path), f.Name)
			var err error
			if dst, err = appendBelow(dst, child, f.Type); err != nil {
				return dst, err
			}
		}
		return dst, nil
	}
	if _, ok := t.(arrow.FixedWidthDataType); !ok && t.ID() != arrow.LARGE_STRING && t.ID() != arrow.LARGE_BINARY {
		return dst, &recordbatch.Error{Column: l.path[0], Row: -1, Err: fmt.Errorf("%w: %v", recordbatch.ErrType, t)}
	}
	l.kind = t
	return append(dst, l), nil
}

// A levelBuilder makes the definition and repetition levels of a leaf. The definition level of a value is the number of
// lists around it, plus 1 if rows may be null. An empty list has the level of a value in its place. The repetition level
// is the ordinal of the innermost list that continues, from 1; 0 begins a row.
type levelBuilder struct {
	def, rep []int16    // levels so far
	axes     []listAxis // from the outside in
	offset   int16      // 1 if rows may be null; else 0
}

// A listAxis divides items into lists.
type listAxis struct {
	offsets []int64 // first item of each list, and the number of items; nil for lists of a fixed size
	size    int     // the fixed size
}

// start returns the first item of a list. For the list after the last one it is the number of items.
func (l listAxis) start(list int) int {
	if l.offsets != nil {
		return int(l.offsets[list])
	}
	return list * l.size
}

// levels returns the levels and the values of rows lo to hi. A column without lists and nulls has no levels.
func (l *leafPath) levels(column arrow.Array, lo, hi int) (def, rep []int16, values arrow.Array, err error) {
	b := levelBuilder{}
	if l.nullable {
		b.offset = 1
	}
	data, fields := column.Data(), l.fields
	first := data.Offset() // > 0 for a slice of a record batch
	lo, hi = lo+first, hi+first
	for {
		if data != column.Data() && data.Offset() != 0 {
			return nil, nil, nil, &recordbatch.Error{Column: l.path[0], Row: -1, Err: fmt.Errorf("%w: slice of an array in a list", recordbatch.ErrType)}
		}
		switch t := data.DataType().(type) {
		case *arrow.LargeListType:
			b.axes = append(b.axes, listAxis{offsets: arrow.Int64Traits.CastFromBytes(data.Buffers()[1].Bytes())})
			data = data.Children()[0]
			continue
		case *arrow.FixedSizeListType:
			b.axes = append(b.axes, listAxis{size: int(t.Len())})
			data = data.Children()[0]
			continue
		case *arrow.StructType:
			data, fields = data.Children()[fields[0]], fields[1:]
			continue
		}
		break
	}
	start, end := lo, hi
	for _, r := range b.axes {
		start, end = r.start(start), r.start(end)
	}
	values = array.MakeFromData(array.NewSliceData(data, int64(start-min(data.Offset(), start)), int64(end-min(data.Offset(), end))))
	if len(b.axes) == 0 && !l.nullable {
		return nil, nil, values, nil
	}
	for row := lo; row < hi; row++ {
		if l.nullable && column.IsNull(row-first) {
			b.def, b.rep = append(b.def, 0), append(b.rep, 0)
			continue
		}
		b.addItem(0, row, 0)
	}
	return b.def, b.rep, values, nil
}

// addItem adds the levels of the values in an item of an axis. rep is the repetition level of the first one.
func (b *levelBuilder) addItem(axis, item int, rep int16) {
	if axis == len(b.axes) {
		b.def, b.rep = append(b.def, int16(axis)+b.offset), append(b.rep, rep)
		return
	}
	lo, hi := b.axes[axis].start(item), b.axes[axis].start(item+1)
	if lo == hi {
		b.def, b.rep = append(b.def, int16(axis)+b.offset), append(b.rep, rep)
		return
	}
	if axis == len(b.axes)-1 { // a call for each value would take longer, and most columns have one list
		for i := lo; i < hi; i++ {
			b.def, b.rep = append(b.def, int16(axis+1)+b.offset), append(b.rep, rep)
			rep = int16(axis + 1)
		}
		return
	}
	for i := lo; i < hi; i++ {
		b.addItem(axis+1, i, rep)
		rep = int16(axis + 1)
	}
}
