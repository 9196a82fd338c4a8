package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// varints generates the decoder of lists of varints for BMI2 and AVX2.
//
// The ends of 64 bytes, those without the continuation bit, become a word of bits. Each
// bit is one varint, and where it begins is where the one before ended: nothing that is
// loaded for one varint is waited for by the next. PEXT takes the low seven bits of each
// byte together.
//
// It needs size >= 64 and i >= 7, reads b[:size], all before the present end, and writes
// no element of out that is not a value.
func varints() {
	out, room := RDI, R8 // where the next value goes, and how many more have room
	list, end := RSI, R9
	low := R10               // the low seven bits of eight bytes
	block, next := R11, R12  // where this block of 64 bytes begins, and the next one: a varint begins there
	ends, before := RDX, RBX // the ends that are left, and the place of the end before, in the block
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
	JEQ(LabelRef("done")) // a varint of more than 64 bytes, or cut off
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
	SHLQ(Imm(3), before) // modulo 64: the bits before it
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

	Label("last") // fewer than 64 bytes are left: the last 64 of b have them
	endsOf64(at(end, -64), at(end, -32), ends, value)
	NEGQ(place) // modulo 64: the bits before block
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

// endsOf64 makes a bit for each of 64 bytes that ends a varint.
func endsOf64(low, high Mem, ends, tmp GPPhysical) {
	VMOVDQU(low, Y0)
	VMOVDQU(high, Y1)
	VPMOVMSKB(Y0, ends.As32())
	VPMOVMSKB(Y1, tmp.As32())
	SHLQ(Imm(32), tmp)
	ORQ(tmp, ends)
	NOTQ(ends)
}

// results returns how many int64 are in out, and where in b a place is.
func results(out GPPhysical, count string, place GPPhysical, next string) {
	SUBQ(param("out"), out)
	SHRQ(Imm(3), out)
	Store(out, Return(count))
	SUBQ(param("b"), place)
	Store(place, Return(next))
	RET()
}
