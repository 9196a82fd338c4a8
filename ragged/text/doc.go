// Package text is TensorFlow's operations on strings, for ragged tensors and dense
// tensors: splitting, joining, n-grams, Unicode, regular expressions, numbers, hashes.
//
// # Strings
//
// A string is any bytes. Operations on characters say so, and read UTF-8. The six blanks are
// those of ASCII: tab, line feed, vertical tab, form feed, carriage return and space.
//
// # Shapes
//
// Most operations apply to each string by itself: the result has the shape of the operand
// and shares its partitions. Split, SplitBytes, Decode and SplitUnicode make a row from
// every string: the result has one axis more, which is ragged, and every axis above it except
// the first has a partition. A scalar becomes a vector. Encode and ReduceJoin remove axes.
//
// # Memory
//
// Operands are read only, so every function is safe for concurrent use. Parts of a string
// are views, which keep the whole string in memory; strings.Clone copies them. New strings
// of a result share one block of memory, so the number of allocations does not depend on
// the number of strings. The time is O(bytes in and out).
//
// The size of a result is limited where a number or a long separator makes it much larger
// than its operands (NGrams, Join, ReduceJoin): 2 GiB, or 128 MiB where an int has 32 bits;
// or 4096 bytes for every byte and string of the operands, if that is more. Beyond that the
// operation fails before it allocates.
//
// # Errors
//
// A string that an operation does not accept is a ragged.ValueError, with its index. Errors
// about arguments wrap ErrArgument; those about shapes and axes are errors of package ragged.
package text
