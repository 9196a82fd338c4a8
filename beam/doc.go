// Package beam is the root of a module that runs tfparse in pipelines of Apache Beam. Tests run them on Beam's own runner (prism), on one
// machine, and beam/flink/run on Apache Flink. Beam has runners for Spark and Dataflow too, on which nothing was run.
//
// Package tfrecordio reads and writes TFRecord files of every file system that Beam knows, and of package store if it is registered. Package tfexample parses records to
// columns, tfstats makes statistics of them and validates them. The program cmd/tfparsebeam runs verbs of the command as pipelines.
//
// The module is apart from the rest of tfparse because Beam brings some 300 modules with it.
package beam
