//go:build !purego

#include "textflag.h"

// By the number of zero bits above a value that is not 0: which byte of its varint, from
// 0 on, is the last. That is what is left of 63, by seven.
DATA lasts<>+0x00(SB)/8, $0x0808080808080809
DATA lasts<>+0x08(SB)/8, $0x0607070707070707
DATA lasts<>+0x10(SB)/8, $0x0505060606060606
DATA lasts<>+0x18(SB)/8, $0x0404040505050505
DATA lasts<>+0x20(SB)/8, $0x0303030304040404
DATA lasts<>+0x28(SB)/8, $0x0202020202030303
DATA lasts<>+0x30(SB)/8, $0x0101010101010202
DATA lasts<>+0x38(SB)/8, $0x0000000000000001
GLOBL lasts<>(SB), RODATA|NOPTR, $64

// For values of up to 56 bits, each in 8 bytes: the first bit of each byte, its bits, the
// byte that counts the zeros, and the bytes' numbers.
DATA eight<>+0x00(SB)/8, $0x312a231c150e0700
DATA eight<>+0x08(SB)/8, $0x312a231c150e0700
DATA eight<>+0x10(SB)/8, $0x7f7f7f7f7f7f7f7f
DATA eight<>+0x18(SB)/8, $0x7f7f7f7f7f7f7f7f
DATA eight<>+0x20(SB)/8, $0x0000000000000000
DATA eight<>+0x28(SB)/8, $0x0808080808080808
DATA eight<>+0x30(SB)/8, $0x0706050403020100
DATA eight<>+0x38(SB)/8, $0x0706050403020100
GLOBL eight<>(SB), RODATA|NOPTR, $64

// The same for values of any size, each in 16 bytes.
DATA four<>+0x00(SB)/8, $0x312a231c150e0700
DATA four<>+0x08(SB)/8, $0x0000000000003f38
DATA four<>+0x10(SB)/8, $0x7f7f7f7f7f7f7f7f
DATA four<>+0x18(SB)/8, $0x000000000000017f
DATA four<>+0x20(SB)/8, $0x0000000000000000
DATA four<>+0x28(SB)/8, $0x0000000000000000
DATA four<>+0x30(SB)/8, $0x0706050403020100
DATA four<>+0x38(SB)/8, $0x0f0e0d0c0b0a0908
GLOBL four<>(SB), RODATA|NOPTR, $64

// Each value twice.
DATA twice<>+0x00(SB)/8, $0
DATA twice<>+0x08(SB)/8, $0
DATA twice<>+0x10(SB)/8, $1
DATA twice<>+0x18(SB)/8, $1
DATA twice<>+0x20(SB)/8, $2
DATA twice<>+0x28(SB)/8, $2
DATA twice<>+0x30(SB)/8, $3
DATA twice<>+0x38(SB)/8, $3
GLOBL twice<>(SB), RODATA|NOPTR, $64

#define FORM(table) \
	VBROADCASTI32X4 table<>+0x00(SB), Z20 \
	VBROADCASTI32X4 table<>+0x10(SB), Z21 \
	VBROADCASTI32X4 table<>+0x20(SB), Z22 \
	VBROADCASTI32X4 table<>+0x30(SB), Z23

// SPREAD makes Z2 of the values in Z0: their bits seven by seven, with the continuation
// bit where more follow. K1 are the bytes that are needed.
#define SPREAD \
	VPORQ Z17, Z0, Z1 \
	VPLZCNTQ Z1, Z1 \
	VPSHUFB Z22, Z1, Z1 \
	VPERMB Z24, Z1, Z1 \
	VPCMPUB $2, Z1, Z23, K1 \
	VPCMPUB $1, Z1, Z23, K2 \
	VPMULTISHIFTQB Z0, Z20, Z2 \
	VPANDQ Z21, Z2, Z2 \
	VPADDB Z19, Z2, K2, Z2

// STORE writes the bytes of Z2 in K1, and any up to 64.
#define STORE \
	VPCOMPRESSB.Z Z2, K1, Z2 \
	VMOVDQU64 Z2, (DI) \
	KMOVQ K1, AX \
	POPCNTQ AX, AX \
	ADDQ AX, DI

// func packVarints(dst []byte, v []int64) (written, taken int)
TEXT ·packVarints(SB), NOSPLIT, $0-64
	MOVQ dst_base+0(FP), DI
	MOVQ dst_len+8(FP), R8
	MOVQ v_base+24(FP), SI
	MOVQ v_len+32(FP), CX
	MOVQ DI, R9
	SUBQ $64, R8
	JLT  nothing
	ADDQ DI, R8 // the last place that 64 bytes may be written to

	MOVQ $1, AX
	VPBROADCASTQ AX, Z17
	MOVQ $0xff00000000000000, AX
	VPBROADCASTQ AX, Z18
	MOVQ $0x8080808080808080, AX
	VPBROADCASTQ AX, Z19
	VMOVDQU64 lasts<>(SB), Z24
	FORM(eight)

	SUBQ $8, CX
	JLT  rest8

loop8:
	CMPQ DI, R8
	JA   full8
	VMOVDQU64 (SI), Z0
	VPTESTMQ Z18, Z0, K3
	KORTESTB K3, K3
	JNE  long
	SPREAD
	STORE
	ADDQ $64, SI
	SUBQ $8, CX
	JGE  loop8

rest8:
	ADDQ $8, CX // so many are left
	JEQ  done
	CMPQ DI, R8
	JA   done
	MOVQ $-1, AX
	MOVQ CX, DX
	SHLXQ DX, AX, BX // lanes that are not there
	NOTQ BX
	KMOVB BX, K4
	VMOVDQU64.Z (SI), K4, Z0
	VPTESTMQ Z18, Z0, K3
	KORTESTB K3, K3
	JNE  longrest
	SPREAD
	SHLQ $3, DX
	SHLXQ DX, AX, BX
	NOTQ BX
	KMOVQ BX, K4
	KANDQ K4, K1, K1
	STORE
	XORL CX, CX
	JMP  done

full8:
	ADDQ $8, CX
	JMP  done

long: // one has 57 bits or more: there may be others
	ADDQ $8, CX

longrest:
	FORM(four)
	VMOVDQU64 twice<>(SB), Z25
	SUBQ $4, CX
	JLT  rest4

loop4:
	CMPQ DI, R8
	JA   full4
	VMOVDQU (SI), Y0
	VPERMQ Z0, Z25, Z0
	SPREAD
	STORE
	ADDQ $32, SI
	SUBQ $4, CX
	JGE  loop4

rest4:
	ADDQ $4, CX
	JEQ  done
	CMPQ DI, R8
	JA   done
	MOVQ $-1, AX
	MOVQ CX, DX
	SHLXQ DX, AX, BX
	NOTQ BX
	KMOVB BX, K4
	VMOVDQU64.Z (SI), K4, Y0
	VPERMQ Z0, Z25, Z0
	SPREAD
	SHLQ $4, DX
	SHLXQ DX, AX, BX
	NOTQ BX
	KMOVQ BX, K4
	KANDQ K4, K1, K1
	STORE
	XORL CX, CX
	JMP  done

full4:
	ADDQ $4, CX

done:
	VZEROUPPER
	SUBQ R9, DI
	MOVQ DI, written+48(FP)
	MOVQ v_len+32(FP), AX
	SUBQ CX, AX
	MOVQ AX, taken+56(FP)
	RET

nothing:
	MOVQ $0, written+48(FP)
	MOVQ $0, taken+56(FP)
	RET
