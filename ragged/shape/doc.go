// Package shape has shapes of ragged tensors as values: TensorFlow's DynamicRaggedShape.
// A [Shape] has the length of every row. Tensors are made with a shape (Fill, Zeros) or
// converted to one (Reshape, BroadcastTo), and shapes broadcast without values.
//
// A shape has row partitions, the outermost first, and an inner shape: the shape of
// the flat values. So [4, (1, 3, 0, 2), 7] has one partition of four rows and the
// inner shape [6 7]. A shape may be stored in several ways, since a uniform axis can be
// a partition or belong to the inner shape; see WithPartitions.
//
// Shapes never change, share memory with the tensors they are taken from, and are safe
// for concurrent use.
package shape
