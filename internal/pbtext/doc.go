// Package pbtext reads and writes the text form of the messages of TensorFlow
// Metadata: schemas, statistics and anomalies.
//
// Its output is stable: equal messages give equal text on every machine and with every version of the protobuf
// runtime, whose own writer varies on purpose. Fields are in the order of their numbers, as TensorFlow's programs
// write them, and numbers have the fewest digits that read back the same.
//
// [Patch] changes fields of a text and keeps all other bytes. The formatter github.com/protocolbuffers/txtpbfmt
// keeps comments, and cannot do that: it reads a text into a tree without white space, quotes and separators,
// prints the whole text anew, and does not know which messages changed.
//
// A google.protobuf.Any that holds a message of TensorFlow Metadata is read and
// written in the expanded form, with TensorFlow's name of that message.
package pbtext
