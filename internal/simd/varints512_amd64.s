//go:build !purego

#include "textflag.h"

// The numbers of the bytes.
DATA numbers<>+0x00(SB)/8, $0x0706050403020100
DATA numbers<>+0x08(SB)/8, $0x0f0e0d0c0b0a0908
DATA numbers<>+0x10(SB)/8, $0x1716151413121110
DATA numbers<>+0x18(SB)/8, $0x1f1e1d1c1b1a1918
DATA numbers<>+0x20(SB)/8, $0x2726252423222120
DATA numbers<>+0x28(SB)/8, $0x2f2e2d2c2b2a2928
DATA numbers<>+0x30(SB)/8, $0x3736353433323130
DATA numbers<>+0x38(SB)/8, $0x3f3e3d3c3b3a3938
GLOBL numbers<>(SB), RODATA|NOPTR, $64

// The numbers of the words that the bytes are in.
DATA words<>+0x00(SB)/8, $0x0000000000000000
DATA words<>+0x08(SB)/8, $0x0101010101010101
DATA words<>+0x10(SB)/8, $0x0202020202020202
DATA words<>+0x18(SB)/8, $0x0303030303030303
DATA words<>+0x20(SB)/8, $0x0404040404040404
DATA words<>+0x28(SB)/8, $0x0505050505050505
DATA words<>+0x30(SB)/8, $0x0606060606060606
DATA words<>+0x38(SB)/8, $0x0707070707070707
GLOBL words<>(SB), RODATA|NOPTR, $64

// What is the same in every word: 7 and 8 in each byte; the low seven bits of bytes; what
// the bytes of 16 bits, the halves of 32 and the low 28 bits of 64 are; 9 in each byte, and 1.
DATA same<>+0x00(SB)/8, $0x0707070707070707
DATA same<>+0x08(SB)/8, $0x0808080808080808
DATA same<>+0x10(SB)/8, $0x7f7f7f7f7f7f7f7f
DATA same<>+0x18(SB)/8, $0x8001800180018001
DATA same<>+0x20(SB)/8, $0x4000000140000001
DATA same<>+0x28(SB)/8, $0x000000000fffffff
DATA same<>+0x30(SB)/8, $0x0909090909090909
DATA same<>+0x38(SB)/8, $0x0101010101010101
GLOBL same<>(SB), RODATA|NOPTR, $64

// func varints512(out *int64, room int, b *byte, size, i int) (n, next int)
//
// The bits of the ends and of the beginnings in 64 bytes become lists of their numbers.
// Eight varints at a time are then fetched by one permutation, a word for each, and the
// sevens of their bits are added up: two to 14, two of these to 28, and two of those. If
// one of the 64 bytes' varints has nine or ten, a second permutation fetches what is behind
// the eighth.
//
// It reads b[i:size], writes no element of out that is not a value, and stops in front of
// 64 bytes that have a varint of more than ten, or one of ten whose last is more than 1.
//
//	DI  where the next value goes     R9   the end of b
//	R8  how many more have room       R11  where the block begins: a varint begins there
//	DX  the ends                      Z0   the block
//	AX  how many are left of them     Z4   which of them are next, each eight times
TEXT ·varints512(SB), NOSPLIT, $0-56
	MOVQ out+0(FP), DI
	MOVQ room+8(FP), R8
	MOVQ b+16(FP), R11
	MOVQ size+24(FP), R9
	ADDQ R11, R9
	ADDQ i+32(FP), R11
	MOVQ $-1, R10
	VMOVDQU64    numbers<>(SB), Z16
	VMOVDQU64    words<>(SB), Z17
	VPBROADCASTQ same<>+0x00(SB), Z18
	VPBROADCASTQ same<>+0x08(SB), Z23
	VPBROADCASTQ same<>+0x10(SB), Z19
	VPBROADCASTQ same<>+0x18(SB), Z20
	VPBROADCASTQ same<>+0x20(SB), Z21
	VPBROADCASTQ same<>+0x28(SB), Z22
	VPANDQ       Z18, Z16, Z24 // the numbers of the bytes in their words

block:
	MOVQ  R9, CX
	SUBQ  R11, CX
	JLE   done
	CMPQ  CX, $64
	JLT   last
	VMOVDQU8 (R11), Z0
	VPMOVB2M Z0, K1
	KMOVQ K1, DX
	NOTQ  DX

ends:
	TESTQ   DX, DX
	JEQ     done
	POPCNTQ DX, AX
	CMPQ    AX, R8
	JGT     done
	LEAQ    1(DX)(DX*1), BX
	KMOVQ   DX, K1
	KMOVQ   BX, K2
	BZHIQ   AX, R10, BX
	KMOVQ   BX, K3
	VPCOMPRESSB.Z Z16, K1, Z1
	VPCOMPRESSB.Z Z16, K2, Z2
	VPSUBB  Z2, Z1, Z3
	VPCMPUB $6, Z18, Z3, K3, K4 // more than 7 bytes before the last
	KORTESTQ K4, K4
	JNE     long
	SUBQ    AX, R8
	BSRQ    DX, BX
	LEAQ    1(R11)(BX*1), R11
	VMOVDQA64 Z17, Z4

eight:
	VPERMB     Z2, Z4, Z5
	VPERMB     Z1, Z4, Z6
	VPADDB     Z24, Z5, Z5
	VPCMPUB    $2, Z6, Z5, K4 // not behind the end
	VPERMB.Z   Z0, Z5, K4, Z7
	VPANDQ     Z19, Z7, Z7
	VPMADDUBSW Z7, Z20, Z7
	VPMADDWD   Z21, Z7, Z7
	VPSRLQ     $4, Z7, Z5
	VPTERNLOGQ $0xe4, Z22, Z5, Z7 // the low 28 bits of one, the high ones of the other
	CMPQ       AX, $8
	JLT        rest
	VMOVDQU64  Z7, (DI)
	ADDQ       $64, DI
	VPADDB     Z23, Z4, Z4
	SUBQ       $8, AX
	JNE        eight
	JMP        block

rest:
	BZHIQ     AX, R10, BX
	KMOVQ     BX, K5
	VMOVDQU64 Z7, K5, (DI)
	LEAQ      (DI)(AX*8), DI
	JMP       block

long:
	VPBROADCASTQ same<>+0x30(SB), Z25
	VPBROADCASTQ same<>+0x38(SB), Z26
	VPCMPUB  $6, Z25, Z3, K3, K4 // more than 9
	KORTESTQ K4, K4
	JNE      done
	VPCMPUB  $0, Z25, Z3, K3, K4 // 9
	VPADDB   Z25, Z2, Z5
	VPERMB   Z0, Z5, Z5
	VPCMPUB  $6, Z26, Z5, K4, K4 // and the tenth is more than 1
	KORTESTQ K4, K4
	JNE      done
	SUBQ     AX, R8
	BSRQ     DX, BX
	LEAQ     1(R11)(BX*1), R11
	VMOVDQA64 Z17, Z4

longEight:
	VPERMB     Z2, Z4, Z5
	VPERMB     Z1, Z4, Z6
	VPADDB     Z24, Z5, Z5
	VPCMPUB    $2, Z6, Z5, K4
	VPERMB.Z   Z0, Z5, K4, Z7
	VPADDB     Z23, Z5, Z5
	VPCMPUB    $2, Z6, Z5, K4
	VPERMB.Z   Z0, Z5, K4, Z8 // the ninth and the tenth
	VPANDQ     Z19, Z7, Z7
	VPANDQ     Z19, Z8, Z8
	VPMADDUBSW Z7, Z20, Z7
	VPMADDUBSW Z8, Z20, Z8
	VPMADDWD   Z21, Z7, Z7
	VPSLLQ     $56, Z8, Z8
	VPSRLQ     $4, Z7, Z5
	VPTERNLOGQ $0xe4, Z22, Z5, Z7
	VPORQ      Z8, Z7, Z7
	CMPQ       AX, $8
	JLT        rest
	VMOVDQU64  Z7, (DI)
	ADDQ       $64, DI
	VPADDB     Z23, Z4, Z4
	SUBQ       $8, AX
	JNE        longEight
	JMP        block

last:
	BZHIQ CX, R10, BX
	KMOVQ BX, K1
	VMOVDQU8.Z (R11), K1, Z0
	VPMOVB2M Z0, K1
	KMOVQ K1, DX
	NOTQ  DX
	ANDQ  BX, DX
	JMP   ends

done:
	VZEROUPPER
	SUBQ out+0(FP), DI
	SHRQ $3, DI
	MOVQ DI, n+40(FP)
	SUBQ b+16(FP), R11
	MOVQ R11, next+48(FP)
	RET

// A frame of a feature list: a Feature of so many bytes, that has one list of int64, which is one
// packed chunk. The sizes are 2 and 4 less than the first.
#define FRAME_SIZES $0x010001000100
#define FRAME_HEAD $(0x000a001a000a - 2<<24 - 4<<40)
#define FRAME_EMPTY $0x001a020a

// func intFrames(out *int64, room int, ends *int64, most int, b *byte, size, i int, last int64) (frames, values, next int)
//
// Of each frame the values, eight at most, are decoded as above.
//
//	DI  where the next value goes     R9   the end of b
//	R8  how many more have room       R11  where the frame begins
//	R12 where the next end goes       SI   the end before
//	R13 how many more have room       Z0   the values
TEXT ·intFrames(SB), NOSPLIT, $0-88
	MOVQ out+0(FP), DI
	MOVQ room+8(FP), R8
	MOVQ ends+16(FP), R12
	MOVQ most+24(FP), R13
	MOVQ b+32(FP), R11
	MOVQ size+40(FP), R9
	ADDQ R11, R9
	ADDQ i+48(FP), R11
	MOVQ last+56(FP), SI
	MOVQ $-1, R10
	VMOVDQU64    numbers<>(SB), Z16
	VMOVDQU64    words<>(SB), Z17
	VPBROADCASTQ same<>+0x00(SB), Z18
	VPBROADCASTQ same<>+0x10(SB), Z19
	VPBROADCASTQ same<>+0x18(SB), Z20
	VPBROADCASTQ same<>+0x20(SB), Z21
	VPBROADCASTQ same<>+0x28(SB), Z22
	VPANDQ       Z18, Z16, Z24

frame:
	SUBQ $1, R13
	JLT  stop
	CMPQ R8, $8
	JLT  stop
	LEAQ 8(R11), AX
	CMPQ AX, R9
	JA   stop
	MOVQ    (R11), AX
	MOVBLZX 1(R11), CX
	MOVQ  FRAME_SIZES, DX
	IMULQ CX, DX
	MOVQ  FRAME_HEAD, BX
	ADDQ  BX, DX
	XORQ  AX, DX
	SHLQ  $16, DX
	JNE   empty
	LEAQ  -5(CX), BX
	CMPQ  BX, $63
	JA    empty
	LEAQ  2(R11)(CX*1), BX // the next frame
	CMPQ  BX, R9
	JA    stop
	SUBQ  $4, CX
	BZHIQ CX, R10, DX
	KMOVQ DX, K1
	VMOVDQU8.Z 6(R11), K1, Z0
	VPMOVB2M Z0, K2
	KMOVQ K2, AX
	NOTQ  AX
	ANDQ  DX, AX
	DECQ  CX
	BTQ   CX, AX
	JCC   stop // cut off
	POPCNTQ AX, DX
	CMPQ  DX, $8
	JA    stop
	LEAQ  1(AX)(AX*1), CX
	KMOVQ AX, K1
	KMOVQ CX, K2
	BZHIQ DX, R10, CX
	KMOVQ CX, K3
	VPCOMPRESSB.Z Z16, K1, Z1
	VPCOMPRESSB.Z Z16, K2, Z2
	VPSUBB  Z2, Z1, Z3
	VPCMPUB $6, Z18, Z3, K3, K4 // more than 7 bytes before the last
	KORTESTQ K4, K4
	JNE   stop
	VPERMB     Z2, Z17, Z5
	VPERMB     Z1, Z17, Z6
	VPADDB     Z24, Z5, Z5
	VPCMPUB    $2, Z6, Z5, K4
	VPERMB.Z   Z0, Z5, K4, Z7
	VPANDQ     Z19, Z7, Z7
	VPMADDUBSW Z7, Z20, Z7
	VPMADDWD   Z21, Z7, Z7
	VPSRLQ     $4, Z7, Z5
	VPTERNLOGQ $0xe4, Z22, Z5, Z7
	VMOVDQU64  Z7, (DI)
	LEAQ (DI)(DX*8), DI
	SUBQ DX, R8
	ADDQ DX, SI
	MOVQ SI, (R12)
	ADDQ $8, R12
	MOVQ BX, R11
	JMP  frame

empty:
	CMPL AX, FRAME_EMPTY
	JNE  stop
	MOVQ SI, (R12)
	ADDQ $8, R12
	ADDQ $4, R11
	JMP  frame

stop:
	VZEROUPPER
	SUBQ ends+16(FP), R12
	SHRQ $3, R12
	MOVQ R12, frames+64(FP)
	SUBQ out+0(FP), DI
	SHRQ $3, DI
	MOVQ DI, values+72(FP)
	SUBQ b+32(FP), R11
	MOVQ R11, next+80(FP)
	RET
