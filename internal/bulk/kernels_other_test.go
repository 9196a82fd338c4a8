//go:build purego || !amd64

package bulk

func eachKernel(f func()) { f() }

func shortFast() bool { return false }
