// Package shape holds the shapes of ragged tensors as values of their own:
// TensorFlow's DynamicRaggedShape. A [Shape] knows the length of every row, so that
// a tensor can be made in it (Fill, Zeros), brought into it (Reshape, BroadcastTo),
// and two of them can be broadcast together without any values at hand.
//
// A shape has row partitions, the outermost first, and an inner shape: the shape of
// the flat values. So [4, (1, 3, 0, 2), 7] has one partition of four rows and the
// inner shape [6 7]. The same shape may be stored in several ways, as a uniform axis
// can be a partition or belong to the inner shape; WithPartitions chooses.
//
// Shapes never change once built, share memory with the tensors they are taken
// from, and are safe for concurrent use.
package shape
