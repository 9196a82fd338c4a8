//go:build !purego

package simd

import (
	"os"
	"testing"

	"github.com/tfparse/tfparse/internal/test/kernels"
)

func TestMain(m *testing.M) {
	const vbmi2 = "avx512f avx512bw avx512vbmi avx512_vbmi2 bmi2 popcnt"
	os.Exit(kernels.Main(m,
		kernels.Kernel{Name: "varints", Needs: "bmi1 bmi2 avx2 popcnt", Slow: slowPEXT()},
		kernels.Kernel{Name: "varints512", Needs: vbmi2},
		kernels.Kernel{Name: "int64Steps", Needs: vbmi2},
		kernels.Kernel{Name: "findKeys", Needs: vbmi2 + " avx512vl avx512dq"},
	))
}

// eachKernel calls f with all kernels of the processor, and again without the widest.
func eachKernel(f func()) {
	f()
	if hasVBMI2 {
		hasVBMI2 = false
		defer func() { hasVBMI2 = true }()
		f()
	}
}

// varintsRan records that Varints was right.
func varintsRan() {
	if hasVBMI2 {
		kernels.Ran("varints512")
	} else {
		kernels.Ran("varints")
	}
}

// shortFast reports whether short lists of varints are fast at any place in memory.
func shortFast() bool { return hasVBMI2 }
