// Package simd handles many values at once: it copies floats in bulk and strings not at all, and decodes lists of
// varints and finds keys of maps by kernels in assembly. It is the only package of the module that uses unsafe, and
// only on little-endian platforms, where memory is laid out as the wire is. Elsewhere, and with the build tag
// purego, the same functions work value by value.
//
// The program asks the processor, when it starts, which kernels it can run. A kernel that it cannot run decodes no
// values, and the Go code of the caller decodes all. The gain of each kernel:
//
//	varints     BMI2, AVX2         lists of varints: ads are parsed 1.4 times as fast as in Go
//	varints512  AVX-512 with VBMI2 the same: 1.5 times as fast as with varints
//	int64Steps   AVX-512 with VBMI2 short lists in the steps of a feature list: 1.5 times as fast as with varints512
//	findKeys    AVX-512 with VBMI2 keys of maps: ads 1.2 times, in any order 1.4 times as fast as in Go
//
// The module in folder generate writes the kernels, with avo. Its test and the tests here check that the assembly
// is what it writes, does what the Go code does, and was run.
//
//	go test -tags purego ./...
package simd
