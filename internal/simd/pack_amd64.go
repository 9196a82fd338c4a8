//go:build !purego

package simd

import "golang.org/x/sys/cpu"

// packs tells whether the processor and the system have what packVarints needs.
var packs = cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512CD && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512VL &&
	cpu.X86.HasAVX512VBMI && cpu.X86.HasAVX512VBMI2 && cpu.X86.HasBMI2 && cpu.X86.HasPOPCNT

// PackVarints writes values as varints to dst, as many as it can: all of them as long as
// there is room for 64 bytes more, or none where there is no kernel. It returns how
// many bytes it wrote and how many values it took. What is behind them in dst may be
// written over.
func PackVarints(dst []byte, v []int64) (written, taken int) {
	const most = 1 << 12 // at once: assembly cannot be preempted
	if !packs || len(dst) < 64 {
		return 0, 0
	}
	for taken < len(v) {
		part := v[taken:]
		part = part[:min(len(part), most)]
		n, k := packVarints(dst[written:], part)
		written, taken = written+n, taken+k
		if k < len(part) {
			break
		}
	}
	return written, taken
}

// packVarints is PackVarints with AVX-512: eight values are spread out to eight bytes
// each, of which one instruction takes those that are needed together.
//
//go:noescape
func packVarints(dst []byte, v []int64) (written, taken int)
