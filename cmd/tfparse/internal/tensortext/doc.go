// Package tensortext prints batches for people to look at: as TensorFlow prints the
// tensors, or with everything that is ragged or sparse made dense.
//
// # Text
//
// A batch is a line with the number of rows, the columns in the order of the batch,
// and an empty line. A column is its name, a colon, and what print of Python gives for
// the tensor, which may be several lines; TensorFlow cuts what is long.
//
//	rows: 3
//	minutes: tf.Tensor([ 25 300  15], shape=(3,), dtype=int64)
//	sections: <tf.RaggedTensor [[b'batter', b'pan'], [b'custard', b'crust'], [b'']]>
//
// Names of a SequenceExample begin with "context.", "sequence." or "lengths.", those of
// an ExampleListWithContext with "context." or "examples.". A name that does not print
// as it is stands in quotes.
//
// # Dense tensors
//
// The other form is Tensor JSON, as package raggedjson has it, in which all tensors are
// dense: missing cells hold a padding that the caller gives, by default 0 or "". What
// is fixed_len_sequence is dense already, with the padding of its spec. A box may
// be much larger than the data, and is refused beyond a limit.
package tensortext
