// Package ragged holds tensors whose rows may differ in length, as TensorFlow's
// RaggedTensor does: flat values with row partitions.
//
// # Model
//
// A [Tensor] has flat values, row partitions from the outermost to the innermost, and
// the uniform shape of one item. A [Partition] divides a sequence into rows. It is
// stored as row splits: the start of every row, then the number of values:
//
//	[[3 1 4 1] [] [5 9 2] [6] []]      shape [5, ragged]
//
//	values      3 1 4 1 5 9 2 6
//	row splits  0       4     7 8      rows 0 to 4 are [0,4) [4,4) [4,7) [7,8) [8,8)
//	            ^       4       8
//
// With several partitions the outer one divides the rows of the inner one:
//
//	[[[3 1 4 1] [] [5 9 2]] [] [[6] []]]     shape [3, ragged, ragged]
//
//	level 0     0 3 3 5                      which rows of level 1
//	level 1     0 4 4 7 8 8                  which values
//	values      3 1 4 1 5 9 2 6
//
// Axes below the last partition are uniform and belong to the inner shape: six values
// with inner shape [2] and splits 0 1 3 are [[[a b]] [[c d] [e f]]]. An axis above them is
// uniform if its partition is uniform: it stores a row length and no splits. Some functions
// make uniform partitions ([Uniform], [FromDense], [NewAxis]); equal lengths alone do not. So
// [3,ragged] and [3,2] are different shapes even if all rows have length 2.
//
// The number of partitions is the ragged rank. A tensor of ragged rank 0 is dense; a
// scalar is a dense tensor of rank 0.
//
// # Construction and conversion
//
// [New] and [Wrap] put partitions around values; a partition is made from any of
// TensorFlow's six encodings ([FromRowSplits], [FromRowLengths], [FromRowStarts],
// [FromRowLimits], [FromValueRowIDs], [FromUniformRowLength]). [FromSlices] takes
// nested Go slices, [Constant] nested lists of any depth, [FromDense] and [FromSparse]
// convert from dense and sparse tensors. [ToSlices], [Tensor.ToDense], [Tensor.Sparse] and
// JSON convert back.
//
// [Tensor.Index] is Python's t[...], and [Tensor.Row] and [Tensor.Slice] are its common
// cases. [Map] and [Zip] apply a function to one tensor or to two that broadcast,
// [Concat] and [Tensor.Take] rearrange rows. Other operations are in packages below this
// one: array, num, text, nn, and shape for shapes as values. The file NAMES.md lists
// TensorFlow's operations and ours.
//
// # Memory
//
// A Tensor is a small value and never changes. Factories keep the slices they are given,
// unless their comment says that they copy; rows, slices and views share them, in O(1) and
// without an allocation. Do not change a slice while a tensor that was made from it is in
// use; Clone copies the memory. Operations that make values allocate the result once, in
// O(values).
//
// # Errors and limits
//
// Arguments that do not fit are an error: [ErrPartition], [ErrShape] or [ErrIndex], with
// the level, axis, row, wanted and got. Only a programming error panics: a row or level that
// does not exist, or [Tensor.Item] of several values.
//
// Sizes are int. The number of values or rows of a tensor is below a sixteenth of the
// largest int, so that no sum of positions overflows.
//
// No allocation is sized by a number from the input alone. There may be at most
// [MaxEmptyRows] empty rows where the input gives only their number ([FromValueRowIDs],
// the shape for [FromSparse], rows of length 0). Where a number or one long row makes a
// result much larger than its operands, as in [Tensor.ToDense], broadcasting and package
// array, the result has at most 2 GiB (128 MiB where an int has 32 bits), or 4096 values
// for every value and row of the operands if that is more. Beyond that the operation
// fails before it allocates.
//
// # Differences from TensorFlow
//
// Row splits are int64 only. Partitions are always validated. A uniform axis stays
// uniform where that is certain; TensorFlow forgets it in many operations. Axes of the
// inner shape that [Concat] joins stay in the inner shape; TensorFlow makes partitions of
// all inner axes except the last. Indices for [FromSparse] must be in order.
// [FromRowStarts] without starts accepts no values. [Tensor.ToDense] accepts a uniform
// partition without rows; TensorFlow fails.
package ragged
