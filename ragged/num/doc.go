// Package num computes with the numbers of ragged tensors, by TensorFlow's rules.
//
// # Value by value
//
// Operations of one operand work on the flat values and keep all partitions, also
// uniform partitions. Operations of two operands broadcast by the rules of
// ragged.BroadcastShape: one operand may be a scalar, one value per row, a vector for the
// innermost axis, or a tensor with the same rows.
//
//	num.Add(t, ragged.Scalar[int64](1))     1 more everywhere
//	num.Mul(t, perRow)                      perRow has shape [rows, 1]
//	num.Sub(t, mean)                        mean is num.Mean[float64](t, num.Over(1).Keep())
//
// Operands have the same dtype; only Cast converts. An operation that a dtype does not have
// does not compile for its Go type: strings have addition and equality, bools have logic
// and equality, and only numbers have an order.
//
// Integers wrap when they overflow, as in Go. Division and modulo come in pairs:
// FloorDiv and FloorMod round towards minus infinity, as Python and TensorFlow's
// operators do, TruncDiv and TruncMod towards 0, as Go. An integer divided by 0 and a
// negative exponent are errors. Floats follow IEEE 754: division by 0 is infinite,
// NaN equals nothing and is kept by Maximum, Minimum and Clip. The functions of
// package math are computed in float64 and rounded.
//
// Any other function of one or two values is one line with ragged.Map or ragged.Zip, at
// about the same speed:
//
//	ragged.Map(t, func(v float32) float32 { return float32(math.Cos(float64(v))) })
//
// # Many values at a time
//
// Reductions combine values along the axes of Over or OverAll; Reduce does so with any
// function. Along the last ragged axis every row becomes one item. Along an axis above a
// ragged axis, rows are combined position by position: short rows have no value at the
// positions after their end, and the result is as long as the longest row:
//
//	                         Over(1)     Over(0)       OverAll()   Over(1).Keep()
//	[[3 1 4] [1 5] [] [9]]   [8 6 0 9]   [13 6 4]      23          [[8] [6] [0] [9]]   sums
//
//	[[[1 2] [3]] [[4]]]      Over(0): [[5 2] [3]]   Over(1): [[4 2] [4]]   Over(2): [[3 3] [4]]
//
// Segment reductions combine rows that have the same ID, position by position. CumSum and
// CumProd accumulate. Bincount counts values. Softmax and products of matrices are in
// package nn.
//
// # Errors and memory
//
// Shapes that do not broadcast are a ragged.BroadcastError. A value that an operation does
// not accept is a ragged.ValueError with its coordinates. Both name the operation. The
// values of a result are new, in one allocation; its partitions are shared with an operand
// if they are the same.
//
// The size of a result is limited where a number makes it much larger than its operands
// (broadcasting, counts, segments, sums along an axis of size 0): 2 GiB, or 128 MiB where an
// int has 32 bits; or 4096 values for every value and row of the operands, if that is more.
// Beyond that the operation fails before it allocates.
//
// # Differences from TensorFlow
//
//   - [1,3] broadcasts with rows of length 3. TensorFlow forgets to repeat the row length,
//     and fails or gives invalid partitions.
//   - Equal and NotEqual of shapes that do not broadcast are errors; Python's == is False.
//   - A cast of a float to an integer type that cannot hold it is an error, and SaturateCast
//     is right for 64 bits too.
//   - Floats near 0 are not taken for 0, and no division is an approximation.
//   - A few operations exist for more dtypes, such as Pow of unsigned integers.
//   - An axis that is given twice is an error; TensorFlow reduces the next axis too.
//   - OverAll().Keep() keeps exactly the axes of the operand. Kept axes are uniform, also for
//     means.
//   - Means and variances of small integers do not wrap.
//   - Min and Max are NaN if there is a NaN, and infinite for a row of infinities;
//     TensorFlow gives the greatest finite number.
//   - In CumSum a row does not affect the next row by its rounding or NaN.
//   - SegmentMean and SegmentSqrtN of no values are NaN; TensorFlow has 0 for dense tensors.
//   - SparseBincount without PerRow counts over all axes, and has width 0 without values.
//
// # Names
//
// The file NAMES.md of package ragged lists TensorFlow's names of these functions, and its
// operations that are one line with ragged.Map or ragged.Zip.
package num
