package recordbatch

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/arrow/util"

	"github.com/tfparse/tfparse/feature"
)

// FromBatch converts a batch. Its parser must have the same spec as the schema. The record batch shares numbers and row splits
// with the batch: it is valid until the batch grows, is Reset or is Released. A string in a text column that is not UTF-8
// is an *Error.
func (s *Schema) FromBatch(b *feature.Batch) (arrow.RecordBatch, error) {
	if err := s.checkParser(b.Parser()); err != nil {
		return nil, err
	}
	columns := make([]arrow.Array, len(s.columns))
	for i := range s.columns {
		p := &s.columns[i]
		c, err := b.Columns().In(p.group).Column(p.key)
		if err != nil {
			return nil, err
		}
		var data arrow.ArrayData
		if feature.DecodeOf(p.spec) != nil {
			data, err = p.decodedColumn(c, b.Len())
		} else {
			data, err = p.plainColumn(c.Ragged(), b.Len())
		}
		if err != nil {
			return nil, err
		}
		columns[i] = array.MakeFromData(data)
	}
	return array.NewRecordBatch(s.arrow, columns, int64(b.Len())), nil
}

// checkParser returns an error unless the parser has the spec of the schema. It compares specs as JSON, and remembers the
// last parser: comparing takes longer than converting a small batch.
func (s *Schema) checkParser(p *feature.Parser) error {
	if s.lastParser.Load() == p {
		return nil
	}
	have, err := json.Marshal(p.Spec())
	if err != nil {
		return err
	}
	want, err := json.Marshal(s.spec)
	if err != nil {
		return err
	}
	if !bytes.Equal(have, want) {
		return fmt.Errorf("%w: batch and schema have different specs", ErrType)
	}
	s.lastParser.Store(p)
	return nil
}

// plainColumn converts the column of a feature without Decode. c is in ragged form.
func (p *columnPlan) plainColumn(c feature.Column, rows int) (arrow.ArrayData, error) {
	axes := make([]axis, len(p.axes))
	levels := c.RaggedRank() // a Sparse column has one more than p.axes, for the values of a row
	n := rows
	for i, size := range p.axes {
		switch {
		case i < levels:
			axes[i].splits, axes[i].length = c.Splits(i)
		default:
			axes[i].length = size
		}
		n = axes[i].rowStart(n)
	}
	var inner []axis
	items := n
	if p.dims > 0 {
		splits, _ := c.Splits(levels - 1)
		inner = []axis{{splits: splits}}
		items = inner[0].rowStart(n)
	}
	leaf, err := p.plainLeaf(c, items, slices.Concat(axes, inner))
	if err != nil {
		return nil, err
	}
	if p.dims > 0 {
		at, _ := c.Indices()
		fixed := fixedList(p.dims, items, numbers(arrow.Int64Traits.CastToBytes(at.Values()), items*p.dims, arrow.PrimitiveTypes.Int64))
		values := wrapLists(leaf, inner, []int{-1}, n)
		indices := wrapLists(fixed, inner, []int{-1}, n)
		t := arrow.StructOf(arrow.Field{Name: "indices", Type: indices.DataType()}, arrow.Field{Name: "values", Type: values.DataType()})
		leaf = array.NewData(t, n, []*memory.Buffer{nil}, []arrow.ArrayData{indices, values}, 0, 0)
	}
	return wrapLists(leaf, axes, p.axes, rows), nil
}

// plainLeaf returns the array of the n flat values of a column. axes are for the row of an error.
func (p *columnPlan) plainLeaf(c feature.Column, n int, axes []axis) (arrow.ArrayData, error) {
	switch c.DType() {
	case feature.Int64:
		v, _ := feature.FlatOf[int64](c)
		return p.intLeaf(v, n), nil
	case feature.Float32:
		v, _ := feature.FlatOf[float32](c)
		return numbers(arrow.Float32Traits.CastToBytes(v), n, p.leaf.arrow), nil
	}
	v, _ := feature.FlatOf[string](c)
	if p.leaf.isImage() {
		data, err := imageData(v, nil, 0)
		if err != nil {
			return nil, &Error{Column: p.name, Row: -1, Err: err}
		}
		return data, nil
	}
	data, bad := stringData(v, p.leaf.arrow)
	if bad >= 0 {
		return nil, &Error{Column: p.name, Row: rowOf(axes, bad), Err: fmt.Errorf("%w: the value is not UTF-8", ErrData)}
	}
	return data, nil
}

// intLeaf returns the array of n flat values of an int64 feature.
func (p *columnPlan) intLeaf(v []int64, n int) arrow.ArrayData {
	switch p.leaf.arrow.ID() {
	case arrow.BOOL:
		set := make([]byte, (n+7)/8)
		for i, x := range v {
			if x != 0 {
				set[i/8] |= 1 << (i % 8)
			}
		}
		return numbers(set, n, p.leaf.arrow)
	case arrow.LARGE_STRING:
		names := make([]string, n)
		for i, x := range v {
			if x >= 0 && x < int64(len(p.leaf.labels)) {
				names[i] = p.leaf.labels[x]
			} else {
				names[i] = strconv.FormatInt(x, 10)
			}
		}
		data, _ := stringData(names, arrow.BinaryTypes.LargeString) // names are UTF-8: tfds checks them
		return data
	}
	return numbers(arrow.Int64Traits.CastToBytes(v), n, p.leaf.arrow) // int64, or uint64 with the same bits
}

// numbers returns an array of n numbers. It shares the bytes b.
func numbers(b []byte, n int, t arrow.DataType) arrow.ArrayData {
	return array.NewData(t, n, []*memory.Buffer{nil, memory.NewBufferBytes(b)}, nil, 0, 0)
}

// stringData returns an array of copies of strings. For a text type bad is the index of the first string that is not
// UTF-8; else it is -1.
func stringData[S string | []byte](v []S, t arrow.DataType) (data arrow.ArrayData, bad int) {
	total := 0
	for _, s := range v {
		total += len(s)
	}
	text := t.ID() == arrow.LARGE_STRING
	offsets := make([]int64, 1, len(v)+1)
	all := make([]byte, 0, total)
	for i, s := range v {
		start := len(all)
		all = append(all, s...)
		if text && !utf8.Valid(all[start:]) {
			return nil, i
		}
		offsets = append(offsets, int64(len(all)))
	}
	return array.NewData(t, len(v), []*memory.Buffer{nil, memory.NewBufferBytes(arrow.Int64Traits.CastToBytes(offsets)), memory.NewBufferBytes(all)}, nil, 0, 0), -1
}

// wrapLists nests values in an array of lists for each axis. sizes has the list size in the type of each axis; -1 and 0
// are lists of any size.
func wrapLists(values arrow.ArrayData, axes []axis, sizes []int, rows int) arrow.ArrayData {
	counts := make([]int, len(axes)) // number of lists of each axis
	for i, a := range axes {
		counts[i] = rows
		rows = a.rowStart(rows)
	}
	for i, a := range slices.Backward(axes) {
		if sizes[i] > 0 {
			values = fixedList(sizes[i], counts[i], values)
			continue
		}
		splits := a.splits
		if splits == nil {
			splits = make([]int64, counts[i]+1) // lists of the fixed size 0
		}
		offsets := memory.NewBufferBytes(arrow.Int64Traits.CastToBytes(splits[:counts[i]+1]))
		values = array.NewData(listType(-1, values.DataType()), counts[i], []*memory.Buffer{nil, offsets}, []arrow.ArrayData{values}, 0, 0)
	}
	return values
}

// fixedList nests values in n lists of a fixed size.
func fixedList(size, n int, values arrow.ArrayData) arrow.ArrayData {
	return array.NewData(listType(size, values.DataType()), n, []*memory.Buffer{nil}, []arrow.ArrayData{values}, 0, 0)
}

// Size returns the size of the columns of a record batch, in bytes.
func Size(rec arrow.RecordBatch) int64 { return min(util.TotalRecordSize(rec), math.MaxInt64) }
