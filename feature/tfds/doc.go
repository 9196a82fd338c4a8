// Package tfds reads the two files that TensorFlow Datasets writes into the directory of a data
// set: [Spec] makes the spec of its records from features.json, and [ParseInfo] says which shards
// dataset_info.json names and how many records each of them has.
//
//	toy/1.0.0/dataset_info.json
//	toy/1.0.0/features.json
//	toy/1.0.0/label.labels.txt
//	toy/1.0.0/toy-train.tfrecord-00000-of-00003
//
// # Columns
//
// A column has the name that TensorFlow Datasets flattens its features to: the keys of nested
// FeaturesDicts, joined by "/". The columns are those of its own ExampleParser, before images and
// tensors are decoded:
//
//	all dimensions known             fixed_len
//	one is not                       fixed_len_sequence of the others; ragged with Options.Ragged
//	a Sequence or Dataset in another ragged: NAME/ragged_flat_values, and NAME/ragged_row_lengths_0 outermost
//
// A Sequence and a Dataset add a dimension in front of those of their features. Integers and
// booleans are int64, floats float32, and text, encoded images and encoded tensors strings. A
// Tensor with several unknown dimensions, which is always encoded, becomes NAME/shape and NAME/value.
// An optional Tensor has the default that TensorFlow Datasets gives it.
//
// Not read are the names of classes and the codec of images. Features of classes that are not
// part of TensorFlow Datasets cannot be known; each is left out, with a [Note].
package tfds
