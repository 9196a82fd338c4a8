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

// ColumnOf returns the tensor of the column of that name, whose values are of type T: see
// TensorOf. The error wraps ErrNoColumn: there is none of that name, one in each of two
// groups, which Columns.In tells apart, or one of another type.
func ColumnOf[T Element](columns Columns, name string) (ragged.Tensor[T], error) {
	c, err := columns.Column(name)
	if err != nil {
		return ragged.Tensor[T]{}, err
	}
	if err := holds[T](name, c.DType()); err != nil {
		return ragged.Tensor[T]{}, err
	}
	t, _ := TensorOf[T](c)
	return t, nil
}

// find returns the index of the column of that name in some groups.
func (p *Parser) find(name string, in groups) (int, error) {
	found := -1
	for g := range p.byName {
		if i, ok := p.byName[g][name]; ok && in>>g&1 == 1 {
			if found >= 0 {
				return 0, fmt.Errorf("%w: %q is in %s and in %s: say which one", ErrNoColumn, name, p.columns[found].group, Group(g))
			}
			found = i
		}
	}
	if found < 0 {
		return 0, fmt.Errorf("%w: %q", ErrNoColumn, name)
	}
	return found, nil
}

// holds returns an error if values of a dtype are not of type T.
func holds[T Element](name string, dtype DType) error {
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
