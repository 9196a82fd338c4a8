// Package nn has operations of models on ragged tensors: lookup of embeddings, products of
// matrices, softmax.
//
// # Embeddings
//
// A table of embeddings is a dense tensor: row i is the embedding of ID i, most often a
// vector. IDs are a tensor of integers, such as hashed words:
//
//	ids    [[1 0 2] [] [1]]                   shape [3, ragged]
//	table  [[a0 a1] [b0 b1] [c0 c1]]          shape [3, 2]
//
//	Lookup      [[[b0 b1] [a0 a1] [c0 c1]] [] [[b0 b1]]]     shape [3, ragged, 2]
//	LookupRows  [[mean of all three] [0 0] [b0 b1]]          shape [3, 2]
//
// Lookup returns every embedding. LookupRows combines the embeddings of a row, as for a bag
// of words, without storing them first. SafeLookupRows also leaves out invalid IDs, and has
// an embedding for rows without IDs.
//
// An ID that is not in the table is a ragged.ValueError. Results share no memory with the
// table. A lookup takes O(ids × size of an embedding).
//
// # Matrices and scores
//
// MatMul multiplies the matrices of two batches; the matrices of a batch may differ in size.
// Softmax converts the scores in a row to weights whose sum is 1, LogSoftmax to the
// logarithms of these.
//
// # Limits
//
// The size of a result is limited where it is much larger than the operands, such as a
// product of matrices without columns: 2 GiB, or 128 MiB where an int has 32 bits; or 4096
// values for every value and row of the operands, if that is more. Beyond that it is an
// error.
//
// # Differences from TensorFlow
//
// LookupRows keeps rows without IDs at the end. MatMul accepts matrices without rows.
// LogSoftmax accepts ragged tensors, and Softmax of no rows has no rows.
package nn
