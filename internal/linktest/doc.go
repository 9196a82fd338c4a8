// Package linktest tests that our packages can be linked together with Go code that is generated from TensorFlow's
// own .proto files.
//
// The folders tensorflow and tensorflow_serving hold .proto files written for this test, with TensorFlow's names
// and paths and the fields of the messages that we share. The registry of protobuf-go panics when two packages
// register one name or one path, so a program that links both starts only if our names and paths differ. The tests
// start such programs with either side registered first, and pass encoded messages between the two sides and
// package example.
//
// It is a module of its own: nothing that is shipped depends on it.
package linktest
