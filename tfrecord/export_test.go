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

// CloseFile closes the file under w, so that what is written from then on
// fails.
func (w *FileWriter) CloseFile() error { return w.file.Close() }
