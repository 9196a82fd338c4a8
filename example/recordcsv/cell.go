package recordcsv

import (
	"encoding/csv"
	"io"
	"strings"
)

// A splitter divides the cells of multivalent columns.
type splitter struct {
	delimiter string
	opts      Options // of a cell with quotes
	values    []string
}

func newSplitter(o *Options) *splitter {
	return &splitter{delimiter: string(o.SecondaryDelimiter), opts: Options{Delimiter: o.SecondaryDelimiter, LazyQuotes: o.LazyQuotes}}
}

// split returns the values of a cell that is not empty, lent until the next call, or what is wrong with it.
func (s *splitter) split(cell string) (values []string, wrong string) {
	if strings.IndexByte(cell, '"') >= 0 {
		return s.quoted(cell)
	}
	s.values = s.values[:0]
	for value := range strings.SplitSeq(cell, s.delimiter) {
		s.values = append(s.values, value)
	}
	return s.values, ""
}

// quoted divides a cell some of whose values are in quotes.
func (s *splitter) quoted(cell string) (values []string, wrong string) {
	r := csv.NewReader(strings.NewReader(cell))
	s.opts.configure(r)
	values, err := r.Read()
	if err != nil {
		return nil, "a quote in the list is misplaced or not closed"
	}
	if _, err := r.Read(); err != io.EOF {
		return nil, "a line break in the list is not in quotes"
	}
	return values, ""
}
