package scan

import (
	"io"
	"sync/atomic"

	"github.com/tfparse/tfparse/internal/filelist"
	"github.com/tfparse/tfparse/internal/storage"
)

// Stdin is the name of standard input among the arguments and in positions.
const Stdin = filelist.Stdin

// An Input is one file to read, or an argument that names none.
type Input struct {
	Name string // what to open, and what errors and positions say
	Err  error  // why there is nothing to open; nil for a file, which may still fail to open

	Records *Range // which of its records are wanted; nil: all
	Table   *Table // what it belongs to if it is CSV; nil: it is a TFRecord

	// Stream, if not nil, is read instead, once: the file, or standard input, is open because its
	// beginning was looked at.
	Stream *Stream
}

// A Stream is an input that is open. The first scan reads it; another one opens the file again.
type Stream struct {
	io.ReadCloser
	taken atomic.Bool // by a scan
}

// NewStream returns the stream that begins with what was looked at and goes on with the rest of a file.
func NewStream(head io.Reader, rest io.ReadCloser) *Stream {
	return &Stream{ReadCloser: struct {
		io.Reader
		io.Closer
	}{io.MultiReader(head, rest), rest}}
}

// take reports whether the stream is to be read now.
func (s *Stream) take() bool { return s != nil && s.taken.CompareAndSwap(false, true) }

// Regular reports whether the input is a regular file: not standard input, a
// pipe or a device.
func (i Input) Regular() bool { _, ok := i.size(); return ok }

func (i Input) size() (int64, bool) {
	if i.Name == Stdin {
		return 0, false
	}
	info, err := storage.Stat(i.Name)
	if err != nil || !info.Mode().IsRegular() {
		return 0, false
	}
	return info.Size(), true
}

// TotalSize returns the bytes in the inputs, or 0 if that is not known of all
// of them.
func TotalSize(in []Input) int64 {
	var total int64
	for _, i := range in {
		size, ok := i.size()
		if !ok {
			return 0
		}
		total += size
	}
	return total
}
