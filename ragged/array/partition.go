package array

import (
	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/ragged/internal/operand"
	"github.com/tfparse/tfparse/ragged/num"
)

// StackDynamicPartitions sorts the items of a tensor into n rows: row p of the result has the
// items whose partition is p, in order. The shape of partitions is a prefix of that of t,
// and these axes of t become one; if partitions is a scalar, t is one item. A partition that
// is not from 0 to n-1 is a ragged.ValueError. The values are new. TensorFlow calls it
// ragged.stack_dynamic_partitions.
func StackDynamicPartitions[T any, I num.Integer](t ragged.Tensor[T], partitions ragged.Tensor[I], n int) (ragged.Tensor[T], error) {
	const op = "stack dynamic partitions"
	var none ragged.Tensor[T]
	if n < 0 {
		return none, operand.Shapef(op, "want at least 0 partitions, got %d", n)
	}
	if err := operand.TooMany[int64](op, operand.Given(t)+partitions.Size(), n); err != nil {
		return none, err
	}
	t, err := mergePrefix(op, t, partitions)
	if err != nil {
		return none, err
	}
	// A counting sort: count the items of every row, then move them.
	ids := asInts(partitions).Values()
	next := make([]int64, n+1)
	for i, id := range ids {
		if uint(id) >= uint(n) {
			return none, indexError(op, i, -1, 0, id, n)
		}
		next[id+1]++
	}
	for i := range n {
		next[i+1] += next[i]
	}
	splits := make([]int64, n+1)
	copy(splits, next)
	rows := make([]int, len(ids))
	for i, id := range ids {
		rows[next[id]] = i
		next[id]++
	}
	p, err := ragged.FromRowSplits(splits)
	if err != nil {
		return none, operand.Within(op, err)
	}
	return ragged.Wrap(t.Take(rows...), p)
}

// mergePrefix merges the axes that t shares with another tensor, all axes of that one. With a
// scalar it adds an axis.
func mergePrefix[T, U any](op string, t ragged.Tensor[T], prefix ragged.Tensor[U]) (ragged.Tensor[T], error) {
	if prefix.Rank() == 0 {
		if t.RaggedRank() == 0 {
			return ExpandDims(t, 0)
		}
		return stackRows([]ragged.Tensor[T]{t})
	}
	levels := prefix.Rank() - 1
	if levels >= t.Rank() {
		return t, operand.Shapef(op, "want partitions of a rank of at most %d, got %d", t.Rank(), prefix.Rank())
	}
	if t.Len() != prefix.Len() {
		return t, operand.Shapef(op, "axis 0: want %d partitions, got %d", t.Len(), prefix.Len())
	}
	t, err := withLevels(t, levels, true)
	if err != nil {
		return t, operand.Within(op, err)
	}
	prefix, err = withLevels(prefix, levels, true)
	if err != nil {
		return t, operand.Within(op, err)
	}
	for level := range levels {
		if err := equalRows(op, level+1, t.Partition(0), prefix.Partition(level)); err != nil {
			return t, err
		}
		t = t.Items()
	}
	return t, nil
}

// DynamicPartition sorts the items of a tensor into n tensors: the rows of
// StackDynamicPartitions, which share memory. TensorFlow calls it dynamic_partition.
func DynamicPartition[T any, I num.Integer](t ragged.Tensor[T], partitions ragged.Tensor[I], n int) ([]ragged.Tensor[T], error) {
	all, err := StackDynamicPartitions(t, partitions, n)
	if err != nil {
		return nil, err
	}
	if err := operand.TooMany[ragged.Tensor[T]]("dynamic partition", operand.Given(t)+partitions.Size(), n); err != nil {
		return nil, err
	}
	out := make([]ragged.Tensor[T], n)
	for i := range out {
		out[i] = all.Row(i)
	}
	return out, nil
}
