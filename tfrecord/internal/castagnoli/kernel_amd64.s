//go:build !purego

#include "textflag.h"

// What 16 bytes are multiplied by to be folded by so many bits, their first half and
// their second: x^(bits+32) and x^(bits-32), bits reflected, shifted by one because a
// product of reflected factors is.
DATA by2048<>+0x00(SB)/8, $0x0dcb17aa4
DATA by2048<>+0x08(SB)/8, $0x0b9e02b86
GLOBL by2048<>(SB), RODATA|NOPTR, $16
DATA by1536<>+0x00(SB)/8, $0x0a87ab8a8
DATA by1536<>+0x08(SB)/8, $0x0ab7aff2a
GLOBL by1536<>(SB), RODATA|NOPTR, $16
DATA by1024<>+0x00(SB)/8, $0x06992cea2
DATA by1024<>+0x08(SB)/8, $0x00d3b6092
GLOBL by1024<>(SB), RODATA|NOPTR, $16
DATA by512<>+0x00(SB)/8, $0x0740eef02
DATA by512<>+0x08(SB)/8, $0x09e4addf8
GLOBL by512<>(SB), RODATA|NOPTR, $16

// The four parts of 64 bytes by 384, 256 and 128 bits, and the last not at all.
DATA parts<>+0x00(SB)/8, $0x01c291d04
DATA parts<>+0x08(SB)/8, $0x1d82c63da
DATA parts<>+0x10(SB)/8, $0x1384aa63a
DATA parts<>+0x18(SB)/8, $0x0ba4fc28e
DATA parts<>+0x20(SB)/8, $0x0f20c0dfe
DATA parts<>+0x28(SB)/8, $0x14cd00bd6
DATA parts<>+0x30(SB)/8, $0
DATA parts<>+0x38(SB)/8, $0
GLOBL parts<>(SB), RODATA|NOPTR, $64

// FOLD adds from, folded by the constants in by, to what is in into.
#define FOLD(from, by, into, scratch) \
	VPCLMULQDQ $0x00, by, from, scratch \
	VPCLMULQDQ $0x11, by, from, from \
	VPTERNLOGQ $0x96, scratch, from, into

// func update(crc uint32, p []byte) uint32
#define OUT64(z, at)
#define OUT(n)
#define OUT8(r)
#define OUT4(r)
#define OUT2(r)
#define OUT1(r)
TEXT ·update(SB), NOSPLIT, $0-36
	MOVL crc+0(FP), DX
	MOVQ p_base+8(FP), SI
	MOVQ p_len+16(FP), CX
#include "body_amd64.h"
	MOVL DX, ret+32(FP)
	RET

#undef OUT64
#undef OUT
#undef OUT8
#undef OUT4
#undef OUT2
#undef OUT1
// What is 8 KB on is fetched: a record that is copied is seldom the last, and the processor
// itself begins too late.
#define OUT64(z, at) VMOVDQU64 z, at(DI) \
	PREFETCHT0 at+8192(SI)
#define OUT(n) ADDQ $n, DI
#define OUT8(r) MOVQ r, (DI) \
	ADDQ $8, DI
#define OUT4(r) MOVL r, (DI) \
	ADDQ $4, DI
#define OUT2(r) MOVW r, (DI) \
	ADDQ $2, DI
#define OUT1(r) MOVB r, (DI)

// func copyUpdate(crc uint32, dst, p []byte) uint32
TEXT ·copyUpdate(SB), NOSPLIT, $0-60
	MOVL crc+0(FP), DX
	MOVQ dst_base+8(FP), DI
	MOVQ p_base+32(FP), SI
	MOVQ p_len+40(FP), CX
#include "body_amd64.h"
	MOVL DX, ret+56(FP)
	RET
