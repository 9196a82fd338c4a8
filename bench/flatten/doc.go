// Package flatten turns records into columns as a Go program does that has only
// protobuf-go: it unmarshals the message, looks every feature of the spec up, and
// appends the values to flat slices and the row limits to slices of their own. It is
// what the parser of package feature is measured against.
//
// It is written to be fast: the spec is compiled once, columns keep their memory from
// batch to batch, and byte strings are kept as unmarshalling made them, not copied
// again. It reads what the sets of package datasets need: FixedLen, FixedLenSequence
// (without padding), and Ragged with row lengths and uniform lengths.
package flatten
