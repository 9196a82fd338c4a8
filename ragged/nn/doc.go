// Package nn looks up embeddings for ragged ids.
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
// is shared with the table. All operations cost O(ids × size of an embedding).
package nn
