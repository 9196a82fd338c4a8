package dataset

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"

	"github.com/tfparse/tfparse/internal/feed"
	"github.com/tfparse/tfparse/internal/filelist"
	"github.com/tfparse/tfparse/internal/storage"
	"github.com/tfparse/tfparse/tfrecord"
)

// A FileError is the error of a file that cannot be opened, closed, or read by FilesOptions.Format,
// or of a pattern without matches.
type FileError struct {
	Name string // name of the file, or the pattern
	Err  error  // what is wrong
}

// Error returns the name and what is wrong.
func (e *FileError) Error() string { return e.Name + ": " + e.Err.Error() }

// Unwrap returns Err.
func (e *FileError) Unwrap() error { return e.Err }

// withoutPath drops the operation and the path from an error of a file system, for a FileError,
// which has the name.
func withoutPath(err error) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return pe.Err
	}
	return err
}

// Skipped is something that was skipped: a range of a file, a record that does not fit the spec, or
// a file that could not be opened.
type Skipped struct {
	tfrecord.Position // position of the first skipped record; Record is -1 for a file
	// End is the end of the range in the uncompressed stream; -1 if unknown, as for records of
	// FilesOptions.Format.
	End     int64
	Records int64 // number of skipped records; -1 if unknown
	// Err is the error that would have ended the stream without SkipErrors: a *tfrecord.Error, around
	// a *feature.Error if the record does not fit, or a *FileError.
	Err error
}

// Stats has counts of a stream so far.
type Stats struct {
	Records        int64 // number of records returned, one by one or as rows
	Batches        int64 // number of batches returned
	Unfit          int64 // number of skipped records that do not fit the spec
	SkippedRanges  int64 // number of other skipped ranges of files, and of skipped files
	SkippedRecords int64 // number of records in these ranges and files; -1 if unknown for one of them
	PeakBytes      int64 // maximum number of bytes that were charged to the budget
}

// openFile opens a file of the list.
func (o *FilesOptions) openFile(ctx context.Context, name string) (io.ReadCloser, error) {
	switch {
	case name == stdinPattern:
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
		return nil, err
	}
	return f, nil
}

// stdinPattern is standard input in patterns and positions.
const stdinPattern = filelist.Stdin

// ErrNoMatch is wrapped by the FileError of a pattern without matches, or of a directory without
// files.
var ErrNoMatch = filelist.ErrNoMatch

// listFiles expands the patterns. With SkipErrors the error of a file is in its entry; else it is
// returned.
func (f *Files) listFiles(ctx context.Context) ([]filelist.File, error) {
	list, err := f.opts.newLister(ctx).List(f.patterns, nil)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		return nil, argumentError("%v", err)
	}
	if f.opts.SkipErrors {
		return list.Files, nil
	}
	for _, set := range list.Broken {
		return nil, &FileError{set.Set, set}
	}
	for _, file := range list.Files {
		if file.Err != nil {
			return nil, &FileError{file.Name, file.Err}
		}
	}
	return list.Files, nil
}

// newLister returns the lister for the file system of the options.
func (o *FilesOptions) newLister(ctx context.Context) *filelist.Lister {
	switch {
	case o.FS != nil:
		return filelist.FS(o.FS)
	case o.Open != nil:
		return &filelist.Lister{}
	}
	return filelist.System(ctx)
}

// A RecordReader reads the records of a file of another format than TFRecord, for
// [FilesOptions.Format], such as a recordcsv.Reader. One goroutine uses it.
type RecordReader interface {
	// Next returns the next record, lent until the next call. The error is io.EOF after the last
	// record.
	Next() ([]byte, error)
	// Pos returns the position of the record or the error that Next returned last: its ordinal in the
	// file, which increases, and the offset of its first byte. The ordinal of an error about the file
	// is -1.
	Pos() (record, offset int64)
	// Skipped returns what the last error of Next skips: the number of records, -1 if unknown, and the
	// offset where they end, -1 if Next cannot continue.
	Skipped() (records, end int64)
}
