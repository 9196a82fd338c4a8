package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// varints generates the decoder of lists of varints for BMI2 and AVX2.
//
// The ends in 64 bytes, which are the bytes without the continuation bit, become a word of bits. Each bit is the
// end of one varint, and the varint begins after the previous end: no varint waits for a load of the previous one.
// PEXT joins the low seven bits of each byte.
//
// It needs size >= 64 and i >= 7, reads only b[:size], also before i, and writes only values to out.
func varints() {
	out, room := RDI, R8 // address of the next value, and number of values that still fit
	list, end := RSI, R9
	low := R10               // the low seven bits of eight bytes
	block, next := R11, R12  // beginnings of this block of 64 bytes and of the next: a varint begins at both
	ends, before := RDX, RBX // the remaining ends, and the index in the block of the previous end
	place, value, tenth, tmp := RCX, RAX, R13, RSI

	TEXT("varints", NOSPLIT, "func(out *int64, room int, b *byte, size, i int) (n, next int)")
	Load(Param("out"), out)
	Load(Param("room"), room)
	Load(Param("b"), list)
	Load(Param("size"), end)
	Load(Param("i"), block)
	ADDQ(list, end)
	ADDQ(list, block)
	MOVQ(U64(0x7f7f7f7f7f7f7f7f), low)

	Label("block")
	MOVQ(end, place)
	SUBQ(block, place)
	JLE(LabelRef("done"))
	CMPQ(place, Imm(64))
	JLT(LabelRef("last"))
	endsOf64(at(block, 0), at(block, 32), ends, value)

	Label("ends")
	TESTQ(ends, ends)
	JEQ(LabelRef("done")) // a varint has more than 64 bytes, or is cut off
	POPCNTQ(ends, value)
	SUBQ(value, room)
	JLT(LabelRef("done"))
	BSRQ(ends, value)
	LEAQ(index(block, value, 1, 1), next)

	Label("ones") // sixteen varints of one byte each
	CMPW(ends.As16(), I8(-1))
	JNE(LabelRef("some"))
	for i, y := range []VecPhysical{Y0, Y1, Y2, Y3} {
		VPMOVZXBQ(at(block, 4*i), y)
	}
	for i, y := range []VecPhysical{Y0, Y1, Y2, Y3} {
		VMOVDQU(y, at(out, 32*i))
	}
	SUBQ(I8(-128), out)
	ADDQ(Imm(16), block)
	SHRQ(Imm(16), ends)
	JNE(LabelRef("ones"))
	JMP(LabelRef("block")) // block is next

	Label("some")
	MOVQ(I32(-1), before)

	// Varints of up to eight bytes: the word that ends with the varint, shifted so that
	// it is alone.
	Label("one")
	TZCNTQ(ends, place)
	BLSRQ(ends, ends)
	SUBQ(place, before) // minus the size
	CMPQ(before, I8(-8))
	JLT(LabelRef("long"))
	SHLQ(Imm(3), before) // modulo 64: number of bits before the varint
	SHRXQ(before, index(block, place, 1, -7), value)
	PEXTQ(low, value, value)
	Label("put")
	MOVQ(value, at(out, 0))
	ADDQ(Imm(8), out)
	MOVQ(place, before)
	TESTQ(ends, ends)
	JNE(LabelRef("one"))
	MOVQ(next, block)
	JMP(LabelRef("block"))

	Label("long") // varints of nine and ten bytes, the last byte 0 or 1
	ADDQ(place, before)
	LEAQ(at(before, 10), tenth)
	CMPQ(place, tenth)
	JGT(LabelRef("bad"))
	MOVQ(index(block, before, 1, 1), value)
	PEXTQ(low, value, value)
	MOVBLZX(index(block, before, 1, 9), tmp.As32())
	SHLQ(Imm(57), tmp)
	SHRQ(Imm(1), tmp)
	ORQ(tmp, value)
	CMPQ(place, tenth)
	JLT(LabelRef("put"))
	MOVBLZX(index(block, place, 1, 0), tmp.As32())
	CMPQ(tmp, Imm(1))
	JGT(LabelRef("bad"))
	SHLQ(Imm(63), tmp)
	ORQ(tmp, value)
	JMP(LabelRef("put"))

	Label("last") // fewer than 64 bytes are left: the last 64 bytes of b include them
	endsOf64(at(end, -64), at(end, -32), ends, value)
	NEGQ(place) // modulo 64: number of bits before block
	SHRXQ(place, ends, ends)
	JMP(LabelRef("ends"))

	Label("bad")
	LEAQ(index(block, before, 1, 1), block)

	Label("done")
	VZEROUPPER()
	results(out, "n", block, "next")

	TEXT("cpuid", NOSPLIT, "func(leaf uint32) (a, b, c, d uint32)")
	Load(Param("leaf"), EAX)
	XORL(ECX, ECX)
	CPUID()
	Store(EAX, Return("a"))
	Store(EBX, Return("b"))
	Store(ECX, Return("c"))
	Store(EDX, Return("d"))
	RET()
}

// endsOf64 sets a bit of ends for each of 64 bytes that ends a varint.
func endsOf64(low, high Mem, ends, tmp GPPhysical) {
	VMOVDQU(low, Y0)
	VMOVDQU(high, Y1)
	VPMOVMSKB(Y0, ends.As32())
	VPMOVMSKB(Y1, tmp.As32())
	SHLQ(Imm(32), tmp)
	ORQ(tmp, ends)
	NOTQ(ends)
}

// results generates the return: count is the number of int64 written before out, and next is the offset of place in
// b.
func results(out GPPhysical, count string, place GPPhysical, next string) {
	SUBQ(param("out"), out)
	SHRQ(Imm(3), out)
	Store(out, Return(count))
	SUBQ(param("b"), place)
	Store(place, Return(next))
	RET()
}
