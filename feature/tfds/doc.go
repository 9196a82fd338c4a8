// Package tfds reads the two files that TensorFlow Datasets writes into the directory of a data
// set. [Spec] derives the spec of the records from features.json. [ParseInfo] returns the shards
// in dataset_info.json and their numbers of records, and [Info.Select] the records of a slice, such as train[:10%].
//
//	toy/1.0.0/dataset_info.json
//	toy/1.0.0/features.json
//	toy/1.0.0/label.labels.txt
//	toy/1.0.0/toy-train.tfrecord-00000-of-00003
//
// # Columns
//
// A column has the flat name of its feature in TensorFlow Datasets: the keys of nested
// FeaturesDicts, joined by "/". The columns are those of its own ExampleParser, before it decodes
// images and tensors:
//
//	all dimensions known             fixed_len
//	one unknown dimension            fixed_len_sequence of the others; ragged with Options.Ragged
//	a Sequence or Dataset in another ragged: NAME/ragged_flat_values, and NAME/ragged_row_lengths_0 outermost
//
// A Sequence and a Dataset add a dimension before those of their features. Integers and booleans
// are int64, floats float32; text, encoded images and encoded tensors are strings. A Tensor with
// several unknown dimensions, which is always encoded, becomes NAME/shape and NAME/value. An
// optional Tensor has the default of TensorFlow Datasets.
//
// Encoded tensors are strings with feature.DecodeRaw. Images stay encoded. A feature of a class that is not part of TensorFlow
// Datasets has an unknown encoding: it is omitted, with a [Note].
//
// [Columns] returns properties that a spec does not have: dtypes of integers, files with the names of classes, shapes. [Tree]
// prints the features as TensorFlow Datasets does, and [FeaturesJSON] writes a features.json.
package tfds
