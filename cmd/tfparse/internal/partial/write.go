package partial

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/tfrecord"
)

// A Writer writes a part.
type Writer struct {
	out     *cli.Output             // the file
	records *tfrecord.Writer        // writes to out
	header  func() (*Header, error) // makes the header
	begun   bool                    // the header was written
	buf     []byte                  // for the header
}

// Create begins a part. name is the value of --partial. Write calls header once, before the first result. read has the
// names of input files, which must not be overwritten.
func Create(e *cli.Env, name string, read []string, header func() (*Header, error)) (*Writer, error) {
	if err := cli.CheckRecordsName(name, tfrecord.None); err != nil {
		return nil, err
	}
	out, err := e.Create(name, read...)
	if err != nil {
		return nil, err
	}
	return &Writer{out: out, records: tfrecord.NewWriter(out, nil), header: header}, nil
}

// begin writes the header, if it was not written yet.
func (w *Writer) begin() error {
	if w.begun {
		return nil
	}
	w.begun = true
	h, err := w.header()
	if err != nil {
		return err
	}
	if w.buf, err = h.append(w.buf[:0]); err != nil {
		return err
	}
	return w.records.WriteRecord(w.buf)
}

// Write writes the result of one or more files.
func (w *Writer) Write(r *Result) error {
	if err := w.begin(); err != nil {
		return err
	}
	b, err := r.MarshalBinary()
	if err != nil {
		return err
	}
	return w.records.WriteRecord(b)
}

// Finish completes the part if err, the result of the work before, is nil. Otherwise it drops the file.
func (w *Writer) Finish(err error) error {
	if err == nil {
		err = w.begin()
	}
	if err == nil {
		err = w.records.Close()
	}
	return w.out.Finish(err)
}

// hash returns the setting for the content of a file.
func hash(b []byte) string {
	sum := sha256.Sum256(b)
	return hashPrefix + hex.EncodeToString(sum[:])
}
