package dataset

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"

	"github.com/tfparse/tfparse/dataset/internal/feed"
	"github.com/tfparse/tfparse/tfrecord"
)

// A FileError is a file that cannot be opened or closed, or a pattern that stands for
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

// A Loss is what was stepped over: a stretch of a file, a record that does not fit the
// spec, or a file that could not be opened.
type Loss struct {
	tfrecord.Position       // of the first record lost; Record is -1 if it is a file
	End               int64 // where in the uncompressed stream the loss ends; -1 when unknown
	Records           int64 // how many records are lost; -1 when unknown
	// Err is what the stream would have ended with: an *tfrecord.Error, around a
	// *feature.Error if the record does not fit, or a *FileError.
	Err error
}

// Stats say what became of the files so far.
type Stats struct {
	Records int64 // handed out, one by one or as rows
	Batches int64 // handed out
	Misfits int64 // records that do not fit the spec, stepped over
	Losses  int64 // stretches of files, and files, stepped over
	Lost    int64 // records in them; -1 when that is unknown of any of them
	// PeakBytes is the most that was held within the budget.
	PeakBytes int64
}

// isNear reports whether reading an open file is no more than copying memory, as a rule.
// It is a variable for tests.
var isNear = func(rc io.ReadCloser) bool {
	f, ok := rc.(*os.File)
	if !ok {
		return false
	}
	fi, err := f.Stat()
	return err == nil && fi.Mode().IsRegular()
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
	f, err := os.Open(name)
	if err != nil {
		return nil, err // not f, which is a nil pointer in an interface
	}
	return f, nil
}
