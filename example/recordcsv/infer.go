package recordcsv

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/tfparse/tfparse/example"
)

// Inferrer infers the kinds of the columns of files. Not safe for concurrent use.
type Inferrer struct {
	opts    Options
	columns []columnClass // nil before the first file
	lists   *splitter     // for multivalent columns
	err     error         // error of the options, returned by the first call of Read
}

// columnClass has the classes of the values of a column in the cells so far.
type columnClass struct {
	name        string // name of the column
	multivalent bool   // cells are lists
	largest     class  // the largest class of the values
	text        bool   // a value is not a number
	fraction    bool   // a value is a number but not an int64
	padded      bool   // a value is a number with leading zeros, so the values of the column are strings
}

// NewInferrer returns an Inferrer. An error in the options is returned by the first call of Read.
func NewInferrer(opts *Options) *Inferrer {
	i := &Inferrer{}
	if opts != nil {
		i.opts = *opts
	}
	i.err = i.opts.Validate()
	i.lists = newSplitter(&i.opts)
	return i
}

// Read reads all rows of a file. It calls bad for each row that cannot be read, and for the error that ends a damaged file. If bad is
// nil or returns an error, Read returns it. If the file has another header than the previous files, the error is an [*Error] around
// [ErrHeader].
func (i *Inferrer) Read(r io.Reader, bad func(*Error) error) error {
	if i.err != nil {
		return i.err
	}
	rows := newRows(r, &i.opts)
	report := func(err error) error {
		e, ok := errors.AsType[*Error](err)
		if !ok || bad == nil {
			return err
		}
		return bad(e)
	}
	names, err := rows.header()
	if err == nil {
		err = i.begin(rows, names)
	}
	if err != nil {
		return report(err)
	}
	for {
		cells, err := rows.next()
		if err == io.EOF {
			return nil
		}
		if err == nil {
			err = rows.count(cells, len(i.columns))
		}
		if err == nil {
			err = i.add(rows, cells)
		}
		if err != nil {
			if err := report(err); err != nil {
				return err
			}
		}
	}
}

// begin compares the header with that of the previous files.
func (i *Inferrer) begin(rows *rows, names []string) error {
	if i.columns != nil {
		return rows.compare(names, len(i.columns), func(c int) string { return i.columns[c].name })
	}
	if err := i.opts.checkMultivalent(names); err != nil {
		return rows.fault(&Error{Line: rows.line, Detail: err.Error(), Err: ErrHeader})
	}
	for _, name := range names {
		i.columns = append(i.columns, columnClass{name: string([]byte(name)), multivalent: slices.Contains(i.opts.Multivalent, name)})
	}
	return nil
}

// compare returns an error unless the header has the n wanted names.
func (s *rows) compare(names []string, n int, want func(int) string) error {
	for c := range max(len(names), n) {
		detail := ""
		switch {
		case c >= n:
			detail = fmt.Sprintf("the header has %s, want the %d of the other files", plural(len(names), "name"), n)
		case c >= len(names):
			detail = fmt.Sprintf("the header has %s, want the %d of the other files: %q is missing", plural(len(names), "name"), n, want(c))
		case names[c] != want(c):
			detail = fmt.Sprintf("the name of column %d is %q, want %q, as in the other files", c+1, names[c], want(c))
		default:
			continue
		}
		return s.fault(&Error{Line: s.line, Detail: detail, Err: ErrHeader})
	}
	return nil
}

func (i *Inferrer) add(rows *rows, cells []string) error {
	for c := range cells {
		col := &i.columns[c]
		if col.largest == text && !col.multivalent {
			continue // already the largest class
		}
		if !col.multivalent {
			col.addValue(cells[c])
			continue
		}
		if cells[c] == "" {
			continue
		}
		values, wrong := i.lists.split(cells[c])
		if wrong != nil {
			return rows.cellError(c, col.name, wrong.Err, wrong.Detail)
		}
		for _, v := range values {
			col.addValue(v)
		}
	}
	return nil
}

func (c *columnClass) addValue(value string) {
	is := classify(value)
	c.text = c.text || is == text
	c.largest = max(c.largest, is)
	if is == number && !c.fraction {
		_, ok := parseWhole(value)
		c.fraction = !ok
	}
	if !c.padded && is != empty && is != text {
		c.padded = isPadded(value)
	}
}

// Columns returns the columns of the files. prefer, which may be nil, maps names of columns to kinds: a column has that kind
// if all of its cells can have it. Integers can be float32; 23.0 and 007 can be int64; everything can be strings; a column
// without values can have any kind.
func (i *Inferrer) Columns(prefer map[string]example.Kind) []Column {
	columns := make([]Column, len(i.columns))
	for n, c := range i.columns {
		columns[n] = Column{c.name, c.kind(), c.multivalent}
		if c.padded && !i.opts.TFDV {
			columns[n].Kind = example.BytesList
		}
		switch want := prefer[c.name]; {
		case want == example.BytesList, want == example.FloatList && !c.text, want == example.Int64List && c.largest <= number && !c.fraction, want != example.Malformed && c.largest == empty:
			if want != example.Unset {
				columns[n].Kind = want
			}
		}
	}
	return columns
}

func (c *columnClass) kind() example.Kind {
	switch c.largest {
	case empty:
		return example.Unset
	case whole:
		return example.Int64List
	case number:
		return example.FloatList
	}
	return example.BytesList
}
