//go:build !purego

package castagnoli

import "golang.org/x/sys/cpu"

// kernel reports whether the processor and the system have what update needs.
var kernel = cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512VL && cpu.X86.HasAVX512VPCLMULQDQ &&
	cpu.X86.HasPCLMULQDQ && cpu.X86.HasSSE42

// update is Update without the inversions before and after.
//
// Bytes are polynomials over GF(2), and the checksum is what remains of them modulo the
// polynomial of CRC-32C. So 64 bytes may be taken away if they are added to those n bits
// further on, times x^n: folded. In the end there are 16 bytes, which the
// instruction for eight takes, and those behind them.
//
//go:noescape
func update(crc uint32, p []byte) uint32

// copyUpdate is update that copies p to dst, which is at least as long.
//
//go:noescape
func copyUpdate(crc uint32, dst, p []byte) uint32
