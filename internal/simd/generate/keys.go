package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// keys generates the kernel that finds the keys of maps.
//
// An entry is its tag, its length, the head, the length of the value, the value. If factor is 0, the parameter keys
// is Map.Next, otherwise it is Map.Table. A head is compared by one instruction under a mask: no byte after it is
// read.
func keys() {
	const (
		tag       = 10
		headMask  = 64 // offset in simd.Head, which has 80 bytes
		headSize  = 72
		slotRound = 8 // offset in simd.Slot, which has 16 bytes
	)
	b, end, pos, heads, table, last := RDI, RSI, RAX, R8, R9, RDX
	slots, round, order := R11, R12, R10
	from, entryEnd, key, tmp, value := RBX, RCX, R13, R14, R15

	TEXT("findKeys", NOSPLIT, "func(b *byte, end, i int, heads *byte, keys *int32, factor uint64, shift, at int, slots *byte, round uint64, order *int32, n int) (stop, last, count int)")
	Load(Param("b"), b)
	Load(Param("end"), end)
	Load(Param("i"), pos)
	Load(Param("heads"), heads)
	Load(Param("keys"), table)
	Load(Param("at"), last)
	Load(Param("slots"), slots)
	Load(Param("round"), round)
	Load(Param("order"), order)

	Label("entry")
	LEAQ(at(pos, 2), from)
	CMPQ(from, end)
	JHI(LabelRef("done"))
	CMPB(index(b, pos, 1, 0), Imm(tag))
	JNE(LabelRef("done"))
	MOVBLZX(index(b, pos, 1, 1), entryEnd.As32())
	CMPL(entryEnd.As32(), Imm(0x80))
	JCC(LabelRef("entryOfTwo"))

	Label("length")
	ADDQ(from, entryEnd)
	CMPQ(entryEnd, end)
	JHI(LabelRef("done"))
	Load(Param("factor"), tmp)
	TESTQ(tmp, tmp)
	JNE(LabelRef("hash"))
	MOVL(index(table, last, 4, 0), key.As32())

	Label("head")
	LEAQ(index(key, key, 4, 0), tmp)
	SHLQ(Imm(4), tmp) // offset of its head in heads
	MOVQ(index(heads, tmp, 1, headSize), value)
	ADDQ(from, value) // position of the length of the value, then of the value
	CMPQ(value, entryEnd)
	JCC(LabelRef("done"))
	KMOVQ(index(heads, tmp, 1, headMask), K1)
	VMOVDQU8_Z(index(b, from, 1, 0), K1, Z0)
	VPCMPEQB(index(heads, tmp, 1, 0), Z0, K2)
	KORTESTQ(K2, K2)
	JCC(LabelRef("done")) // not all bytes are equal
	MOVBLZX(index(b, value, 1, 0), from.As32())
	INCQ(value)
	CMPL(from.As32(), Imm(0x80))
	JCC(LabelRef("valueOfTwo"))

	Label("value") // from is the size of the value
	ADDQ(value, from)
	CMPQ(from, entryEnd)
	JNE(LabelRef("done"))
	MOVQ(key, tmp)
	SHLQ(Imm(4), tmp) // offset of its slot in slots
	CMPQ(index(slots, tmp, 1, slotRound), round)
	JEQ(LabelRef("done"))
	MOVL(value.As32(), index(slots, tmp, 1, 0))
	MOVL(entryEnd.As32(), index(slots, tmp, 1, 4))
	MOVQ(round, index(slots, tmp, 1, slotRound))
	Load(Param("n"), tmp)
	MOVL(key.As32(), index(order, tmp, 4, 0))
	INCQ(param("n"))
	MOVQ(key, last)
	MOVQ(entryEnd, pos)
	CMPQ(pos, end)
	JCS(LabelRef("entry"))

	Label("done")
	Store(pos, Return("stop"))
	Store(last, Return("last"))
	Load(Param("n"), pos)
	Store(pos, Return("count"))
	VZEROUPPER()
	RET()

	Label("entryOfTwo") // the length of the entry has two bytes
	twoBytes(b, from, end, entryEnd, tmp)
	JMP(LabelRef("length"))

	Label("valueOfTwo")
	twoBytes(b, value, entryEnd, from, tmp)
	JMP(LabelRef("value"))

	Label("hash") // of the first and the last eight bytes of the head, or of a shorter head twice
	LEAQ(at(from, 8), value)
	CMPQ(value, entryEnd)
	JHI(LabelRef("done"))
	MOVBLZX(index(b, from, 1, 1), tmp.As32())
	CMPL(tmp.As32(), Imm(61))
	JHI(LabelRef("done"))
	ADDQ(Imm(3), tmp) // the size of the head
	LEAQ(index(from, tmp, 1, 0), value)
	CMPQ(value, entryEnd)
	JHI(LabelRef("done"))
	bits := value
	MOVL(U32(8), bits.As32())
	CMPQ(tmp, bits)
	CMOVQCS(tmp, bits) // the number of bytes of a word, then of bits
	SUBQ(bits, tmp)
	ADDQ(from, tmp)
	SHLL(Imm(3), bits.As32())
	BZHIQ(bits, index(b, tmp, 1, 0), key)
	BZHIQ(bits, index(b, from, 1, 0), tmp)
	ROLQ(Imm(31), key)
	XORQ(tmp, key)
	IMULQ(param("factor"), key)
	Load(Param("shift"), tmp)
	SHRXQ(tmp, key, key)
	MOVLQSX(index(table, key, 4, 0), key)
	TESTQ(key, key)
	JGE(LabelRef("head"))
	JMP(LabelRef("done"))

	TEXT("prefetch", NOSPLIT, "func(b *byte, size int)")
	Load(Param("b"), RAX)
	Load(Param("size"), RBX)
	ADDQ(RBX, RAX)
	ADDQ(RAX, RBX)
	Label("ahead")
	PREFETCHT1(at(RAX, 0))
	ADDQ(Imm(64), RAX)
	CMPQ(RAX, RBX)
	JCS(LabelRef("ahead"))
	RET()
}

// twoBytes reads the second byte of a length, b[pos], which must be before end.
func twoBytes(b, pos, end, length, tmp GPPhysical) {
	if pos == RBX { // the first was read from the byte before pos
		INCQ(pos)
		CMPQ(pos, end)
		JHI(LabelRef("done"))
		MOVBLZX(index(b, pos, 1, -1), tmp.As32())
	} else {
		CMPQ(pos, end)
		JCC(LabelRef("done"))
		MOVBLZX(index(b, pos, 1, 0), tmp.As32())
		INCQ(pos)
	}
	CMPL(tmp.As32(), Imm(0x80))
	JCC(LabelRef("done"))
	SHLL(Imm(7), tmp.As32())
	LEAL(index(length, tmp, 1, -0x80), length.As32())
}
