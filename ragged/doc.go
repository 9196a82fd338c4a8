// Package ragged holds tensors whose rows may differ in length, as TensorFlow's
// RaggedTensor does: flat values with row partitions.
//
// # Model
//
// A [Tensor] is three things: flat values, row partitions from the outermost to
// the innermost, and the uniform shape of one item. A [Partition] cuts a sequence
// into rows. Its canonical form are row splits, the start of every row and then
// the number of values:
//
//	[[3 1 4 1] [] [5 9 2] [6] []]      shape [5, ragged]
//
//	values      3 1 4 1 5 9 2 6
//	row splits  0       4     7 8      rows 0 to 4 are [0,4) [4,4) [4,7) [7,8) [8,8)
//	            ^       4       8
//
// With more partitions the outer one cuts the rows of the inner one:
//
//	[[[3 1 4 1] [] [5 9 2]] [] [[6] []]]     shape [3, ragged, ragged]
//
//	level 0     0 3 3 5                      which rows of level 1
//	level 1     0 4 4 7 8 8                  which values
//	values      3 1 4 1 5 9 2 6
//
// Axes below the last partition are uniform and live in the inner shape, so that
// six values with inner shape [2] and splits 0 1 3 are [[[a b]] [[c d] [e f]]]. An
// axis between or above ragged ones is uniform if its partition is: a uniform
// partition stores a row length and no splits. That is a property given by the
// factory ([Uniform], [FromDense], a new axis), never an observation, and it is
// why [3,ragged] and [3,2] are different shapes even where all rows have length
// two.
//
// The number of partitions is the ragged rank. A tensor of ragged rank 0 is an
// ordinary dense one; a scalar is a dense one of rank 0.
//
// # Construction and conversion
//
// [New] and [Wrap] put partitions around values; a partition is made of any of
// TensorFlow's six encodings ([FromRowSplits], [FromRowLengths], [FromRowStarts],
// [FromRowLimits], [FromValueRowIDs], [FromUniformRowLength]). [FromSlices] takes
// nested Go slices, [Constant] nested lists of any depth, [FromDense] and [FromSparse]
// convert from dense and sparse tensors. [ToSlices], [Tensor.ToDense], [Tensor.Sparse] and
// JSON convert back.
//
// [Tensor.Index] is t[...] of Python, [Tensor.Row] and [Tensor.Slice] are its common
// cases, [Map] and [Zip] run a function over one tensor or two that broadcast,
// [Concat] and [Tensor.Take] rearrange rows. The packages below this one have the
// rest: array, num, text, nn, and shape, which has shapes as values of their own. The
// file NAMES.md lists what TensorFlow calls every operation.
//
// # Memory
//
// A Tensor is a small value and never changes once built. Factories keep the
// slices they are given, where they do not say otherwise; rows, slices and views
// share them, at O(1) and without an allocation. Do not change memory that a
// tensor was built on while the tensor is in use; Clone makes a copy of
// its own. Operations that make values allocate the result once and cost O(values).
//
// # Errors and limits
//
// Arguments that do not fit are an error: [ErrPartition], [ErrShape] or [ErrIndex], with
// the level, axis, row, wanted and got. Only a programming error panics: a row that does
// not exist, an axis of negative size.
//
// Sizes are int. What a partition or a shape counts must stay below a sixteenth of
// the largest int, so that no sum of positions overflows.
//
// No allocation is sized by a number from the input alone. Rows without values of their
// own, which the number of rows for [FromValueRowIDs], the shape for [FromSparse] and rows
// of length 0 give, are at most [MaxEmptyRows]. If a number or one long row makes a result
// much larger than its operands, as in [Tensor.ToDense], broadcasting and much of package
// array, the result has at most 2 GiB (128 MiB where an int has 32 bits), or 4096
// values for every value and row of the operands if that is more. Beyond that an
// operation fails before it begins.
//
// # Differences from TensorFlow
//
// Row splits are int64 only. Partitions are always validated. A uniform axis stays
// uniform where that is certain, while TensorFlow forgets it in many operations, and
// an axis of the inner shape that [Concat] joins stays there, where TensorFlow makes
// partitions of all but the last.
// Indices for [FromSparse] must be in order, row starts without rows mean no values,
// and a tensor without rows above a uniform partition can be made dense, where
// TensorFlow fails.
package ragged
