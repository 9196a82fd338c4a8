// Package examplepb is the generated Go of example.proto: Example,
// SequenceExample and ExampleListWithContext in the wire form of TensorFlow's
// messages, under names of our own.
//
// It is for programs that want protobuf-go messages, and for our tests, which
// compare the hand-written package example with it. Like every protobuf-go
// type of proto3 it refuses feature names that are not valid UTF-8, which
// TensorFlow and package example accept.
package examplepb
