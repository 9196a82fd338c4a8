// Package simd moves many values at once. It is the only package of the module that
// uses unsafe, and only where the memory of a machine is laid out as the wire is: on
// little-endian platforms. Elsewhere, and with the build tag purego,
// the same functions do it value by value.
//
// It also has kernels in assembly. The program asks the processor, when it starts, whether
// it can run them; where it cannot, and with the build tag purego, they take no values, and
// the caller, whose Go code does the same, takes all.
//
//	go test -tags purego ./...
package simd
