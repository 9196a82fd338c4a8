package feature

import "github.com/tfparse/tfparse/ragged"

// Slices returns the values of a column as nested Go slices, as deep as the column is nested:
// []float32 for one number in each row, [][]string for lists of strings, [][][]int64 for
// lists in them. It is for code that must not care about dtypes, such as templates and
// encoding/json, and does what a switch over [DType] would do with [ragged.ToSlices], whose
// errors it returns. A column of any form gives its rows without padding; where the values
// of a [Sparse] feature stand, Indices says. The result shares no memory with the batch.
func (c Column) Slices() (any, error) {
	c = c.Ragged()
	switch c.DType() {
	case Int64:
		return slicesOf[int64](c)
	case Float32:
		return slicesOf[float32](c)
	}
	return slicesOf[string](c)
}

func slicesOf[T Element](c Column) (any, error) {
	t, _ := TensorOf[T](c)
	return ragged.ToSlices[any](t)
}
