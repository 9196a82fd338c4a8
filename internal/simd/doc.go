// Package simd moves many values at once: floats and strings without a copy of each, lists of
// varints and the keys of maps with kernels in assembly. It is the only package of the module that
// uses unsafe, and only on little-endian platforms, where memory is laid out as the wire is.
// Elsewhere, and with the build tag purego, the same functions work value by value.
//
// The program asks the processor, when it starts, which kernels it can run. A kernel that it cannot
// run takes no values, and the caller, whose Go code does the same, takes all. What each one gains:
//
//	varints     BMI2, AVX2         lists of varints: ads are parsed 1.4 times as fast as in Go
//	varints512  AVX-512 with VBMI2 the same: 1.5 times as fast as with varints
//	int64Steps   AVX-512 with VBMI2 short lists in the steps of a feature list: 1.5 times as fast as with varints512
//	findKeys    AVX-512 with VBMI2 keys of maps: ads 1.2 times, in any order 1.4 times as fast as in Go
//
// The module in generate writes them, with avo; its test and those here prove that they are what it
// writes, do what the Go code does, and have run.
//
//	go test -tags purego ./...
package simd
