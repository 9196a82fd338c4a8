package dataset

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"

	"github.com/tfparse/tfparse/internal/feed"
	"github.com/tfparse/tfparse/internal/storage"
	"github.com/tfparse/tfparse/tfrecord"
)

// A FileError is a file that cannot be opened or closed, one that FilesOptions.Format cannot read, or a pattern that stands for
// nothing.
type FileError struct {
	Name string
	Err  error
}

// Error gives the name and what is wrong.
func (e *FileError) Error() string { return e.Name + ": " + e.Err.Error() }

// Unwrap returns what is wrong.
func (e *FileError) Unwrap() error { return e.Err }

// reason drops the operation and the path from an error of a file system: a FileError
// says the name already.
func reason(err error) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return pe.Err
	}
	return err
}

// Skipped is what was skipped: a range of a file, a record that does not fit the
// spec, or a file that could not be opened.
type Skipped struct {
	tfrecord.Position       // of the first record skipped; Record is -1 if it is a file
	End               int64 // where in the uncompressed stream the range ends; -1 when unknown, as for misfits with FilesOptions.Format
	Records           int64 // how many records are skipped; -1 when unknown
	// Err is what the stream would have ended with: an *tfrecord.Error, around a
	// *feature.Error if the record does not fit, or a *FileError.
	Err error
}

// Stats counts what became of the files so far.
type Stats struct {
	Records        int64 // handed out, one by one or as rows
	Batches        int64 // handed out
	Unfit          int64 // records that do not fit the spec, skipped
	SkippedRanges  int64 // other ranges of files, and files, skipped
	SkippedRecords int64 // records in those ranges and files; -1 when that is unknown of any of them
	// PeakBytes is the most that was counted against the budget.
	PeakBytes int64
}

// open opens a file that a pattern stands for.
func (o *FilesOptions) open(ctx context.Context, name string) (io.ReadCloser, error) {
	switch {
	case name == stdinName:
		in := o.Stdin
		if in == nil {
			in = os.Stdin
		}
		return feed.Stdin(in), nil
	case o.Open != nil:
		return o.Open(ctx, name)
	case o.FS != nil:
		return o.FS.Open(name)
	}
	f, err := storage.OpenContext(ctx, name)
	if err != nil {
		return nil, err // not f, which is another interface
	}
	return f, nil
}
