package encode

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/tfrecord"
)

var errLongLine = errors.New("line exceeds the size limit")

// A lineReader reads the lines of a file as records, without those that are empty. The ordinal of a record is the number of
// its line.
type lineReader struct {
	name  string
	r     *bufio.Reader
	limit int64  // bytes of a line
	long  []byte // memory for lines that the buffer of r does not hold

	begun  bool
	number int64 // of the line at hand
	ended  bool  // after an error that nothing follows
}

// newLineReader returns what makes a reader of lines of up to limit bytes.
func newLineReader(limit int64) func(name string, r io.Reader) scan.RecordReader {
	return func(name string, r io.Reader) scan.RecordReader {
		return &lineReader{name: name, r: bufio.NewReaderSize(r, 256<<10), limit: limit}
	}
}

// Next implements [scan.RecordReader].
func (l *lineReader) Next() ([]byte, error) {
	if !l.begun {
		l.begun = true
		if err := foreign(l.r, l.name); err != nil {
			l.ended, l.number = true, -1
			return nil, err
		}
	}
	for {
		line, err := readLine(l.r, &l.long, l.limit)
		l.number++
		switch _, ok := errors.AsType[*os.PathError](err); {
		case err == nil && len(bytes.TrimSpace(line)) == 0:
		case err == nil || err == io.EOF:
			return line, err
		case err == errLongLine:
			return nil, misfitOf(l.name, l.number, err)
		case ok:
			l.ended = true
			return nil, err
		default:
			l.ended = true
			return nil, fmt.Errorf("line %d: %w", l.number, err)
		}
	}
}

// Pos implements [scan.RecordReader].
func (l *lineReader) Pos() (record, offset int64) { return l.number, -1 }

// Skipped implements [scan.RecordReader].
func (l *lineReader) Skipped() (records, end int64) {
	if l.ended {
		return -1, -1
	}
	return 1, l.number
}

// misfitOf is the fault of a line that makes no record.
func misfitOf(name string, n int64, err error) *scan.Fault {
	return scan.Misfit(tfrecord.Position{Name: name, Record: -1, Offset: -1}, fmt.Errorf("line %d: %w", n, err))
}

// readLine returns the next line without its newline, lent until the next
// call. long is memory for lines that the buffer of r does not hold. A line of
// more than limit bytes is read to its end, not kept, and is errLongLine.
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
		return line, nil // the last line need not end
	}
	return line, err
}
