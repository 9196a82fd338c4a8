// Package raggedjson turns the columns that a spec makes of records into nested JSON, row by
// row or as tensors, and reads rows back: for services that answer with ragged data, and for
// tfparse cat and encode. [AppendNested] prints one column of any dtype, a [Printer] whole
// batches without allocation.
//
// # Rows
//
// A row is one line, an object without line breaks, names sorted by their bytes:
//
//	Example                 {"name": VALUE, …}
//	SequenceExample         {"context": {"name": VALUE, …}, "sequence": {"name": VALUE, …}}
//	ExampleListWithContext  {"context": {"name": VALUE, …}, "examples": [{"name": VALUE, …}, …]}
//
// A VALUE is what the feature has in one record, as its kind says:
//
//	fixed_len           a value, or lists nested as the shape is
//	fixed_len_sequence  a list of blocks, each like a fixed_len; there is no padding
//	var_len             a list of values
//	sparse              {"indices": [[…], …], "values": […]}, one index for each dimension
//	ragged              lists nested as the partitions are, uniform ones too
//
// In "sequence" it is a list with one of these for each step, where a step of a
// fixed_len_sequence is a block. In "examples" every example has its own object. A
// list has "context" and "examples" if the spec has features there.
//
// Values, names, and the members "_file", "_record" and "_offset" are those of
// package recordjson. Indices are always numbers.
//
// # Tensors
//
// A batch is one line too, in Tensor JSON, with the forms and shapes that package
// feature documents:
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
// Partitions stand from the outermost to the innermost, dense values in row-major
// order. "lengths" has the number of steps of every fixed_len_sequence. Splits,
// shapes, indices and lengths are always numbers. Position members are lists, with
// an entry for each row.
//
// # Reading
//
// A [Reader] takes rows. It is strict: lists nest and have the lengths that the spec
// wants, members are known and stand once, and an error says where. What a row
// leaves out is what it would be if a record did: the default, or empty, or an error.
// Parsing the records that are written of the rows gives the same columns, but for
// what the forms of values leave open: bits of NaNs, and values that were printed so
// that they cannot be read back (null, lengths of bytes).
//
// # Memory and limits
//
// A [Printer] refers to the batch it prints and allocates nothing for a row. A
// [Reader] keeps the rows until it is reset, as large as the lines. No number in a
// line alone sizes an allocation.
package raggedjson
