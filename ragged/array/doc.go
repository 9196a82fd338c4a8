// Package array rearranges ragged tensors, by TensorFlow's rules: it stacks and
// splits, repeats and reverses, takes by position and by condition, and makes
// tensors of ranges and masks. Joining along an axis is ragged.Concat; a part by
// ranges and positions is Tensor.Index.
//
// # Shapes
//
// Axes count from 0, and negative axes from the end. On a ragged axis an operation
// applies to every row by itself: Tile repeats every row, Reverse reverses every row,
// Gather checks every index against the length of its row.
//
// Uniform axes stay uniform where that is certain, also where TensorFlow forgets it.
// If an operation makes an axis of the inner shape ragged, as TensorFlow does, its comment
// says so. Sort, Argsort, TopK and Unique work on rows; TensorFlow has them for dense tensors
// only.
//
// # Memory and cost
//
// Results are new memory, allocated once, unless a function says that it returns a
// view. The time is O(result), never O(longest row times rows). Operands are read
// only, so every function is safe for concurrent use.
//
// The size of a result is limited where a number makes it much larger than its operands
// (multiples, depths, limits of ranges, lengths of masks, numbers of partitions,
// combinations, rows that are gathered several times): 2 GiB, or 128 MiB where an int has
// 32 bits; or 4096 values for every value and row of the operands, if that is more.
// Beyond that the operation fails before it allocates.
//
// # Differences from TensorFlow
//
//   - Gather, GatherND: an index past the end of its row is an error; TensorFlow
//     reads a value of the next row. Batch dimensions are compared row by row.
//   - BatchGatherOr: an index that equals the length of its row gives the default; in
//     the last row TensorFlow fails.
//   - Where: the operands broadcast as everywhere else. TensorFlow fails or gives wrong
//     results for uniform partitions, and for a scalar with items that have a shape.
//   - Reverse: an axis that is given twice is an error; TensorFlow reverses it once.
//   - Cross: uint64 values above 2^63 are written as they are, not as negative numbers.
//   - FillEmptyRows accepts a tensor without rows.
//   - StackDynamicPartitions accepts dense partitions for ragged rows of their lengths.
//   - Squeeze removes only the axes that are given, also of dense tensors.
//
// # Errors
//
// Errors wrap ragged.ErrShape or ragged.ErrIndex and give the operation, the axis,
// the row, what was wanted and what was got. An axis that does not exist is a
// ragged.AxisError, an index out of range a ragged.ValueError.
package array
