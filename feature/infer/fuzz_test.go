package infer_test

import (
	"encoding/binary"
	"testing"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature/infer"
)

// pack combines records to one input of the fuzzer.
func pack(rs [][]byte) (b []byte) {
	for _, r := range rs {
		b = binary.LittleEndian.AppendUint16(b, uint16(len(r)))
		b = append(b, r...)
	}
	return b
}

func unpack(b []byte) (rs [][]byte) {
	for len(b) >= 2 {
		n := min(int(binary.LittleEndian.Uint16(b)), len(b)-2)
		rs = append(rs, b[2:2+n])
		b = b[2+n:]
	}
	return rs
}

// FuzzInfer adds any records. The inferred spec parses all records that can be read.
func FuzzInfer(f *testing.F) {
	for seed := range uint64(12) {
		g := newGen(seed)
		spec := g.spec()
		f.Add(uint8(spec.Message()), seed%2 == 0, pack(g.encode(f, spec, 1+int(seed%3))))
	}
	f.Add(uint8(example.TypeExample), false, pack(encode(f,
		ex{"x": ints(2, 0), "y": ints(0, 2)}, ex{"x": ints(3, 0, 0), "y": ints(0, 3, 0)}, ex{"x": ints(4, 0, 0, 0), "y": ints(0, 4, 0, 0)})))
	f.Fuzz(func(t *testing.T, message uint8, ragged bool, b []byte) {
		m := example.MessageType(message%3 + 1)
		in := infer.New(m, &infer.Options{Ragged: ragged, MaxFeatures: 100})
		var added [][]byte
		for _, r := range unpack(b) {
			if in.Add(r) == nil {
				added = append(added, r)
			}
		}
		spec, err := in.Spec()
		if err == nil {
			parses(t, spec, added, in.Report())
		}
		if r := in.Report(); r.Records != int64(len(added)) || r.String() == "" {
			t.Errorf("%d records, want %d", r.Records, len(added))
		}
	})
}
