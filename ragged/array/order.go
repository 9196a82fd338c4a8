package array

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/ragged/internal/operand"
)

// lastRows calls f with the bounds of every row of the last axis, in flat values.
func lastRows[T any](t ragged.Tensor[T], f func(lo, hi int)) {
	inner := t.InnerShape()
	switch {
	case len(inner) > 0:
		n := inner[len(inner)-1]
		if n == 0 {
			return
		}
		for lo, size := 0, t.Size(); lo < size; lo += n {
			f(lo, lo+n)
		}
	case t.RaggedRank() > 0:
		p := t.Partition(t.RaggedRank() - 1)
		for row := range p.NumRows() {
			f(p.Bounds(row))
		}
	default:
		f(0, t.Size())
	}
}

// Sort sorts the values of every row of the last axis, in ascending or descending order. NaN
// is smaller than every number. The values are new. TensorFlow's sort refuses ragged tensors.
func Sort[T cmp.Ordered](t ragged.Tensor[T], descending bool) ragged.Tensor[T] {
	values := slices.Clone(t.Values())
	lastRows(t, func(lo, hi int) {
		slices.Sort(values[lo:hi])
		if descending {
			slices.Reverse(values[lo:hi])
		}
	})
	return same(t, values)
}

// Argsort returns for every row of the last axis the positions of its values in the
// order of Sort. Equal values stay in order. TensorFlow's argsort refuses ragged tensors.
func Argsort[T cmp.Ordered](t ragged.Tensor[T], descending bool) ragged.Tensor[int64] {
	src := t.Values()
	out := make([]int64, len(src))
	lastRows(t, func(lo, hi int) { argsort(src[lo:hi], out[lo:hi], descending) })
	return same(t, out)
}

// argsort writes the positions of values to at, in the order of the values.
func argsort[T cmp.Ordered](values []T, at []int64, descending bool) {
	for i := range at {
		at[i] = int64(i)
	}
	slices.SortStableFunc(at, func(i, j int64) int {
		if descending {
			i, j = j, i
		}
		return cmp.Compare(values[i], values[j])
	})
}

// TopK returns the k largest values of every row of the last partition, in descending order,
// and their positions in the row. A row with fewer values gives all its values. Equal values
// stay in order. The tensor must have partitions and no inner shape; the last axis of the
// results is ragged. TensorFlow's top_k refuses ragged tensors.
func TopK[T cmp.Ordered](t ragged.Tensor[T], k int) (values ragged.Tensor[T], positions ragged.Tensor[int64], err error) {
	const op = "top k"
	p, err := lastPartition(op, t)
	if err != nil {
		return values, positions, err
	}
	if k < 0 {
		return values, positions, operand.Shapef(op, "want a k of at least 0, got %d", k)
	}
	src, splits := t.Values(), make([]int64, 1, p.NumRows()+1)
	var top []T
	var at, order []int64
	for row := range p.NumRows() {
		lo, hi := p.Bounds(row)
		order = slices.Grow(order[:0], hi-lo)[:hi-lo]
		argsort(src[lo:hi], order, true)
		for _, i := range order[:min(k, hi-lo)] {
			top, at = append(top, src[lo+int(i)]), append(at, i)
		}
		splits = append(splits, int64(len(top)))
	}
	if values, err = withLast(op, t, top, splits); err == nil {
		positions, err = withLast(op, t, at, splits)
	}
	return values, positions, err
}

// Unique returns the different values of every row of the last partition, in the order of
// their first positions. NaN equals nothing. The tensor must have partitions and no inner
// shape; the last axis of the result is ragged. TensorFlow's unique refuses ragged tensors.
func Unique[T comparable](t ragged.Tensor[T]) (ragged.Tensor[T], error) {
	const op = "unique"
	var none ragged.Tensor[T]
	p, err := lastPartition(op, t)
	if err != nil {
		return none, err
	}
	src, splits := t.Values(), make([]int64, 1, p.NumRows()+1)
	values, seen := make([]T, 0, len(src)), map[T]struct{}{}
	for row := range p.NumRows() {
		lo, hi := p.Bounds(row)
		first := len(values)
		if hi-lo > 16 {
			clear(seen)
		}
		for _, v := range src[lo:hi] {
			// A short row is searched, a long row uses a map.
			if hi-lo <= 16 {
				if !slices.Contains(values[first:], v) {
					values = append(values, v)
				}
			} else if _, ok := seen[v]; !ok {
				seen[v] = struct{}{}
				values = append(values, v)
			}
		}
		splits = append(splits, int64(len(values)))
	}
	return withLast(op, t, values, splits)
}

// lastPartition returns the last partition of a tensor without an inner shape.
func lastPartition[T any](op string, t ragged.Tensor[T]) (ragged.Partition, error) {
	if t.RaggedRank() == 0 || len(t.InnerShape()) > 0 {
		return ragged.Partition{}, operand.Shapef(op, "want partitions and no inner shape, got ragged rank %d and inner shape %v", t.RaggedRank(), t.InnerShape())
	}
	p := t.Partition(t.RaggedRank() - 1)
	return p, nil
}

// withLast replaces the last partition and the values.
func withLast[T, U any](op string, t ragged.Tensor[T], values []U, splits []int64) (ragged.Tensor[U], error) {
	parts := t.Partitions()
	p, err := ragged.FromRowSplits(splits)
	if err != nil {
		return ragged.Tensor[U]{}, operand.Within(op, err)
	}
	parts[len(parts)-1] = p
	return ragged.New(values, nil, parts...)
}

// same returns a tensor with the shape of t and the given values, one for each value of t.
func same[T, U any](t ragged.Tensor[T], values []U) ragged.Tensor[U] {
	out, err := operand.Like(t, values)
	if err != nil {
		panic(err.Error()) // there are as many values as in t
	}
	return out
}

// MapRows applies f to every row, which is a view, and returns a ragged tensor whose rows
// are the results of f. These must have the same rank of at least 1, the given ragged
// rank and the same inner shape. The tensor has one partition more. Without rows it has
// no inner shape.
//
// The first error of f is returned with the row. The values are new. For a function of
// single values see ragged.Map. TensorFlow calls it map_fn, with a RaggedTensorSpec for the
// results of f.
func MapRows[T, U any](t ragged.Tensor[T], raggedRank int, f func(ragged.Tensor[T]) (ragged.Tensor[U], error)) (ragged.Tensor[U], error) {
	const op = "map rows"
	var none ragged.Tensor[U]
	if raggedRank < 0 {
		return none, operand.Shapef(op, "want a ragged rank of at least 0, got %d", raggedRank)
	}
	rows, err := applyToRows(op, t, f)
	if err != nil {
		return none, err
	}
	return raggedRows(op, rows, raggedRank)
}

// raggedRows makes a tensor from rows that must have the given ragged rank.
func raggedRows[U any](op string, rows []ragged.Tensor[U], raggedRank int) (ragged.Tensor[U], error) {
	var none ragged.Tensor[U]
	for i, row := range rows {
		switch {
		case row.Rank() == 0:
			return none, operand.Shapef(op, "row %d: want a rank of at least 1, got a scalar: see MapRowsDense", i)
		case row.RaggedRank() != raggedRank:
			return none, operand.Shapef(op, "row %d: want ragged rank %d, got %d", i, raggedRank, row.RaggedRank())
		case !slices.Equal(row.InnerShape(), rows[0].InnerShape()):
			return none, operand.Shapef(op, "row %d: want items of shape %v as in row 0, got %v", i, rows[0].InnerShape(), row.InnerShape())
		}
	}
	if len(rows) == 0 {
		if err := operand.TooMany[ragged.Partition](op, 0, raggedRank); err != nil { // only a number of the caller
			return none, err
		}
		parts := make([]ragged.Partition, raggedRank+1)
		return ragged.New[U](nil, nil, parts...)
	}
	return stackRows(rows)
}

// MapRowsDense applies f to every row, which is a view, and makes a dense tensor of the
// results. These must be dense and have the given shape; without a shape they are
// scalars. The first error of f is returned with the row. The values are new. TensorFlow
// calls it map_fn.
func MapRowsDense[T, U any](t ragged.Tensor[T], f func(ragged.Tensor[T]) (ragged.Tensor[U], error), shape []int) (ragged.Tensor[U], error) {
	const op = "map rows"
	var none ragged.Tensor[U]
	size, err := ragged.SizeOf(shape)
	if err != nil {
		return none, operand.Within(op, err)
	}
	rows, err := applyToRows(op, t, f)
	if err != nil {
		return none, err
	}
	for i, row := range rows {
		if row.RaggedRank() > 0 || !slices.Equal(row.Shape(), shape) {
			return none, operand.Shapef(op, "row %d: want shape %v, got %v", i, shape, row.Shape())
		}
	}
	values := make([]U, 0, len(rows)*size) // as many values as rows have
	for _, row := range rows {
		values = append(values, row.Values()...)
	}
	return ragged.Dense(values, append([]int{t.Len()}, shape...)...)
}

// applyToRows returns the results of f for all rows.
func applyToRows[T, U any](op string, t ragged.Tensor[T], f func(ragged.Tensor[T]) (ragged.Tensor[U], error)) ([]ragged.Tensor[U], error) {
	if t.Rank() == 0 {
		return nil, operand.Shapef(op, "a scalar has no rows")
	}
	if err := operand.TooMany[ragged.Tensor[U]](op, operand.Given(t), t.Len()); err != nil {
		return nil, err
	}
	out := make([]ragged.Tensor[U], t.Len())
	for i, row := range t.Rows() {
		var err error
		if out[i], err = f(row); err != nil {
			return nil, fmt.Errorf("%s: row %d: %w", op, i, err)
		}
	}
	return out, nil
}
