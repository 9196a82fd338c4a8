package recordbatch

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"sort"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/bitutil"
	"github.com/apache/arrow-go/v18/arrow/float16"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/tfparse/tfparse/example"
)

// An axis divides items into rows, as a ragged.Partition does.
type axis struct {
	splits []int64 // row splits, from 0 to the number of items; nil: all rows have the same length
	length int     // length of every row, if splits is nil
}

// rowStart returns the index of the first item of a row. For the row after the last one it is the number of items.
func (a axis) rowStart(row int) int {
	if a.splits != nil {
		return int(a.splits[row])
	}
	return row * a.length
}

// rowOf returns the row that contains an item of the innermost axis.
func rowOf(axes []axis, item int) int {
	for i := len(axes) - 1; i >= 0; i-- {
		a := axes[i]
		if a.splits != nil {
			item = sort.Search(len(a.splits)-1, func(row int) bool { return a.splits[row+1] > int64(item) })
		} else if a.length > 0 {
			item /= a.length
		}
	}
	return item
}

// A flatColumn is a column of a record batch as flat values and axes. The Arrow library does not check arrays from files,
// so flatten does: splits never decrease, and all items are within the buffers.
type flatColumn struct {
	name   string          // name of the column, for errors
	rows   int             // number of rows
	axes   []axis          // lists around the values, outermost first
	null   []bool          // whether each row is null; nil if none is
	absent bool            // all rows are null: the column has no values, and its length is only a claim
	leaf   arrow.ArrayData // array of the values
	first  int             // index of the first value in leaf
	count  int             // number of values, from first on
	wrap   bool            // uint64 values beyond int64 become the negative numbers with the same bits, as in TensorFlow Datasets; else errors

	dictionary *flatColumn // leaf holds indices of its values; nil: leaf holds the values
}

// flatten returns an array as a flat column.
func flatten(name string, data arrow.ArrayData) (f flatColumn, err error) {
	f = flatColumn{name: name, rows: data.Len()}
	err = f.descend(data, 0, data.Len())
	return f, err
}

// fail returns an *Error of the column, or of one row if row >= 0.
func (f *flatColumn) fail(row int, format string, args ...any) error {
	return &Error{Column: f.name, Row: row, Err: fmt.Errorf("%w: "+format, append([]any{ErrData}, args...)...)}
}

// descend adds an axis for each list around the items lo to hi of an array, and sets the leaf.
func (f *flatColumn) descend(data arrow.ArrayData, lo, hi int) error {
	for {
		if lo < 0 || hi < lo || hi > data.Len() || data.Offset() < 0 {
			return f.fail(-1, "items %d to %d of %d", lo, hi, data.Len())
		}
		if err := f.addNulls(data, lo, hi); err != nil {
			return err
		}
		a := axis{}
		switch t := data.DataType().(type) {
		case *arrow.DictionaryType:
			f.leaf = array.NewData(t.IndexType, data.Len(), data.Buffers(), nil, data.NullN(), data.Offset())
			f.first, f.count = lo, hi-lo
			if err := f.checkLeaf(lo, hi); err != nil {
				return err
			}
			return f.addDictionary(data.Dictionary())
		case *arrow.StructType:
			if !isImage(t) {
				f.leaf, f.first, f.count = data, lo, hi-lo
				return nil
			}
			if len(data.Children()) != 2 {
				return f.fail(-1, "a struct lacks fields")
			}
			at, _ := t.FieldIdx("bytes")
			image, path := data.Children()[at], data.Children()[1-at]
			for i := lo; i < min(hi, 8*len(bufferOf(image, 0))); i++ { // hi is only a claim
				if k := data.Offset() + i; isNullAt(image, k) && !isNullAt(path, k) && !isNullAt(data, i) {
					return f.fail(rowOf(f.axes, i-lo), "want the bytes of the image, got only its path")
				}
			}
			lo, hi = data.Offset()+lo, data.Offset()+hi
			data = image
			continue
		case *arrow.ListType, *arrow.LargeListType:
			offsets, err := f.offsets(data, lo, hi)
			if err != nil {
				return err
			}
			lo, hi = int(offsets[0]), int(offsets[len(offsets)-1])
			a.splits = offsets
			if lo != 0 {
				a.splits = make([]int64, len(offsets))
				for i, x := range offsets {
					a.splits[i] = x - int64(lo)
				}
			}
		case *arrow.FixedSizeListType:
			n := int(t.Len())
			high, end := bits.Mul64(uint64(data.Offset()+hi), uint64(n))
			if n <= 0 || high > 0 || end > math.MaxInt32 && end > uint64(data.Children()[0].Len()) {
				return f.fail(-1, "%d lists of size %d", hi, n)
			}
			lo, hi = (data.Offset()+lo)*n, int(end)
			a.length = n
		default:
			f.leaf, f.first, f.count = data, lo, hi-lo
			return f.checkLeaf(lo, hi)
		}
		if len(data.Children()) != 1 {
			return f.fail(-1, "a list without values")
		}
		f.axes = append(f.axes, a)
		data = data.Children()[0]
	}
}

// addNulls marks null rows. A null inside a row that is not null is an error.
func (f *flatColumn) addNulls(data arrow.ArrayData, lo, hi int) error {
	if data.DataType().ID() == arrow.NULL {
		if len(f.axes) == 0 {
			f.absent = true
			return nil
		}
		if hi > lo {
			return f.fail(rowOf(f.axes, 0), "null inside a list")
		}
		return nil
	}
	bitmap := bufferOf(data, 0)
	if data.NullN() == 0 || len(bitmap) == 0 {
		return nil
	}
	if len(bitmap)*8 < data.Offset()+hi {
		return f.fail(-1, "a bitmap of %d bytes for %d items", len(bitmap), hi)
	}
	for i := lo; i < hi; i++ {
		if bitutil.BitIsSet(bitmap, data.Offset()+i) {
			continue
		}
		if len(f.axes) == 0 {
			if f.null == nil {
				f.null = make([]bool, f.rows)
			}
			f.null[i-lo] = true
		} else if row := rowOf(f.axes, i-lo); f.null == nil || !f.null[row] {
			return f.fail(row, "null inside a list")
		}
	}
	return nil
}

// isNullAt reports whether an item of an array is null.
func isNullAt(data arrow.ArrayData, i int) bool {
	if data.DataType().ID() == arrow.NULL {
		return true
	}
	bitmap := bufferOf(data, 0)
	at := data.Offset() + i
	return data.NullN() != 0 && at/8 < len(bitmap) && !bitutil.BitIsSet(bitmap, at)
}

// addDictionary adds the dictionary of the indices in the leaf.
func (f *flatColumn) addDictionary(data arrow.ArrayData) error {
	if d, ok := data.(*array.Data); !ok || d == nil {
		return f.fail(-1, "a column without its dictionary")
	}
	values, err := flatten(f.name, data)
	f.dictionary = &values
	return wholeColumn(err)
}

// wholeColumn returns an error of a dictionary without its row, which is not a row of the column.
func wholeColumn(err error) error {
	if bad, ok := errors.AsType[*Error](err); ok {
		return &Error{Column: bad.Column, Row: -1, Err: bad.Err}
	}
	return err
}

// lookUp returns the values of the dictionary of f by the indices in its leaf. read returns the values of a column.
func lookUp[T any](f *flatColumn, read func(*flatColumn) ([]T, error)) ([]T, error) {
	values, err := read(f.dictionary)
	if err != nil {
		return nil, wholeColumn(err)
	}
	keys := *f
	keys.dictionary = nil
	indices, err := keys.ints()
	if err != nil {
		return nil, err
	}
	out := make([]T, len(indices))
	for i, x := range indices {
		if x >= 0 && x < int64(len(values)) && !f.dictionary.isNull(int(x)) {
			out[i] = values[x]
		} else if row := rowOf(f.axes, i); !f.isNull(row) { // a null row may have any index
			return nil, f.fail(row, "no value %d in a dictionary of %d", x, len(values))
		}
	}
	return out, nil
}

// bufferOf returns the bytes of a buffer of an array; nil if it has none.
func bufferOf(data arrow.ArrayData, i int) []byte {
	if all := data.Buffers(); i < len(all) && all[i] != (*memory.Buffer)(nil) {
		return all[i].Bytes()
	}
	return nil
}

// offsets returns the offsets of the lists or strings lo to hi. Offsets that decrease are an error.
func (f *flatColumn) offsets(data arrow.ArrayData, lo, hi int) ([]int64, error) {
	buf := bufferOf(data, 1)
	lo, hi = lo+data.Offset(), hi+data.Offset()
	if lo == hi { // the buffer of no items may be empty
		return []int64{0}, nil
	}
	var offsets []int64
	switch data.DataType().(type) {
	case *arrow.ListType, *arrow.StringType, *arrow.BinaryType:
		if len(buf)/4 <= hi {
			return nil, f.fail(-1, "%d bytes of offsets for %d items", len(buf), hi)
		}
		offsets = make([]int64, hi-lo+1)
		for i, x := range arrow.Int32Traits.CastFromBytes(buf)[lo : hi+1] {
			offsets[i] = int64(x)
		}
	default:
		if len(buf)/8 <= hi {
			return nil, f.fail(-1, "%d bytes of offsets for %d items", len(buf), hi)
		}
		offsets = arrow.Int64Traits.CastFromBytes(buf)[lo : hi+1]
	}
	before := int64(0)
	for i, x := range offsets {
		if x < before || x > math.MaxInt {
			return nil, f.fail(rowOf(f.axes, max(i-1, 0)), "offset %d after %d", x, before)
		}
		before = x
	}
	return offsets, nil
}

// checkLeaf returns an error unless the buffers hold the values lo to hi.
func (f *flatColumn) checkLeaf(lo, hi int) error {
	end := f.leaf.Offset() + hi
	switch t := f.leaf.DataType().(type) {
	case *arrow.StringViewType, *arrow.BinaryViewType:
		return f.checkViews(lo, hi)
	case *arrow.StringType, *arrow.BinaryType, *arrow.LargeStringType, *arrow.LargeBinaryType:
		offsets, err := f.offsets(f.leaf, lo, hi)
		if err != nil {
			return err
		}
		if have, last := len(bufferOf(f.leaf, 2)), offsets[len(offsets)-1]; last > int64(have) {
			return f.fail(-1, "%d bytes of strings, offsets end at %d", have, last)
		}
	case arrow.FixedWidthDataType: // the product of a claimed length and a width may overflow
		if have, width := len(bufferOf(f.leaf, 1)), t.BitWidth(); lo < hi && (width <= 0 || int64(have)*8/int64(width) < int64(end)) {
			return f.fail(-1, "%d bytes of values, want %d of %d bits", have, end, width)
		}
	}
	return nil
}

// viewSize is the size of a view of a string in a buffer, in bytes: its length, and 12 bytes of content, or 4 bytes of it and
// two int32: the ordinal of another buffer, and the offset there.
const viewSize = arrow.ViewHeaderSizeBytes

// checkViews returns an error unless the buffers hold the strings lo to hi of a leaf of views. A null may have any view.
func (f *flatColumn) checkViews(lo, hi int) error {
	views := bufferOf(f.leaf, 1)
	if have := len(views) / viewSize; lo < hi && have < f.leaf.Offset()+hi {
		return f.fail(-1, "%d views of strings, want %d", have, f.leaf.Offset()+hi)
	}
	for i := lo; i < hi; i++ {
		view := arrow.ViewHeaderTraits.CastFromBytes(views)[f.leaf.Offset()+i]
		if view.Len() >= 0 && view.IsInline() || isNullAt(f.leaf, i) {
			continue
		}
		k, start := int(view.BufferIndex()), int(view.BufferOffset())
		have := 0
		if k >= 0 {
			have = len(bufferOf(f.leaf, 2+k))
		}
		if view.Len() < 0 || start < 0 || start > have || view.Len() > have-start {
			return f.fail(rowOf(f.axes, i-lo), "a string of %d bytes at offset %d in %d", view.Len(), start, have)
		}
	}
	return nil
}

// viewTexts returns the strings of a leaf of views. Views may overlap, so they share one copy of each buffer.
func (f *flatColumn) viewTexts() []string {
	out := make([]string, f.count)
	blocks := make([]string, max(len(f.leaf.Buffers())-2, 0))
	for i := range blocks {
		blocks[i] = string(bufferOf(f.leaf, 2+i))
	}
	views := arrow.ViewHeaderTraits.CastFromBytes(bufferOf(f.leaf, 1))
	for i := range out {
		if isNullAt(f.leaf, f.first+i) {
			continue
		}
		if view := &views[f.leaf.Offset()+f.first+i]; view.IsInline() {
			out[i] = string(view.InlineBytes())
		} else {
			out[i] = blocks[view.BufferIndex()][view.BufferOffset():][:view.Len()]
		}
	}
	return out
}

// kindOf returns the kind of feature that holds the values of a type; Unset if none does.
func kindOf(t arrow.DataType) example.Kind {
	switch t.ID() {
	case arrow.INT8, arrow.INT16, arrow.INT32, arrow.INT64, arrow.UINT8, arrow.UINT16, arrow.UINT32, arrow.UINT64, arrow.BOOL, arrow.NULL:
		return example.Int64List
	case arrow.FLOAT16, arrow.FLOAT32, arrow.FLOAT64:
		return example.FloatList
	case arrow.STRING, arrow.BINARY, arrow.LARGE_STRING, arrow.LARGE_BINARY, arrow.FIXED_SIZE_BINARY,
		arrow.STRING_VIEW, arrow.BINARY_VIEW:
		return example.BytesList
	case arrow.DICTIONARY:
		if values := t.(*arrow.DictionaryType).ValueType; values.ID() != arrow.NULL {
			return kindOf(values)
		}
	case arrow.STRUCT:
		if isImage(t.(*arrow.StructType)) {
			return example.BytesList
		}
	}
	return example.Unset
}

// kind returns the kind of feature that holds the values.
func (f *flatColumn) kind() example.Kind {
	if f.dictionary != nil {
		return f.dictionary.kind()
	}
	return kindOf(f.leaf.DataType())
}

// ints returns integers or bools as int64. An int64 column is not copied.
func (f *flatColumn) ints() ([]int64, error) {
	if f.dictionary != nil {
		return lookUp(f, (*flatColumn).ints)
	}
	buf, lo := bufferOf(f.leaf, 1), f.leaf.Offset()+f.first
	hi := lo + f.count
	if f.count == 0 {
		return nil, nil
	}
	switch f.leaf.DataType().ID() {
	case arrow.INT64:
		return arrow.Int64Traits.CastFromBytes(buf)[lo:hi:hi], nil
	case arrow.INT32:
		return convertNumbers[int64](arrow.Int32Traits.CastFromBytes(buf)[lo:hi]), nil
	case arrow.INT16:
		return convertNumbers[int64](arrow.Int16Traits.CastFromBytes(buf)[lo:hi]), nil
	case arrow.INT8:
		return convertNumbers[int64](arrow.Int8Traits.CastFromBytes(buf)[lo:hi]), nil
	case arrow.UINT32:
		return convertNumbers[int64](arrow.Uint32Traits.CastFromBytes(buf)[lo:hi]), nil
	case arrow.UINT16:
		return convertNumbers[int64](arrow.Uint16Traits.CastFromBytes(buf)[lo:hi]), nil
	case arrow.UINT8:
		return convertNumbers[int64](buf[lo:hi]), nil
	case arrow.UINT64:
		values := arrow.Uint64Traits.CastFromBytes(buf)[lo:hi]
		for i, x := range values {
			if row := rowOf(f.axes, i); x > math.MaxInt64 && !f.wrap && !f.isNull(row) {
				return nil, f.fail(row, "%d is beyond int64", x)
			}
		}
		return convertNumbers[int64](values), nil
	case arrow.BOOL:
		out := make([]int64, 0, f.count)
		for i := lo; i < hi; i++ {
			if bitutil.BitIsSet(buf, i) {
				out = append(out, 1)
			} else {
				out = append(out, 0)
			}
		}
		return out, nil
	}
	return nil, f.fail(-1, "%v has no integers", f.leaf.DataType())
}

// floats returns floats as float32. A float32 column is not copied.
func (f *flatColumn) floats() ([]float32, error) {
	if f.dictionary != nil {
		return lookUp(f, (*flatColumn).floats)
	}
	buf, lo := bufferOf(f.leaf, 1), f.leaf.Offset()+f.first
	hi := lo + f.count
	if f.count == 0 {
		return nil, nil
	}
	switch f.leaf.DataType().ID() {
	case arrow.FLOAT32:
		return arrow.Float32Traits.CastFromBytes(buf)[lo:hi:hi], nil
	case arrow.FLOAT16:
		out := make([]float32, 0, f.count)
		for _, x := range arrow.Float16Traits.CastFromBytes(buf)[lo:hi] {
			out = append(out, float16.Num(x).Float32())
		}
		return out, nil
	}
	values := arrow.Float64Traits.CastFromBytes(buf)[lo:hi]
	for i, x := range values {
		if row := rowOf(f.axes, i); math.IsInf(float64(float32(x)), 0) && !math.IsInf(x, 0) && !f.isNull(row) {
			return nil, f.fail(row, "%v is beyond float32", x)
		}
	}
	return convertNumbers[float32](values), nil
}

// convertNumbers converts each number of a slice.
func convertNumbers[T, F int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | float32 | float64](v []F) []T {
	out := make([]T, len(v))
	for i, x := range v {
		out[i] = T(x)
	}
	return out
}

// texts returns the strings. They share one copy of their bytes.
func (f *flatColumn) texts() ([]string, error) {
	if f.dictionary != nil {
		return lookUp(f, (*flatColumn).texts)
	}
	switch f.leaf.DataType().(type) {
	case *arrow.StringViewType, *arrow.BinaryViewType:
		return f.viewTexts(), nil
	}
	out := make([]string, f.count)
	if t, ok := f.leaf.DataType().(*arrow.FixedSizeBinaryType); ok {
		lo := (f.leaf.Offset() + f.first) * t.ByteWidth
		all := string(bufferOf(f.leaf, 1)[lo : lo+f.count*t.ByteWidth])
		for i := range out {
			out[i] = all[i*t.ByteWidth : (i+1)*t.ByteWidth]
		}
		return out, nil
	}
	offsets, err := f.offsets(f.leaf, f.first, f.first+f.count)
	if err != nil {
		return nil, err
	}
	start := offsets[0]
	all := string(bufferOf(f.leaf, 2)[start:offsets[len(offsets)-1]])
	for i := range out {
		out[i] = all[offsets[i]-start : offsets[i+1]-start]
	}
	return out, nil
}

func (f *flatColumn) isNull(row int) bool { return f.absent || f.null != nil && f.null[row] }

// span returns the range of items that a row has on an axis; for len(f.axes) the range of its values.
func (f *flatColumn) span(row, axis int) (lo, hi int) {
	lo, hi = row, row+1
	for _, a := range f.axes[:axis] {
		lo, hi = a.rowStart(lo), a.rowStart(hi)
	}
	return lo, hi
}

// tensorAt returns the shape and the range of values of an item of an axis, which is in a row. Lists of different lengths are an
// error.
func (f *flatColumn) tensorAt(axis, item, row int) (shape []int64, lo, hi int, err error) {
	shape = make([]int64, len(f.axes)-axis)
	lo, hi = item, item+1
	for i, a := range f.axes[axis:] {
		if a.splits == nil {
			shape[i] = int64(a.length)
		} else if lo < hi {
			shape[i] = a.splits[lo+1] - a.splits[lo]
			for j := lo; j < hi; j++ {
				if n := a.splits[j+1] - a.splits[j]; n != shape[i] {
					return nil, 0, 0, f.fail(row, "lists of %d and %d values in one tensor", shape[i], n)
				}
			}
		}
		lo, hi = a.rowStart(lo), a.rowStart(hi)
	}
	return shape, lo, hi, nil
}

// bytesOf returns the values lo to hi, which have a fixed width, as little-endian bytes; a bool as one byte.
func (f *flatColumn) bytesOf(lo, hi int) []byte {
	buf := bufferOf(f.leaf, 1)
	lo, hi = lo+f.leaf.Offset()+f.first, hi+f.leaf.Offset()+f.first
	t := f.leaf.DataType().(arrow.FixedWidthDataType)
	if t.ID() == arrow.BOOL {
		out := make([]byte, 0, hi-lo)
		for i := lo; i < hi; i++ {
			out = append(out, buf[i/8]>>(i%8)&1)
		}
		return out
	}
	out := append([]byte(nil), buf[lo*t.Bytes():hi*t.Bytes()]...)
	nativeOrder(out, t.Bytes())
	return out
}

// float32At reads a little-endian float32.
func float32At(b []byte) float32 { return math.Float32frombits(binary.LittleEndian.Uint32(b)) }
