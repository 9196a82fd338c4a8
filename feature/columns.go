package feature

import (
	"fmt"
	"iter"

	"github.com/tfparse/tfparse/ragged"
)

// Columns are the columns of a batch, or of one row of it. It is a small value
// that refers to the batch.
type Columns struct {
	b   *Batch
	row int    // -1 for the whole batch
	of  groups // which groups
}

// groups is a set of groups.
type groups uint8

const allGroups groups = 1<<InFeatures | 1<<InContext | 1<<InSequence | 1<<InExamples

// Columns returns the columns with the rows that the batch has now.
func (b *Batch) Columns() Columns { return Columns{b, -1, allGroups} }

// Row returns the columns of row i alone, without the batch axis: what TensorFlow
// gives for a single record. It panics if there is no such row.
func (b *Batch) Row(i int) Columns {
	if uint(i) >= uint(b.n) {
		panic("feature: row out of range")
	}
	return Columns{b, i, allGroups}
}

// In returns the columns of one group of the spec. It is needed where a name stands
// in the context and in the feature lists.
func (cs Columns) In(g Group) Columns {
	cs.of &= 1 << g
	return cs
}

// Len returns the number of columns.
func (cs Columns) Len() int {
	n := 0
	for range cs.All() {
		n++
	}
	return n
}

// All yields every column with its name: group by group in the order of their
// constants, in each in the order of names.
func (cs Columns) All() iter.Seq2[string, Column] {
	return func(yield func(string, Column) bool) {
		if cs.b == nil {
			return
		}
		for i := range cs.b.cols {
			if c := cs.column(i); cs.of>>c.c.group&1 == 1 && !yield(c.c.name, c) {
				return
			}
		}
	}
}

// Column returns the column of a feature. The error wraps ErrNoColumn: there is
// none of that name, or one in each of two groups.
func (cs Columns) Column(name string) (Column, error) {
	if cs.b == nil {
		return Column{}, fmt.Errorf("%w: %q", ErrNoColumn, name)
	}
	i, err := cs.b.p.find(name, cs.of)
	if err != nil {
		return Column{}, err
	}
	return cs.column(i), nil
}

// column returns the column with an index.
func (cs Columns) column(i int) Column { return Column{c: &cs.b.cols[i], n: cs.b.n, row: cs.row} }

// Int64 returns the tensor of an int64 column: see Column.Int64.
func (cs Columns) Int64(name string) (ragged.Tensor[int64], error) {
	return typed[int64](cs, name)
}

// Float32 returns the tensor of a float32 column: see Column.Int64.
func (cs Columns) Float32(name string) (ragged.Tensor[float32], error) {
	return typed[float32](cs, name)
}

// Strings returns the tensor of a string column: see Column.Int64.
func (cs Columns) Strings(name string) (ragged.Tensor[string], error) {
	return typed[string](cs, name)
}

func typed[T Element](cs Columns, name string) (ragged.Tensor[T], error) {
	c, err := cs.Column(name)
	if err != nil {
		return ragged.Tensor[T]{}, err
	}
	if err := holds[T](name, c.DType()); err != nil {
		return ragged.Tensor[T]{}, err
	}
	t, _ := TensorOf[T](c)
	return t, nil
}

// Int64 returns the tensor of an int64 column: see Column.Int64.
func (b *Batch) Int64(name string) (ragged.Tensor[int64], error) { return b.Columns().Int64(name) }

// Float32 returns the tensor of a float32 column: see Column.Int64.
func (b *Batch) Float32(name string) (ragged.Tensor[float32], error) {
	return b.Columns().Float32(name)
}

// Strings returns the tensor of a string column: see Column.Int64.
func (b *Batch) Strings(name string) (ragged.Tensor[string], error) {
	return b.Columns().Strings(name)
}

// All yields the columns as Columns.All does.
func (b *Batch) All() iter.Seq2[string, Column] { return b.Columns().All() }
