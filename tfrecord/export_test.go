package tfrecord

import "io"

// Pack compresses bytes that need not be records.
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

// BreakFile makes what is written to the file under w from then on fail.
func (w *FileWriter) BreakFile() { w.file.Abort() }
