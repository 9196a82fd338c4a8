//go:build purego || !amd64

package simd

func eachKernel(f func()) { f() }

func varintsRan() {}

func shortFast() bool { return false }
