package feature

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tfparse/tfparse/ragged"
)

// A Table is columns to be encoded, by the names of their features. Its members
// are those of a Spec.
type Table struct {
	Features map[string]Column
	Context  map[string]Column
	Sequence map[string]Column
	Examples map[string]Column
}

func (t Table) groups() [4]map[string]Column {
	return [4]map[string]Column{t.Features, t.Context, t.Sequence, t.Examples}
}

// NewColumn makes a column of a tensor, to be encoded. The first axis is the rows;
// the others are what the spec's feature has in ragged form: see Assemble. The
// memory is shared.
func NewColumn[T Element](t ragged.Tensor[T]) Column {
	p := &plan{inner: t.InnerShape(), cell: 1}
	c := &column{plan: p}
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

// NewSparseColumn makes a column of values and their indices, to be encoded as a
// Sparse feature: values of shape [rows, ragged] and indices of shape [rows, ragged,
// dimensions] (in Examples with one more ragged axis each). The memory is shared.
func NewSparseColumn[T Element](values ragged.Tensor[T], indices ragged.Tensor[int64]) Column {
	c := NewColumn(values)
	at := NewColumn(indices)
	dims := 0
	if n := len(at.c.inner); n == 1 && len(c.c.inner) == 0 && slices.EqualFunc(c.c.levels, at.c.levels, sameRows) {
		dims = at.c.inner[0]
	}
	c.c.kind, c.c.form = sparseKind, SparseForm
	c.c.index, c.c.indices = at.c.ints, make([]int, dims)
	return c
}

func sameRows(a, b level) bool {
	return a.length == b.length && a.count == b.count && slices.Equal(a.splits, b.splits)
}

// Assemble makes a batch of columns that were not parsed, so that it can be encoded
// or read like any other. Every feature of the spec has a column, and all have
// the same number of rows. With the shape of the column as Column.Ragged has it:
//
//	FixedLen            [rows] + Shape
//	FixedLenSequence    [rows, ragged] + Shape
//	VarLen              [rows, ragged]
//	Sparse              NewSparseColumn
//	Ragged              [rows, ragged, …], with an axis for each partition
//
// and in Sequence and Examples one more ragged axis after the first, for the steps
// or examples (the steps are the blocks of a FixedLenSequence). Where the spec has
// a ragged axis, a uniform one will do; where it has a uniform one, a ragged axis
// whose rows are all of that length. So a column of dense form will do for a
// FixedLenSequence: its padding is encoded as values then.
//
// The error joins an *Error, wrapping ErrColumn, for every column that does not fit.
// Memory is shared where possible: the tensors must not change.
func (p *Parser) Assemble(t Table) (*Batch, error) {
	b := p.NewBatch()
	a := assembler{rows: -1}
	for i := range b.cols {
		c := &b.cols[i]
		src, ok := t.groups()[c.group][c.name]
		if !ok {
			a.fail(c.group, c.name, "a column", "none")
			continue
		}
		a.column(c, src)
	}
	for g, cols := range t.groups() {
		for _, name := range slices.Sorted(maps.Keys(cols)) {
			if _, ok := p.byName[g][name]; !ok {
				a.fail(Group(g), name, "a column that the spec has", "")
			}
		}
	}
	if len(a.errs) > 0 {
		return nil, errors.Join(a.errs...)
	}
	b.n = max(a.rows, 0)
	return b, nil
}

// An assembler collects what is wrong with columns.
type assembler struct {
	rows int // of the first column; -1 before it
	errs []error
}

func (a *assembler) fail(g Group, name, want, got string) {
	e := newError(g, name, name, ErrColumn)
	e.Want, e.Got = want, got
	a.errs = append(a.errs, e)
}

// column fills c with the rows of src.
func (a *assembler) column(c *column, src Column) {
	fail := func(want, got string) { a.fail(c.group, c.name, want, got) }
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
	case c.kind == sparseKind && len(s.indices) != len(c.indices):
		fail(fmt.Sprintf("%d indices beside every value", len(c.indices)), fmt.Sprint(len(s.indices)))
		return
	}
	axes := slices.Clone(s.levels)
	for _, d := range s.inner {
		axes = append(axes, level{length: int64(d)})
	}
	want := slices.Clone(c.plan.levels)
	for _, d := range c.inner {
		want = append(want, int64(d))
	}
	if len(axes) != len(want) {
		fail("shape "+shapeText(want), shapeText(lengths(axes)))
		return
	}
	n := src.n // rows at the axis
	for i, length := range want {
		if bad, ok := axes[i].unlike(length, n); !ok {
			fail("shape "+shapeText(want), fmt.Sprintf("%s, with a row of length %d at axis %d", shapeText(lengths(axes)), bad, i+1))
			return
		}
		if i < len(c.levels) {
			c.levels[i].take(&axes[i], n)
		}
		n = axes[i].limit(n)
	}
	if c.kind == sparseKind && !c.takeIndices(s.index[:n*len(s.indices)]) {
		fail(fmt.Sprintf("indices at least 0 and less than the size %d", c.sizes), "others")
		return
	}
	c.ints, c.floats, c.strings = head(s.ints, n), head(s.floats, n), head(s.strings, n)
}

// head returns the first n values of the one slice that is in use.
func head[T any](v []T, n int) []T {
	n = min(n, len(v))
	return v[:n:n]
}

// takeIndices checks the indices of a sparse column and keeps them.
func (c *column) takeIndices(index []int64) bool {
	for i, x := range index {
		if d := i % len(c.indices); x < 0 || x >= c.sizes[d] {
			return false
		}
	}
	c.index = head(index, len(index))
	return true
}

// unlike returns the length of a row that is not the one wanted; ok if there is no
// such row.
func (l *level) unlike(length int64, rows int) (bad int, ok bool) {
	if length < 0 || length == l.length {
		return 0, true
	}
	for i := range rows {
		if n := l.limit(i+1) - l.limit(i); int64(n) != length {
			return n, false
		}
	}
	return 0, true
}

// take makes l the same rows as src, whether uniform or not.
func (l *level) take(src *level, rows int) {
	switch {
	case l.length >= 0:
		l.count = rows
	case src.length < 0:
		l.splits = head(src.splits, rows+1)
	default:
		for i := range rows {
			l.splits = append(l.splits, int64(src.limit(i+1)))
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

// shapeText writes a shape after the rows, which may be any number.
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
