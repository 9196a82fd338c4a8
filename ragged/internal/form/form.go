// Package form gives tensors the shape of others.
package form

import "github.com/tfparse/tfparse/ragged"

// Like gives the shape of t, with all partitions, to other values; their number must be that
// of t. They are kept; the partitions are shared. Another number of values wraps
// ragged.ErrShape.
func Like[U, T any](t ragged.Tensor[T], values []U) (ragged.Tensor[U], error) {
	if t.RaggedRank() == 0 {
		return ragged.Dense(values, t.Shape()...)
	}
	return ragged.New(values, t.InnerShape(), t.Partitions()...)
}
