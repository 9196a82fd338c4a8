package recordjson

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// MaxLine is the default limit for the length of a line, in bytes.
const MaxLine = 1 << 30

// ErrLineTooLong is the error of a line that exceeds the limit.
var ErrLineTooLong = errors.New("line is too long")

// Lines reads a stream line by line. Lines of white space alone are passed
// over, and so is a byte order mark at the start of the stream. It holds one
// line in memory, and grows only as bytes arrive.
type Lines struct {
	r      *bufio.Reader
	max    int
	number int64
	line   []byte
	err    error
}

// NewLines returns Lines that reads from r. A line longer than max bytes is an
// error; 0 means MaxLine.
func NewLines(r io.Reader, max int) *Lines {
	if max <= 0 {
		max = MaxLine
	}
	return &Lines{r: bufio.NewReaderSize(r, 256<<10), max: max}
}

// Next returns the next line without its end, lent until the next call. The
// error is io.EOF at the end of the stream, and sticks. The last line may
// lack its end.
func (l *Lines) Next() ([]byte, error) {
	for l.err == nil {
		var line []byte
		l.number++
		if line, l.err = l.read(); l.err != nil && l.err != io.EOF {
			break // what was read of the line is not the line
		}
		if len(line) > l.max {
			l.err = l.tooLong()
			break
		}
		if len(bytes.TrimSpace(line)) > 0 {
			return line, nil
		}
	}
	return nil, l.err
}

// Number returns the number of the line that Next returned last, or failed
// at, from 1.
func (l *Lines) Number() int64 { return l.number }

// read returns the next line; the last one comes with io.EOF.
func (l *Lines) read() ([]byte, error) {
	l.line = l.line[:0]
	for {
		part, err := l.r.ReadSlice('\n')
		if l.number == 1 && len(l.line) == 0 {
			part = bytes.TrimPrefix(part, []byte("\ufeff"))
		}
		if err == nil && len(l.line) == 0 {
			return trimEnd(part), nil // lent by the buffer, as long as by l.line
		}
		l.line = append(l.line, part...)
		if len(l.line) > l.max+len("\r\n") {
			return nil, l.tooLong()
		}
		if err != bufio.ErrBufferFull {
			return trimEnd(l.line), err
		}
	}
}

func (l *Lines) tooLong() error {
	return fmt.Errorf("%w: more than %d bytes", ErrLineTooLong, l.max)
}

func trimEnd(line []byte) []byte {
	line = bytes.TrimSuffix(line, []byte{'\n'})
	return bytes.TrimSuffix(line, []byte{'\r'})
}
