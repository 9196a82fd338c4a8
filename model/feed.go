package model

import (
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/tensor"
)

// A Feed is the dense tensor of one component for one batch. The slice for its DType contains the
// elements in row-major order; the other slices are nil. The caller must not modify the slices,
// which may alias the batch.
type Feed struct {
	Name  string       // name of the component
	DType tensor.DType // dtype of the component
	Shape []int64      // shape for this batch

	Int64s  []int64   // elements of dtype int64
	Int32s  []int32   // elements of dtype int32
	Floats  []float32 // elements of dtype float32
	Strings []string  // elements of dtype string; any bytes
	Bytes   []byte    // elements of any other dtype, as in Tensor.Bytes

	// Buffers of the feed, reused for later batches.
	ints   []int64
	ints32 []int32   // memory of Int32s
	floats []float32 // memory of Floats
	bytes  []byte    // memory of Bytes
	shape  []int64   // memory of Shape
}

// Feeds appends a feed for every component of every input, in the order of the signature. The
// batch must have the bound spec.
//
// Feeds reuses the buffers of feeds in the capacity of dst: with dst[:0], only padding and sparse
// tensors allocate. The feeds are valid as long as the columns of the batch, and until their slice
// is reused.
//
// The error is an [*InputError] for the first input that the batch does not fit: the number of
// rows or the length of a row differs from a size in the signature, or a value cannot be
// converted.
func (b *Binding) Feeds(dst []Feed, batch Batch) ([]Feed, error) {
	columns, n := batch.Columns(), batch.Len()
	start := len(dst)
	for i := range b.inputs {
		var err error
		if dst, err = b.inputs[i].appendFeeds(dst, columns, n); err != nil {
			return dst[:start], err
		}
	}
	return dst, nil
}

// nextFeed appends a feed to dst. It reuses the buffers of the feed in the capacity of dst.
func nextFeed(dst []Feed, c *Component) []Feed {
	if len(dst) < cap(dst) {
		dst = dst[:len(dst)+1]
	} else {
		dst = append(dst, Feed{})
	}
	f := &dst[len(dst)-1]
	*f = Feed{Name: c.Name, DType: c.DType, ints: f.ints[:0], ints32: f.ints32[:0], floats: f.floats[:0], bytes: f.bytes[:0], shape: f.shape[:0]}
	return dst
}

// errorFor returns the error for a batch that does not fit the input.
func (b *inputBinding) errorFor(want, got string) error {
	return &InputError{Input: b.input.Name(), Column: b.name, Want: want, Got: got, Err: ErrFit}
}

// appendFeeds appends the components of one input.
func (b *inputBinding) appendFeeds(dst []Feed, columns feature.Columns, n int) ([]Feed, error) {
	c, err := columns.In(b.group).Column(b.name)
	if err != nil {
		return dst, &InputError{Input: b.input.Name(), Column: b.name, Err: err}
	}
	if c.DType() != b.dtype || c.Form() != b.form || c.Ragged().RaggedRank() != b.levels {
		return dst, b.errorFor("a batch of the bound spec", fmt.Sprintf("a column of form %v and dtype %v", c.Form(), c.DType()))
	}
	if s := b.input.Shape; len(s) > 0 && s[0] >= 0 && s[0] != int64(n) {
		return dst, b.errorFor(fmt.Sprintf("%d rows", s[0]), fmt.Sprintf("a batch of %d", n))
	}
	switch b.input.Form {
	case feature.RaggedForm:
		return b.feedRagged(dst, c.Ragged(), n)
	case feature.SparseForm:
		return b.feedSparse(dst, c)
	}
	if b.levels > 0 {
		return b.feedPadded(dst, c)
	}
	dst = nextFeed(dst, &b.input.Components[0])
	f := &dst[len(dst)-1]
	f.shape = append(f.shape, int64(n))
	return dst, b.setFlatValues(f, c, n)
}

// setFlatValues sets the flat values of a feed of n items; its shape already has the first axis.
func (b *inputBinding) setFlatValues(f *Feed, c feature.Column, n int) error {
	cell := 1
	for _, d := range b.inner {
		cell *= d
		f.shape = append(f.shape, int64(d))
	}
	f.Shape = f.shape
	f.Int64s, _ = feature.FlatOf[int64](c)
	f.Floats, _ = feature.FlatOf[float32](c)
	f.Strings, _ = feature.FlatOf[string](c)
	if got := len(f.Int64s) + len(f.Floats) + len(f.Strings); got != n*cell {
		return b.errorFor(fmt.Sprintf("%d values", n*cell), fmt.Sprint(got))
	}
	return b.convertFeed(f, n, func(row int) int { return row * cell })
}

// feedPadded appends a dense input from a padded column.
func (b *inputBinding) feedPadded(dst []Feed, c feature.Column) ([]Feed, error) {
	dst = nextFeed(dst, &b.input.Components[0])
	f := &dst[len(dst)-1]
	var shape []int
	switch b.dtype {
	case feature.Int64:
		t, _ := feature.TensorOf[int64](c)
		f.Int64s, shape = t.Values(), t.Shape()
	case feature.Float32:
		t, _ := feature.TensorOf[float32](c)
		f.Floats, shape = t.Values(), t.Shape()
	default:
		t, _ := feature.TensorOf[string](c)
		f.Strings, shape = t.Values(), t.Shape()
	}
	for i, d := range shape {
		if i < len(b.input.Shape) && b.input.Shape[i] >= 0 && b.input.Shape[i] != int64(d) {
			return dst, b.errorFor(b.input.Shape.String(), fmt.Sprintf("shape %v with padding", shape))
		}
		f.shape = append(f.shape, int64(d))
	}
	f.Shape = f.shape
	cell := len(f.Int64s) + len(f.Floats) + len(f.Strings)
	if len(shape) > 0 && shape[0] > 0 {
		cell /= shape[0]
	}
	return dst, b.convertFeed(f, shape[0], func(row int) int { return row * cell })
}

// feedRagged appends flat values and row_splits.
func (b *inputBinding) feedRagged(dst []Feed, c feature.Column, n int) ([]Feed, error) {
	rank := b.input.RaggedRank
	first := len(dst)
	for i := range b.input.Components {
		dst = nextFeed(dst, &b.input.Components[i])
	}
	rows := int64(n)
	var inner [tensor.MaxRank]int64 // uniform axes below the row_splits
	axes := 0
	for level := range b.levels + len(b.inner) {
		var splits []int64
		var length int
		if level < b.levels {
			splits, length = c.Splits(level)
		} else {
			length = b.inner[level-b.levels]
		}
		want := int64(-1)
		if level+1 < len(b.input.Shape) {
			want = b.input.Shape[level+1]
		}
		if err := b.checkRowLengths(level, splits, length, want); err != nil {
			return dst, err
		}
		if level >= rank {
			if axes == len(inner) {
				return dst, b.errorFor("at most 254 axes", "more")
			}
			inner[axes] = int64(length)
			axes++
			continue
		}
		f := &dst[first+1+level]
		if splits == nil {
			for row := range rows + 1 {
				f.ints = append(f.ints, row*int64(length))
			}
			splits = f.ints
		}
		rows = splits[len(splits)-1]
		f.shape = append(f.shape, int64(len(splits)))
		f.Shape = f.shape
		if f.DType == tensor.Int64 {
			f.Int64s = splits
			continue
		}
		if rows > math.MaxInt32 {
			return dst, b.errorFor("int32 row_splits", fmt.Sprintf("%d values", rows))
		}
		f.ints32 = slices.Grow(f.ints32, len(splits))
		for _, s := range splits {
			f.ints32 = append(f.ints32, int32(s))
		}
		f.Int32s = f.ints32
	}
	f := &dst[first]
	f.shape = append(append(f.shape, rows), inner[:axes]...)
	f.Shape = f.shape
	f.Int64s, _ = feature.FlatOf[int64](c)
	f.Floats, _ = feature.FlatOf[float32](c)
	f.Strings, _ = feature.FlatOf[string](c)
	count := rows
	for _, d := range inner[:axes] {
		count *= d
	}
	if got := len(f.Int64s) + len(f.Floats) + len(f.Strings); int64(got) != count {
		return dst, b.errorFor(fmt.Sprintf("%d values", count), fmt.Sprint(got))
	}
	return dst, b.convertFeed(f, n, func(row int) int { return b.rowStart(c, row) })
}

// rowStart returns the index of the first flat value of a row, in a column in ragged form.
func (b *inputBinding) rowStart(c feature.Column, row int) int {
	for level := range b.levels {
		if splits, length := c.Splits(level); splits != nil {
			row = int(splits[row])
		} else {
			row *= length
		}
	}
	for _, d := range b.inner {
		row *= d
	}
	return row
}

// checkRowLengths compares the lengths of all rows of a level with want, the size in the signature;
// -1 accepts any length.
func (b *inputBinding) checkRowLengths(level int, splits []int64, length int, want int64) error {
	switch {
	case want < 0:
	case splits == nil && int64(length) != want:
		return b.errorFor(fmt.Sprintf("rows of length %d on axis %d", want, level+1), fmt.Sprint(length))
	case splits != nil:
		for i := 1; i < len(splits); i++ {
			if got := splits[i] - splits[i-1]; got != want {
				return b.errorFor(fmt.Sprintf("rows of length %d on axis %d", want, level+1), fmt.Sprintf("%d in row %d", got, i-1))
			}
		}
	}
	return nil
}

// feedSparse appends indices, values and dense_shape.
func (b *inputBinding) feedSparse(dst []Feed, c feature.Column) ([]Feed, error) {
	first := len(dst)
	for i := range b.input.Components {
		dst = nextFeed(dst, &b.input.Components[i])
	}
	values := &dst[first+1]
	var indices, shape []int64
	switch b.dtype {
	case feature.Int64:
		s, _ := feature.SparseOf[int64](c)
		values.Int64s, indices, shape = s.Values, s.Indices, s.Shape
	case feature.Float32:
		s, _ := feature.SparseOf[float32](c)
		values.Floats, indices, shape = s.Values, s.Indices, s.Shape
	default:
		s, _ := feature.SparseOf[string](c)
		values.Strings, indices, shape = s.Values, s.Indices, s.Shape
	}
	for i, d := range shape {
		if i >= len(b.input.Shape) || b.input.Shape[i] < 0 || b.input.Shape[i] == d {
			continue
		}
		if d > b.input.Shape[i] || isSparse(c) || i != len(shape)-1 {
			return dst, b.errorFor(b.input.Shape.String(), fmt.Sprintf("dense_shape %v", shape))
		}
		shape[i] = b.input.Shape[i] // a VarLen column has the length of its longest row here, which is only a minimum
	}
	n := int64(len(indices) / max(len(shape), 1))
	values.shape = append(values.shape, n)
	dst[first].Int64s = indices
	dst[first].shape = append(dst[first].shape, n, int64(len(shape)))
	dst[first+2].Int64s = shape
	dst[first+2].shape = append(dst[first+2].shape, int64(len(shape)))
	for i := range 3 {
		dst[first+i].Shape = dst[first+i].shape
	}
	return dst, b.convertFeed(values, int(shape[0]), func(row int) int {
		return sort.Search(int(n), func(i int) bool { return indices[i*len(shape)] >= int64(row) })
	})
}
