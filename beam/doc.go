// Package beam is the root of a module that runs tfparse in pipelines of Apache Beam: on one machine with Beam's own
// runner (prism), and on Flink, Spark and Dataflow.
//
// Package tfrecordio reads and writes TFRecord files of every file system that Beam knows. Package tfexample parses records to
// columns, tfstats makes statistics of them and validates them. The program cmd/tfparsebeam runs verbs of the command as pipelines.
//
// The module is apart from the rest of tfparse because Beam brings some 300 modules with it.
package beam
