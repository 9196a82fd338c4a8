//go:build !purego

#include "textflag.h"

// Eight integers at a time. Packed ones are read and written under a mask, so that nothing
// outside of them is touched, and one permutation of bytes spreads them out to words.

// func ends512(v *int64, groups int) (least, most int64, zeros int)
TEXT ·ends512(SB), NOSPLIT, $0-40
	MOVQ       v+0(FP), SI
	MOVQ       groups+8(FP), CX
	VMOVDQU64  (SI), Z0
	VMOVDQA64  Z0, Z1             // Z0: the least, Z1: the largest
	VPXORQ     Z2, Z2, Z2         // Z2: less one for each 0
	VPTERNLOGQ $255, Z3, Z3, Z3

group:
	VMOVDQU64 (SI), Z4
	VPMINSQ   Z4, Z0, Z0
	VPMAXSQ   Z4, Z1, Z1
	VPTESTNMQ Z4, Z4, K1
	VPADDQ    Z3, Z2, K1, Z2
	ADDQ      $64, SI
	DECQ      CX
	JNZ       group

	VEXTRACTI64X4 $1, Z0, Y4
	VEXTRACTI64X4 $1, Z1, Y5
	VEXTRACTI64X4 $1, Z2, Y6
	VPMINSQ       Y4, Y0, Y0
	VPMAXSQ       Y5, Y1, Y1
	VPADDQ        Y6, Y2, Y2
	VEXTRACTI128  $1, Y0, X4
	VEXTRACTI128  $1, Y1, X5
	VEXTRACTI128  $1, Y2, X6
	VPMINSQ       X4, X0, X0
	VPMAXSQ       X5, X1, X1
	VPADDQ        X6, X2, X2
	VPSHUFD       $0x4e, X0, X4
	VPSHUFD       $0x4e, X1, X5
	VPSHUFD       $0x4e, X2, X6
	VPMINSQ       X4, X0, X0
	VPMAXSQ       X5, X1, X1
	VPADDQ        X6, X2, X2
	VMOVQ         X0, least+16(FP)
	VMOVQ         X1, most+24(FP)
	VMOVQ         X2, AX
	NEGQ          AX
	MOVQ          AX, zeros+32(FP)
	VZEROUPPER
	RET

// func pack512(dst *byte, v *int64, groups int, base int64, step int, mask uint64, order *[64]byte, sums *[8][8]uint64)
TEXT ·pack512(SB), NOSPLIT, $0-64
	MOVQ         dst+0(FP), DI
	MOVQ         v+8(FP), SI
	MOVQ         groups+16(FP), CX
	VPBROADCASTQ base+24(FP), Z0
	MOVQ         step+32(FP), DX
	KMOVQ        mask+40(FP), K1
	MOVQ         order+48(FP), R8
	MOVQ         sums+56(FP), R9
	VMOVDQU64    (R8), Z1
	VPTERNLOGQ   $255, Z2, Z2, Z2
	VPSRLQ       $32, Z2, Z2
	VPXORQ       Z16, Z16, Z16
	VMOVDQA64    Z16, Z17
	VMOVDQA64    Z16, Z18
	VMOVDQA64    Z16, Z19
	VMOVDQA64    Z16, Z20
	VMOVDQA64    Z16, Z21
	VMOVDQA64    Z16, Z22
	VMOVDQA64    Z16, Z23

group:
	VMOVDQU64   (SI), Z3
	VPSUBQ      Z0, Z3, Z3
	VPERMB      Z3, Z1, Z4
	VMOVDQU8    Z4, K1, (DI)
	VPANDQ      Z2, Z3, Z5         // Z5: lower halves
	VPSRLQ      $32, Z3, Z6        // Z6: higher halves
	VPADDQ      Z5, Z16, Z16
	VPADDQ      Z6, Z17, Z17
	VPMADD52LUQ Z5, Z5, Z18
	VPMADD52HUQ Z5, Z5, Z19
	VPMADD52LUQ Z5, Z6, Z20
	VPMADD52HUQ Z5, Z6, Z21
	VPMADD52LUQ Z6, Z6, Z22
	VPMADD52HUQ Z6, Z6, Z23
	ADDQ        $64, SI
	ADDQ        DX, DI
	DECQ        CX
	JNZ         group

	VMOVDQU64 Z16, (R9)
	VMOVDQU64 Z17, 64(R9)
	VMOVDQU64 Z18, 128(R9)
	VMOVDQU64 Z19, 192(R9)
	VMOVDQU64 Z20, 256(R9)
	VMOVDQU64 Z21, 320(R9)
	VMOVDQU64 Z22, 384(R9)
	VMOVDQU64 Z23, 448(R9)
	VZEROUPPER
	RET

// func buckets512(out *uint16, data *byte, groups, step int, mask, words uint64, order *[64]byte, add, shift uint64)
TEXT ·buckets512(SB), NOSPLIT, $0-72
	MOVQ         out+0(FP), DI
	MOVQ         data+8(FP), SI
	MOVQ         groups+16(FP), CX
	MOVQ         step+24(FP), DX
	KMOVQ        mask+32(FP), K1
	KMOVQ        words+40(FP), K2
	MOVQ         order+48(FP), R8
	VMOVDQU64    (R8), Z1
	VPBROADCASTQ add+56(FP), Z0
	VMOVQ        shift+64(FP), X2

group:
	VMOVDQU8.Z (SI), K1, Z3
	VPERMB.Z   Z3, Z1, K2, Z3
	VPADDQ     Z0, Z3, Z3
	VPSRLQ     X2, Z3, Z3
	VPMOVQW    Z3, (DI)
	ADDQ       DX, SI
	ADDQ       $16, DI
	DECQ       CX
	JNZ        group
	VZEROUPPER
	RET

// func ordered512(out *uint16, data *byte, groups, step int, mask, words uint64, order *[64]byte, base int64, zero, least, shift uint64)
TEXT ·ordered512(SB), NOSPLIT, $0-88
	MOVQ         out+0(FP), DI
	MOVQ         data+8(FP), SI
	MOVQ         groups+16(FP), CX
	MOVQ         step+24(FP), DX
	KMOVQ        mask+32(FP), K1
	KMOVQ        words+40(FP), K2
	MOVQ         order+48(FP), R8
	VMOVDQU64    (R8), Z1
	VPBROADCASTQ base+56(FP), Z0
	VPBROADCASTQ zero+64(FP), Z4
	MOVQ         least+72(FP), AX
	MOVQ         $0x8000000000000000, BX
	SUBQ         BX, AX
	VPBROADCASTQ AX, Z5             // Z5: least without its sign bit
	VMOVQ        shift+80(FP), X2
	VPXORQ       Z6, Z6, Z6
	VPTERNLOGQ   $255, Z7, Z7, Z7
	VPSRLQ       $1, Z7, Z7         // Z7: all bits but the sign

group:
	VMOVDQU8.Z (SI), K1, Z3
	VPERMB.Z   Z3, Z1, K2, Z3
	VPADDQ     Z0, Z3, Z3
	VCVTQQ2PD  Z3, Z8
	VPANDQ     Z7, Z8, Z8
	VPSUBQ     Z4, Z8, Z8
	VPMAXSQ    Z6, Z8, Z8
	VPMOVQ2M   Z3, K3
	VPSUBQ     Z8, Z6, K3, Z8       // of negative ones 0 less it
	VPSUBQ     Z5, Z8, Z8
	VPSRLQ     X2, Z8, Z8
	VPMOVQW    Z8, (DI)
	ADDQ       DX, SI
	ADDQ       $16, DI
	DECQ       CX
	JNZ        group
	VZEROUPPER
	RET
