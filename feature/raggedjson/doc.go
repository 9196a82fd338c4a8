// Package raggedjson prints parsed columns as nested JSON, row by row or as tensors, and reads
// rows back. It is for services that answer with ragged data, and for tfparse cat and encode.
// [AppendNested] prints one column of any dtype, a [Printer] whole batches without allocation.
//
// # Rows
//
// A row is one line, an object without line breaks, with names sorted by their bytes:
//
//	Example                 {"name": VALUE, …}
//	SequenceExample         {"context": {"name": VALUE, …}, "sequence": {"name": VALUE, …}}
//	ExampleListWithContext  {"context": {"name": VALUE, …}, "examples": [{"name": VALUE, …}, …]}
//
// A VALUE depends on the kind of the feature:
//
//	fixed_len           a value, or lists nested like the shape
//	fixed_len_sequence  a list of blocks, each like a fixed_len; there is no padding
//	var_len             a list of values
//	sparse              {"indices": [[…], …], "values": […]}, one index for each dimension
//	ragged              lists nested like the partitions, including uniform ones
//
// In "sequence" it is a list with one such VALUE per step; a step of a fixed_len_sequence
// is a block. In "examples" each example has its own object. An ExampleListWithContext
// has "context" and "examples" only if the spec has features there.
//
// Values, names, and the members "_file", "_record" and "_offset" are as in
// package recordjson. Indices are always numbers.
//
// # Tensors
//
// A batch is also one line, in Tensor JSON, with the forms and shapes that package feature
// documents:
//
//	{"rows": N, "columns": {"name": TENSOR, …}}
//	{"rows": N, "context": {…}, "sequence": {…}, "lengths": {…}}
//	{"rows": N, "context": {…}, "examples": {…}}
//
//	{"dense":  {"dtype": "int64", "shape": [2], "values": [0, 1]}}
//	{"ragged": {"partitions": [{"row_splits": [0, 2, 3]}, {"uniform_row_length": 2, "nrows": 3}],
//	            "flat_values": {"dtype": "int64", "shape": [6], "values": [1, 2, 3, 4, 5, 6]}}}
//	{"sparse": {"indices": [[0, 0]], "dense_shape": [2, 1], "dtype": "string", "values": ["a"]}}
//
// Partitions are listed from the outermost to the innermost, dense values in row-major
// order. "lengths" has the number of steps of each fixed_len_sequence. Splits, shapes,
// indices and lengths are always numbers. Position members are lists with one entry per
// row.
//
// # Reading
//
// A [Reader] reads rows. It is strict: lists must have the nesting and lengths of the
// spec, members must be known and unique, and an error has a position. A feature that a
// row lacks is treated like a feature that a record lacks: default, empty, or an error.
// Writing the rows as records and parsing them gives the same columns, except for details
// that JSON loses: the bits of NaNs, and values printed in a form that cannot be read
// back (null, lengths of bytes).
//
// # Memory and limits
//
// A [Printer] refers to the batch that it prints and allocates nothing per row. A [Reader]
// keeps the rows until it is reset; they take about the size of the lines. No allocation is
// sized by a number in the input alone.
package raggedjson
