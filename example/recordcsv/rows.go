package recordcsv

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"
)

// rows reads the rows of one CSV file, with their positions.
type rows struct {
	opts *Options      // those of the Reader or Inferrer; not changed
	src  meter         // the file; limits the size of a row
	in   *bufio.Reader // buffers src; csv reads from it
	csv  *csv.Reader   // splits rows; counts neither skipped nor skippedLines

	row        int64 // ordinal of the last row; -1 for the header
	begin, end int64 // offsets of the first byte of the row and after its last byte
	line       int   // first line of the row, from 1
	last       int   // last line of the row, as csv counts

	skipped      int64 // bytes that csv does not count: a byte order mark and blank lines
	skippedLines int   // blank lines, which csv does not count
	lost         bool  // no row can be read after the last error
}

const bufferSize = 64 << 10

func newRows(r io.Reader, o *Options) *rows {
	s := &rows{opts: o, row: -1}
	s.src = meter{r: r, most: o.MaxRowSize}
	if s.src.most == 0 {
		s.src.most = defaultRowSize
	}
	s.in = bufio.NewReaderSize(&s.src, bufferSize)
	s.csv = csv.NewReader(s.in)
	o.configure(s.csv)
	return s
}

// header returns the names of the columns, from the file or the options. names are valid until the next row is read.
func (s *rows) header() (names []string, err error) {
	if err := s.mark(); err != nil {
		return nil, err
	}
	if s.opts.Columns != nil {
		return s.opts.Columns, nil
	}
	names, err = s.read(-1)
	if err == io.EOF {
		return nil, s.fault(&Error{Detail: "there is no header: the file is empty", Err: ErrHeader})
	}
	if err != nil {
		s.lost = true
		return nil, err
	}
	if err = checkNames(names); err == nil {
		for i, name := range names {
			if strings.ContainsRune(name, '\r') {
				err = fmt.Errorf("the name of column %d has a carriage return without a line feed", i+1)
				break
			}
		}
	}
	if err != nil {
		return nil, s.fault(&Error{Line: s.line, Detail: err.Error(), Err: ErrHeader})
	}
	if err := s.opts.checkDelimiter(names); err != nil {
		return nil, s.fault(&Error{Line: s.line, Detail: err.Error(), Err: ErrDelimiter})
	}
	return names, nil
}

// mark skips the byte order mark of UTF-8. A byte order mark of UTF-16 is an error.
func (s *rows) mark() error {
	switch start, _ := s.in.Peek(3); {
	case len(start) == 3 && string(start) == "\xef\xbb\xbf":
		s.in.Discard(3)
		s.skipped = 3
	case len(start) >= 2 && (string(start[:2]) == "\xff\xfe" || string(start[:2]) == "\xfe\xff"):
		return s.fault(&Error{Detail: "want UTF-8, got the byte order mark of UTF-16", Err: ErrHeader})
	}
	return nil
}

// next reads a row. The cells are valid until the next call. The error is io.EOF after the last row, or an *Error; if s.lost is
// set, no further row can be read.
func (s *rows) next() ([]string, error) { return s.read(s.row + 1) }

func (s *rows) read(row int64) ([]string, error) {
	if s.lost {
		return nil, io.EOF
	}
	s.blank()
	s.begin, s.line = s.offset(), s.last+s.skippedLines+1
	s.src.begin = s.begin
	cells, err := s.csv.Read()
	s.end = s.offset()
	if err == io.EOF {
		return nil, io.EOF
	}
	s.row = row
	pe, misplaced := errors.AsType[*csv.ParseError](err)
	switch {
	case misplaced:
		s.last = pe.Line // csv has skipped the rest of this line
		e := &Error{Line: pe.Line + s.skippedLines, Byte: pe.Column, Err: ErrQuote}
		if e.Detail = "quoted cell is not closed, or a quote in it is not doubled"; errors.Is(pe.Err, csv.ErrBareQuote) {
			e.Detail = "quote in an unquoted cell: quote the cell, double each quote in it"
		}
		if e.Line > s.line {
			e.Detail += fmt.Sprintf("; the row begins in line %d", s.line)
		}
		return nil, s.place(e)
	case err == ErrTooLarge:
		return nil, s.fault(&Error{Line: s.line, Detail: fmt.Sprintf("the row has more than %d bytes; is a quote not closed?", s.src.most), Err: err})
	case err != nil:
		return nil, s.fault(&Error{Line: s.line, Err: err})
	}
	n := len(cells) - 1
	last, _ := s.csv.FieldPos(n)
	s.last = last + strings.Count(cells[n], "\n")
	if s.end-s.begin > s.src.most { // the row was in the buffer, so the meter did not stop it
		return nil, s.place(&Error{Line: s.line, Detail: fmt.Sprintf("the row has %d bytes, want at most %d", s.end-s.begin, s.src.most), Err: ErrTooLarge})
	}
	return cells, nil
}

// blank skips blank lines, so that they do not count as part of the next row.
func (s *rows) blank() {
	for {
		start, _ := s.in.Peek(2)
		n := 0
		switch {
		case len(start) > 0 && start[0] == '\n':
			n = 1
		case len(start) > 1 && start[0] == '\r' && start[1] == '\n':
			n = 2
		default:
			return
		}
		s.in.Discard(n)
		s.skipped += int64(n)
		s.skippedLines++
		s.src.begin = s.offset()
	}
}

// offset returns the number of bytes that were read from the file.
func (s *rows) offset() int64 { return s.csv.InputOffset() + s.skipped }

// fault adds the position to an error that ends the file.
func (s *rows) fault(e *Error) error {
	s.lost = true
	return s.place(e)
}

// place adds the position of the row to an error.
func (s *rows) place(e *Error) error {
	e.Row, e.Offset = s.row, s.begin
	return e
}

// cellError returns the error of one cell.
func (s *rows) cellError(column int, name string, err error, detail string) error {
	line, at := s.csv.FieldPos(column)
	return s.place(&Error{Line: line + s.skippedLines, Byte: at, Column: column + 1, Name: name, Detail: detail, Err: err})
}

// count checks the number of cells.
func (s *rows) count(cells []string, want int) error {
	if len(cells) == want {
		return nil
	}
	e := &Error{Line: s.line, Detail: fmt.Sprintf("%s, want %d", plural(len(cells), "cell"), want), Err: ErrCells}
	if len(cells) > want {
		line, at := s.csv.FieldPos(want)
		e.Line, e.Byte = line+s.skippedLines, at
	}
	return s.place(e)
}

// plural returns a number with its noun: 1 cell, 2 cells.
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// meter limits the size of one row, which encoding/csv keeps in memory. Without it, an unclosed quote would read the rest of the
// file.
type meter struct {
	r     io.Reader
	begin int64 // offset of the first byte of the row
	n     int64 // number of bytes read
	most  int64 // maximum size of a row, in bytes
}

func (m *meter) Read(p []byte) (int, error) {
	if m.n-m.begin > m.most {
		return 0, ErrTooLarge
	}
	n, err := m.r.Read(p)
	m.n += int64(n)
	return n, err
}
