package tensortext

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/ragged"
)

// maxCells limits the values of a column with its padding.
const maxCells = 1 << 22

// columnError adds the group and the feature of a column to an error.
func columnError(c feature.Column, err error) error {
	part := ""
	if c.Group() != feature.InFeatures {
		part = c.Group().String()
	}
	return fmt.Errorf("%v: %w", example.PathTo(part, c.Name()), err)
}

// A padding has the values for missing cells, by dtype.
type padding struct {
	int64   int64
	float32 float32
	string  string
}

// parseText sets the padding for a dtype from its text.
func (p *padding) parseText(text string, dtype feature.DType) error {
	var err error
	switch dtype {
	case feature.Int64:
		p.int64, err = strconv.ParseInt(text, 10, 64)
	case feature.Float32:
		var f float64
		f, err = strconv.ParseFloat(text, 32)
		p.float32 = float32(f)
	default:
		p.string = text
	}
	switch {
	case errors.Is(err, strconv.ErrRange):
		return fmt.Errorf("%s cannot hold the padding %q", dtype, text)
	case err != nil:
		return fmt.Errorf("want a padding for %s, got %q", dtype, text)
	}
	return nil
}

// denseTensor returns a column as a dense tensor.
func denseTensor[T feature.Element](c feature.Column, pad T) (ragged.Tensor[T], error) {
	if c.Form() == feature.SparseForm {
		s, _ := feature.SparseOf[T](c)
		return scatterSparse(s, pad)
	}
	t, _ := feature.TensorOf[T](c)
	if t.RaggedRank() == 0 {
		return t, nil
	}
	if _, err := countCells(t.DenseShape()); err != nil {
		return t, err
	}
	return t.ToDense(ragged.Scalar(pad), nil)
}

// scatterSparse returns a sparse tensor as a dense tensor.
func scatterSparse[T feature.Element](s ragged.Sparse[T], pad T) (ragged.Tensor[T], error) {
	shape := make([]int, len(s.Shape))
	for i, n := range s.Shape {
		shape[i] = int(min(n, math.MaxInt32))
	}
	n, err := countCells(shape)
	if err != nil {
		return ragged.Tensor[T]{}, err
	}
	values := slices.Repeat([]T{pad}, n)
	taken := make([]bool, n)
	for j, v := range s.Values {
		at := 0
		for axis, i := range s.Index(j) {
			at = at*shape[axis] + int(i)
		}
		if taken[at] {
			return ragged.Tensor[T]{}, fmt.Errorf("two values at index %d", s.Index(j))
		}
		values[at], taken[at] = v, true
	}
	return ragged.Dense(values, shape...)
}

// countCells returns the number of values of a shape. More than maxCells are an error.
func countCells(shape []int) (int, error) {
	n, err := ragged.SizeOf(shape)
	if err != nil || n > maxCells {
		return 0, fmt.Errorf("padded shape %d: want at most %d values; use a smaller batch", shape, maxCells)
	}
	return n, nil
}
