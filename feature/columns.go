package feature

import (
	"fmt"
	"iter"

	"github.com/tfparse/tfparse/ragged"
)

// Columns are the columns of a batch, or of one row of it. It is a small value
// that refers to the batch.
type Columns struct {
	b      *Batch   // nil in the zero Columns
	row    int      // -1 for the whole batch
	groups groupSet // the groups whose columns are visible
}

// groupSet is a set of groups, a bit for each.
type groupSet uint8

const allGroups groupSet = 1<<InFeatures | 1<<InContext | 1<<InSequence | 1<<InExamples

// Columns returns the columns with the rows that the batch has now.
func (b *Batch) Columns() Columns { return Columns{b, -1, allGroups} }

// Row returns the columns of row i alone, without the batch axis, as TensorFlow returns them for a single record.
// It panics if there is no such row.
func (b *Batch) Row(i int) Columns {
	if uint(i) >= uint(b.n) {
		panic("feature: row out of range")
	}
	return Columns{b, i, allGroups}
}

// In returns the columns of one group of the spec. It is needed for a name that is in the
// context and in the feature lists.
func (cs Columns) In(g Group) Columns {
	cs.groups &= 1 << g
	return cs
}

// All yields every column with its name: sorted by group, in the order of their constants, then by name.
func (cs Columns) All() iter.Seq2[string, Column] {
	return func(yield func(string, Column) bool) {
		if cs.b == nil {
			return
		}
		for i := range cs.b.cols {
			if c := cs.column(i); cs.groups>>c.c.group&1 == 1 && !yield(c.c.name, c) {
				return
			}
		}
	}
}

// Column returns the column of a feature. The error wraps ErrNoColumn: no group has the
// name, or two groups have it.
func (cs Columns) Column(name string) (Column, error) {
	if cs.b == nil {
		return Column{}, fmt.Errorf("%w: %q", ErrNoColumn, name)
	}
	i, err := cs.b.p.findColumn(name, cs.groups)
	if err != nil {
		return Column{}, err
	}
	return cs.column(i), nil
}

// column returns the column with an index.
func (cs Columns) column(i int) Column {
	return Column{b: cs.b, c: &cs.b.cols[i], n: cs.b.n, row: cs.row}
}

// ColumnOf returns the tensor of a column by name, as TensorOf does. The error wraps
// ErrNoColumn: no group has the name, two groups have it (see Columns.In), or the values
// are not of type T.
func ColumnOf[T Element](columns Columns, name string) (ragged.Tensor[T], error) {
	c, err := columns.Column(name)
	if err != nil {
		return ragged.Tensor[T]{}, err
	}
	if err := checkElement[T](name, c.DType()); err != nil {
		return ragged.Tensor[T]{}, err
	}
	t, _ := TensorOf[T](c)
	return t, nil
}

// findColumn returns the index of the column with a name in a set of groups.
func (p *Parser) findColumn(name string, groups groupSet) (int, error) {
	found := -1
	for g := range p.byName {
		if i, ok := p.byName[g][name]; ok && groups>>g&1 == 1 {
			if found >= 0 {
				return 0, fmt.Errorf("%w: %q is in %s and in %s: select one with Columns.In", ErrNoColumn, name, p.columns[found].group, Group(g))
			}
			found = i
		}
	}
	if found < 0 {
		return 0, fmt.Errorf("%w: %q", ErrNoColumn, name)
	}
	return found, nil
}

// checkElement returns an error if values of a dtype are not of type T.
func checkElement[T Element](name string, dtype DType) error {
	var v any = *new(T)
	switch v.(type) {
	case int64:
		if dtype == Int64 {
			return nil
		}
	case float32:
		if dtype == Float32 {
			return nil
		}
	case string:
		if dtype == String {
			return nil
		}
	}
	return fmt.Errorf("%w: %q holds %s, not %T", ErrNoColumn, name, dtype, v)
}

// A Form is the kind of tensor that TensorFlow returns for a column.
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
// TensorOf returns a column of dense or ragged Form as a tensor, SparseOf one of sparse form,
// and Slices any column as nested Go slices.
type Column struct {
	b      *Batch // nil if NewColumn made the column
	c      *column
	n      int  // number of rows
	row    int  // the row that is visible; -1: all rows
	ragged bool // Ragged was called
}

// Name returns the name of the feature.
func (c Column) Name() string { return c.c.name }

// Group returns the map of the spec that has the feature.
func (c Column) Group() Group { return c.c.group }

// Spec returns the feature of the spec. It shares memory with the parser: read only.
func (c Column) Spec() Feature { return c.c.spec }

// DType returns the type of the values.
func (c Column) DType() DType { return c.c.dtype }

// Form returns the form of the column; after Ragged it is RaggedForm, or DenseForm without
// partitions.
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

// Ragged returns the same values in ragged form: a VarLen column as rows of different
// lengths, a Sparse column as rows of values (see Indices), and a FixedLenSequence column without
// padding. Other columns do not change.
func (c Column) Ragged() Column {
	c.ragged = true
	return c
}

// TensorOf returns the tensor of a column whose values are of type T; ok is false for another type. For a column of
// dense or ragged form it is the tensor that TensorFlow returns, with the padding of a FixedLenSequence, which is
// allocated at every call; for a column of sparse form it has the values in ragged form. Without padding the memory
// is the batch's: read only. Strings may have any bytes, and stay valid, unless they alias records (see
// ParserOptions).
func TensorOf[T Element](c Column) (t ragged.Tensor[T], ok bool) {
	v, ok := valuesOf[T](c.c)
	if !ok {
		return t, false
	}
	if c.c.padded && !c.ragged {
		return padTensor(c, v), true
	}
	return makeTensor(c, v, c.c.inner, len(c.c.levels)), true
}

// FlatOf returns the flat values of a column, if they are of type T: the Values of
// its tensor in ragged form. The memory is the batch's: read only.
func FlatOf[T Element](c Column) (values []T, ok bool) {
	v, ok := valuesOf[T](c.c)
	if !ok {
		return nil, false
	}
	lo, hi := c.rowSpan(len(c.c.levels))
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

// Splits returns the row splits of a partition of the column in ragged form, 0 the outermost.
// If the partition is uniform it returns the row length and no splits. Splits count from the
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
	lo, hi := c.rowSpan(i)
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

// makeTensor returns a tensor of values, in cells of shape inner, with the first levels of the
// column as partitions.
func makeTensor[T any](c Column, values []T, inner []int, levels int) ragged.Tensor[T] {
	cell := 1
	for _, d := range inner {
		cell *= d
	}
	if levels == 1 && c.row >= 0 && cell > 0 { // the row is dense, without partitions
		lo, hi := c.c.levels[0].rowLimit(c.row)*cell, c.c.levels[0].rowLimit(c.row+1)*cell
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
		n = l.rowLimit(n)
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

// must returns v. Partitions of columns are valid, since they are checked when rows are added.
func must[T any](v T, err error) T {
	if err != nil {
		panic("feature: a column is inconsistent: " + err.Error())
	}
	return v
}

// padTensor returns the dense form of a column of blocks.
func padTensor[T Element](c Column, values []T) ragged.Tensor[T] {
	last := len(c.c.levels) - 1
	if last == 0 && c.row >= 0 { // one row needs no padding
		return makeTensor(c, values, c.c.inner, 1)
	}
	lo, hi := c.rowSpan(last)
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
		copy(out[(i-lo)*width:], values[l.rowLimit(i)*cell:l.rowLimit(i+1)*cell])
	}
	inner := append([]int{longest}, c.c.inner...)
	if last > 0 && c.row < 0 {
		return makeTensor(c, out, inner, last)
	}
	return must(ragged.Dense(out, append([]int{hi - lo}, inner...)...))
}

// padding returns the value of the padding, nil for 0 and "".
func (c *columnPlan) padding() any {
	switch {
	case len(c.defaultValue.Int64s) == 1:
		return c.defaultValue.Int64s[0]
	case len(c.defaultValue.Floats) == 1:
		return c.defaultValue.Floats[0]
	case len(c.defaultStrings) == 1:
		return c.defaultStrings[0]
	}
	return nil
}

// rowSpan returns the range of visible rows of a level.
func (c Column) rowSpan(level int) (lo, hi int) {
	if c.row < 0 {
		return 0, c.c.rowsAt(level, c.n)
	}
	return c.c.rowsAt(level, c.row), c.c.rowsAt(level, c.row+1)
}

// longest returns the length of the longest of the rows lo to hi of a level.
func (c Column) longest(level, lo, hi int) int {
	n := 0
	for i := lo; i < hi; i++ {
		l := &c.c.levels[level]
		n = max(n, l.rowLimit(i+1)-l.rowLimit(i))
	}
	return n
}

// Lengths returns the number of blocks in each row of a FixedLenSequence column, without padding: int64 of shape
// [rows], in Examples [rows, ragged]. For one row it is a scalar, in Examples a vector. ok is false for other
// columns. The memory is new.
func (c Column) Lengths() (t ragged.Tensor[int64], ok bool) {
	if !c.c.padded {
		return t, false
	}
	last := len(c.c.levels) - 1
	n := c.c.rowsAt(last, c.n)
	lengths := make([]int64, n)
	for i := range lengths {
		l := &c.c.levels[last]
		lengths[i] = int64(l.rowLimit(i+1) - l.rowLimit(i))
	}
	return makeTensor(c, lengths, nil, last), true
}

// Indices returns the indices of a Sparse column beside its values in ragged form:
// int64 of shape [rows, ragged, dimensions], in Examples [rows, ragged, ragged,
// dimensions]. ok is false for other columns. The memory is the batch's: read only.
func (c Column) Indices() (t ragged.Tensor[int64], ok bool) {
	if c.c.kind != sparseKind {
		return t, false
	}
	return makeTensor(c, c.c.index, []int{len(c.c.indexSlots)}, len(c.c.levels)), true
}

// SparseOf returns a column of sparse form whose values are of type T. The first coordinate is the row, which is
// left out for a single row; in Sequence and Examples the next coordinate is the step or example. Indices and Shape
// are new, Values are the batch's: read only.
func SparseOf[T Element](c Column) (s ragged.Sparse[T], ok bool) {
	v, ok := valuesOf[T](c.c)
	if !ok || c.Form() != SparseForm {
		return s, false
	}
	last := len(c.c.levels) - 1
	lo, hi := c.rowSpan(last + 1)
	s.Values = v[lo:hi:hi]
	unitLo, unitHi := c.rowSpan(last)
	if c.row < 0 {
		s.Shape = append(s.Shape, int64(c.n))
	}
	if c.c.nested {
		rowLo, rowHi := c.rowSpan(0)
		s.Shape = append(s.Shape, int64(c.longest(0, rowLo, rowHi)))
	}
	if c.c.kind == sparseKind {
		s.Shape = append(s.Shape, c.c.sizes...)
	} else {
		s.Shape = append(s.Shape, int64(c.longest(last, unitLo, unitHi)))
	}
	s.Indices = make([]int64, 0, len(s.Values)*len(s.Shape))
	row, first := max(c.row, 0), unitLo // the row of a unit, and the first unit of the row
	for u := unitLo; u < unitHi; u++ {
		if !c.c.nested {
			row, first = u, u
		}
		for c.c.nested && c.c.levels[0].rowLimit(row+1) <= u {
			row++
			first = c.c.levels[0].rowLimit(row)
		}
		l := &c.c.levels[last]
		for j := l.rowLimit(u); j < l.rowLimit(u+1); j++ {
			if c.row < 0 {
				s.Indices = append(s.Indices, int64(row))
			}
			if c.c.nested {
				s.Indices = append(s.Indices, int64(u-first))
			}
			if dims := len(c.c.indexSlots); c.c.kind == sparseKind {
				s.Indices = append(s.Indices, c.c.index[j*dims:(j+1)*dims]...)
			} else {
				s.Indices = append(s.Indices, int64(j-l.rowLimit(u)))
			}
		}
	}
	return s, true
}

// Slices returns the values of a column as nested Go slices: []float32 for one number in each
// row, [][]string for lists of strings, [][][]int64 for lists of lists. It is for code that does
// not depend on dtypes, such as templates and encoding/json. Rows have no padding; Indices returns the
// indices of a [Sparse] feature. Strings are not decoded. The errors are those of [ragged.ToSlices]. The memory is new.
func (c Column) Slices() (any, error) {
	c = c.Ragged()
	switch c.DType() {
	case Int64:
		return slicesOf[int64](c)
	case Float32:
		return slicesOf[float32](c)
	}
	return slicesOf[string](c)
}

func slicesOf[T Element](c Column) (any, error) {
	t, _ := TensorOf[T](c)
	return ragged.ToSlices[any](t)
}
