// Package apis is like the Go code that other projects generate from TensorFlow Serving's
// .proto files: it registers their names and paths.
package apis
