//go:build !purego

#include "textflag.h"

// func walk(b *byte, end, i int, heads *Head, keys *int32, factor uint64, shift, at int, slots *Slot, round uint64, order *int32, n int) (stop, last, count int)
//
// An entry is its tag, its length, the head, the length of the value, the value. Without a
// factor keys has, by key, that which follows, and with one, what a hash finds. A head is
// compared in one, under a mask: nothing behind it is read.
TEXT ·walk(SB), NOSPLIT, $0-120
	MOVQ b+0(FP), DI
	MOVQ end+8(FP), SI
	MOVQ i+16(FP), AX
	MOVQ heads+24(FP), R8
	MOVQ keys+32(FP), R9
	MOVQ at+56(FP), DX
	MOVQ slots+64(FP), R11
	MOVQ round+72(FP), R12
	MOVQ order+80(FP), R10

entry:
	LEAQ    2(AX), BX             // BX: where the head begins
	CMPQ    BX, SI
	JHI     done
	CMPB    (DI)(AX*1), $10
	JNE     done
	MOVBLZX 1(DI)(AX*1), CX
	CMPL    CX, $0x80
	JCC     two

length:
	ADDQ BX, CX                   // CX: where the entry ends
	CMPQ CX, SI
	JHI  done
	MOVQ factor+40(FP), R14
	TESTQ R14, R14
	JNE  hash
	MOVL (R9)(DX*4), R13          // R13: the key

head:
	LEAQ       (R13)(R13*4), R14
	SHLQ       $4, R14            // R14: where its head is in heads
	MOVQ       72(R8)(R14*1), R15
	ADDQ       BX, R15            // R15: where the length of the value stands, then the value
	CMPQ       R15, CX
	JCC        done
	KMOVQ      64(R8)(R14*1), K1
	VMOVDQU8.Z (DI)(BX*1), K1, Z0
	VPCMPEQB   (R8)(R14*1), Z0, K2
	KORTESTQ   K2, K2
	JCC        done               // not all are equal
	MOVBLZX    (DI)(R15*1), BX
	INCQ       R15
	CMPL       BX, $0x80
	JCC        twoOfValue

value:
	ADDQ R15, BX
	CMPQ BX, CX
	JNE  done
	MOVQ R13, R14
	SHLQ $4, R14                  // R14: where its slot is in slots
	CMPQ 8(R11)(R14*1), R12
	JEQ  done
	MOVL R15, (R11)(R14*1)
	MOVL CX, 4(R11)(R14*1)
	MOVQ R12, 8(R11)(R14*1)
	MOVQ n+88(FP), R14
	MOVL R13, (R10)(R14*4)
	INCQ n+88(FP)
	MOVQ R13, DX
	MOVQ CX, AX
	CMPQ AX, SI
	JCS  entry

done:
	MOVQ AX, stop+96(FP)
	MOVQ DX, last+104(FP)
	MOVQ n+88(FP), AX
	MOVQ AX, count+112(FP)
	VZEROUPPER
	RET

two: // the length of the entry has two bytes
	INCQ    BX
	CMPQ    BX, SI
	JHI     done
	MOVBLZX -1(DI)(BX*1), R14
	CMPL    R14, $0x80
	JCC     done
	SHLL    $7, R14
	LEAL    -0x80(CX)(R14*1), CX
	JMP     length

twoOfValue:
	CMPQ    R15, CX
	JCC     done
	MOVBLZX (DI)(R15*1), R14
	INCQ    R15
	CMPL    R14, $0x80
	JCC     done
	SHLL    $7, R14
	LEAL    -0x80(BX)(R14*1), BX
	JMP     value

hash: // of the head's first and last eight bytes, or of all of it twice
	LEAQ    8(BX), R15
	CMPQ    R15, CX
	JHI     done
	MOVBLZX 1(DI)(BX*1), R14
	CMPL    R14, $61
	JHI     done
	ADDQ    $3, R14               // R14: the size of the head
	LEAQ    (BX)(R14*1), R15
	CMPQ    R15, CX
	JHI     done
	MOVL    $8, R15
	CMPQ    R14, R15
	CMOVQCS R14, R15              // R15: that many bytes, then bits, of a word
	SUBQ    R15, R14
	ADDQ    BX, R14
	SHLL    $3, R15
	BZHIQ   R15, (DI)(R14*1), R13
	BZHIQ   R15, (DI)(BX*1), R14
	ROLQ    $31, R13
	XORQ    R14, R13
	IMULQ   factor+40(FP), R13
	MOVQ    shift+48(FP), R14
	SHRXQ   R14, R13, R13
	MOVLQSX (R9)(R13*4), R13
	TESTQ   R13, R13
	JGE     head
	JMP     done

// func prefetch(b *byte, size int)
TEXT ·prefetch(SB), NOSPLIT, $0-16
	MOVQ b+0(FP), AX
	MOVQ size+8(FP), BX
	ADDQ BX, AX
	ADDQ AX, BX

ahead:
	PREFETCHT1 (AX)
	ADDQ       $64, AX
	CMPQ       AX, BX
	JCS        ahead
	RET
