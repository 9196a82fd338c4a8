// Package tensortext prints batches for people: as text like TensorFlow's, or as JSON of dense
// tensors, with padding for ragged and sparse ones.
//
// # Text
//
// A batch is a line with the number of rows, the columns in the order of the batch, and an
// empty line. A column is its name, a colon, and the output of Python's print for the tensor,
// which may have several lines. Like TensorFlow, it abbreviates long tensors.
//
//	rows: 3
//	minutes: tf.Tensor([ 25 300  15], shape=(3,), dtype=int64)
//	sections: <tf.RaggedTensor [[b'batter', b'pan'], [b'custard', b'crust'], [b'']]>
//
// Names of a SequenceExample begin with "context.", "sequence." or "lengths.", names of an
// ExampleListWithContext with "context." or "examples.". A name with characters that are not
// printable is quoted.
//
// # Dense tensors
//
// The other format is the Tensor JSON of package raggedjson, but all tensors are dense. Missing
// cells hold a padding, by default 0 or "". A fixed_len_sequence column is dense already, with
// the padding of its spec. A dense tensor may be much larger than the data, so its size is
// limited.
package tensortext
