// Package beam is the root of a module that runs tfparse in pipelines of Apache Beam: on one machine with Beam's own
// runner (prism), and on Flink, Spark and Dataflow.
//
// Package tfrecordio reads and writes TFRecord files of every file system that Beam knows. The module is apart from the
// rest of tfparse because Beam brings some 300 modules with it.
package beam
