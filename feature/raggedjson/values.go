package raggedjson

import (
	"github.com/tfparse/tfparse/example/recordjson"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/internal/jsonscan"
)

// valueError is the error of a value that the options reject.
type valueError struct {
	index int // index in the values of the column
	err   error
}

func (e *valueError) Error() string { return e.err.Error() }

// appendList appends the values lo to hi of a column as a list.
func (p *Printer) appendList(dst []byte, c *column, lo, hi int) ([]byte, error) {
	dst, err := p.appendValues(append(dst, '['), c, lo, hi)
	return append(dst, ']'), err
}

// appendValues appends the values lo to hi of a column, separated by commas. The error
// is a *valueError.
func (p *Printer) appendValues(dst []byte, c *column, lo, hi int) ([]byte, error) {
	switch c.dtype {
	case feature.Int64:
		if c.rendering != nil && p.inRow {
			dst, err := p.appendRendered(dst, c.rendering, c.ints[lo:hi])
			if err != nil {
				err = &valueError{lo, err}
			}
			return dst, err
		}
		if p.opts.Int64 == recordjson.Int64Number {
			return jsonscan.AppendInts(dst, c.ints[lo:hi]), nil
		}
		for i, v := range c.ints[lo:hi] {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = recordjson.AppendInt64(dst, v, p.opts.Int64)
		}
	case feature.Float32:
		for i, v := range c.floats[lo:hi] {
			if i > 0 {
				dst = append(dst, ',')
			}
			var err error
			if dst, err = recordjson.AppendFloat32(dst, v, p.opts.NaN); err != nil {
				return dst, &valueError{lo + i, err}
			}
		}
	case feature.String:
		for i, v := range c.strings[lo:hi] {
			if i > 0 {
				dst = append(dst, ',')
			}
			var err error
			if dst, err = recordjson.AppendText(dst, v, p.opts.Bytes); err != nil {
				return dst, &valueError{lo + i, err}
			}
		}
	}
	return dst, nil
}
