// Package dataset is TensorFlow's tf.data for Go programs: sequences of training
// data, read, changed and batched one after another.
//
// # Elements
//
// A Dataset is a sequence of elements that are tensors, or structures of them:
// Slices cuts a tensor into its rows, Map, Filter, Take, Skip, Shard and Repeat say
// what happens to them, and Batch and Unbatch join and split
// them.
//
//	d := dataset.Slices(sentences).Filter(long).Batch(32, nil)
//	for batch, err := range d.All() {
//
// Nothing is done before the loop asks for an element, and no more than one batch is
// held at a time. What goes wrong, also in the arguments of an operation, comes as
// the last pair of the loop. A Dataset is an immutable value: it may be kept, shared,
// and ranged over as often as what it was made of.
//
// An element of one tensor is a ragged.Tensor. One of several is a struct of the
// program, whose components are named once:
//
//	type movie struct {
//		words ragged.Tensor[string]
//		stars ragged.Tensor[float32]
//	}
//	words := dataset.Tensor("words", func(m *movie) *ragged.Tensor[string] { return &m.words }, dataset.Spec{})
//	stars := dataset.Tensor("stars", func(m *movie) *ragged.Tensor[float32] { return &m.stars }, dataset.Spec{})
//	d := dataset.SlicesOf(all, words, stars)
//
// The rows of what a feature.Parser makes are had in one call, as elements with columns by
// name:
//
//	d := dataset.FromBatch(batch)
//
// Whether a component batches densely or as a ragged tensor depends on its Spec,
// TensorFlow's element_spec: the rows of a ragged tensor are dense tensors by
// themselves, but have a RaggedSpec and make a ragged tensor again. Slices knows the
// specs, and batching keeps them up; after Map, and for elements that come from
// elsewhere, they are given or left open.
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
// Files is a list of TFRecord files, given by name, glob, directory or as train@16, and
// a stream of their records, or of batches that a feature.Parser makes of them:
//
//	files := dataset.NewFiles([]string{"data/train@16"}, &dataset.FilesOptions{Shuffle: 10_000, Repeat: 3})
//	for batch, err := range files.Batches(ctx, parser, 1024).All() {
//		…
//		batch.Release() // optional: its memory is used again
//	}
//
// Every open file is read by a goroutine of its own. One more puts the records into their
// order and divides them into batches, which a pool of workers parses ahead of the loop:
//
//	files -> chunks of records -> one sequence -> batches of records -> workers -> Next
//
// The result does not depend on the number of workers: neither the order, nor where batches end, nor which error is the first. After the
// end, an error, Close or the end of a loop over All no goroutine is left.
//
// An error has the file and the record that it is about, and ends the stream; with
// FilesOptions.SkipErrors what is damaged or does not fit is counted in Stats, and the
// batches are full without it.
//
// Create writes a set of shards, in turn or by a key, which appear under their names together
// when all of them are complete.
//
// A stream can be stopped and continued in another program: State returns its position, a small
// value with a JSON form, and FilesOptions.Resume begins another stream there. Both together return
// the same elements as one stream without a stop, whatever the number of workers in each. A State
// takes about as long to make as a batch. Resuming reads the headers before the position in each
// file that was open or has records in the shuffle buffer; compressed files are decompressed up to
// there.
//
// Shuffle mixes what is near each other. GlobalShuffle puts all records of an epoch in one random
// order without a buffer: it is computed, and the indexes of the files say where each record
// is. Its State has one number for the order, and Resume reads single records again.
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
// allocated once for each component, but one of a single ragged or sparse element may
// share its values. Rows of FromBatch are views of its batch. Tensors are read only, so that nothing is copied that need not be.
//
// A stream of Files holds records that were read and not yet handed out, within
// FilesOptions.Budget: what reads ahead waits when it is spent. It is exceeded by no more
// than what the next record or batch itself takes, and by one buffer for each file that
// is open: a record larger than the budget goes through alone. The columns of batches
// under way take about as much again. Nothing grows with the files, but the indexes of
// GlobalShuffle, which all streams of the same Files share.
//
// A Batch is read only and belongs to the caller for good. Only Release gives its memory
// to a later batch. A record of Files.Records is lent until the next call of Next. Race
// builds overwrite both when they are given back.
//
// With feature.ParserOptions.AliasRecords strings are not copied: a batch holds what its
// records were read into, and gives it back by Release, when they are no longer good.
// Memory that a stream does not need any more serves later streams of the same Files, until
// the garbage collector takes it.
//
// # Differences from TensorFlow
//
// An element whose spec is left open is batched by its own shape, where TensorFlow refuses
// structures it cannot see through. Ragged batches of dense elements with an open spec
// makes every axis ragged; TensorFlow batches what has no known rank densely. Batch
// checks elements against their spec. Ragged elements of one shape can be unbatched and
// batched like any others, where TensorFlow fails in its encoding of them. Row splits are
// int64.
//
// A row of FromBatch is that of its record alone: without padding, and sparse columns are
// as long as it has values, where TensorFlow's slices are as long as the longest of the
// batch.
//
// The options of Files apply in one order, which their comment gives. The random numbers
// of Shuffle are not TensorFlow's. SkipErrors leaves out the record that does not fit, where
// ignore_errors leaves out its batch. Damage is handled as in package tfrecord, and
// a set with a missing shard is an error. Endless repetition ends after an epoch in which no
// record fits the spec.
package dataset
