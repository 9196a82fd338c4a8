package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// The operands that select a comparison.
const (
	equal     = 0
	lessEqual = 2
	greater   = 6
)

// A decoder has the registers for decoding eight varints.
//
// The bits of the ends and of the beginnings in 64 bytes become lists of byte indexes. One permutation fetches
// eight varints, one word for each. Then groups of seven bits are joined: two groups to 14 bits, two of these to 28
// bits, and two of those to 56 bits.
type decoder struct {
	numbers, words         VecPhysical // index of each byte, and of the word that it is in
	inWord                 VecPhysical // index of each byte in its word
	seven, low7            VecPhysical // 7 in each byte; mask of the low seven bits of each byte
	pairs, fours, low28    VecPhysical // weights 1 and 2^7 of the two bytes in 16 bits; weights 1 and 2^14 of the two halves of 32 bits; mask of the low 28 bits of 64
	block, lasts, firsts   VecPhysical // 64 bytes, and the indexes in it of the last and the first bytes of varints
	places, upTo, sizes, v VecPhysical // scratch; v has the values
	constants              Mem         // words of 8 bytes in memory, each to be broadcast into a register
}

func newDecoder() *decoder {
	d := &decoder{
		numbers: Z16, words: Z17, inWord: Z24, seven: Z18, low7: Z19, pairs: Z20, fours: Z21, low28: Z22,
		block: Z0, lasts: Z1, firsts: Z2, sizes: Z3, places: Z5, upTo: Z6, v: Z7,
	}
	d.constants = table("same", 0x0707070707070707, 0x0808080808080808, 0x7f7f7f7f7f7f7f7f, 0x8001800180018001, 0x4000000140000001, 0x000000000fffffff, 0x0909090909090909, 0x0101010101010101)
	return d
}

// table generates a table of words in memory.
func table(name string, words ...uint64) Mem {
	m := GLOBL(name, RODATA|NOPTR)
	for i, w := range words {
		DATA(8*i, U64(w))
	}
	return m
}

// load loads the constants.
func (d *decoder) load(numbers, words Mem) {
	VMOVDQU64(numbers, d.numbers)
	VMOVDQU64(words, d.words)
	for _, c := range []struct {
		at int
		to VecPhysical
	}{{0, d.seven}, {16, d.low7}, {24, d.pairs}, {32, d.fours}, {40, d.low28}} {
		VPBROADCASTQ(d.constants.Offset(c.at), c.to)
	}
	VPANDQ(d.seven, d.numbers, d.inWord)
}

// find makes the lists firsts and lasts from the bits in ends. count is the number of varints, ones has all bits
// set. Afterwards K4 has the varints of more than eight bytes.
func (d *decoder) find(ends, begins, count, ones GPPhysical) {
	LEAQ(index(ends, ends, 1, 1), begins)
	KMOVQ(ends, K1)
	KMOVQ(begins, K2)
	BZHIQ(count, ones, begins)
	KMOVQ(begins, K3)
	vpcompressbZ(d.numbers, K1, d.lasts)
	vpcompressbZ(d.numbers, K2, d.firsts)
	VPSUBB(d.firsts, d.lasts, d.sizes)
	VPCMPUB(Imm(greater), d.seven, d.sizes, K3, K4)
	KORTESTQ(K4, K4)
}

// fetch fetches eight varints of up to eight bytes. which has the ordinal of each varint, eight times.
func (d *decoder) fetch(which VecPhysical) {
	VPERMB(d.firsts, which, d.places)
	VPERMB(d.lasts, which, d.upTo)
	VPADDB(d.inWord, d.places, d.places)
	VPCMPUB(Imm(lessEqual), d.upTo, d.places, K4) // not after the end
	VPERMB_Z(d.block, d.places, K4, d.v)
}

// add joins the groups of seven bits in v.
func (d *decoder) add() {
	VPMADDUBSW(d.v, d.pairs, d.v)
	VPMADDWD(d.fours, d.v, d.v)
	VPSRLQ(Imm(4), d.v, d.places)
	VPTERNLOGQ(U8(0xe4), d.low28, d.places, d.v) // the low 28 bits of v, the high bits of places
}

// varints512 generates the decoders of lists of varints for AVX-512 with VBMI2.
func varints512() {
	numbers := table("numbers", 0x0706050403020100, 0x0f0e0d0c0b0a0908, 0x1716151413121110, 0x1f1e1d1c1b1a1918, 0x2726252423222120, 0x2f2e2d2c2b2a2928, 0x3736353433323130, 0x3f3e3d3c3b3a3938)
	words := table("words", 0, 0x0101010101010101, 0x0202020202020202, 0x0303030303030303, 0x0404040404040404, 0x0505050505050505, 0x0606060606060606, 0x0707070707070707)
	d := newDecoder()
	d.list(numbers, words)
	d.steps(numbers, words)
}

// list generates the decoder of a list.
//
// It reads b[i:size] and writes only values to out. It stops before 64 bytes that have a varint of more than ten
// bytes, or of ten bytes whose last byte is more than 1. If a varint in the 64 bytes has nine or ten bytes, a
// second permutation fetches the bytes after the eighth.
func (d *decoder) list(numbers, words Mem) {
	out, room := RDI, R8 // address of the next value, and number of values that still fit
	block, end := R11, R9
	ends, count := RDX, RAX // ends in the block, and number of varints left
	left, tmp, ones := RCX, RBX, R10
	which, eight, nine, one, behind := Z4, Z23, Z25, Z26, Z8

	TEXT("varints512", NOSPLIT, "func(out *int64, room int, b *byte, size, i int) (n, next int)")
	Load(Param("out"), out)
	Load(Param("room"), room)
	Load(Param("b"), block)
	Load(Param("size"), end)
	ADDQ(block, end)
	ADDQ(param("i"), block)
	MOVQ(I32(-1), ones)
	d.load(numbers, words)
	VPBROADCASTQ(d.constants.Offset(8), eight)

	Label("block")
	MOVQ(end, left)
	SUBQ(block, left)
	JLE(LabelRef("done"))
	CMPQ(left, Imm(64))
	JLT(LabelRef("last"))
	VMOVDQU8(at(block, 0), d.block)
	VPMOVB2M(d.block, K1)
	KMOVQ(K1, ends)
	NOTQ(ends)

	Label("ends")
	TESTQ(ends, ends)
	JEQ(LabelRef("done"))
	POPCNTQ(ends, count)
	CMPQ(count, room)
	JGT(LabelRef("done"))
	d.find(ends, tmp, count, ones)
	JNE(LabelRef("long"))
	nextBlock := func() {
		SUBQ(count, room)
		BSRQ(ends, tmp)
		LEAQ(index(block, tmp, 1, 1), block)
		VMOVDQA64(d.words, which)
	}
	nextBlock()

	// put writes eight values, or the remaining values, and jumps to the label again.
	put := func(again string) {
		CMPQ(count, Imm(8))
		JLT(LabelRef("rest"))
		VMOVDQU64(d.v, at(out, 0))
		ADDQ(Imm(64), out)
		VPADDB(eight, which, which)
		SUBQ(Imm(8), count)
		JNE(LabelRef(again))
		JMP(LabelRef("block"))
	}
	Label("eight")
	d.fetch(which)
	VPANDQ(d.low7, d.v, d.v)
	d.add()
	put("eight")

	Label("rest")
	BZHIQ(count, ones, tmp)
	KMOVQ(tmp, K5)
	VMOVDQU64(d.v, K5, at(out, 0))
	LEAQ(index(out, count, 8, 0), out)
	JMP(LabelRef("block"))

	Label("long")
	VPBROADCASTQ(d.constants.Offset(48), nine)
	VPBROADCASTQ(d.constants.Offset(56), one)
	VPCMPUB(Imm(greater), nine, d.sizes, K3, K4)
	KORTESTQ(K4, K4)
	JNE(LabelRef("done"))
	VPCMPUB(Imm(equal), nine, d.sizes, K3, K4)
	VPADDB(nine, d.firsts, d.places)
	VPERMB(d.block, d.places, d.places)
	VPCMPUB(Imm(greater), one, d.places, K4, K4) // the tenth byte is more than 1
	KORTESTQ(K4, K4)
	JNE(LabelRef("done"))
	nextBlock()

	Label("longEight")
	d.fetch(which)
	VPADDB(eight, d.places, d.places)
	VPCMPUB(Imm(lessEqual), d.upTo, d.places, K4)
	VPERMB_Z(d.block, d.places, K4, behind) // the ninth and the tenth bytes
	VPANDQ(d.low7, d.v, d.v)
	VPANDQ(d.low7, behind, behind)
	VPMADDUBSW(behind, d.pairs, behind)
	VPSLLQ(Imm(56), behind, behind)
	d.add()
	VPORQ(behind, d.v, d.v)
	put("longEight")

	Label("last")
	BZHIQ(left, ones, tmp)
	KMOVQ(tmp, K1)
	VMOVDQU8_Z(at(block, 0), K1, d.block)
	VPMOVB2M(d.block, K1)
	KMOVQ(K1, ends)
	NOTQ(ends)
	ANDQ(tmp, ends)
	JMP(LabelRef("ends"))

	Label("done")
	VZEROUPPER()
	results(out, "n", block, "next")
}

// steps generates the decoder of the steps of a feature list that have at most eight values each.
//
// A step is a Feature of fewer than 128 bytes that has one list of int64, which is one packed
// chunk. The sizes in it are 2 and 4 less than the first size.
func (d *decoder) steps(numbers, words Mem) {
	const (
		sizes = 0x010001000100
		head  = 0x000a001a000a - 2<<24 - 4<<40
		empty = 0x001a020a
	)
	out, room := RDI, R8   // address of the next value, and number of values that still fit
	ends, most := R12, R13 // the same for ends
	step, end, last := R11, R9, RSI
	ones, bits, size, next, mask := R10, RAX, RCX, RBX, RDX

	TEXT("int64Steps", NOSPLIT, "func(out *int64, room int, ends *int64, most int, b *byte, size, i int, last int64) (steps, values, next int)")
	Load(Param("out"), out)
	Load(Param("room"), room)
	Load(Param("ends"), ends)
	Load(Param("most"), most)
	Load(Param("b"), step)
	Load(Param("size"), end)
	ADDQ(step, end)
	ADDQ(param("i"), step)
	Load(Param("last"), last)
	MOVQ(I32(-1), ones)
	d.load(numbers, words)

	Label("step")
	SUBQ(Imm(1), most)
	JLT(LabelRef("stop"))
	CMPQ(room, Imm(8))
	JLT(LabelRef("stop"))
	LEAQ(at(step, 8), RAX)
	CMPQ(RAX, end)
	JHI(LabelRef("stop"))
	MOVQ(at(step, 0), RAX)
	MOVBLZX(at(step, 1), size.As32())
	MOVQ(U64(sizes), mask)
	IMULQ(size, mask)
	MOVQ(I64(head), next)
	ADDQ(next, mask)
	XORQ(RAX, mask)
	SHLQ(Imm(16), mask)
	JNE(LabelRef("empty"))
	LEAQ(at(size, -5), next)
	CMPQ(next, Imm(63))
	JHI(LabelRef("empty"))
	LEAQ(index(step, size, 1, 2), next)
	CMPQ(next, end)
	JHI(LabelRef("stop"))
	SUBQ(Imm(4), size)
	BZHIQ(size, ones, mask)
	KMOVQ(mask, K1)
	VMOVDQU8_Z(at(step, 6), K1, d.block)
	VPMOVB2M(d.block, K2)
	KMOVQ(K2, bits)
	NOTQ(bits)
	ANDQ(mask, bits)
	DECQ(size)
	BTQ(size, bits)
	JCC(LabelRef("stop")) // the last varint is cut off
	count := mask
	POPCNTQ(bits, count)
	CMPQ(count, Imm(8))
	JHI(LabelRef("stop"))
	d.find(bits, size, count, ones)
	JNE(LabelRef("stop"))
	d.fetch(d.words)
	VPANDQ(d.low7, d.v, d.v)
	d.add()
	VMOVDQU64(d.v, at(out, 0))
	LEAQ(index(out, count, 8, 0), out)
	SUBQ(count, room)
	ADDQ(count, last)
	MOVQ(last, at(ends, 0))
	ADDQ(Imm(8), ends)
	MOVQ(next, step)
	JMP(LabelRef("step"))

	Label("empty")
	CMPL(RAX.As32(), U32(empty))
	JNE(LabelRef("stop"))
	MOVQ(last, at(ends, 0))
	ADDQ(Imm(8), ends)
	ADDQ(Imm(4), step)
	JMP(LabelRef("step"))

	Label("stop")
	VZEROUPPER()
	SUBQ(param("ends"), ends)
	SHRQ(Imm(3), ends)
	Store(ends, Return("steps"))
	results(out, "values", step, "next")
}
