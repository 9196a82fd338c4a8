//go:build !purego

package castagnoli

import "golang.org/x/sys/cpu"

// kernel reports whether the processor and the system support the instructions of update.
var kernel = cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512VL && cpu.X86.HasAVX512VPCLMULQDQ &&
	cpu.X86.HasPCLMULQDQ && cpu.X86.HasSSE42

// update is Update without the inversions before and after.
//
// Bytes are polynomials over GF(2), and the checksum is their remainder modulo the polynomial of CRC-32C. So 64
// bytes can be removed if their product with x^n is added to the bytes n bits further on: they are folded. In the
// end there are 16 folded bytes, which go through the CRC32 instruction for eight bytes, and the bytes after them.
//
//go:noescape
func update(crc uint32, p []byte) uint32

// copyUpdate is update that copies p to dst, which is at least as long.
//
//go:noescape
func copyUpdate(crc uint32, dst, p []byte) uint32
