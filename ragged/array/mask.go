package array

import (
	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/ragged/internal/operand"
	"github.com/tfparse/tfparse/ragged/num"
)

// BooleanMask keeps the items for which the mask is true. The shape of the mask is a prefix
// of the shape of t. The result has all axes of t; the last axis of the mask becomes ragged,
// unless it is axis 0:
//
//	[[1 2 3] [4] [5 6]]  by  [true false true]              [[1 2 3] [5 6]]
//	[[1 2 3] [4] [5 6]]  by  [[F F T] [F] [T T]]            [[3] [] [5 6]]
//	[[1 2] [3 4]]        by  [[T F] [T T]]                  [[1] [3 4]]
//
// A uniform axis matches a ragged axis whose rows all have its length. Uniform axes stay
// uniform, except those of the inner shape of a ragged tensor that the mask also has. A
// vector selects rows, and a dense tensor stays dense then. The values are new. TensorFlow
// calls it ragged.boolean_mask.
func BooleanMask[T any](t ragged.Tensor[T], mask ragged.Tensor[bool]) (ragged.Tensor[T], error) {
	const op = "boolean mask"
	var none ragged.Tensor[T]
	levels := mask.Rank() - 1 // number of partitions above the items that the mask selects
	switch {
	case levels < 0:
		return none, operand.Shapef(op, "the mask is a scalar")
	case levels >= t.Rank():
		return none, operand.Shapef(op, "want a mask of a rank of at most %d, got %d", t.Rank(), mask.Rank())
	case mask.Len() != t.Len():
		return none, operand.Shapef(op, "axis 0: want a mask of %d rows, got %d", t.Len(), mask.Len())
	}
	t, err := withLevels(t, levels, t.RaggedRank() == 0)
	if err != nil {
		return none, operand.Within(op, err)
	}
	by, err := withLevels(mask, levels, true)
	if err != nil {
		return none, operand.Within(op, err)
	}
	parts := t.Partitions()
	for level := range levels {
		if err := equalRows(op, level+1, parts[level], by.Partition(level)); err != nil {
			return none, err
		}
		t = t.Items()
	}
	keep := mask.Values()
	if levels == 0 {
		return keepRows(t, keep, countTrue(keep)), nil
	}
	p := parts[levels-1]
	splits, at := make([]int64, p.NumRows()+1), 0
	for row := range p.NumRows() {
		lo, hi := p.Bounds(row)
		at += countTrue(keep[lo:hi])
		splits[row+1] = int64(at)
	}
	if parts[levels-1], err = ragged.FromRowSplits(splits); err != nil {
		return none, operand.Within(op, err)
	}
	return ragged.Wrap(keepRows(t, keep, at), parts[:levels]...)
}

// countTrue returns the number of true values.
func countTrue(keep []bool) int {
	n := 0
	for _, k := range keep {
		if k {
			n++
		}
	}
	return n
}

// keepRows returns the n rows for which keep is true.
func keepRows[T any](t ragged.Tensor[T], keep []bool, n int) ragged.Tensor[T] {
	if t.Rank() == 1 {
		// Write every value, and overwrite it with the next one if it is not kept. A branch
		// would be mispredicted, since a mask has no pattern.
		values, src, at := make([]T, n), t.Values(), 0
		for i := 0; at < n; i++ {
			values[at] = src[i]
			one := 0
			if keep[i] {
				one = 1
			}
			at += one
		}
		return ragged.Vector(values...)
	}
	rows := make([]int, n)
	for i, at := 0, 0; at < n; i++ {
		rows[at] = i
		one := 0
		if keep[i] {
			one = 1
		}
		at += one
	}
	return t.Take(rows...)
}

// SequenceMask returns a row for every length: true at positions below the length, false
// from there on. The rows are a new axis of the inner shape of size maxLen, or of the size
// of the largest length if maxLen is negative. TensorFlow calls it sequence_mask.
func SequenceMask[I num.Integer](lengths ragged.Tensor[I], maxLen int) (ragged.Tensor[bool], error) {
	src := asLengths(lengths)
	if maxLen < 0 {
		maxLen = 0
		for _, n := range src {
			maxLen = max(maxLen, n)
		}
	}
	if err := operand.TooMany[bool]("sequence mask", operand.Given(lengths), len(src), maxLen); err != nil {
		return ragged.Tensor[bool]{}, err
	}
	values := make([]bool, len(src)*maxLen)
	for i, n := range src {
		row := values[i*maxLen : (i+1)*maxLen]
		for j := range row[:min(n, maxLen)] {
			row[j] = true
		}
	}
	return withInner(lengths, values, maxLen)
}

// asLengths converts lengths to int: negative lengths to 0, lengths above the largest int to
// the largest int.
func asLengths[I num.Integer](lengths ragged.Tensor[I]) []int {
	out := make([]int, lengths.Size())
	for i, v := range lengths.Values() {
		switch n := int(v); {
		case v <= 0:
		case n < 0 || I(n) != v:
			out[i] = int(^uint(0) >> 1)
		default:
			out[i] = n
		}
	}
	return out
}

// withInner returns values in the shape of t with another axis of size n at the end.
func withInner[T, U any](t ragged.Tensor[T], values []U, n int) (ragged.Tensor[U], error) {
	flat, err := ragged.Dense(values, append(t.Flat().Shape(), n)...)
	if err != nil {
		return flat, err
	}
	return ragged.Wrap(flat, t.Partitions()...)
}

// StackDynamicPartitions sorts the items of a tensor into n rows: row p of the result has the
// items whose partition is p, in order. The shape of partitions is a prefix of the shape of t,
// and these axes of t become one axis; if partitions is a scalar, t is one item. A partition
// that is not from 0 to n-1 is a ragged.ValueError. The values are new. TensorFlow calls it
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

// mergePrefix merges the outer axes of t, as many as prefix has, and checks that they are
// equal in both. If prefix is a scalar, it adds an axis.
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
