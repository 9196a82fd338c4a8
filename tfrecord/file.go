package tfrecord

import (
	"github.com/tfparse/tfparse/internal/atomicfile"
	"github.com/tfparse/tfparse/internal/storage"
)

// Open opens a file of records. The name in positions is name, unless opts
// gives another.
func Open(name string, opts *ReaderOptions) (*Reader, error) {
	f, err := storage.Open(name)
	if err != nil {
		return nil, err
	}
	var o ReaderOptions
	if opts != nil {
		o = *opts
	}
	if o.Name == "" {
		o.Name = name
	}
	r := NewReader(f, &o)
	r.file = f
	return r, nil
}

// Close closes the file of [Open]; a record on loan is no longer good. After [NewReader] it does nothing: there
// the source is the caller's.
func (r *Reader) Close() error {
	if r.file == nil {
		return nil
	}
	r.endLoan()
	return r.file.Close()
}

// A FileWriter is a [Writer] of a file that appears under its name only when it is complete.
type FileWriter struct {
	*Writer
	file *atomicfile.File
	done bool
}

// Create makes a file of records. The records go to a hidden file beside name,
// which takes its place when Close has written and synced everything. Until
// then, and when writing fails or is given up, what was at name stays. What a
// program that was killed has left beside name is removed. A file
// that is no regular one, such as a device or a pipe, is written to directly, and
// so is one that this process has open, as /dev/fd/3.
// Where name is a symbolic link, the file it leads to is meant, there or not.
func Create(name string, opts *WriterOptions) (*FileWriter, error) {
	f, err := atomicfile.Create(name)
	if err != nil {
		return nil, err
	}
	w := &FileWriter{Writer: NewWriter(f, opts), file: f}
	if w.Writer.err != nil { // settings that no codec takes
		f.Abort()
		return nil, w.Writer.err
	}
	return w, nil
}

// Close ends the stream, syncs the file and gives it its name. If anything
// fails, now or at an earlier write, there is no new file and Close returns
// the error. After Abort it does nothing.
func (w *FileWriter) Close() error {
	if w.done {
		return nil
	}
	w.done = true
	if err := w.Writer.Close(); err != nil {
		w.file.Abort()
		return err
	}
	return w.file.Commit()
}

// Abort gives the file up: what was at its name stays. After Close it does
// nothing, so it can be deferred.
func (w *FileWriter) Abort() error {
	if w.done {
		return nil
	}
	w.done = true
	w.Writer.err = errWriterClosed
	w.file.Abort()
	return nil
}
