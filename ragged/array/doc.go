// Package array rearranges ragged tensors, by TensorFlow's rules: it stacks and
// splits, repeats and reverses, takes by position and by condition, and makes
// tensors of ranges and masks. Joining along an axis is ragged.Concat; a part by
// ranges and positions is Tensor.Index.
//
// # Shapes
//
// Axes count from 0, and negative ones from the end. Every operation does to each
// row of a ragged axis what its dense sister does to all: Tile repeats every row by
// itself, Reverse turns every row around, Gather checks every index against the row
// it points into.
//
// Uniform axes stay uniform where that is certain, also where TensorFlow forgets it.
// Where an operation makes a ragged axis of one of the inner shape, as TensorFlow
// does, its comment says so. Operations that TensorFlow refuses for ragged tensors,
// and that people who clean data look for, are here for rows: Sort, Argsort, TopK,
// Unique.
//
// # Memory and cost
//
// Results are new memory, allocated once, unless a function says that it returns a
// view. The cost is O(result), never O(longest row times rows). Tensors are read
// only, so that every function is safe for concurrent use.
//
// Where a number makes a result much larger than its operands (multiples, depths,
// limits of ranges, lengths of masks, numbers of partitions, combinations, rows taken
// again and again), the result has at most 2 GiB, or 128 MiB where an int has 32 bits;
// or 4096 values for every value and row of the operands, if that is more. Beyond that
// it is an error, and nothing is allocated.
//
// # Differences from TensorFlow
//
//   - Gather, GatherND: an index past the end of its row is an error; TensorFlow
//     reads a value of the next row. Batch dimensions are compared row by row.
//   - BatchGatherOr: an index that equals the length of its row leads to what is
//     missing; in the last row TensorFlow fails.
//   - Where: the operands broadcast as everywhere else; TensorFlow refuses or
//     misplaces uniform partitions here, and a scalar beside items with a shape.
//   - Reverse: an axis given twice is refused; TensorFlow reverses it once.
//   - Cross: uint64 values above 2^63 are written as they are, not as negative ones.
//   - FillEmptyRows takes a tensor without rows.
//   - StackDynamicPartitions takes dense partitions for ragged rows of their lengths.
//   - Squeeze takes away only the axes it is given, also of dense tensors.
//
// # Errors
//
// Errors wrap ragged.ErrShape or ragged.ErrIndex and name the operation, the axis,
// the row, what was wanted and what was got. An axis that does not exist is a
// ragged.AxisError, an index that does not fit a ragged.ValueError.
package array
