// Package pbtext reads and writes the text form of the messages of TensorFlow
// Metadata: schemas, statistics and anomalies.
//
// What it writes is stable: equal messages give equal text on every machine and with
// every version of the protobuf runtime, whose own writer varies on purpose. Fields
// stand in the order of their numbers, as TensorFlow's programs write them, and
// numbers are the shortest that read back the same.
//
// [Patch] changes a text and keeps all else of it as it stands. The formatter of others that keeps
// comments, github.com/protocolbuffers/txtpbfmt, cannot do that: it reads a text into a tree that has
// no space, quotes and separators, and prints all of it anew; nor does it know which messages changed.
//
// A google.protobuf.Any that holds a message of TensorFlow Metadata is read and
// written in the expanded form, under TensorFlow's name of it.
package pbtext
