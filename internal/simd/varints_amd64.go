//go:build !purego

package simd

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

// varints is Varints in assembly. It needs a b of at least 64 bytes, an i of at least 7, and the instructions that
// hasKernel reports.
//
//go:noescape
func varints(out *int64, room int, b *byte, size, i int) (n, next int)

// varints512 is Varints in assembly, for a list of any size and at any position. It needs the instructions that
// hasVBMI2 reports.
//
//go:noescape
func varints512(out *int64, room int, b *byte, size, i int) (n, next int)

// hasVBMI2 reports whether the processor and the system support the instructions of varints512.
var hasVBMI2 = cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512VBMI && cpu.X86.HasAVX512VBMI2 && cpu.X86.HasBMI2 && cpu.X86.HasPOPCNT

// cpuid executes the instruction CPUID.
func cpuid(leaf uint32) (a, b, c, d uint32)

// hasKernel reports whether the processor and the system support the instructions of varints, and PEXT is fast: AMD
// processors before Zen 3 execute it in microcode, and Go code is faster there.
var hasKernel = cpu.X86.HasBMI1 && cpu.X86.HasBMI2 && cpu.X86.HasAVX2 && cpu.X86.HasPOPCNT && !slowPEXT()

func slowPEXT() bool {
	const amd, hygon, zen3 = 0x444d4163, 0x656e6975, 0x19 // "cAMD", "uine"
	_, _, vendor, _ := cpuid(0)
	signature, _, _, _ := cpuid(1)
	family := signature >> 8 & 15
	if family == 15 {
		family += signature >> 20 & 255
	}
	return (vendor == amd || vendor == hygon) && family < zen3
}

// stride is the maximum number of bytes of a list that one call decodes, because a call cannot be preempted. It is
// at least 64.
const stride = 1 << 16

// Varints decodes the varints of b[i:] into out, as far as the kernels can. It returns the number of values and the
// position of the next varint, which may be valid or not. It reads only b, and writes only the values to out.
func Varints(out []int64, b []byte, i int) (n, next int) {
	for hasVBMI2 && i < len(b) {
		k, end := varints512(unsafe.SliceData(out[n:]), len(out)-n, unsafe.SliceData(b), min(len(b), i+stride), i)
		if k == 0 {
			break
		}
		n, i = n+k, end
	}
	if !hasKernel || i < Before || len(b) < 64 {
		return n, i
	}
	for i < len(b) {
		k, end := varints(unsafe.SliceData(out[n:]), len(out)-n, unsafe.SliceData(b), min(len(b), i+stride), i)
		if k == 0 {
			break
		}
		n, i = n+k, end
	}
	return n, i
}

// Wide reports whether Varints is fast for lists of any size and at any position.
func Wide() bool { return hasVBMI2 }
