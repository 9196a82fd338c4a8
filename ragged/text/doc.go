// Package text is TensorFlow's operations on strings, for ragged tensors and dense
// ones: splitting, joining, n-grams, Unicode, regular expressions, numbers, hashes.
//
// # Strings
//
// A string is any bytes. What counts or changes characters says so, and takes them
// for UTF-8. Blanks are the six of ASCII: tab, line feed, vertical tab, form feed,
// carriage return and space.
//
// # Shapes
//
// Most operations look at each string alone: the result has the shape of the operand
// and shares its partitions. Split, SplitBytes, Decode and SplitUnicode make a row of
// every string: the result has one axis more, which is ragged, and every axis above
// it but the first has a partition. Of a scalar they make a vector. Encode and
// ReduceJoin take axes away.
//
// # Memory
//
// Operands are read only, so that every function is safe for concurrent use. Pieces
// of a string are views of it, as everywhere in Go: they keep the whole string alive
// (strings.Clone ends that). Strings that are made share one block of memory per
// result, so that an operation allocates a few times, however many strings there are.
// The cost is O(bytes in and out).
//
// Where a number or a long separator makes a result much larger than its operands, as
// in NGrams, Join and ReduceJoin, it has at most 2 GiB (128 MiB where an int has 32
// bits), or 4096 bytes for every byte and string of the operands if that is more.
// Beyond that it is an error, and nothing is allocated.
//
// # Errors
//
// A string that an operation does not take is a ragged.ValueError, which wraps ErrValue and
// says which string it was. What is wrong with an argument wraps ErrArgument; shapes
// and axes are the errors of package ragged.
package text
