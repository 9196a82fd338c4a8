// Package recordbatch converts columns of TensorFlow's records to Arrow record batches, and record batches to records.
//
// # From columns to Arrow
//
// [ForSpec] makes the Arrow schema of a spec, [Schema.FromBatch] the record batch of a batch of it. Nothing is null:
//
//	FixedLen               T, or fixed_size_list for each dimension of the shape
//	FixedLenSequence       large_list of such values, without padding
//	VarLen                 large_list<T>
//	Ragged                 large_list, then large_list or fixed_size_list for each partition
//	Sparse                 struct<indices: large_list<fixed_size_list<int64>>, values: large_list<T>>
//	Sequence, Examples     one more large_list around it
//
// T is int64, float, large_string or large_binary. Strings with Decode become the numbers that they hold: a
// fixed_size_list for each dimension that the spec fixes, else a large_list. A dimension of 0 is a large_list too.
// bfloat16 and 8-bit floats become float, a complex number a fixed_size_list of two floats. Names are those of the
// spec; of two groups that have the same name each gets its own: context/NAME.
//
// Numbers and row splits are the memory of the batch: a record batch is valid until the batch grows, or is Reset or
// Released. Strings and decoded values are copies.
//
// Without a spec, [Kinds] and [ForKinds] make a nullable large_list<T> of each feature, and [Schema.FromRecords] the
// record batch, as tfx_bsl does. An absent feature and one without kind are both null; an empty list is [].
//
// The metadata of the schema holds the spec as JSON, that of a field the spec of its feature. Some tools drop it.
//
// # From Arrow to records
//
// A [Decoder] makes records of record batches of any origin. If the metadata holds specs that fit the types of all
// columns, records are those that the specs read. Otherwise records are Examples, made from the types:
//
//	T                                 one value; null is an absent feature
//	list, fixed_size_list             its values; [] is an empty list of the kind of T
//	a list of lists                   all values, and the row lengths of inner lists i as NAME/lengths_i
//	struct                            each field as NAME/FIELD
//
// Lists have 32 or 64 bits, and T is any integer, float, bool, string or binary. Integers become int64, floats float32
// (float64 is rounded to the nearest, as TensorFlow's own writers do). A null inside a list, and an integer that int64
// does not hold, are errors with row and column. Dictionaries, views, dates, decimals, maps and unions are refused with
// the name of the column.
package recordbatch
