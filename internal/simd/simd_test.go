package simd

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
	"testing"
)

// TestFloats compares the fast functions with simple ones, at every alignment, with and without free capacity, and
// also for signalling NaNs.
func TestFloats(t *testing.T) {
	var b []byte
	for i := range uint32(40) {
		b = binary.LittleEndian.AppendUint32(b, 0x7f800001+i*0x01234567)
	}
	for from := range 8 {
		for to := from; to <= len(b); to++ {
			in := b[from:to]
			room := make([]float32, 2, 64)
			room[0], room[1] = 7, 8
			spare := room[2:cap(room)]
			for i := range spare {
				spare[i] = -77
			}
			want := plainAppendFloats([]float32{7, 8}, in)
			for _, dst := range [][]float32{room, room[:2:2]} {
				if got := AppendFloats(dst, in); !slices.EqualFunc(got, want, sameBits) {
					t.Fatalf("%x: got %v, want %v", in, got, want)
				}
			}
			for _, v := range spare[len(in)/4:] {
				if v != -77 {
					t.Fatalf("%x: wrote behind the values", in)
				}
			}
			back, plain := AppendFloatBytes([]byte("x"), want), plainAppendFloatBytes([]byte("x"), want)
			if !bytes.Equal(back, plain) {
				t.Fatalf("%v: got %x, want %x", want, back, plain)
			}
		}
	}
	if AppendFloats(nil, nil) != nil || AppendFloatBytes(nil, nil) != nil {
		t.Error("nothing was appended and something came")
	}
}

func sameBits(x, y float32) bool { return math.Float32bits(x) == math.Float32bits(y) }

func TestString(t *testing.T) {
	b := []byte("some bytes")
	s := String(b)
	if s != plainString(b) || String(nil) != "" || String(b[:0]) != "" {
		t.Fatalf("%q", s)
	}
	b[0] = 'S'
	if (s == "Some bytes") != Aliases {
		t.Errorf("%q, and Aliases is %t", s, Aliases)
	}
}
