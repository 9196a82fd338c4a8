// Package proto holds this project's .proto files and the Go generated from
// them, one package in each folder below.
//
// The messages have the wire form of TensorFlow's, and proto packages and
// paths of their own (tfparse.…): nothing here registers a TensorFlow name, so
// a program may link these packages together with TensorFlow's generated Go.
//
// After a change to a .proto file, run
//
//	go generate ./proto
//
// It needs no protoc and nothing installed: the compiler and the generator are
// pinned in the nested module proto/generate, whose tests fail while a
// generated file and its source differ.
package proto

//go:generate go run -C generate . ../..
