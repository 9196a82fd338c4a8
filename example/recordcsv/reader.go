package recordcsv

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/tfparse/tfparse/example"
)

// Reader encodes the rows of a file as Examples, with one feature per column. Not safe for concurrent use.
type Reader struct {
	opts    Options   // copy of the caller's options
	rows    *rows     // reads and splits the rows
	columns []Column  // in the order of the cells; the caller's, not changed
	order   []int     // indices of the columns, sorted by name, since features are sorted
	lists   *splitter // for multivalent columns
	begun   bool      // the header has been read
	err     error     // the error that ended reading; Next returns it again

	build  example.Builder // builds the Example of the row
	rec    []byte          // buffer of the encoded Example
	ints   []int64         // buffer
	floats []float32       // buffer
	one    []string        // buffer: the value of a cell that is not a list
}

// NewReader returns a Reader of a file. The columns are those of [Inferrer.Columns], possibly with other kinds; then a cell
// that does not fit is an error. NewReader reads nothing: an error in the options is returned by the first call of Next.
func NewReader(r io.Reader, columns []Column, opts *Options) *Reader {
	c := &Reader{columns: columns, one: make([]string, 1)}
	if opts != nil {
		c.opts = *opts
	}
	c.err = c.opts.Validate()
	c.rows = newRows(r, &c.opts)
	c.lists = newSplitter(&c.opts)
	for i := range columns {
		c.order = append(c.order, i)
	}
	slices.SortFunc(c.order, func(a, b int) int { return cmp.Compare(columns[a].Name, columns[b].Name) })
	return c
}

// Next returns the Example of the next row, valid until the next call. The error is [io.EOF] after the last row, an [*Error],
// or wraps [ErrOptions]. After an error for which Skipped returns 1 row, the next call returns the following row.
func (r *Reader) Next() ([]byte, error) {
	if r.err != nil {
		return nil, r.err
	}
	if !r.begun {
		r.begun = true
		names, err := r.rows.header()
		if err == nil {
			err = r.begin(names)
		}
		if err != nil {
			r.err = err
			return nil, err
		}
	}
	cells, err := r.rows.next()
	if err == nil {
		err = r.rows.count(cells, len(r.columns))
	}
	if err == nil {
		err = r.encode(cells)
	}
	if err == io.EOF || r.rows.lost {
		r.err = err
	}
	if err != nil {
		return nil, err
	}
	return r.rec, nil
}

// begin compares the header with the columns.
func (r *Reader) begin(names []string) error {
	if err := r.opts.checkMultivalent(names); err != nil {
		return r.rows.fault(&Error{Line: r.rows.line, Detail: err.Error(), Err: ErrHeader})
	}
	return r.rows.compare(names, len(r.columns), func(c int) string { return r.columns[c].Name })
}

// Pos returns the position of the last row, even if it had an error: its ordinal, from 0 after the header, and its offset in
// the uncompressed file. The ordinal of the header is -1.
func (r *Reader) Pos() (row, offset int64) { return r.rows.row, r.rows.begin }

// Skipped returns the range that the last error of Next skipped: the number of rows, or -1 if unknown, and the offset after
// them, or -1 for the rest of the file. After the latter every call of Next returns the same error.
func (r *Reader) Skipped() (rows, end int64) {
	if r.err != nil {
		return -1, -1
	}
	return 1, r.rows.end
}

// encode returns the encoded Example of a row.
func (r *Reader) encode(cells []string) error {
	r.build.Reset()
	for _, c := range r.order {
		if err := r.feature(c, cells[c]); err != nil {
			return err
		}
	}
	rec, err := r.build.AppendBinary(r.rec[:0])
	if err != nil {
		return r.rows.place(&Error{Line: r.rows.line, Detail: err.Error(), Err: err})
	}
	r.rec = rec
	return nil
}

// feature adds the feature of one cell.
func (r *Reader) feature(c int, cell string) error {
	col := &r.columns[c]
	if cell == "" {
		r.build.Add(col.Name, example.Value{})
		return nil
	}
	values := r.one
	if values[0] = cell; col.Multivalent {
		var wrong *Error
		if values, wrong = r.lists.split(cell); wrong != nil {
			return r.rows.cellError(c, col.Name, wrong.Err, wrong.Detail)
		}
	}
	switch col.Kind {
	case example.Unset: // lists without values
		r.build.Add(col.Name, example.Value{})
	case example.Int64List:
		r.ints = r.ints[:0]
		for i, v := range values {
			n, is := parseInt(v)
			if is != whole {
				var ok bool
				if n, ok = parseWhole(v); !ok {
					return r.noNumber(c, i, v, "an int64")
				}
			}
			r.ints = append(r.ints, n)
		}
		r.build.Add(col.Name, example.Int64s(r.ints...))
	case example.FloatList:
		r.floats = r.floats[:0]
		for i, v := range values {
			n, ok := parseFloat(v)
			if !ok || math.IsInf(float64(float32(n)), 0) && !isInfinite(v) {
				return r.noNumber(c, i, v, "a float32")
			}
			r.floats = append(r.floats, float32(n))
		}
		r.build.Add(col.Name, example.Floats(r.floats...))
	default:
		r.build.AddStrings(col.Name, values...)
	}
	return nil
}

// noNumber returns the error for a value that is not a number of the type of its column.
func (r *Reader) noNumber(c, i int, value, want string) error {
	where := ""
	if r.columns[c].Multivalent {
		where = fmt.Sprintf("value %d of the list: ", i)
	}
	return r.rows.cellError(c, r.columns[c].Name, ErrNumber, fmt.Sprintf("%swant %s, got %s", where, want, abbreviated(value)))
}

// abbreviated quotes the beginning of a value.
func abbreviated(value string) string {
	const most = 60
	if len(value) > most {
		return fmt.Sprintf("%q... (%d bytes)", value[:most], len(value))
	}
	return fmt.Sprintf("%q", value)
}
