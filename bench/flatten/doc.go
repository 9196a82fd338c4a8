// Package flatten turns records into columns like a Go program that has only protobuf-go. It unmarshals the
// message, looks up every feature of the spec, and appends the values to flat slices and the row splits to separate
// slices. The parser of package feature is measured against it.
//
// It is written to be fast: the spec is compiled once, columns keep their memory from batch to batch, and byte
// strings are not copied after unmarshalling. It reads what the sets of package datasets need: FixedLen,
// FixedLenSequence (without padding), and Ragged with row lengths and uniform lengths.
package flatten
