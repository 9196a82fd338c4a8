package raggedjson

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/example/recordjson"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/internal/jsonscan"
	"github.com/tfparse/tfparse/tensor"
)

// maxEmptyLists is the most empty lists that one tensor without elements prints as: strings without a byte
// can have the shape [2^40 0].
const maxEmptyLists = 1 << 20

// AppendElement appends element i of a tensor: an integer, a float with the fewest digits that read back as the same
// value of its dtype, true or false, text, or a complex number as a list of two floats. The error is that of a
// value which the options reject.
func AppendElement(dst []byte, t *tensor.Tensor, i int, opts *recordjson.Options) ([]byte, error) {
	b := t.Bytes
	switch t.DType {
	case tensor.String:
		return recordjson.AppendText(dst, t.Strings[i], opts.Bytes)
	case tensor.Bool:
		return strconv.AppendBool(dst, b[i] != 0), nil
	case tensor.Int8, tensor.QInt8, tensor.Int4:
		return recordjson.AppendInt64(dst, int64(int8(b[i])), opts.Int64), nil
	case tensor.Uint8, tensor.QUint8, tensor.Uint4:
		return recordjson.AppendInt64(dst, int64(b[i]), opts.Int64), nil
	case tensor.Int16, tensor.QInt16:
		return recordjson.AppendInt64(dst, int64(int16(binary.LittleEndian.Uint16(b[2*i:]))), opts.Int64), nil
	case tensor.Uint16, tensor.QUint16:
		return recordjson.AppendInt64(dst, int64(binary.LittleEndian.Uint16(b[2*i:])), opts.Int64), nil
	case tensor.Int32, tensor.QInt32:
		return recordjson.AppendInt64(dst, int64(int32(binary.LittleEndian.Uint32(b[4*i:]))), opts.Int64), nil
	case tensor.Uint32:
		return recordjson.AppendInt64(dst, int64(binary.LittleEndian.Uint32(b[4*i:])), opts.Int64), nil
	case tensor.Int64:
		return recordjson.AppendInt64(dst, int64(binary.LittleEndian.Uint64(b[8*i:])), opts.Int64), nil
	case tensor.Uint64:
		v := binary.LittleEndian.Uint64(b[8*i:])
		if v > math.MaxInt64 && opts.Int64 == recordjson.Int64String {
			return append(strconv.AppendUint(append(dst, '"'), v, 10), '"'), nil
		} else if v > math.MaxInt64 {
			return strconv.AppendUint(dst, v, 10), nil
		}
		return recordjson.AppendInt64(dst, int64(v), opts.Int64), nil
	case tensor.Float32:
		return appendFloat(dst, b, 4, i, opts)
	case tensor.Float64:
		return appendFloat(dst, b, 8, i, opts)
	case tensor.Complex64, tensor.Complex128:
		size := t.DType.Size() / 2
		dst, err := appendFloat(append(dst, '['), b, size, 2*i, opts)
		if err != nil {
			return dst, err
		}
		dst, err = appendFloat(append(dst, ','), b, size, 2*i+1, opts)
		return append(dst, ']'), err
	}
	return recordjson.AppendFloat64(dst, t.ShortFloat(i), opts.NaN)
}

// appendFloat appends float i of b, in which floats have 4 or 8 bytes.
func appendFloat(dst, b []byte, size, i int, opts *recordjson.Options) ([]byte, error) {
	if size == 4 {
		return recordjson.AppendFloat32(dst, math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:])), opts.NaN)
	}
	return recordjson.AppendFloat64(dst, math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:])), opts.NaN)
}

// appendDecoded appends the tensor of a row as nested lists.
func (p *Printer) appendDecoded(dst []byte, c *column, row int) ([]byte, error) {
	t, _ := c.source.Decoded(row)
	if lists := int64(1); t.Len() == 0 {
		for _, d := range t.Shape {
			if d == 0 {
				break
			}
			if lists > maxEmptyLists/d {
				path := example.PathTo(part(c.group), c.plain)
				return dst, &recordjson.Error{Path: path, Err: fmt.Errorf("shape %v prints as more than %d empty lists", t.Shape, maxEmptyLists)}
			}
			lists *= d
		}
	}
	next := 0
	if c.group == feature.InSequence {
		return p.appendAxis(dst, c, &t, 0, &next)
	}
	return p.appendDecodedItems(dst, c, &t, 0, row, &next)
}

// appendDecodedItems appends row i at a level of a column, as appendItems does. next is the first element.
func (p *Printer) appendDecodedItems(dst []byte, c *column, t *tensor.Tensor, level, i int, next *int) (_ []byte, err error) {
	if level == len(c.levels) {
		return p.appendAxis(dst, c, t, min(level, 1), next)
	}
	dst = append(dst, '[')
	lo, hi := c.levels[level].at(i), c.levels[level].at(i+1)
	for j := lo; j < hi; j++ {
		if j > lo {
			dst = append(dst, ',')
		}
		if dst, err = p.appendDecodedItems(dst, c, t, level+1, j, next); err != nil {
			return dst, err
		}
	}
	return append(dst, ']'), nil
}

// appendAxis appends the elements of one index of the axes before an axis. next is the first of them.
func (p *Printer) appendAxis(dst []byte, c *column, t *tensor.Tensor, axis int, next *int) (_ []byte, err error) {
	if axis == len(t.Shape) {
		if dst, err = AppendElement(dst, t, *next, &p.opts); err != nil {
			path := example.PathTo(part(c.group), c.plain)
			path.Value = *next
			return dst, &recordjson.Error{Path: path, Err: err}
		}
		*next++
		return dst, nil
	}
	dst = append(dst, '[')
	for i := range t.Shape[axis] {
		if i > 0 {
			dst = append(dst, ',')
		}
		if dst, err = p.appendAxis(dst, c, t, axis+1, next); err != nil {
			return dst, err
		}
	}
	return append(dst, ']'), nil
}

var errPartitions = errors.New("decoded strings with row partitions print row by row only")

// appendDecodedColumn appends the tensors of all rows as {"list": [{"dense": …}, …]}.
func (p *Printer) appendDecodedColumn(dst []byte, c *column) ([]byte, error) {
	if c.group != feature.InSequence && len(c.levels) > 1 {
		return dst, &recordjson.Error{Path: example.PathTo(part(c.group), c.plain), Err: errPartitions}
	}
	dst = append(dst, `{"list":[`...)
	for row := range p.rows {
		if row > 0 {
			dst = append(dst, ',')
		}
		t, _ := c.source.Decoded(row)
		dst = append(append(append(dst, `{"dense":{"dtype":"`...), t.DType.String()...), `","shape":[`...)
		dst = append(jsonscan.AppendInts(dst, t.Shape), `],"values":[`...)
		for i := range t.Len() {
			if i > 0 {
				dst = append(dst, ',')
			}
			var err error
			if dst, err = AppendElement(dst, &t, i, &p.opts); err != nil {
				path := example.PathTo(part(c.group), c.plain)
				path.Value = i
				return dst, &recordjson.Error{Path: path, Err: err}
			}
		}
		dst = append(dst, "]}}"...)
	}
	return append(dst, "]}"...), nil
}
