// Package num computes with the numbers of ragged tensors, by TensorFlow's rules.
//
// # Value by value
//
// Operations of one operand work on the flat values and keep all partitions,
// uniform ones uniform. Operations of two operands broadcast by the rules of
// ragged.BroadcastShape: a scalar, one value per row, a vector for the innermost axis, or a
// tensor with the same rows.
//
//	num.Add(t, ragged.Scalar[int64](1))     1 more everywhere
//	num.Mul(t, perRow)                      perRow has shape [rows, 1]
//	num.Sub(t, mean)                        mean is num.Mean[float64](t, num.Over(1).Keep())
//
// Operands have the same dtype; nothing is converted without a Cast. What a dtype does
// not do, its Go type does not compile: strings can be added and compared for
// equality, bools have logic and equality, and only numbers have an order.
//
// Integers wrap when they overflow, as in Go. Division and modulo come in pairs:
// FloorDiv and FloorMod round towards minus infinity, as Python and TensorFlow's
// operators do, TruncDiv and TruncMod towards 0, as Go. An integer divided by 0 and a
// negative exponent are errors. Floats follow IEEE 754: division by 0 is infinite,
// NaN equals nothing and is kept by Maximum, Minimum and Clip. The functions of
// package math are computed in float64 and rounded.
//
// Any other function of one value or of two is one line over ragged.Map or ragged.Zip,
// and costs about as much:
//
//	ragged.Map(t, func(v float32) float32 { return float32(math.Cos(float64(v))) })
//
// # Many values at a time
//
// Reductions combine the values along axes, which are given by Over or OverAll; any
// other than those here is a function for Reduce. Along the last ragged axis every row
// becomes one item. Along an axis that has ragged ones below it, what stands side by
// side is laid over each other, position by position; rows that are too short have
// nothing there, and the result has the length of the longest:
//
//	                         Over(1)     Over(0)       OverAll()   Over(1).Keep()
//	[[3 1 4] [1 5] [] [9]]   [8 6 0 9]   [13 6 4]      23          [[8] [6] [0] [9]]   sums
//
//	[[[1 2] [3]] [[4]]]      Over(0): [[5 2] [3]]   Over(1): [[4 2] [4]]   Over(2): [[3 3] [4]]
//
// Segments lay rows over each other that have the same id, wherever they stand, and
// cumulative sums show what is there so far. Bincount counts values. What a model does
// with them, such as softmax and products of matrices, is in package nn.
//
// # Errors and memory
//
// Shapes that do not fit are a ragged.BroadcastError, a value that an operation does
// not take is a ragged.ValueError with its coordinates; both say in which operation. The
// values of a result are new, in one allocation; it shares the partitions of an
// operand where these are the same.
//
// Where a number or a size of nothing makes a result much larger than its operands
// (broadcasting, counts, segments, sums along an axis of size 0), the result has at most 2 GiB, or 128 MiB where an int has 32 bits;
// or 4096 values for every value and row of the operands, if that is more. Beyond that
// it is an error, and nothing is allocated.
//
// # Differences from TensorFlow
//
// Shapes broadcast by the rules everywhere: [1,3] goes with rows of length 3, where
// TensorFlow forgets to repeat the row length, and fails or gives partitions that do
// not fit together. Equal and NotEqual of shapes that do not broadcast are errors,
// where == of Python is False. Casts of floats to integers that cannot hold them are
// errors, and SaturateCast is right for 64 bits too. Floats near 0 are not taken for
// 0, and no division is an approximation. A few operations exist for more dtypes,
// such as Pow of unsigned integers.
//
// An axis given twice is refused, where TensorFlow reduces the next axis too. OverAll
// and Keep give as many axes as the operand has, and not more. What is kept is uniform,
// also for means. Means and variances of small integers do not wrap. Min and Max of NaN
// are NaN wherever it stands, and infinite for a row of infinities, where TensorFlow
// stops at the greatest finite number. Rows of CumSum do not leak rounding and NaN into
// the next. SegmentMean and SegmentSqrtN of no values are NaN for dense tensors as for
// ragged ones, where TensorFlow has 0 for dense ones. SparseBincount of all values takes
// all axes together, and has no width without values.
//
// # Names
//
// The file NAMES.md of package ragged lists what TensorFlow calls these functions, and which of its
// operations are one line over ragged.Map or ragged.Zip.
package num
