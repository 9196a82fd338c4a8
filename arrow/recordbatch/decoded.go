package recordbatch

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/endian"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/tensor"
)

// maxEmptyRows limits the lists of a tensor that has fewer values than lists: a record of a few bytes may claim the shape
// [2^40, 0].
const maxEmptyRows = 1 << 20

// A tensorColumn collects the tensors of a column with Decode.
type tensorColumn struct {
	plan    *columnPlan // shape and type of the column
	axes    []axis      // the dimensions of a tensor, which are the axes of plan after outerAxes, with the tensors so far
	bytes   []byte      // elements of numbers and bools, little-endian
	strings []string    // elements of strings
}

// decodedColumn converts the column of a feature with Decode. The array shares no memory with the batch.
func (p *columnPlan) decodedColumn(c feature.Column, rows int) (arrow.ArrayData, error) {
	strings := c.Ragged()
	outer := make([]axis, p.outerAxes)
	for i, size := range p.axes[:p.outerAxes] {
		if i < strings.RaggedRank() {
			outer[i].splits, outer[i].length = strings.Splits(i)
		} else {
			outer[i].length = size
		}
	}
	col := tensorColumn{plan: p, axes: make([]axis, len(p.axes)-p.outerAxes)}
	for i, size := range p.axes[p.outerAxes:] {
		if size < 0 {
			col.axes[i].splits = []int64{0}
		} else {
			col.axes[i].length = size
		}
	}
	for row := range rows {
		lo, hi := row, row+1 // the strings of the row
		for _, a := range outer {
			lo, hi = a.rowStart(lo), a.rowStart(hi)
		}
		if lo == hi {
			continue
		}
		t, _ := c.Decoded(row)
		if err := col.appendRow(t, int64(hi-lo)); err != nil {
			return nil, &Error{Column: p.name, Row: row, Err: err}
		}
	}
	leaf, bad := col.leafData()
	axes := append(outer, col.axes...)
	if bad >= 0 {
		return nil, &Error{Column: p.name, Row: rowOf(axes, bad), Err: fmt.Errorf("%w: the value is not UTF-8", ErrData)}
	}
	return wrapLists(leaf, axes, p.axes, rows), nil
}

// appendRow adds the tensors of a row: t is all of them, whose number is count.
func (col *tensorColumn) appendRow(t tensor.Tensor, count int64) error {
	shape := t.Shape[max(len(t.Shape)-len(col.axes), 0):] // of one tensor
	if len(shape) != len(col.axes) {
		return fmt.Errorf("%w: want rank %d, got shape %v", ErrData, len(col.axes), t.Shape)
	}
	for i, n := range shape { // count is the number of lists of the axis
		a := &col.axes[i]
		if a.splits == nil {
			if n != int64(a.length) && count > 0 {
				return fmt.Errorf("%w: want size %d of dimension %d, got shape %v", ErrData, a.length, i, t.Shape)
			}
		} else {
			if count > maxEmptyRows && count > int64(len(t.Bytes)+len(t.Strings)) {
				return fmt.Errorf("%w: shape %v has more than %d rows without values", ErrData, t.Shape, maxEmptyRows)
			}
			for range count {
				a.splits = append(a.splits, a.splits[len(a.splits)-1]+n)
			}
		}
		count *= n
	}
	switch t.DType {
	case tensor.BFloat16, tensor.Float8E5M2, tensor.Float8E4M3FN:
		v, err := t.Float32s()
		if err != nil {
			return err
		}
		for _, x := range v {
			col.bytes = binary.LittleEndian.AppendUint32(col.bytes, math.Float32bits(x))
		}
	case tensor.String:
		col.strings = append(col.strings, t.Strings...)
	default:
		col.bytes = append(col.bytes, t.Bytes...)
	}
	return nil
}

// leafData returns the array of the elements; bad as in stringData.
func (col *tensorColumn) leafData() (data arrow.ArrayData, bad int) {
	t := col.plan.leaf
	switch {
	case t.dtype == tensor.String:
		return stringData(col.strings, t.arrow)
	case t.dtype == tensor.Bool:
		bits := make([]byte, (len(col.bytes)+7)/8)
		for i, b := range col.bytes {
			if b != 0 { // decode_raw keeps other bytes than 1, which are true too
				bits[i/8] |= 1 << (i % 8)
			}
		}
		return array.NewData(t.arrow, len(col.bytes), []*memory.Buffer{nil, memory.NewBufferBytes(bits)}, nil, 0, 0), -1
	}
	width := t.arrow.(arrow.FixedWidthDataType).Bytes()
	nativeOrder(col.bytes, width)
	n := len(col.bytes) / width
	data = numbers(col.bytes, n, t.arrow)
	if t.pair {
		data = fixedList(2, n/2, data)
	}
	return data, -1
}

// nativeOrder converts numbers of width bytes between little-endian and the byte order of the machine.
func nativeOrder(b []byte, width int) {
	if endian.NativeEndian == endian.BigEndian {
		reverseEach(b, width)
	}
}

// reverseEach reverses the bytes of each number of width bytes.
func reverseEach(b []byte, width int) {
	for ; len(b) >= width; b = b[width:] {
		for i := range width / 2 {
			b[i], b[width-1-i] = b[width-1-i], b[i]
		}
	}
}
