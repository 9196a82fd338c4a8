// Package dataset is TensorFlow's tf.data for Go programs: sequences of training
// data that are read, transformed and batched lazily.
//
// # Elements
//
// A Dataset is a sequence of elements that are tensors, or structures of them.
// Slices makes one of the rows of a tensor; Map, Filter, Take, Skip, Shard and
// Repeat transform it; Batch and Unbatch combine and divide its elements.
//
//	d := dataset.Slices(sentences).Filter(long).Batch(32, nil)
//	for batch, err := range d.All() {
//
// Nothing is done before the loop asks for an element, and at most one batch is
// held at a time. Every error, also an error about the arguments of an operation, is
// in the last pair of the loop. A Dataset is an immutable value: it can be kept,
// shared, and ranged over as often as its source.
//
// An element of one tensor is a ragged.Tensor. An element of several tensors is a
// struct of the program, whose components are named once:
//
//	type movie struct {
//		words ragged.Tensor[string]
//		stars ragged.Tensor[float32]
//	}
//	words := dataset.Tensor("words", func(m *movie) *ragged.Tensor[string] { return &m.words }, dataset.Spec{})
//	stars := dataset.Tensor("stars", func(m *movie) *ragged.Tensor[float32] { return &m.stars }, dataset.Spec{})
//	d := dataset.SlicesOf(all, words, stars)
//
// FromBatch returns the rows of a batch of a feature.Parser, as elements with
// columns by name:
//
//	d := dataset.FromBatch(batch)
//
// The Spec of a component, TensorFlow's element_spec, determines whether it
// batches into a dense or a ragged tensor: the rows of a ragged tensor are dense
// tensors, but have a RaggedSpec and make a ragged tensor again. Slices and
// batches know their specs; after Map and From give them to WithComponents.
//
//	component               Batch                                 Batch with Ragged
//	DenseSpec(2, 3)         dense [n,2,3]                         the same
//	DenseSpec(-1, 3)        dense; all of one shape, or an error  ragged [n,(r),3]
//	DenseSpec(2, -1)        dense; all of one shape, or an error  ragged [n,2,(r)]
//	RaggedSpec(k, …)        ragged, of ragged rank k+1            the same
//	Spec{}, with partitions ragged, one partition more            the same
//	Spec{}, dense           dense; all of one shape, or an error  ragged on every axis
//	Sparse                  sparse, one axis more                 the same
//	rows of FromBatch       columns as parse_example makes them   the same
//
// # Files
//
// Files is a list of TFRecord files, given by name, glob, directory or as train@16.
// It returns a stream of their records, or of batches that a feature.Parser makes:
//
//	files := dataset.NewFiles([]string{"data/train@16"}, &dataset.FilesOptions{Shuffle: 10_000, Repeat: 3})
//	for batch, err := range files.Batches(ctx, parser, 1024).All() {
//		…
//		batch.Release() // optional: its memory is used again
//	}
//
// A goroutine reads each open file. Another goroutine orders the records and divides
// them into batches, which a pool of workers parses ahead of the loop:
//
//	files -> chunks of records -> one sequence -> batches of records -> workers -> Next
//
// The order, the ends of batches and the first error do not depend on the
// number of workers. After the end, an error, Close or the end of a loop over All
// no goroutine is left.
//
// An error has the position of its record, and ends the stream. With
// FilesOptions.SkipErrors, damage and records that do not fit are counted in Stats,
// and the batches are full without them.
//
// Create writes a set of shards, whose files appear under their names together when
// all files are complete.
//
// A stream can be stopped and continued in another program: State returns its
// position, which has a JSON form, and FilesOptions.Resume begins another stream
// there. Together both return the elements of one stream without a stop, for any
// number of workers in each. Making a State takes about as long as a batch. Resuming
// reads the headers before the position in each file that was open or has records
// in the shuffle buffer; compressed files are decompressed up to the position.
//
// Shuffle mixes records that are near each other. GlobalShuffle puts all records of
// an epoch in one random order without a buffer: the order is computed, and the
// indexes of the files have the offset of each record. Its State has one number for
// the position in the order, and Resume reads single records again.
//
// # TensorFlow's names
//
//	Dataset.from_tensor_slices                  Slices, SlicesOf; of parsed features FromBatch
//	Dataset.from_generator                      From
//	Dataset.map                                 Map
//	Dataset.filter                              Dataset.Filter
//	Dataset.batch                               Dataset.Batch
//	Dataset.ragged_batch dense_to_ragged_batch  BatchOptions.Ragged
//	Dataset.unbatch rebatch                     Dataset.Unbatch, then Batch
//	Dataset.take                                Dataset.Take
//	Dataset.skip                                Dataset.Skip
//	Dataset.shard                               Dataset.Shard
//	Dataset.repeat                              Dataset.Repeat
//	Dataset.as_numpy_iterator                   Dataset.All, Dataset.Collect
//	Dataset.element_spec                        Component.Spec
//	TensorSpec RaggedTensorSpec                 DenseSpec, RaggedSpec
//
//	TFRecordDataset(files)                      Files.Records
//	… .batch(n).map(parse_example)              Files.Batches
//	… num_parallel_reads, interleave            FilesOptions.Interleave
//	… shuffle, repeat, take, skip, shard        FilesOptions, in a fixed order
//	index_shuffle, global_shuffle               FilesOptions.GlobalShuffle
//	… prefetch, num_parallel_calls              FilesOptions.Prefetch, Workers
//	… ignore_errors                             FilesOptions.SkipErrors
//	… filter, of records                        FilesOptions.Filter
//	CsvDataset, make_csv_dataset                FilesOptions.Format, with package recordcsv
//	Iterator.save, restore; tf.train.Checkpoint State, FilesOptions.Resume
//
// # Memory
//
// Slices and Unbatch yield views of their input. A batch is new memory,
// allocated once for each component; a batch of a single ragged or sparse element may
// share its values. Rows of FromBatch are views of its batch. Tensors are read only.
//
// The records of a stream of Files that were read and not yet returned stay within
// FilesOptions.Budget: reading ahead waits while it is spent. It is exceeded by at most
// the size of the next record or batch, and by one buffer for each open file: a record
// larger than the budget passes alone. The columns of batches in progress take about as
// much again. Nothing grows with the files, except for the indexes of GlobalShuffle, which
// all streams of the same Files share.
//
// A Batch is read only and belongs to the caller until Release gives its memory to a
// later batch. A record of Files.Records is lent until the next call of Next. Race
// builds overwrite the memory at these calls.
//
// With feature.ParserOptions.AliasRecords strings are views of the records: a batch holds
// the memory of its records until Release, which invalidates the strings. Later streams of
// the same Files reuse free memory, until the garbage collector takes it.
//
// # Differences from TensorFlow
//
// An element with an open spec is batched by its own shape, where TensorFlow refuses
// structures without specs. Ragged batches of dense elements with an open spec
// are ragged on every axis; TensorFlow batches elements of unknown rank densely. Batch
// compares elements with their spec. Ragged elements of one shape can be unbatched and
// batched, where TensorFlow fails to encode them. Row splits are int64.
//
// A row of FromBatch has the values of its record alone: without padding, and a sparse column
// is as long as the record has values, where TensorFlow's slices are as long as the longest
// row of the batch.
//
// The options of Files apply in a fixed order: see FilesOptions. The random numbers
// of Shuffle are not TensorFlow's. SkipErrors leaves out a record that does not fit, where
// ignore_errors leaves out the whole batch. Damage is handled as in package tfrecord, and
// a set with a missing shard is an error. Endless repetition ends after an epoch in which no
// record fits the spec.
package dataset
