package nn

import (
	"fmt"
	"slices"

	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/ragged/internal/limit"
	"github.com/tfparse/tfparse/ragged/internal/operand"
	"github.com/tfparse/tfparse/ragged/num"
)

// MatMulOptions are the options of MatMul. Nil means defaults.
type MatMulOptions struct {
	// TransposeA and TransposeB swap the last two axes of an operand.
	TransposeA, TransposeB bool
}

// MatMul multiplies matrices: the last two axes of the operands, which have the same number
// of axes, at least two. Axes above are a batch. They must be the same in both operands;
// nothing is broadcast. Each matrix is rectangular, but the matrices of a batch may differ in size:
// [n, ragged, 2] times [n, 2, 3] is [n, ragged, 3]. Sums of integers wrap.
//
// The product of dense tensors is dense, and so is the product of two matrices, even if
// they have a partition. In a ragged batch the rows of the result have a partition, and
// so have the columns if the columns of b have one. TensorFlow calls it matmul.
func MatMul[T num.Number](a, b ragged.Tensor[T], opts *MatMulOptions) (ragged.Tensor[T], error) {
	const op = "matmul"
	if opts == nil {
		opts = &MatMulOptions{}
	}
	if a.Rank() != b.Rank() || a.Rank() < 2 {
		return ragged.Tensor[T]{}, operand.Within(op, unfit("want operands with equal ranks of at least 2, got %d and %d", a.Rank(), b.Rank()))
	}
	out, err := matmul(a, b, opts)
	return out, operand.Within(op, err)
}

func matmul[T num.Number](a, b ragged.Tensor[T], opts *MatMulOptions) (ragged.Tensor[T], error) {
	switch {
	case a.Rank() == 2 || a.RaggedRank() == 0 && b.RaggedRank() == 0:
		return matmulDense(a, b, opts)
	case a.Rank() == 3:
		return matmulRagged(a, b, opts)
	}
	// The batch has several axes: multiply without the outermost axis.
	a, err := withPartition(a)
	if err != nil {
		return ragged.Tensor[T]{}, err
	}
	if b, err = withPartition(b); err != nil {
		return ragged.Tensor[T]{}, err
	}
	if !a.Partition(0).Equal(b.Partition(0)) {
		return ragged.Tensor[T]{}, unfit("batches of %d and %d items differ in row lengths", a.Len(), b.Len())
	}
	items, err := matmul(a.Items(), b.Items(), opts)
	if err != nil {
		return ragged.Tensor[T]{}, err
	}
	return ragged.Wrap(items, a.Partition(0))
}

// withPartition gives a dense tensor a uniform partition.
func withPartition[T any](t ragged.Tensor[T]) (ragged.Tensor[T], error) {
	if t.RaggedRank() > 0 {
		return t, nil
	}
	return ragged.FromDense(t, 1)
}

// matmulDense multiplies matrices that all have the same size.
func matmulDense[T num.Number](a, b ragged.Tensor[T], opts *MatMulOptions) (ragged.Tensor[T], error) {
	var none ragged.Tensor[T]
	x, y, err := matrices(a, b, opts)
	if err != nil {
		return none, err
	}
	last := a.Rank() - 2
	batch := a.Shape()[:last]
	if other := b.Shape()[:last]; !slices.Equal(batch, other) {
		return none, unfit("want batches of the same shape, got %v and %v", batch, other)
	}
	shape := append(batch, max(x.rows, 0), max(y.cols, 0))
	n, err := limit.Values[T](a.Size()+b.Size(), shape...)
	if err != nil {
		return none, unfit("%v", err)
	}
	out := make([]T, n)
	if len(x.values) > 0 && len(y.values) > 0 {
		size, sizeX, sizeY := x.rows*y.cols, x.rows*x.cols, y.rows*y.cols
		all, allX, allY := out, x.values, y.values
		for len(all) > 0 {
			x.values, y.values = allX[:sizeX], allY[:sizeY]
			multiply(all[:size], x, y)
			all, allX, allY = all[size:], allX[sizeX:], allY[sizeY:]
		}
	}
	return ragged.Dense(out, shape...)
}

// matmulRagged multiplies a batch in which matrices may differ in size.
func matmulRagged[T num.Number](a, b ragged.Tensor[T], opts *MatMulOptions) (ragged.Tensor[T], error) {
	var none ragged.Tensor[T]
	if a.Len() != b.Len() {
		return none, unfit("want batches of the same size, got %d and %d", a.Len(), b.Len())
	}
	given := a.Size() + a.Len() + b.Size() + b.Len()
	rows, size := make([]int64, a.Len()), 0
	var cols []int64 // number of columns of every row of the result
	for i := range rows {
		x, y, err := matrices(a.Row(i), b.Row(i), opts)
		if err != nil {
			return none, fmt.Errorf("item %d of the batch: %w", i, err)
		}
		r, c := max(x.rows, 0), max(y.cols, 0)
		n, err := ragged.SizeOf([]int{r, c})
		if err != nil {
			return none, err
		}
		size += n
		if _, err := limit.Values[T](given, size); err != nil {
			return none, unfit("%v", err)
		}
		rows[i] = int64(r)
		cols = append(cols, slices.Repeat([]int64{int64(c)}, r)...)
	}
	out := make([]T, size)
	for i, rest := 0, out; i < len(rows) && len(rest) > 0; i++ {
		x, y, err := matrices(a.Row(i), b.Row(i), opts)
		if err != nil {
			return none, err
		}
		n := max(x.rows, 0) * max(y.cols, 0)
		multiply(rest[:n], x, y)
		rest = rest[n:]
	}
	byRow, err := axisOf(a, opts.TransposeA, rows)
	if err != nil {
		return none, err
	}
	if b.RaggedRank() == 0 || b.RaggedRank() == 1 && !opts.TransposeB {
		shape := b.Shape()
		width := shape[2]
		if opts.TransposeB {
			width = shape[1]
		}
		return ragged.New(out, []int{width}, byRow)
	}
	byCol, err := axisOf(b, !opts.TransposeB, cols)
	if err != nil {
		return none, err
	}
	return ragged.New(out, nil, byRow, byCol)
}

// axisOf returns the partition of an axis of the result with the given row lengths. It is
// uniform if axis 1 of t, or the last axis if last is set, is uniform.
func axisOf[T any](t ragged.Tensor[T], last bool, lengths []int64) (ragged.Partition, error) {
	axis := 1
	if last {
		axis = 2
	}
	if size := t.Shape()[axis]; size >= 0 {
		return ragged.Uniform(int64(size), int64(len(lengths)))
	}
	return ragged.FromRowLengths(lengths)
}

// A matrix is a view of values with two axes.
type matrix[T any] struct {
	values           []T
	rows, cols       int // -1 if unknown: the row length of a ragged tensor without rows
	rowStep, colStep int // distances from a value to the value in the next row and in the next column
}

// matrices views two tensors of two axes as matrices that can be multiplied.
func matrices[T any](a, b ragged.Tensor[T], opts *MatMulOptions) (x, y matrix[T], err error) {
	if x, err = matrixOf(a, opts.TransposeA); err != nil {
		return x, y, fmt.Errorf("first operand: %w", err)
	}
	if y, err = matrixOf(b, opts.TransposeB); err != nil {
		return x, y, fmt.Errorf("second operand: %w", err)
	}
	return x, y, x.fits(y)
}

// matrixOf views the last two axes of a tensor, transposed or not. For a dense batch it
// returns the first matrix, with the values of all matrices.
func matrixOf[T any](t ragged.Tensor[T], transpose bool) (matrix[T], error) {
	shape := t.Shape()
	m := matrix[T]{values: t.Values(), rows: shape[len(shape)-2], cols: shape[len(shape)-1], colStep: 1}
	if m.cols < 0 && m.rows > 0 {
		p := t.Partition(0)
		m.cols = p.RowLen(0)
		for r := range m.rows {
			if n := p.RowLen(r); n != m.cols {
				return m, unfit("row %d of a matrix: want %d columns, got %d", r, m.cols, n)
			}
		}
	}
	m.rowStep = max(m.cols, 0)
	if transpose {
		m.rows, m.cols, m.rowStep, m.colStep = m.cols, m.rows, m.colStep, m.rowStep
	}
	return m, nil
}

// fits returns an error if the sizes of two matrices do not allow a product.
func (x matrix[T]) fits(y matrix[T]) error {
	if x.cols != y.rows && x.cols >= 0 && y.rows >= 0 {
		return unfit("the first has %d columns, but the second has %d rows", x.cols, y.rows)
	}
	return nil
}

// multiply adds the product of two matrices to out, which is row-major.
func multiply[T num.Number](out []T, x, y matrix[T]) {
	if len(out) == 0 {
		return
	}
	for r := range x.rows {
		row := out[r*y.cols : (r+1)*y.cols]
		at := r * x.rowStep
		if y.colStep == 1 {
			for k := range y.rows {
				v, other := x.values[at+k*x.colStep], y.values[k*y.rowStep:][:len(row)]
				for c := range row {
					row[c] += v * other[c]
				}
			}
			continue
		}
		for c := range row {
			sum := T(0)
			for k, v := range y.values[c*y.colStep:][:y.rows] {
				sum += x.values[at+k*x.colStep] * v
			}
			row[c] = sum
		}
	}
}

func unfit(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ragged.ErrShape, fmt.Sprintf(format, args...))
}
