// Package beam is the root of a module that runs tfparse in pipelines of Apache Beam. Tests run the pipelines on Beam's own runner
// (prism), on one machine; beam/flink/run runs them on Apache Flink. Beam also has runners for Spark and Dataflow, which are not tested.
//
// Package tfrecordio reads and writes TFRecord files, and objects of gs:// and s3:// if the program registers package store. Package tfexample
// parses records to columns. Package tfstats computes statistics of records and validates records. The program cmd/tfparsebeam has
// verbs that run these transforms.
//
// The module is separate from the rest of tfparse because Beam depends on some 300 modules.
package beam
