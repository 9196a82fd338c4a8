// Package recordmemory lets other packages of this module own the memory that a tfrecord.Reader reads into. It is no part of
// the API of package tfrecord, which sets [Use].
package recordmemory

// A Source returns memory to read into: n bytes or more, which nothing else uses. Records lie in it, and stay as they are when the
// Reader goes on: it asks for other memory when this is full, copies the beginning of a record that did not fit, and leaves what it had
// to its owner, as it does at Reset and at the end. It never asks for more than twice what has arrived of a record. An error is one of
// the stream.
type Source func(n int) ([]byte, error)

// Use has a *tfrecord.Reader that has read nothing yet read into memory of a source, in the place of its own.
var Use func(reader any, memory Source)
