package export

import (
	"io"
	"os"
	"path/filepath"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/internal/atomicfile"
	"github.com/tfparse/tfparse/internal/storage"
)

// spool holds several streams in one temporary file, for a format that begins each stream with its length. Each stream has a
// buffer, which is appended to the file when it is full. A file for each stream would exceed the limit of open files.
type spool struct {
	file *atomicfile.Scratch // nil before the first full buffer
	name string              // the temporary file is beside this file
	size int64               // size of the temporary file, in bytes
	full int                 // size of a buffer, in bytes
}

// Sizes of buffers, in bytes. spoolBytes is for the buffers of all streams together, unless there are more than a thousand.
const (
	spoolBytes = 8 << 20
	minBuffer  = 8 << 10
	maxBuffer  = 256 << 10
)

// newSpool returns the spool of an output with a number of streams. The temporary file is beside the output if that is a
// regular file, else in the directory for temporary files.
func newSpool(output string, streams int) *spool {
	info, err := os.Stat(output)
	if !cli.IsFile(output) || storage.Remote(output) || err == nil && !info.Mode().IsRegular() {
		output = filepath.Join(os.TempDir(), "tfparse")
	}
	return &spool{name: output, full: min(max(spoolBytes/max(streams, 1), minBuffer), maxBuffer)}
}

// stream is one stream of a spool.
type stream struct {
	buf     []byte   // the end of the stream, which is not in the file yet
	extents []extent // parts of the file, in the order of the stream
}

// extent is a range of bytes of a file.
type extent struct{ offset, size int64 }

// flush writes the buffer of a stream to the file if it is full. The caller calls it after it has appended to the buffer.
func (s *spool) flush(st *stream) error {
	if len(st.buf) < s.full {
		return nil
	}
	if s.file == nil {
		f, err := atomicfile.NewScratch(s.name)
		if err != nil {
			return s.failed(err)
		}
		s.file = f
	}
	n, err := s.file.WriteAt(st.buf, s.size)
	if err != nil {
		return s.failed(err)
	}
	if last := len(st.extents) - 1; last >= 0 && st.extents[last].offset+st.extents[last].size == s.size {
		st.extents[last].size += int64(n)
	} else {
		st.extents = append(st.extents, extent{s.size, int64(n)})
	}
	s.size += int64(n)
	if st.buf = st.buf[:0]; cap(st.buf) > 4*s.full { // do not keep the memory of a long value
		st.buf = nil
	}
	return nil
}

// copyTo writes a stream to w.
func (s *spool) copyTo(w io.Writer, st *stream) error {
	for _, e := range st.extents {
		if _, err := io.Copy(w, io.NewSectionReader(s.file, e.offset, e.size)); err != nil {
			return err
		}
	}
	_, err := w.Write(st.buf)
	return err
}

// failed returns an error about the temporary file.
func (s *spool) failed(err error) error {
	return cli.OutputError("temporary file in "+filepath.Dir(s.name), err)
}

// close removes the file.
func (s *spool) close() {
	if s.file != nil {
		s.file.Close()
		s.file = nil
	}
}
