// Package refparser parses records as package feature does, in the simplest way
// there is: one record at a time, into nested slices, with every rule written out
// where it applies. Values come from protobuf-go and our generated messages; what
// bytes are accepted is decided by comparing that with a plain reading of what
// TensorFlow does. Nothing is shared with package feature but the types of a spec,
// and nothing with package example.
//
// It exists for tests: the fast parser must agree with it on values and on the class
// of every error.
package refparser
