package feature

import "github.com/tfparse/tfparse/ragged"

// A Form is what TensorFlow makes of a column.
type Form uint8

const (
	DenseForm  Form = iota // a tensor without partitions
	RaggedForm             // a ragged tensor
	SparseForm             // indices, values and a shape
)

// String returns the name of the form: "dense", "ragged" or "sparse".
func (f Form) String() string { return [...]string{"dense", "ragged", "sparse", ""}[f&3] }

// An Element is the Go type of the values of a column.
type Element interface{ int64 | float32 | string }

// A Column is the values of one feature, in a batch or in one row of it. It is a
// small value that shares the memory of its batch: it keeps the rows that the batch
// had, and becomes invalid when the batch is reset.
//
// Its Form is what TensorFlow makes of the kind of feature. TensorOf returns the tensor;
// SparseOf returns a column of sparse form as TensorFlow has it; Slices returns nested
// Go slices of any type.
type Column struct {
	c      *column
	n      int // rows
	row    int // -1 for all of them
	ragged bool
}

// Name returns the name of the feature.
func (c Column) Name() string { return c.c.name }

// Group returns the map of the spec that the feature stands in.
func (c Column) Group() Group { return c.c.group }

// Spec returns the feature that the column was made by. It shares memory with the
// parser: do not change it.
func (c Column) Spec() Feature { return c.c.spec }

// DType returns the type of the values.
func (c Column) DType() DType { return c.c.dtype }

// Form returns what TensorFlow makes of the column, or, after Ragged, whether there
// are partitions.
func (c Column) Form() Form {
	form := c.c.form
	if c.ragged && form == SparseForm || c.ragged && c.c.padded {
		form = RaggedForm
	}
	levels := len(c.c.levels)
	if !c.ragged && c.c.padded {
		levels--
	}
	if c.row >= 0 {
		levels--
	}
	if form == RaggedForm && levels <= 0 {
		form = DenseForm
	}
	return form
}

// Ragged returns the same values in ragged form. A VarLen column has rows of
// different lengths then; a Sparse one rows of values, whose indices Indices has; a
// FixedLenSequence column has no padding. Others are as they were.
func (c Column) Ragged() Column {
	c.ragged = true
	return c
}

// TensorOf returns the tensor of a column whose values are of type T; ok is false for
// another type. A column of dense or ragged form gives the tensor that TensorFlow makes,
// with the padding of a FixedLenSequence, which is made anew at every call; one of
// sparse form gives its values in ragged form. Apart from padding the memory is the
// batch's: read only. Strings may hold any bytes, and are good for ever, unless they
// alias records (see ParserOptions).
func TensorOf[T Element](c Column) (t ragged.Tensor[T], ok bool) {
	v, ok := valuesOf[T](c.c)
	if !ok {
		return t, false
	}
	if c.c.padded && !c.ragged {
		return pad(c, v), true
	}
	return build(c, v, c.c.inner, len(c.c.levels)), true
}

// FlatOf returns the flat values of a column, if they are of type T: what Values of
// its tensor in ragged form returns, without making the tensor. The memory is the
// batch's: read only.
func FlatOf[T Element](c Column) (values []T, ok bool) {
	v, ok := valuesOf[T](c.c)
	if !ok {
		return nil, false
	}
	lo, hi := c.span(len(c.c.levels))
	lo, hi = lo*c.c.cell, hi*c.c.cell
	return v[lo:hi:hi], true
}

// RaggedRank returns the number of partitions that the column has in ragged form.
func (c Column) RaggedRank() int {
	if c.row >= 0 {
		return max(len(c.c.levels)-1, 0)
	}
	return len(c.c.levels)
}

// Splits returns the row splits of one of the partitions of a column in ragged form, 0 the
// outermost: those of its tensor, without making the tensor. If all rows
// have one length it returns that length and no splits. Splits count from the
// beginning of the batch, those of one row too. The memory is the batch's: read only.
// It panics if there is no such partition.
func (c Column) Splits(i int) (splits []int64, length int) {
	if c.row >= 0 {
		i++
	}
	l := &c.c.levels[i]
	if l.length >= 0 {
		return nil, int(l.length)
	}
	lo, hi := c.span(i)
	return l.splits[lo : hi+1 : hi+1], 0
}

// valuesOf returns the values of a column, if they are of type T.
func valuesOf[T Element](c *column) ([]T, bool) {
	var p any
	switch c.dtype {
	case Int64:
		p = &c.ints
	case Float32:
		p = &c.floats
	case String:
		p = &c.strings
	}
	if v, ok := p.(*[]T); ok {
		return *v, true
	}
	return nil, false
}

// build makes a tensor of values that lie in cells of shape inner below the first
// levels of the column.
func build[T any](c Column, values []T, inner []int, levels int) ragged.Tensor[T] {
	cell := 1
	for _, d := range inner {
		cell *= d
	}
	if levels == 1 && c.row >= 0 && cell > 0 { // the row is dense: no partition need be made
		lo, hi := c.c.levels[0].limit(c.row)*cell, c.c.levels[0].limit(c.row+1)*cell
		return must(ragged.New(values[lo:hi:hi], inner))
	}
	n := c.n
	var parts []ragged.Partition
	if levels > 0 {
		parts = make([]ragged.Partition, levels)
	}
	for i := range parts {
		l := &c.c.levels[i]
		if l.length >= 0 {
			parts[i] = must(ragged.Uniform(l.length, int64(n)))
		} else {
			parts[i] = must(ragged.FromRowSplits(l.splits[:n+1]))
		}
		n = l.limit(n)
	}
	values = values[: n*cell : n*cell]
	var t ragged.Tensor[T]
	if levels == 0 && cell == 0 {
		t = must(ragged.Dense(values, append([]int{n}, inner...)...))
	} else {
		t = must(ragged.New(values, inner, parts...))
	}
	if c.row >= 0 {
		t = t.Row(c.row)
	}
	return t
}

// must is for what a column guarantees: rows are checked when they are added.
func must[T any](v T, err error) T {
	if err != nil {
		panic("feature: a column is inconsistent: " + err.Error())
	}
	return v
}

// pad makes the dense form of a column of blocks.
func pad[T Element](c Column, values []T) ragged.Tensor[T] {
	last := len(c.c.levels) - 1
	if last == 0 && c.row >= 0 { // one row needs no padding
		return build(c, values, c.c.inner, 1)
	}
	lo, hi := c.span(last)
	longest := c.longest(last, lo, hi)
	cell := c.c.cell
	width := longest * cell
	out := make([]T, (hi-lo)*width)
	if padding, ok := c.c.padding().(T); ok {
		for i := range out {
			out[i] = padding
		}
	}
	for i := lo; i < hi; i++ {
		l := &c.c.levels[last]
		copy(out[(i-lo)*width:], values[l.limit(i)*cell:l.limit(i+1)*cell])
	}
	inner := append([]int{longest}, c.c.inner...)
	if last > 0 && c.row < 0 {
		return build(c, out, inner, last)
	}
	return must(ragged.Dense(out, append([]int{hi - lo}, inner...)...))
}

// padding returns the value that pads, nil for 0 or "".
func (c *plan) padding() any {
	switch {
	case len(c.def.Int64s) == 1:
		return c.def.Int64s[0]
	case len(c.def.Floats) == 1:
		return c.def.Floats[0]
	case len(c.defText) == 1:
		return c.defText[0]
	}
	return nil
}

// span returns the range of rows at a level that are in view.
func (c Column) span(level int) (lo, hi int) {
	if c.row < 0 {
		return 0, c.c.rowsAt(level, c.n)
	}
	return c.c.rowsAt(level, c.row), c.c.rowsAt(level, c.row+1)
}

// longest returns the length of the longest of some rows at a level.
func (c Column) longest(level, lo, hi int) int {
	n := 0
	for i := lo; i < hi; i++ {
		l := &c.c.levels[level]
		n = max(n, l.limit(i+1)-l.limit(i))
	}
	return n
}

// Lengths returns the true number of blocks of every row of a FixedLenSequence
// column, before padding: int64 of shape [rows], in Examples [rows, ragged]. Of one
// row it is a scalar, in Examples a vector. ok is false for other columns. The
// memory is new.
func (c Column) Lengths() (t ragged.Tensor[int64], ok bool) {
	if !c.c.padded {
		return t, false
	}
	last := len(c.c.levels) - 1
	n := c.c.rowsAt(last, c.n)
	lengths := make([]int64, n)
	for i := range lengths {
		l := &c.c.levels[last]
		lengths[i] = int64(l.limit(i+1) - l.limit(i))
	}
	return build(c, lengths, nil, last), true
}

// Indices returns the indices of a Sparse column beside its values in ragged form:
// int64 of shape [rows, ragged, dimensions], in Examples [rows, ragged, ragged,
// dimensions]. ok is false for other columns. The memory is the batch's: read only.
func (c Column) Indices() (t ragged.Tensor[int64], ok bool) {
	if c.c.kind != sparseKind {
		return t, false
	}
	return build(c, c.c.index, []int{len(c.c.indices)}, len(c.c.levels)), true
}

// SparseOf returns a column of sparse form whose values are of type T. The first
// coordinate is the row, which is left out for a single row, and in Sequence and
// Examples the next one the step or example. Indices and Shape are new, Values are
// the batch's: read only.
func SparseOf[T Element](c Column) (s ragged.Sparse[T], ok bool) {
	v, ok := valuesOf[T](c.c)
	if !ok || c.Form() != SparseForm {
		return s, false
	}
	last := len(c.c.levels) - 1
	lo, hi := c.span(last + 1)
	s.Values = v[lo:hi:hi]
	unitLo, unitHi := c.span(last)
	if c.row < 0 {
		s.Shape = append(s.Shape, int64(c.n))
	}
	if c.c.nested {
		rowLo, rowHi := c.span(0)
		s.Shape = append(s.Shape, int64(c.longest(0, rowLo, rowHi)))
	}
	if c.c.kind == sparseKind {
		s.Shape = append(s.Shape, c.c.sizes...)
	} else {
		s.Shape = append(s.Shape, int64(c.longest(last, unitLo, unitHi)))
	}
	s.Indices = make([]int64, 0, len(s.Values)*len(s.Shape))
	row, first := max(c.row, 0), unitLo // the record of a unit, and its first unit
	for u := unitLo; u < unitHi; u++ {
		if !c.c.nested {
			row, first = u, u
		}
		for c.c.nested && c.c.levels[0].limit(row+1) <= u {
			row++
			first = c.c.levels[0].limit(row)
		}
		l := &c.c.levels[last]
		for j := l.limit(u); j < l.limit(u+1); j++ {
			if c.row < 0 {
				s.Indices = append(s.Indices, int64(row))
			}
			if c.c.nested {
				s.Indices = append(s.Indices, int64(u-first))
			}
			if dims := len(c.c.indices); c.c.kind == sparseKind {
				s.Indices = append(s.Indices, c.c.index[j*dims:(j+1)*dims]...)
			} else {
				s.Indices = append(s.Indices, int64(j-l.limit(u)))
			}
		}
	}
	return s, true
}
