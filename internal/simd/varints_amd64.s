//go:build !purego

#include "textflag.h"

// func varints(out *int64, room int, b *byte, size, i int) (n, next int)
//
// The ends of 64 bytes, those without the continuation bit, become a word of bits, DX. Each
// bit is one varint, and where it begins is where the one before ended: nothing that is
// loaded for one varint is waited for by the next. PEXT takes the low seven bits of each
// byte together.
//
// It needs size >= 64 and i >= 7, reads b[:size], all before the present end, and writes
// no element of out that is not a value.
//
//	DI  where the next value goes     R9   the end of b
//	R8  how many more have room       R10  the low seven bits of eight bytes
//	DX  the ends that are left        R11  where the block begins: a varint begins there
//	BX  the end before, in the block  R12  where the next block begins
TEXT ·varints(SB), NOSPLIT, $0-56
	MOVQ out+0(FP), DI
	MOVQ room+8(FP), R8
	MOVQ b+16(FP), SI
	MOVQ size+24(FP), R9
	MOVQ i+32(FP), R11
	ADDQ SI, R9
	ADDQ SI, R11
	MOVQ $0x7f7f7f7f7f7f7f7f, R10

block:
	MOVQ R9, CX
	SUBQ R11, CX
	JLE  done
	CMPQ CX, $64
	JLT  last
	VMOVDQU   (R11), Y0
	VMOVDQU   32(R11), Y1
	VPMOVMSKB Y0, DX
	VPMOVMSKB Y1, AX
	SHLQ $32, AX
	ORQ  AX, DX
	NOTQ DX

ends:
	TESTQ   DX, DX
	JEQ     done           // a varint of more than 64 bytes, or cut off
	POPCNTQ DX, AX
	SUBQ    AX, R8
	JLT     done
	BSRQ    DX, AX
	LEAQ    1(R11)(AX*1), R12

	// Sixteen varints of one byte each.
ones:
	CMPW DX, $-1
	JNE  some
	VPMOVZXBQ (R11), Y0
	VPMOVZXBQ 4(R11), Y1
	VPMOVZXBQ 8(R11), Y2
	VPMOVZXBQ 12(R11), Y3
	VMOVDQU   Y0, (DI)
	VMOVDQU   Y1, 32(DI)
	VMOVDQU   Y2, 64(DI)
	VMOVDQU   Y3, 96(DI)
	ADDQ $128, DI
	ADDQ $16, R11
	SHRQ $16, DX
	JNE  ones
	JMP  block             // R11 is R12

some:
	MOVQ $-1, BX

	// Varints of up to eight bytes: the word that ends with the varint, shifted so that
	// it is alone.
one:
	TZCNTQ DX, CX
	BLSRQ  DX, DX
	SUBQ   CX, BX          // minus the size
	CMPQ   BX, $-8
	JLT    long
	SHLQ   $3, BX          // modulo 64: the bits before it
	SHRXQ  BX, -7(R11)(CX*1), AX
	PEXTQ  R10, AX, AX
put:
	MOVQ  AX, (DI)
	ADDQ  $8, DI
	MOVQ  CX, BX
	TESTQ DX, DX
	JNE   one
	MOVQ  R12, R11
	JMP   block

	// Varints of nine and ten bytes, of which the last is 0 or 1.
long:
	ADDQ CX, BX
	LEAQ 10(BX), R13
	CMPQ CX, R13
	JGT  bad
	MOVQ    1(R11)(BX*1), AX
	PEXTQ   R10, AX, AX
	MOVBLZX 9(R11)(BX*1), SI
	SHLQ    $57, SI
	SHRQ    $1, SI
	ORQ     SI, AX
	CMPQ    CX, R13
	JLT     put
	MOVBLZX (R11)(CX*1), SI
	CMPQ    SI, $1
	JGT     bad
	SHLQ    $63, SI
	ORQ     SI, AX
	JMP     put

	// Fewer than 64 bytes are left: the last 64 of b have them.
last:
	VMOVDQU   -64(R9), Y0
	VMOVDQU   -32(R9), Y1
	VPMOVMSKB Y0, DX
	VPMOVMSKB Y1, AX
	SHLQ  $32, AX
	ORQ   AX, DX
	NOTQ  DX
	NEGQ  CX               // modulo 64: the bits before R11
	SHRXQ CX, DX, DX
	JMP   ends

bad:
	LEAQ 1(R11)(BX*1), R11

done:
	VZEROUPPER
	SUBQ out+0(FP), DI
	SHRQ $3, DI
	MOVQ DI, n+40(FP)
	SUBQ b+16(FP), R11
	MOVQ R11, next+48(FP)
	RET

// func cpuid(leaf uint32) (a, b, c, d uint32)
TEXT ·cpuid(SB), NOSPLIT, $0-24
	MOVL leaf+0(FP), AX
	XORL CX, CX
	CPUID
	MOVL AX, a+8(FP)
	MOVL BX, b+12(FP)
	MOVL CX, c+16(FP)
	MOVL DX, d+20(FP)
	RET
