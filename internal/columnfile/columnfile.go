// Package columnfile is the list of the file formats with columns that a program has: Parquet and Arrow, whose libraries are
// too large for the root module. A program registers them, as a store is registered in internal/storage; the command reads and
// writes those that are registered.
package columnfile

import (
	"io"
	"io/fs"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
)

// Format is a file format.
type Format struct {
	Name    string // the extension of its files without the point: "parquet"
	Streams bool   // NewReader uses Read only
	// NewEncoder returns the encoder of files with the given contents.
	NewEncoder func(*Contents) (Encoder, error)
	// NewReader returns the reader of a file.
	NewReader func(File) (Reader, error)
}

// Contents describes the columns of a file. Either Spec or Kinds is set.
type Contents struct {
	Spec  *feature.Spec           // of the batches
	Kinds map[string]example.Kind // without a spec: the features of the records and their kinds; other features are left out
	Text  []string                // features of strings that are UTF-8
}

// Encoder encodes rows. It is safe for all goroutines.
type Encoder interface {
	// FromBatch encodes the rows of a batch of the spec. The result may share the memory of the batch.
	FromBatch(*feature.Batch) (Rows, error)
	// FromRecords encodes Examples without a spec. A feature that a record lacks is null. It copies.
	FromRecords([][]byte) (Rows, error)
	// NewWriter begins a file. It writes nothing after a call of Write that failed.
	NewWriter(io.Writer) (Writer, error)
}

// Rows are encoded rows, as the writers of the same format take them.
type Rows any

// Writer writes a file.
type Writer interface {
	// Write writes rows. next is the address of the record after them.
	Write(rows Rows, next string) error
	// Close completes the file. It does not close the io.Writer, and is not called after an error.
	Close() error
}

// File is a file to read. One that is not regular is a copy.
type File interface {
	io.Reader
	io.ReaderAt
	Stat() (fs.FileInfo, error)
}

// Reader reads a file as records.
type Reader interface {
	// Note returns what the user should know about the file; "" if nothing.
	Note() string
	// Next returns the next record, valid until the next call. After a RowError it goes on with the next row.
	Next() ([]byte, error)
	Close() error
}

// RowError is the error of one row of a batch, or of the file.
type RowError struct {
	Row    int    // from 0; -1: the error is not about one row
	Column string // name of the column; "" if it is not about one
	Err    error
}

// Error returns the text of e.Err, since callers have another number for the row.
func (e *RowError) Error() string { return e.Err.Error() }

// Unwrap returns e.Err.
func (e *RowError) Unwrap() error { return e.Err }

// formats are the registered formats, by name.
var formats = map[string]Format{}

// Names are the names of all formats, registered or not.
var Names = []string{"parquet", "arrow", "arrows"}

// Register adds a format. It is called when the program starts.
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
