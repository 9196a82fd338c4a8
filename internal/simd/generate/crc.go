package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// crc generates the checksum CRC-32C: update for bytes that are read, copyUpdate for bytes that are also copied.
//
// Bytes are polynomials over GF(2), and the checksum is their remainder modulo the polynomial of CRC-32C. So 64
// bytes can be removed if their product with x^n is added to the bytes n bits further on: they are folded. In the
// end there are 16 folded bytes, which go through the CRC32 instruction for eight bytes, and the bytes after them.
//
// The two constants that fold the two halves of 16 bytes by a number of bits are x^(bits+32) and x^(bits-32),
// reflected, and shifted by one because a product of reflected factors is shifted.
func crc() {
	by := map[int]Mem{
		2048: table("by2048", 0x0dcb17aa4, 0x0b9e02b86),
		1536: table("by1536", 0x0a87ab8a8, 0x0ab7aff2a),
		1024: table("by1024", 0x06992cea2, 0x00d3b6092),
		512:  table("by512", 0x0740eef02, 0x09e4addf8),
	}
	// The constants that fold three of the four parts of 64 bytes, by 384, 256 and 128 bits.
	parts := table("parts", 0x01c291d04, 0x1d82c63da, 0x1384aa63a, 0x0ba4fc28e, 0x0f20c0dfe, 0x14cd00bd6, 0, 0)

	TEXT("update", NOSPLIT, "func(crc uint32, p []byte) uint32")
	Load(Param("crc"), EDX)
	Load(Param("p").Base(), RSI)
	Load(Param("p").Len(), RCX)
	checksum(by, parts, false)

	TEXT("copyUpdate", NOSPLIT, "func(crc uint32, dst, p []byte) uint32")
	Load(Param("crc"), EDX)
	Load(Param("dst").Base(), RDI)
	Load(Param("p").Base(), RSI)
	Load(Param("p").Len(), RCX)
	checksum(by, parts, true)
}

// checksum generates the body of both functions.
func checksum(by map[int]Mem, parts Mem, copies bool) {
	crc, p, left, dst := RDX, RSI, RCX, RDI
	word, high := RAX, RBX

	// load64 loads 64 bytes from each place. If copies is true it copies them, and prefetches the bytes 8 KB
	// further on: a copied record is rarely the last, and the prefetcher of the processor begins too late.
	load64 := func(places []int, z ...VecPhysical) {
		for i, place := range places {
			VMOVDQU64(at(p, place), z[i])
		}
		for i, place := range places {
			if copies {
				VMOVDQU64(z[i], at(dst, place))
				PREFETCHT0(at(p, place+8192))
			}
		}
	}
	advance := func(n int) {
		ADDQ(I32(n), p)
		if copies {
			ADDQ(I32(n), dst)
		}
	}
	// fold folds from by constants, and adds it to into.
	fold := func(from, constants, into, scratch VecPhysical) {
		vpclmulqdq(0x00, constants, from, scratch)
		vpclmulqdq(0x11, constants, from, from)
		VPTERNLOGQ(U8(0x96), scratch, from, into)
	}

	CMPQ(left, I32(128))
	JLT(LabelRef("bytes"))
	load64([]int{0}, Z0)
	VMOVQ(crc, X4)
	VPXORQ(Z4, Z0, Z0)
	CMPQ(left, I32(256))
	JLT(LabelRef("single"))
	load64([]int{64, 128, 192}, Z1, Z2, Z3)
	VBROADCASTI32X4(by[2048], Z16)
	advance(256)
	SUBQ(I32(512), left)
	JLT(LabelRef("gather"))

	Label("loop256")
	sums, blocks, scratch := []VecPhysical{Z0, Z1, Z2, Z3}, []VecPhysical{Z8, Z9, Z10, Z11}, []VecPhysical{Z4, Z5, Z6, Z7}
	load64([]int{0, 64, 128, 192}, blocks...)
	for i := range sums {
		fold(sums[i], Z16, blocks[i], scratch[i])
	}
	for i := range sums {
		VMOVDQA64(blocks[i], sums[i])
	}
	advance(256)
	SUBQ(I32(256), left)
	JGE(LabelRef("loop256"))

	Label("gather") // four vectors become one
	for i, bits := range []int{1536, 1024, 512} {
		VBROADCASTI32X4(by[bits], []VecPhysical{Z16, Z17, Z18}[i])
	}
	for i, constants := range []VecPhysical{Z16, Z17, Z18} {
		fold(sums[i], constants, Z3, scratch[i])
	}
	VMOVDQA64(Z3, Z0)
	ADDQ(I32(256-64), left) // number of bytes left, less 64
	JLT(LabelRef("reduce"))
	JMP(LabelRef("loop64"))

	Label("single")
	VBROADCASTI32X4(by[512], Z18)
	advance(64)
	SUBQ(I32(128), left)

	Label("loop64")
	load64([]int{0}, Z1)
	fold(Z0, Z18, Z1, Z4)
	VMOVDQA64(Z1, Z0)
	advance(64)
	SUBQ(Imm(64), left)
	JGE(LabelRef("loop64"))

	Label("reduce") // four parts become one
	VMOVDQU64(parts, Z16)
	VEXTRACTI32X4(Imm(3), Z0, X3)
	vpclmulqdq(0x00, Z16, Z0, Z1)
	vpclmulqdq(0x11, Z16, Z0, Z2)
	VPXORQ(Z1, Z2, Z1)
	VEXTRACTI64X4(Imm(1), Z1, Y2)
	VPXOR(Y2, Y1, Y1)
	VEXTRACTI128(Imm(1), Y1, X2)
	VPXOR(X2, X1, X1)
	VPXOR(X3, X1, X1)
	VMOVQ(X1, word)
	VPEXTRQ(Imm(1), X1, high)
	XORL(crc.As32(), crc.As32())
	CRC32Q(word, crc)
	CRC32Q(high, crc)
	VZEROUPPER()
	ADDQ(Imm(64), left)

	Label("bytes") // fewer than 128 bytes are left
	SUBQ(Imm(8), left)
	JLT(LabelRef("last"))

	Label("loop8")
	MOVQ(at(p, 0), word)
	CRC32Q(word, crc)
	if copies {
		MOVQ(word, at(dst, 0))
	}
	advance(8)
	SUBQ(Imm(8), left)
	JGE(LabelRef("loop8"))

	Label("last")
	TESTB(Imm(4), left.As8())
	JEQ(LabelRef("two"))
	MOVL(at(p, 0), word.As32())
	CRC32L(word.As32(), crc.As32())
	if copies {
		MOVL(word.As32(), at(dst, 0))
	}
	advance(4)

	Label("two")
	TESTB(Imm(2), left.As8())
	JEQ(LabelRef("one"))
	MOVWLZX(at(p, 0), word.As32())
	CRC32W(word.As16(), crc.As32())
	if copies {
		MOVW(word.As16(), at(dst, 0))
	}
	advance(2)

	Label("one")
	TESTB(Imm(1), left.As8())
	JEQ(LabelRef("done"))
	MOVBLZX(at(p, 0), word.As32())
	CRC32B(word.As8(), crc.As32())
	if copies {
		MOVB(word.As8(), at(dst, 0))
	}

	Label("done")
	Store(crc.As32(), ReturnIndex(0))
	RET()
}
