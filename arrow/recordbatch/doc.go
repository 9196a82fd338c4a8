// Package recordbatch converts columns of TensorFlow's records to Arrow record batches, and record batches to records.
//
// # From columns to Arrow
//
// [ForSpec] makes the Arrow schema of a spec, and [Schema.FromBatch] converts the batches of its parser. Columns have no
// nulls:
//
//	FixedLen               T, or fixed_size_list for each dimension of the shape
//	FixedLenSequence       large_list of the same, without padding
//	VarLen                 large_list<T>
//	Ragged                 large_list, then a large_list or fixed_size_list for each partition
//	Sparse                 struct<indices: large_list<fixed_size_list<int64>>, values: large_list<T>>
//	Sequence, Examples     one more large_list around it
//
// T is int64, float, large_string or large_binary; by Options also bool, uint64, the name of a class, or a nullable
// struct<bytes: binary, path: string>, which is how the package datasets of Hugging Face stores images. A feature with
// Decode becomes its tensors: a fixed_size_list for each known dimension, a large_list for an unknown one and for a
// dimension of 0. bfloat16 and 8-bit floats become float, a complex number becomes a fixed_size_list of two floats. A
// column has the name of its feature, or GROUP/NAME if two groups have the name.
//
// A record batch shares the numbers and row splits of the batch: it is valid until the batch grows, is Reset or is
// Released. Strings and decoded values are copies.
//
// Without a spec, [ForKinds] makes the schema from the [Kinds] of features: a nullable large_list<T> for each, as in
// tfx_bsl, and a nullable image for each of Options.Images. [Schema.FromRecords] converts the records. A feature that is
// absent or has no kind is null; an empty list is [].
//
// The metadata of the schema holds the spec as JSON, and the metadata of a field the spec of its feature. Some tools drop
// metadata.
//
// # From Arrow to records
//
// A [Decoder] converts record batches of any writer. If the metadata holds a spec that fits the types of all columns, the
// records are those that the spec parses. Otherwise, unless the metadata say tfparse:strict, they are Examples, made by the
// types of the columns:
//
//	T                                 one value; null is an absent feature
//	list, fixed_size_list             its values; [] is an empty list of the kind of T
//	a list of lists                   all values, and the row lengths of the inner lists as NAME/lengths_0, NAME/lengths_1
//	struct                            each field as NAME/FIELD
//	struct<bytes, path>               an image: its bytes
//	null                              no feature; in a list a feature without a kind
//
// Lists have 32 or 64 bits, and T is any integer, float, bool, string or binary, also a view. Integers become int64, floats float32
// (float64 is rounded to the nearest, as in TensorFlow's writers). A null inside a list and an integer beyond int64 are
// errors with row and column. Dictionaries become their values. List views, dates, decimals, maps and unions are errors with
// the column.
package recordbatch
