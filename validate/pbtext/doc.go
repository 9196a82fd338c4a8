// Package pbtext reads and writes the text form of the messages of TensorFlow
// Metadata: schemas, statistics and anomalies.
//
// What it writes is stable: equal messages give equal text on every machine and with
// every version of the protobuf runtime, whose own writer varies on purpose. Fields
// stand in the order of their numbers, as TensorFlow's programs write them, and
// numbers are the shortest that read back the same.
//
// A google.protobuf.Any that holds a message of TensorFlow Metadata is read and
// written in the expanded form, under TensorFlow's name of it.
package pbtext
