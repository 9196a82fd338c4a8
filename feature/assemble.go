package feature

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tfparse/tfparse/ragged"
)

// A Table has the columns from which Assemble makes a batch, by the names of their features. Its
// fields are those of a Spec.
type Table struct {
	Features map[string]Column
	Context  map[string]Column
	Sequence map[string]Column
	Examples map[string]Column
}

func (t Table) groups() [4]map[string]Column {
	return [4]map[string]Column{t.Features, t.Context, t.Sequence, t.Examples}
}

// NewColumn returns a column with the values of a tensor, for a Table. The first axis is the
// rows; Assemble documents the other axes. The column shares the memory of the tensor.
func NewColumn[T Element](t ragged.Tensor[T]) Column {
	p := &columnPlan{inner: t.InnerShape(), cell: 1}
	c := &column{columnPlan: p}
	switch v := any(t.Values()).(type) {
	case []int64:
		p.dtype, c.ints = Int64, v
	case []float32:
		p.dtype, c.floats = Float32, v
	case []string:
		p.dtype, c.strings = String, v
	}
	for _, d := range p.inner {
		p.cell *= d
	}
	for _, q := range t.Partitions() {
		p.form = RaggedForm
		if n, ok := q.UniformLen(); ok {
			c.levels = append(c.levels, level{length: int64(n), count: q.NumRows()})
		} else {
			c.levels = append(c.levels, level{length: -1, splits: q.AppendSplits(nil)})
		}
	}
	if t.Rank() == 0 {
		return Column{c: c, n: 1, row: 0}
	}
	return Column{c: c, n: t.Len(), row: -1}
}

// NewSparseColumn returns the column of a Sparse feature, for a Table: values of shape
// [rows, ragged] and indices of shape [rows, ragged, dimensions], in Examples with one more
// ragged axis each. The column shares the memory of the tensors.
func NewSparseColumn[T Element](values ragged.Tensor[T], indices ragged.Tensor[int64]) Column {
	c := NewColumn(values)
	at := NewColumn(indices)
	dims := 0
	if n := len(at.c.inner); n == 1 && len(c.c.inner) == 0 && slices.EqualFunc(c.c.levels, at.c.levels, equalLevels) {
		dims = at.c.inner[0]
	}
	c.c.kind, c.c.form = sparseKind, SparseForm
	c.c.index, c.c.indexSlots = at.c.ints, make([]int, dims)
	return c
}

func equalLevels(a, b level) bool {
	return a.length == b.length && a.count == b.count && slices.Equal(a.splits, b.splits)
}

// Assemble makes a batch of tensors, which can be encoded or read like a parsed batch.
// The table has a column for every feature of the spec, all with the same number of rows and
// with these shapes:
//
//	FixedLen            [rows] + Shape
//	FixedLenSequence    [rows, ragged] + Shape
//	VarLen              [rows, ragged]
//	Sparse              NewSparseColumn
//	Ragged              [rows, ragged, …], with an axis for each partition
//
// and in Sequence and Examples one more ragged axis after the first, for the steps
// or examples (the steps are the blocks of a FixedLenSequence). A uniform axis is accepted
// for a ragged one, and a ragged axis for a uniform one if all of its rows have that length.
// So a dense tensor is accepted for a FixedLenSequence; its padding is encoded as values.
//
// A column with Decode has the strings, which must decode. The error joins an *Error, wrapping ErrColumn, for every
// column that does not fit; or it is the first that wraps ErrDecode, with the index of the row.
// The batch shares memory with the tensors, which must not change.
func (p *Parser) Assemble(t Table) (*Batch, error) {
	b := p.NewBatch()
	a := assembler{rows: -1}
	for i := range b.cols {
		c := &b.cols[i]
		src, ok := t.groups()[c.group][c.name]
		if !ok {
			a.addError(c.group, c.name, "a column", "none")
			continue
		}
		a.addColumn(c, src)
	}
	for g, cols := range t.groups() {
		for _, name := range slices.Sorted(maps.Keys(cols)) {
			if _, ok := p.byName[g][name]; !ok {
				a.addError(Group(g), name, "a column that the spec has", "")
			}
		}
	}
	if len(a.errs) > 0 {
		return nil, errors.Join(a.errs...)
	}
	b.round++ // makes all slots stale: errors about rows have no offset
	for b.n = 0; len(p.decodedColumns) > 0 && b.n < a.rows; b.n++ {
		if err := b.checkDecoded(); err != nil {
			return nil, recordError(b.n, err)
		}
	}
	b.n = max(a.rows, 0)
	return b, nil
}

// An assembler checks the columns of a Table.
type assembler struct {
	rows int     // number of rows of the first column; -1 before the first column
	errs []error // an *Error for each column that does not fit
}

func (a *assembler) addError(g Group, name, want, got string) {
	e := newError(g, name, name, ErrColumn)
	e.Want, e.Got = want, got
	a.errs = append(a.errs, e)
}

// addColumn checks src and makes its rows those of c.
func (a *assembler) addColumn(c *column, src Column) {
	fail := func(want, got string) { a.addError(c.group, c.name, want, got) }
	if src.c == nil || src.row >= 0 {
		fail("a column with an axis of rows", "one without")
		return
	}
	if a.rows < 0 {
		a.rows = src.n
	}
	s := src.c
	switch {
	case src.n != a.rows:
		fail(fmt.Sprintf("%d rows, as the first column has", a.rows), fmt.Sprint(src.n))
		return
	case s.dtype != c.dtype:
		fail(c.dtype.String(), s.dtype.String())
		return
	case c.kind == sparseKind && len(s.indexSlots) != len(c.indexSlots):
		fail(fmt.Sprintf("%d indices beside every value", len(c.indexSlots)), fmt.Sprint(len(s.indexSlots)))
		return
	}
	axes := slices.Clone(s.levels)
	for _, d := range s.inner {
		axes = append(axes, level{length: int64(d)})
	}
	want := slices.Clone(c.columnPlan.levels)
	for _, d := range c.inner {
		want = append(want, int64(d))
	}
	if len(axes) != len(want) {
		fail("shape "+shapeText(want), shapeText(lengths(axes)))
		return
	}
	n := src.n // number of rows of the axis
	for i, length := range want {
		if bad, ok := axes[i].misfit(length, n); !ok {
			fail("shape "+shapeText(want), fmt.Sprintf("%s, with a row of length %d at axis %d", shapeText(lengths(axes)), bad, i+1))
			return
		}
		if i < len(c.levels) {
			c.levels[i].setRows(&axes[i], n)
		}
		n = axes[i].rowLimit(n)
	}
	if c.kind == sparseKind && !c.takeIndices(s.index[:n*len(s.indexSlots)]) {
		fail(fmt.Sprintf("indices at least 0 and less than the size %d", c.sizes), "others")
		return
	}
	c.ints, c.floats, c.strings = head(s.ints, n), head(s.floats, n), head(s.strings, n)
}

// head returns the first n values of a slice, or none if the column has another dtype.
func head[T any](v []T, n int) []T {
	n = min(n, len(v))
	return v[:n:n]
}

// takeIndices checks the indices of a Sparse feature and makes them those of c.
func (c *column) takeIndices(index []int64) bool {
	for i, x := range index {
		if d := i % len(c.indexSlots); x < 0 || x >= c.sizes[d] {
			return false
		}
	}
	c.index = head(index, len(index))
	return true
}

// misfit returns the length of the first row whose length differs from length. ok is true if all rows have this
// length, or if length is negative, because a ragged axis accepts any rows.
func (l *level) misfit(length int64, rows int) (bad int, ok bool) {
	if length < 0 || length == l.length {
		return 0, true
	}
	for i := range rows {
		if n := l.rowLimit(i+1) - l.rowLimit(i); int64(n) != length {
			return n, false
		}
	}
	return 0, true
}

// setRows gives l the rows of src. Either may be uniform.
func (l *level) setRows(src *level, rows int) {
	switch {
	case l.length >= 0:
		l.count = rows
	case src.length < 0:
		l.splits = head(src.splits, rows+1)
	default:
		for i := range rows {
			l.splits = append(l.splits, int64(src.rowLimit(i+1)))
		}
	}
}

func lengths(axes []level) []int64 {
	out := make([]int64, len(axes))
	for i := range axes {
		out[i] = axes[i].length
	}
	return out
}

// shapeText returns a shape as text, with an axis of rows in front.
func shapeText(lengths []int64) string {
	var b strings.Builder
	b.WriteString("[rows")
	for _, n := range lengths {
		if n < 0 {
			b.WriteString(", ragged")
		} else {
			fmt.Fprintf(&b, ", %d", n)
		}
	}
	return b.String() + "]"
}
