//go:build !purego

package simd

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

// varints is Varints in assembly. It needs a b of at least 64 bytes, an i of at least 7,
// and what hasKernel stands for.
//
//go:noescape
func varints(out *int64, room int, b *byte, size, i int) (n, next int)

// varints512 is Varints in assembly, for a list of any size and at any place. It needs what
// hasVBMI2 stands for.
//
//go:noescape
func varints512(out *int64, room int, b *byte, size, i int) (n, next int)

// hasVBMI2 reports whether the processor and the system have what varints512 uses.
var hasVBMI2 = cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512VBMI && cpu.X86.HasAVX512VBMI2 && cpu.X86.HasBMI2 && cpu.X86.HasPOPCNT

// cpuid asks the processor.
func cpuid(leaf uint32) (a, b, c, d uint32)

// hasKernel reports whether the processor and the system have what varints uses, and PEXT
// is fast: AMD's did it in microcode before Zen 3, and the portable way is faster then.
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

// stride is how much of a list, at least 64 bytes, is decoded in one call, which cannot be interrupted.
const stride = 1 << 16

// Varints decodes the varints of b[i:] into out, as far as it can do so fast. It
// returns how many it decoded and where the next begins: nothing is said about that one, or
// what follows. It reads no byte outside of b and writes no element behind the values.
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

// Wide reports whether Varints is fast for lists of any size and at any place.
func Wide() bool { return hasVBMI2 }
