package feature

import (
	"fmt"

	"github.com/tfparse/tfparse/ragged"
)

// A TypedColumn finds one column of every batch of a parser, without looking its name
// up again and without an error for each batch. It is immutable and safe for concurrent
// use.
type TypedColumn[T Element] struct {
	p     *Parser
	index int
}

// ColumnOf finds the column of a feature whose values are of type T, in all batches of
// the parser. If a name stands in two maps of the spec, groups says which one is meant.
// The error wraps ErrNoColumn: there is none of that name, one in each of two groups, or
// one of another type.
func ColumnOf[T Element](p *Parser, name string, groups ...Group) (TypedColumn[T], error) {
	i, err := p.find(name, setOf(groups))
	if err != nil {
		return TypedColumn[T]{}, err
	}
	if err := holds[T](name, p.columns[i].dtype); err != nil {
		return TypedColumn[T]{}, err
	}
	return TypedColumn[T]{p, i}, nil
}

// In returns the tensor of the column in a batch, or in anything else that has columns of
// the parser, such as a batch of package dataset: see TensorOf. It panics if the
// batch is of another parser.
func (c TypedColumn[T]) In(batch interface{ Columns() Columns }) ragged.Tensor[T] {
	return c.Of(batch.Columns())
}

// Of is In for columns, such as those of one row.
func (c TypedColumn[T]) Of(columns Columns) ragged.Tensor[T] {
	if columns.b == nil || columns.b.p != c.p {
		panic("feature: the columns are of another parser")
	}
	t, _ := TensorOf[T](columns.column(c.index))
	return t
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

// setOf returns the set of some groups, or of all if there are none.
func setOf(list []Group) groups {
	if len(list) == 0 {
		return allGroups
	}
	set := groups(0)
	for _, g := range list {
		set |= 1 << g
	}
	return set & allGroups
}
