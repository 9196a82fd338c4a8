package tfrecord

import (
	"io"
	"time"
)

// Pack compresses any bytes, not only records.
func Pack(w io.Writer, c Compression, raw []byte) error {
	z, err := newEncoder(w, WriterOptions{Compression: c})
	if err != nil {
		return err
	}
	if _, err := z.Write(raw); err != nil {
		return err
	}
	return z.Close()
}

// BreakFile makes all later writes to the file of w fail.
func (w *Writer) BreakFile() { w.file.Abort() }

// CheckFits is check for tests.
func (x *Index) CheckFits(r io.ReaderAt, size int64, modTime time.Time) error {
	return x.checkData(r, size, modTime)
}

// MaskedCRC is maskedCRC for tests.
func MaskedCRC(b []byte) uint32 { return maskedCRC(b) }
