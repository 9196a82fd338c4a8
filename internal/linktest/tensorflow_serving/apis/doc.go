// Package apis stands for the Go that others generate from TensorFlow Serving's
// .proto files: it registers their names and paths.
package apis
