package recordcsv

import (
	"encoding/csv"
	"fmt"
	"io"
	"strings"
)

// A splitter splits the cells of multivalent columns into values.
type splitter struct {
	delimiter string   // delimiter between the values
	opts      Options  // to split a cell with quotes
	values    []string // memory of the result
}

func newSplitter(o *Options) *splitter {
	return &splitter{delimiter: string(o.SecondaryDelimiter), opts: Options{Delimiter: o.SecondaryDelimiter, LazyQuotes: o.LazyQuotes, TFDV: o.TFDV}}
}

// split returns the values of a cell that is not empty, lent until the next call, or its error.
func (s *splitter) split(cell string) (values []string, wrong *Error) {
	list, brackets, wrong := s.inBrackets(cell)
	switch {
	case wrong != nil:
		return nil, wrong
	case brackets && list == "":
		return nil, nil
	case strings.IndexByte(list, '"') >= 0:
		values, wrong = s.quoted(list, brackets)
	default:
		s.values = s.values[:0]
		for value := range strings.SplitSeq(list, s.delimiter) {
			s.values = append(s.values, value)
		}
		values = s.values
	}
	for i := range values {
		if brackets {
			values[i] = strings.Trim(values[i], space)
		}
	}
	return values, wrong
}

// inBrackets returns the text between the brackets of a list, as JSON, Python and pandas write it, without spaces
// around it. It returns any other cell unchanged.
func (s *splitter) inBrackets(cell string) (list string, brackets bool, wrong *Error) {
	inner := strings.Trim(cell, space)
	if s.opts.TFDV || len(inner) < 2 || inner[0] != '[' || inner[len(inner)-1] != ']' {
		return cell, false, nil
	}
	inner = strings.Trim(inner[1:len(inner)-1], space)
	switch {
	case strings.HasPrefix(inner, "["):
		return "", true, &Error{Detail: "want a list of values, got a list of lists", Err: ErrList}
	case strings.HasPrefix(inner, "'"):
		return "", true, &Error{Detail: "want double quotes or no quotes, got single quotes", Err: ErrList}
	case strings.ContainsAny(inner, "[]"):
		return cell, false, nil // a list of values in brackets
	case strings.Contains(inner, ",") && !strings.Contains(inner, s.delimiter):
		return "", true, &Error{Detail: fmt.Sprintf("want values separated by %q, got commas", s.delimiter), Err: ErrList}
	}
	return inner, true, nil
}

// quoted splits a cell that has values in quotes. spaces allows spaces before values, as in a list in brackets.
func (s *splitter) quoted(cell string, spaces bool) (values []string, wrong *Error) {
	r := csv.NewReader(strings.NewReader(cell))
	s.opts.configure(r)
	r.TrimLeadingSpace = spaces
	values, err := r.Read()
	if err != nil {
		return nil, &Error{Detail: "a quote in the list is misplaced or not closed", Err: ErrQuote}
	}
	if _, err := r.Read(); err != io.EOF {
		return nil, &Error{Detail: "a line break in the list is not in quotes", Err: ErrQuote}
	}
	return values, nil
}
