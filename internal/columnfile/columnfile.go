// Package columnfile is the registry of columnar file formats: Parquet and Arrow. Their libraries are too large for the root
// module, so a program registers them, as it registers object stores in internal/storage.
package columnfile

import (
	"io"
	"io/fs"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/tensor"
)

// Format is a columnar file format.
type Format struct {
	Name    string // extension of its files, without the point: "parquet"
	Streams bool   // NewReader uses Read only
	// NewEncoder returns the encoder for files with the given columns.
	NewEncoder func(*Contents) (Encoder, error)
	// NewReader returns the reader of a file.
	NewReader func(File) (Reader, error)
}

// Contents describes the columns of a file. Either Spec or Kinds is set.
type Contents struct {
	Spec  *feature.Spec           // spec of the batches; nil: records are encoded without a spec
	Kinds map[string]example.Kind // without a spec: kinds of the features with a column; other features are left out
	Text  []string                // string features whose values are all UTF-8

	Images     []string                // string features with encoded images
	Labels     map[string][]string     // names of the classes of int64 features
	LabelNames bool                    // the columns of Labels have names, not numbers
	DTypes     map[string]tensor.DType // int64 features whose values are of Bool or Uint64
}

// Encoder encodes rows. It is safe for concurrent use.
type Encoder interface {
	// FromBatch encodes the rows of a batch of the spec. The result may share the memory of the batch.
	FromBatch(*feature.Batch) (Rows, error)
	// FromRecords encodes Examples without a spec. A feature that a record lacks is null. The result shares no memory with them.
	FromRecords([][]byte) (Rows, error)
	// NewWriter begins a file. After an error of w nothing more is written.
	NewWriter(w io.Writer) (Writer, error)
}

// Rows are encoded rows, for the writers of the same format.
type Rows any

// Writer writes a file.
type Writer interface {
	// Write writes rows. next is the address of the record after them, for formats that keep it.
	Write(rows Rows, next string) error
	// Close completes the file. It does not close the io.Writer, and is not called after an error.
	Close() error
}

// File is a file to read. It can be read at any offset: a pipe is copied first.
type File interface {
	io.Reader
	io.ReaderAt
	Stat() (fs.FileInfo, error)
}

// Reader reads a file as records.
type Reader interface {
	// Note returns a warning about the file; "" if there is none.
	Note() string
	// Next returns the next record, valid until the next call, or io.EOF. After a RowError it continues with the next row.
	Next() ([]byte, error)
	// Close ends the reading. It does not close the File.
	Close() error
}

// RowError is the error of one row of a batch, or of the file.
type RowError struct {
	Row    int    // index in the batch; -1: the error is not about one row
	Column string // name of the column; "" if it is not about one
	Err    error  // the reason
}

// Error returns the text of e.Err, without the row: callers print the ordinal of the record.
func (e *RowError) Error() string { return e.Err.Error() }

// Unwrap returns e.Err.
func (e *RowError) Unwrap() error { return e.Err }

// formats has the registered formats by name. It does not change after the start of the program.
var formats = map[string]Format{}

// Names has the names of all formats, registered or not.
var Names = []string{"parquet", "arrow", "arrows"}

// Register adds a format. It must be called before any file is read or written.
func Register(f Format) { formats[f.Name] = f }

// Find returns a registered format.
func Find(name string) (f Format, ok bool) {
	f, ok = formats[name]
	return f, ok
}

// Registered returns the names of the registered formats, in the order of Names.
func Registered() (names []string) {
	for _, name := range Names {
		if _, ok := formats[name]; ok {
			names = append(names, name)
		}
	}
	return names
}
