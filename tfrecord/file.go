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

// Create makes a file of records. The records go to a hidden file beside name,
// which takes its place when Close has written and synced everything. Until
// then, and when writing fails or is given up, what was at name stays. What a
// program that was killed has left beside name is removed. A file
// that is no regular one, such as a device or a pipe, is written to directly, and
// so is one that this process has open, as /dev/fd/3.
// Where name is a symbolic link, the file it leads to is meant, there or not.
func Create(name string, opts *WriterOptions) (*Writer, error) {
	f, err := atomicfile.Create(name)
	if err != nil {
		return nil, err
	}
	w := NewWriter(f, opts)
	if w.err != nil { // settings that no codec takes
		f.Abort()
		return nil, w.err
	}
	w.file = f
	return w, nil
}

// Abort gives the file of [Create] up: what was at its name stays. After Close it does nothing, so it can be
// deferred, and neither does it after [NewWriter].
func (w *Writer) Abort() error {
	if w.file != nil {
		w.file.Abort()
		w.file, w.err = nil, errWriterClosed
	}
	return nil
}
