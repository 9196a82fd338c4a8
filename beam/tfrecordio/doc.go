// Package tfrecordio reads and writes TFRecord files in pipelines of Apache Beam.
package tfrecordio
