//go:build !purego

package simd

// eachKernel calls f with all kernels that the processor has, and without the widest.
func eachKernel(f func()) {
	f()
	if has512 {
		has512 = false
		defer func() { has512 = true }()
		f()
	}
}

// shortFast tells whether short lists of varints are fast wherever they are.
func shortFast() bool { return has512 }
