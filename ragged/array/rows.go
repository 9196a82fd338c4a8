package array

import (
	"fmt"
	"slices"

	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/ragged/internal/operand"
)

// MapRows applies f to every row, which is a view, and makes a ragged tensor of the results,
// its rows. They all have the same rank of at least 1, the given ragged rank and the same
// inner shape. The result has one partition more. If there are no rows its rank is
// raggedRank+1.
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

// raggedRows makes a tensor from rows that all have a ragged rank.
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
		if err := operand.TooMany[ragged.Partition](op, 0, raggedRank); err != nil { // the number is the caller's alone
			return none, err
		}
		parts := make([]ragged.Partition, raggedRank+1)
		return ragged.New[U](nil, nil, parts...)
	}
	return stackRows(rows)
}

// MapRowsDense applies f to every row, which is a view, and makes a dense tensor of the
// results. They are dense and have the given shape; without a shape they are scalars. The
// first error of f is returned with the row. The values are new. TensorFlow calls it map_fn.
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
	values := make([]U, 0, len(rows)*size) // not more than the rows have
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
