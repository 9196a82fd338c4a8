package encode

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"io"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/tfrecord"
)

// foreign returns the error for an input that is not lines of UTF-8: what its first bytes
// look like, and how to read it.
func foreign(r *bufio.Reader, name string) error {
	start, _ := r.Peek(tfrecord.HeaderSize + tfrecord.FooterSize)
	file := ""
	if name != scan.Stdin {
		file = cli.ShellQuoted(name) + " "
	}
	switch {
	case isHeader(start), isHeader(unpacked(r)):
		return errors.New("want JSON lines, got a TFRecord: tfparse cat prints its records, tfparse convert writes them again")
	case bytes.HasPrefix(start, []byte("\x1f\x8b")):
		return errors.New("want JSON lines, got gzip: gzip -dc " + file + "| tfparse encode … reads it")
	case bytes.HasPrefix(start, []byte("\xef\xbb\xbf")):
		return errors.New("want JSON lines, got a byte order mark before them: tail -c +4 " + file + "| tfparse encode … reads the rest")
	case bytes.HasPrefix(start, []byte("\xff\xfe")), bytes.HasPrefix(start, []byte("\xfe\xff")):
		return errors.New("want JSON lines in UTF-8, got the byte order mark of UTF-16: iconv -f UTF-16 -t UTF-8 " + file + "| tfparse encode … reads them")
	}
	return nil
}

// unpacked returns the first decompressed bytes of r, if r is gzip.
func unpacked(r *bufio.Reader) []byte {
	start, _ := r.Peek(2)
	if string(start) != "\x1f\x8b" {
		return nil
	}
	packed, _ := r.Peek(4 << 10)
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil
	}
	b := make([]byte, tfrecord.HeaderSize+tfrecord.FooterSize)
	n, _ := io.ReadFull(z, b)
	return b[:n]
}

// isHeader reports whether a TFRecord begins with b: a length and its checksum.
func isHeader(b []byte) bool {
	_, _, err := tfrecord.ConsumeRecord(b)
	return err == nil || errors.Is(err, tfrecord.ErrDataChecksum) || errors.Is(err, io.ErrUnexpectedEOF) && len(b) >= tfrecord.HeaderSize
}
