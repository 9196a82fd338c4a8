// Package feature converts encoded Examples to columns by a [Spec], and columns to Examples. The columns equal
// those of TensorFlow's tf.io.parse_example and tf.io.parse_sequence_example; where they differ on purpose,
// DIFFERENCES.md beside this file says how and why.
//
//	p, err := feature.NewParser(feature.Spec{Features: feature.Features{
//		"age":   feature.FixedLen{DType: feature.Int64, Default: example.Int64s(0)},
//		"tags":  feature.VarLen{DType: feature.String},
//		"items": feature.Ragged{DType: feature.Float32, ValueKey: "items/v",
//			Partitions: []feature.Partition{feature.RowLengths("items/len")}},
//	}}, nil)
//
// # From records to columns
//
// A [Parser] is a compiled Spec. A [Batch] takes records one by one ([Batch.Append]) or all at once
// ([Parser.Parse], [Parser.Batches]) and has one column for each feature of the spec. A record adds one row to
// every column, or adds nothing: the caller decides whether to skip a record that does not fit.
//
// The shapes of a column in a batch of B records, and in a single row, which has no axis of rows ([Batch.Row],
// [Parser.ParseSingle]):
//
//	                     form      batch                        row
//	FixedLen             dense     [B] + shape                  shape
//	FixedLenSequence     dense     [B, longest] + shape         [blocks] + shape
//	VarLen               sparse    [B, longest]                 [count]
//	Sparse               sparse    [B] + sizes                  sizes
//	Ragged               ragged    [B, ragged, …] + lengths     [ragged, …] + lengths
//
// where the lengths of Ragged are those of the uniform partitions at its end. A
// ragged column has one partition for the records and one for every other partition
// of the spec; a row of it is dense if there are none. In a SequenceExample's feature
// lists the steps are one more axis after the records, and so are the examples in
// an ExampleListWithContext:
//
//	                     form      feature lists                form      examples
//	FixedLen                                                    ragged    [B, ragged] + shape
//	FixedLenSequence     dense     [B, most steps] + shape     ragged    [B, ragged, longest] + shape
//	VarLen               sparse    [B, most steps, longest]    sparse    [B, most examples, longest]
//	Sparse                                                      sparse    [B, most examples] + sizes
//	Ragged               ragged    [B, ragged, ragged, …]       ragged    [B, ragged, ragged, …]
//
// There are two ways to a column of a batch or row: [ColumnOf] returns the tensor of a column whose type is known,
// [Columns.Column] a [Column] of any type; [Columns.All] yields all columns. [Column.Form] returns the form;
// [TensorOf] and [SparseOf] return the values. [Column.Ragged] returns any column in ragged form, without padding
// and without coordinates.
//
// # What is checked
//
// Every record is checked on its own, always: kinds, numbers of values, and whether
// partitions, indices and steps fit the values. An [*Error] has the feature, key,
// partition, step and byte, what was wanted and what was found. Package example
// defines which bytes are accepted; features that the spec does not read are skipped
// after the fields around them have been checked.
//
// # Encoding
//
// [Batch.Encode] writes the rows of a batch as records; [Parser.Assemble] makes a batch from any tensors. Parsing
// the records gives the same columns.
//
// # Memory
//
// A Batch owns its columns and copies the values of a record once. Tensors share its memory: read only, valid until
// [Batch.Reset]. Strings stay valid; the strings of a batch share a few blocks of at most 1 MiB, and a string keeps
// its block in memory. A Batch that is reset and reused allocates nothing for a record. To keep results, take them
// from one Batch ([Batch.Take]), which needs a few allocations each. A batch from [Parser.Batches] belongs to the
// caller; [Batch.Release] returns its memory for a later batch.
//
// With [ParserOptions].AliasRecords strings are not copied: they alias the records, which must not change as long
// as a string is in use.
//
// # Limits
//
// No allocation is sized by a number in a record alone. For every byte of a record, and for each time that the spec
// reads its key, a batch holds at most 64 bytes. A feature reads a key as its values, as a partition or as an
// index: a feature that names a key 64 times, the limit [ParserOptions].MaxDepth, stores it 64 times. A batch also
// has the defaults that the spec gives, and rows declared by value_row_ids, steps, and padding, which ParserOptions
// limits; padding is allocated only when it is read.
//
// # Concurrency
//
// A Spec is data. A Parser is immutable and safe for concurrent use. A Batch is for one goroutine while it grows;
// several goroutines may read it. For parallel work share the Parser and give each goroutine its own Batch.
package feature
