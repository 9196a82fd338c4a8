// Command generate writes the assembly of tfparse, a file at a time:
//
//	cd internal/simd/generate && go run . -kernel varints
//
// It is a module of its own, so that nothing else depends on avo. A kernel is a Go function here, which calls a
// function for each instruction; avo computes the offsets of parameters and checks operands. Registers are chosen
// by hand and have names. The package that uses a kernel has Go code that does the same, and a test that compares
// the two.
package main

import (
	"flag"
	"log"

	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A kernel is a file of assembly.
type kernel struct {
	file     string
	generate func()
}

var kernels = map[string]kernel{
	"keys":       {"../keys_amd64.s", keys},
	"varints":    {"../varints_amd64.s", varints},
	"varints512": {"../varints512_amd64.s", varints512},
	"crc":        {"../../../tfrecord/internal/castagnoli/kernel_amd64.s", crc},
}

var name = flag.String("kernel", "", "`NAME` of the kernel to generate")

func main() {
	flag.Parse()
	k, ok := kernels[*name]
	if !ok {
		log.Fatalf("there is no kernel %q", *name)
	}
	if out := flag.Lookup("out"); out.Value.String() == out.DefValue {
		if err := out.Value.Set(k.file); err != nil {
			log.Fatal(err)
		}
	}
	ConstraintExpr("!purego")
	k.generate()
	Generate()
}

// param returns the memory operand of a parameter.
func param(name string) Mem {
	p, err := Param(name).Resolve()
	if err != nil {
		log.Fatal(err)
	}
	return p.Addr
}

// at returns a memory operand: a base register and a displacement. index adds an index register times a scale.
func at(base reg.Register, disp int) Mem { return Mem{Base: base, Disp: disp} }

func index(base, index reg.Register, scale uint8, disp int) Mem {
	return Mem{Base: base, Index: index, Scale: scale, Disp: disp}
}

// Two instructions that avo v0.5.0 lacks, or lacks for registers of 64 bytes.

func vpcompressbZ(from, mask, to Op) {
	Instruction(&ir.Instruction{Opcode: "VPCOMPRESSB", Suffixes: []string{"Z"}, Operands: []Op{from, mask, to}, Inputs: []Op{from, mask}, Outputs: []Op{to}, ISA: []string{"AVX512VBMI2"}})
}

func vpclmulqdq(halves int, x, y, to Op) {
	which := Imm(uint64(halves))
	Instruction(&ir.Instruction{Opcode: "VPCLMULQDQ", Operands: []Op{which, x, y, to}, Inputs: []Op{x, y}, Outputs: []Op{to}, ISA: []string{"VPCLMULQDQ"}})
}
