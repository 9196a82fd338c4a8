package encode

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/tfrecord"
)

var errLongLine = errors.New("line exceeds the size limit")

// A lineReader reads the lines of a file as records, except empty lines, or the blocks of a file of another layout. The ordinal
// of a record is the number of its first line.
type lineReader struct {
	name   string        // of the file, for errors
	in     *bufio.Reader // buffers the file; blocks reads it too
	limit  int64         // maximum length of a record, in bytes
	rows   bool          // records are rows of a spec
	long   []byte        // buffer for lines longer than the buffer of in
	blocks *blockReader  // for another layout than lines; else nil

	started bool  // Next was called
	number  int64 // line number of the current record; -1 if the file cannot be read
	ended   bool  // Next returned an error that ends the file
}

// keptLine is the size of the buffer for long lines that is kept for the next line, in bytes.
const keptLine = 4 << 20

// newLineReader returns the constructor of readers for records of up to limit bytes.
func newLineReader(limit int64, rows bool) func(name string, r io.Reader) scan.RecordReader {
	return func(name string, r io.Reader) scan.RecordReader {
		return &lineReader{name: name, in: bufio.NewReaderSize(r, 256<<10), limit: limit, rows: rows}
	}
}

// Next implements [scan.RecordReader].
func (l *lineReader) Next() ([]byte, error) {
	if !l.started {
		l.started = true
		err := checkFormat(l.in, l.name)
		if err == nil {
			switch layout := layoutOf(l.in); {
			case layout == textMessages && l.rows:
				err = errors.New("want JSON rows for --spec, got protobuf text format")
			case layout != oneALine:
				l.blocks = &blockReader{in: l.in, text: layout == textMessages, limit: l.limit, at: place{1, 0}}
			}
		}
		if err != nil {
			l.ended, l.number = true, -1
			return nil, err
		}
	}
	if l.blocks != nil {
		return l.nextBlock()
	}
	if cap(l.long) > keptLine { // other copies of the line follow, one at a time
		l.long = nil
	}
	for {
		line, err := readLine(l.in, &l.long, l.limit)
		l.number++
		switch _, ok := errors.AsType[*os.PathError](err); {
		case err == nil && len(bytes.TrimSpace(line)) == 0:
		case err == nil || err == io.EOF:
			return line, err
		case err == errLongLine:
			return nil, lineFault(l.name, l.number, err)
		case ok:
			l.ended = true
			return nil, err
		default:
			l.ended = true
			return nil, fmt.Errorf("line %d: %w", l.number, err)
		}
	}
}

// nextBlock is Next for other layouts than lines.
func (l *lineReader) nextBlock() ([]byte, error) {
	rec, err := l.blocks.next()
	l.number = l.blocks.start.line
	switch _, ok := errors.AsType[*os.PathError](err); {
	case err == nil || err == io.EOF:
		return rec, err
	case err == errLongLine:
		return nil, lineFault(l.name, l.number, errors.New("record exceeds the size limit"))
	case !ok:
		err = fmt.Errorf("line %d: column %d: %w", l.blocks.at.line, l.blocks.at.column+1, err)
	}
	l.ended = true
	return nil, err
}

// Pos implements [scan.RecordReader]. In place of an offset in the file it returns the number of bytes before the record in its
// line, or -1 for a whole line.
func (l *lineReader) Pos() (record, offset int64) {
	if l.blocks != nil {
		return l.number, l.blocks.start.column
	}
	return l.number, -1
}

// Skipped implements [scan.RecordReader].
func (l *lineReader) Skipped() (records, end int64) {
	if l.ended {
		return -1, -1
	}
	return 1, l.number
}

// lineFault returns the fault for a line that cannot be encoded.
func lineFault(name string, n int64, err error) *scan.Fault {
	return scan.Misfit(tfrecord.Position{Name: name, Record: -1, Offset: -1}, fmt.Errorf("line %d: %w", n, err))
}

// readLine returns the next line without its newline, valid until the next call. long is the buffer for lines longer than the
// buffer of r. For a line of more than limit bytes it reads up to the end of the line and returns errLongLine.
func readLine(r *bufio.Reader, long *[]byte, limit int64) ([]byte, error) {
	line, err := r.ReadSlice('\n')
	if err == nil {
		line = line[:len(line)-1]
	}
	if err == bufio.ErrBufferFull {
		*long = append((*long)[:0], line...)
		size := int64(len(line))
		for err == bufio.ErrBufferFull {
			line, err = r.ReadSlice('\n')
			size += int64(len(line))
			if size <= limit+1 {
				if free := cap(*long) - len(*long); len(line) > free {
					*long = slices.Grow(*long, len(*long)) // append would grow by a quarter, and leave five times the line as garbage
				}
				*long = append(*long, line...)
			}
		}
		if err == nil {
			size--
		}
		if size > limit {
			line = nil
			if err == nil || err == io.EOF {
				return nil, errLongLine
			}
		} else {
			line = (*long)[:size]
		}
	} else if int64(len(line)) > limit && (err == nil || err == io.EOF) {
		return nil, errLongLine
	}
	if err == io.EOF && len(line) > 0 {
		return line, nil // the last line may lack its newline
	}
	return line, err
}

// checkFormat returns an error if the first bytes are not UTF-8 text. The error names the format and how to read it.
func checkFormat(r *bufio.Reader, name string) error {
	start, _ := r.Peek(tfrecord.HeaderSize + tfrecord.FooterSize)
	file := ""
	if name != scan.Stdin {
		file = cli.ShellQuoted(name) + " "
	}
	switch {
	case isHeader(start), isHeader(firstDecompressed(r)):
		return errors.New("want JSON lines, got a TFRecord; tfparse cat prints it")
	case bytes.HasPrefix(start, []byte("\x1f\x8b")):
		return errors.New("want JSON lines, got gzip: gzip -dc " + file + "| tfparse encode … reads it")
	case bytes.HasPrefix(start, []byte("\xef\xbb\xbf")):
		return errors.New("want JSON lines, got a byte order mark: tail -c +4 " + file + "| tfparse encode … reads the rest")
	case bytes.HasPrefix(start, []byte("\xff\xfe")), bytes.HasPrefix(start, []byte("\xfe\xff")):
		return errors.New("want JSON lines in UTF-8, got UTF-16: iconv -f UTF-16 -t UTF-8 " + file + "| tfparse encode … reads them")
	}
	return nil
}

// firstDecompressed returns the first decompressed bytes of r, if r is gzip; else nil.
func firstDecompressed(r *bufio.Reader) []byte {
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

// isHeader reports whether b begins with a length and its checksum, like a TFRecord.
func isHeader(b []byte) bool {
	_, _, err := tfrecord.ConsumeRecord(b)
	return err == nil || errors.Is(err, tfrecord.ErrDataChecksum) || errors.Is(err, io.ErrUnexpectedEOF) && len(b) >= tfrecord.HeaderSize
}
