// Package tfparse is the root of packages that read, check and write TensorFlow training data without TensorFlow. It has no code of
// its own.
//
//	TFRecord bytes  ->  Example / SequenceExample  ->  feature spec  ->  ragged tensors  ->  and back
//
// The packages can be used apart, and none of these links the protobuf runtime:
//
//   - [github.com/tfparse/tfparse/tfrecord]: the container: records, codecs, recovery, indexes
//   - [github.com/tfparse/tfparse/example]: the messages; [github.com/tfparse/tfparse/example/recordjson] and
//     [github.com/tfparse/tfparse/example/recordcsv] convert them
//   - [github.com/tfparse/tfparse/expr]: expressions: conditions that select records, and rules about records and statistics
//   - [github.com/tfparse/tfparse/feature]: specs and parsers; [github.com/tfparse/tfparse/feature/bind] for Go structs,
//     [github.com/tfparse/tfparse/feature/raggedjson] for columns as JSON
//   - [github.com/tfparse/tfparse/ragged]: tensors, and in its folders TensorFlow's operations on them
//   - [github.com/tfparse/tfparse/tensor]: dense tensors of all dtypes, and TensorProto
//   - [github.com/tfparse/tfparse/dataset]: files in parallel, shuffled, batched and resumed, as tf.data
//     does it
//   - [github.com/tfparse/tfparse/model]: the inputs of a SavedModel, and requests to TensorFlow Serving
//
// Checks of whole data sets are in the folder validate, and link the protobuf runtime: [github.com/tfparse/tfparse/validate/stats] makes
// statistics, [github.com/tfparse/tfparse/validate/anomaly] compares them with a schema. The command is cmd/tfparse.
package tfparse
