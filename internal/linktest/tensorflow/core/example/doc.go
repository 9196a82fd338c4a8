// Package example is like the Go code that other projects generate from TensorFlow's
// .proto files: it registers their names and paths. With the build tag
// oursfirst it does so after our own package.
package example
