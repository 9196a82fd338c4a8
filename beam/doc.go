// Package beam is the root of a module that runs tfparse in pipelines of Apache Beam. Tests run them on Beam's own runner (prism), on one
// machine, and beam/flink/run on Apache Flink. Beam has runners for Spark and Dataflow too, on which nothing was run.
//
// Package tfrecordio reads and writes TFRecord files, and objects of gs:// and s3:// if the program registers package store. Package tfexample
// parses records to columns, tfstats makes statistics of them and validates them. The program cmd/tfparsebeam has verbs that run these transforms.
//
// The module is apart from the rest of tfparse because Beam brings some 300 modules with it.
package beam
