package recordcsv

import (
	"encoding/csv"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tfparse/tfparse/example"
)

// Options configure reading of CSV. The zero value and nil read the format that most programs write.
type Options struct {
	// Delimiter separates cells. The default is a comma; then a header that seems to have another delimiter is an
	// error.
	Delimiter rune
	// Columns are the names of the columns, for files without a header. The default is the first row of each
	// file.
	Columns []string
	// Multivalent are the names of the columns whose cells are lists, separated by SecondaryDelimiter. A value
	// may be in double quotes, like a cell.
	Multivalent []string
	// SecondaryDelimiter separates the values of a list. It is set if Multivalent is, and only then.
	SecondaryDelimiter rune
	// LazyQuotes accepts quotes that RFC 4180 does not allow. A quote in a cell that does not begin with one is
	// part of the cell. A cell that begins with a quote ends at the first quote before a delimiter or the end of a
	// line, possibly several rows later. By default such quotes are errors.
	LazyQuotes bool
	// TFDV reads cells like TensorFlow Data Validation: digits with leading zeros are numbers, brackets around a
	// list are part of its values, and the delimiter of a header is not checked.
	TFDV bool
	// MaxRowSize is the maximum size of a row, in bytes. The default is 64 MiB.
	MaxRowSize int64
}

const defaultRowSize = 64 << 20

// Column is a column of the files and the feature made of its cells.
type Column struct {
	Name string
	// Kind is Int64List, FloatList or BytesList; Unset if no cell has a value.
	Kind        example.Kind
	Multivalent bool // the cells are lists
}

// ErrOptions is wrapped by errors about Options.
var ErrOptions = errors.New("recordcsv: options")

// Validate returns the first error in the options. The error wraps [ErrOptions].
func (o *Options) Validate() error {
	wrong := func(format string, args ...any) error {
		return fmt.Errorf("%w: %s", ErrOptions, fmt.Sprintf(format, args...))
	}
	d := o.delimiter()
	switch {
	case !isDelimiter(d):
		return wrong("the delimiter %q cannot separate cells", d)
	case len(o.Multivalent) > 0 && o.SecondaryDelimiter == 0:
		return wrong("multivalent columns need a secondary delimiter")
	case len(o.Multivalent) == 0 && o.SecondaryDelimiter != 0:
		return wrong("a secondary delimiter needs multivalent columns")
	case o.SecondaryDelimiter != 0 && !isDelimiter(o.SecondaryDelimiter):
		return wrong("the secondary delimiter %q cannot separate values", o.SecondaryDelimiter)
	case o.MaxRowSize < 0:
		return wrong("the limit for rows is negative")
	}
	if o.Columns != nil {
		if err := checkNames(o.Columns); err != nil {
			return wrong("%v", err)
		}
	}
	return nil
}

func (o *Options) delimiter() rune {
	if o.Delimiter == 0 {
		return ','
	}
	return o.Delimiter
}

// isDelimiter reports whether package encoding/csv accepts a delimiter.
func isDelimiter(r rune) bool {
	return r != 0 && r != '"' && r != '\r' && r != '\n' && utf8.ValidRune(r) && r != utf8.RuneError
}

// configure sets the options of a reader of package encoding/csv.
func (o *Options) configure(r *csv.Reader) {
	r.Comma, r.LazyQuotes, r.ReuseRecord, r.FieldsPerRecord = o.delimiter(), o.LazyQuotes, true, -1
}

// checkDelimiter returns an error for a header that seems to have another delimiter than the default.
func (o *Options) checkDelimiter(names []string) error {
	if o.Delimiter != 0 || o.TFDV || o.Columns != nil {
		return nil
	}
	for _, name := range names {
		others := "\t"
		if len(names) == 1 {
			others = "\t;|"
		}
		if i := strings.IndexAny(name, others); i >= 0 {
			return fmt.Errorf("the column %.100q looks like several, delimited by %q", name, name[i])
		}
	}
	return nil
}

// checkNames returns an error for names that the features of an Example cannot have.
func checkNames(names []string) error {
	seen := make(map[string]int, len(names))
	for i, name := range names {
		if first, twice := seen[name]; twice {
			return fmt.Errorf("columns %d and %d have the same name %q", first+1, i+1, name)
		}
		seen[name] = i
		if !utf8.ValidString(name) {
			return fmt.Errorf("the name of column %d is not UTF-8: %.100q", i+1, name)
		}
	}
	if len(names) == 0 {
		return errors.New("there are no columns")
	}
	return nil
}

// checkMultivalent returns an error if a multivalent column does not exist.
func (o *Options) checkMultivalent(names []string) error {
	for _, name := range o.Multivalent {
		if !slices.Contains(names, name) {
			return fmt.Errorf("multivalent column %q does not exist", name)
		}
	}
	return nil
}
