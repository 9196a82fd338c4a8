// Package nn is what a model does with ragged tensors: it looks up embeddings,
// multiplies matrices and makes weights of scores.
//
// # Embeddings
//
// A table of embeddings is a dense tensor: row i is the embedding of the id i, most
// often a vector. Ids are a tensor of integers, such as the words of sentences after
// hashing:
//
//	ids    [[1 0 2] [] [1]]                   shape [3, ragged]
//	table  [[a0 a1] [b0 b1] [c0 c1]]          shape [3, 2]
//
//	Lookup      [[[b0 b1] [a0 a1] [c0 c1]] [] [[b0 b1]]]     shape [3, ragged, 2]
//	LookupRows  [[mean of all three] [0 0] [b0 b1]]          shape [3, 2]
//
// Lookup keeps every embedding, LookupRows combines those of a row without making them
// first: that is what a model with a bag of words wants. SafeLookupRows also leaves out
// what is no id, and has an embedding for rows without ids.
//
// An id that is not in the table is an error, with its place. Results are new; nothing
// is shared with the table. Lookups cost O(ids × size of an embedding).
//
// # Matrices and scores
//
// MatMul multiplies the matrices of two batches, which may differ in size from one to
// the next. Softmax makes weights that add up to 1 of the scores in a row, LogSoftmax
// their logarithms.
//
// # Limits
//
// A result that is much larger than the operands, such as a product of matrices without
// columns, has at most 2 GiB, or 128 MiB where an int has 32 bits; or 4096 values for
// every value and row of the operands, if that is more. Beyond that it is an error.
//
// # Differences from TensorFlow
//
// LookupRows keeps rows at the end that have no ids. MatMul takes matrices without
// rows. LogSoftmax takes ragged tensors, and Softmax of no rows has no rows.
package nn
