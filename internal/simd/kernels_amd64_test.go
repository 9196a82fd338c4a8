//go:build !purego

package simd

// eachKernel calls f with all kernels that the processor has, and without the widest.
func eachKernel(f func()) {
	f()
	if hasVBMI2 {
		hasVBMI2 = false
		defer func() { hasVBMI2 = true }()
		f()
	}
}

// shortFast tells whether short lists of varints are fast wherever they are.
func shortFast() bool { return hasVBMI2 }
