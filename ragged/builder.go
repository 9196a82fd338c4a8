package ragged

import "fmt"

// A Builder grows a tensor row by row, from the inside out: append values, end
// the row they belong to, end the row that row belongs to, and so on. What has
// not been ended is not part of the tensor yet, and Rollback forgets it.
//
// The zero value builds a vector. A Builder must not be copied after its first
// use.
type Builder[T any] struct {
	values []T
	levels []level
	inner  []int
	cell   int // values of one item; 0 in the zero value means 1 unless zero is set
	zero   bool
	items  int // counted only if items have no values
}

// A level is one partition under construction.
type level struct {
	splits  []int64 // ragged: one more than rows, once there are rows
	rows    int
	rowLen  int
	uniform bool
}

// NewBuilder makes a builder for items of the given uniform shape (nil for
// scalars) and one level per partition, the outermost first: a negative level is
// ragged, any other is a uniform row length. NewBuilder[T](inner, -1, 2) builds
// tensors of shape [rows, ragged, 2] + inner. It panics if a size of the inner
// shape is negative, or if the sizes multiply to more than can be counted.
func NewBuilder[T any](inner []int, levels ...int) *Builder[T] {
	cell, err := product(inner)
	if err != nil {
		panic(err.Error())
	}
	b := &Builder[T]{inner: inner, cell: cell, zero: cell == 0, levels: make([]level, len(levels))}
	parts := []Partition{{}}
	for i, n := range levels {
		b.levels[i] = level{rowLen: n, uniform: n >= 0}
		if n >= 0 {
			parts = append(parts, uniform(n, 0))
		}
	}
	if err := checkUniform(parts, inner); err != nil {
		panic(err.Error())
	}
	return b
}

// Append appends values to the innermost row, in row-major order where items
// have a shape. A part of an item counts once the item is complete.
func (b *Builder[T]) Append(v ...T) {
	b.values = append(b.values, v...)
}

// AppendEmpty appends items that have no values, which only an inner shape with
// a size of 0 can have. It panics for any other builder, and for more than
// MaxEmptyRows of them in all.
func (b *Builder[T]) AppendEmpty(items int) {
	if !b.zero || items < 0 || items > MaxEmptyRows-b.items {
		panic("ragged: Builder.AppendEmpty wants an inner shape of size 0, and not too many items")
	}
	b.items += items
}

// Grow makes room for n more values.
func (b *Builder[T]) Grow(n int) {
	if need := len(b.values) + n; n > 0 && need > cap(b.values) {
		grown := make([]T, len(b.values), need)
		copy(grown, b.values)
		b.values = grown
	}
}

// EndRow ends a row at a level, 0 being the outermost. The row takes what the
// level below has ended (or, at the innermost level, the items appended) since
// the row before. A row of a uniform level must have its length; EndRow panics
// otherwise, and for a level that does not exist.
func (b *Builder[T]) EndRow(level int) {
	l := &b.levels[level]
	n := b.count(level + 1)
	if l.uniform {
		if want := (l.rows + 1) * l.rowLen; n != want {
			panic(fmt.Sprintf("ragged: Builder.EndRow: level %d: want rows of %d, got %d", level, l.rowLen, n-l.rows*l.rowLen))
		}
	} else {
		if len(l.splits) == 0 {
			l.splits = append(l.splits, 0)
		}
		l.splits = append(l.splits, int64(n))
	}
	l.rows++
}

// EndRows ends rows of the given lengths at a level, together taking no more
// than the level below has ended and no row has taken yet. If the lengths do not
// allow that, it changes nothing and returns an error that wraps ErrPartition.
func (b *Builder[T]) EndRows(level int, lengths ...int64) error {
	l := &b.levels[level]
	free := int64(b.count(level+1) - b.taken(level))
	for i, n := range lengths {
		switch {
		case n < 0:
			return &PartitionError{"row_lengths", i, "at least 0", n}
		case l.uniform && n != int64(l.rowLen):
			return &PartitionError{"row_lengths", i, fmt.Sprint(l.rowLen), n}
		case n > free:
			return &PartitionError{"row_lengths", i, fmt.Sprintf("at most %d", free), n}
		}
		free -= n
	}
	l.rows += len(lengths)
	if l.uniform {
		return nil
	}
	if len(l.splits) == 0 {
		l.splits = append(l.splits, 0)
	}
	last := l.splits[len(l.splits)-1]
	for _, n := range lengths {
		last += n
		l.splits = append(l.splits, last)
	}
	return nil
}

// count returns the number of rows ended at a level, or of items below the last.
func (b *Builder[T]) count(level int) int {
	switch {
	case level < len(b.levels):
		return b.levels[level].rows
	case b.zero:
		return b.items
	case b.cell <= 1:
		return len(b.values)
	}
	return len(b.values) / b.cell
}

// taken returns how much of the level below the rows of a level hold.
func (b *Builder[T]) taken(level int) int {
	l := &b.levels[level]
	if l.uniform {
		return l.rows * l.rowLen
	}
	if len(l.splits) == 0 {
		return 0
	}
	return int(l.splits[len(l.splits)-1])
}

// Len returns the number of rows ended at the outermost level, or of items if
// there is no level.
func (b *Builder[T]) Len() int { return b.count(0) }

// NumRows returns the number of rows ended at a level, or of items for the level
// below the last.
func (b *Builder[T]) NumRows(level int) int { return b.count(level) }

// A Mark is a state of a Builder to which it can be rolled back.
type Mark struct {
	values int
	items  int
	rows   [6]int // of the first levels
	more   []int  // of the others
}

// Mark returns the present state. It allocates only beyond six levels.
func (b *Builder[T]) Mark() Mark {
	m := Mark{values: len(b.values), items: b.items}
	for i := range b.levels {
		if i < len(m.rows) {
			m.rows[i] = b.levels[i].rows
		} else {
			m.more = append(m.more, b.levels[i].rows)
		}
	}
	return m
}

// Rollback forgets everything since the mark was taken. Tensors made since then
// become invalid. Marks taken since then must not be used.
func (b *Builder[T]) Rollback(m Mark) {
	clear(b.values[m.values:])
	b.values, b.items = b.values[:m.values], m.items
	for i := range b.levels {
		rows := 0
		if i < len(m.rows) {
			rows = m.rows[i]
		} else {
			rows = m.more[i-len(m.rows)]
		}
		l := &b.levels[i]
		l.rows = rows
		if !l.uniform && len(l.splits) > 0 {
			l.splits = l.splits[:rows+1]
		}
	}
}

// Tensor returns the rows ended so far at the outermost level. It shares the
// memory of the builder: appending more leaves it as it is, Rollback to an
// earlier mark and Reset make it invalid. Clone it to keep it.
func (b *Builder[T]) Tensor() Tensor[T] {
	n := b.count(0)
	t := Tensor[T]{inner: b.inner, hi: n}
	if len(b.levels) > 0 {
		t.parts = make([]Partition, len(b.levels))
	}
	for i := range b.levels {
		l := &b.levels[i]
		switch {
		case l.uniform:
			t.parts[i] = uniform(l.rowLen, n)
		case len(l.splits) == 0:
			t.parts[i] = Partition{splits: []int64{0}}
		default:
			t.parts[i] = Partition{splits: l.splits[: n+1 : n+1]}
		}
		n = t.parts[i].NumValues()
	}
	n *= size(b.inner)
	t.values = b.values[:n:n]
	return t
}

// Reset forgets all rows and keeps the memory. Tensors made before become
// invalid.
func (b *Builder[T]) Reset() {
	b.Rollback(Mark{more: make([]int, max(0, len(b.levels)-6))})
}
