package summary

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/png"
	"slices"
	"testing"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/message"
)

func pngOf(t *testing.T, width, height int) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, width, height))); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// tensorOf returns a TensorProto with content of some bytes.
func tensorOf(dtype byte, content int, shape ...byte) []byte {
	v := []byte{8, dtype, 0x12, byte(4 * len(shape))}
	for _, n := range shape {
		v = append(v, 0x12, 2, 8, n)
	}
	return append(append(v, 0x22, byte(content)), make([]byte, content)...)
}

func TestContents(t *testing.T) {
	small, large := pngOf(t, 8, 4), pngOf(t, 640, 480)
	huge := slices.Clone(small) // claims 30,000 pixels each way
	binary.BigEndian.PutUint32(huge[16:], 30_000)
	binary.BigEndian.PutUint32(huge[20:], 30_000)
	binary.BigEndian.PutUint32(huge[29:], crc32.ChecksumIEEE(huge[12:29]))
	for _, c := range []struct {
		want   string
		values [][]byte
	}{
		{"", nil},
		{"empty", [][]byte{{}}},
		{"text", [][]byte{[]byte("hello"), {}}},
		{"PNG 8x4x1", [][]byte{small, small}},
		{"PNG 8x4x1 to 640x480x1", [][]byte{large, small}},
		{"PNG 8x4x1 to 640x480x1 (some cut)", [][]byte{large[:len(large)-20], small}},
		{"PNG 640x480x1 (cut)", [][]byte{large[:len(large)-20]}},
		{"PNG 30000x30000x1 (too large)", [][]byte{huge}},
		{"PNG 8x4x1 to 30000x30000x1 (some too large)", [][]byte{small, huge}},
		{"raw, all 2 bytes long", [][]byte{{0xff, 0}, {0xff, 1}}},
		{"raw", [][]byte{{0xff, 0}, {0xff}}},
		{"TensorProto float32 [2]", [][]byte{tensorOf(1, 8, 2), tensorOf(1, 8, 2)}},
		{"TensorProto float32 [-1,2]", [][]byte{tensorOf(1, 8, 1, 2), tensorOf(1, 16, 2, 2), tensorOf(1, 8, 1, 2)}},
		{"TensorProto float32 of several ranks", [][]byte{tensorOf(1, 8, 1, 2), tensorOf(1, 8, 2)}},
		{"TensorProto []", [][]byte{tensorOf(9, 8), tensorOf(1, 4)}},
		{"raw|text|PNG 8x4x1", [][]byte{small, {0xff, 0x00}, []byte("a")}},
		{"text", [][]byte{[]byte("a"), []byte("b"), []byte("c"), []byte("d"), small}}, // the first four of a feature
	} {
		var b example.Builder
		b.Add("v", example.Bytes(c.values...))
		b.Add("n", example.Int64s(1))
		msg, err := b.AppendBinary(nil)
		if err != nil {
			t.Fatal(err)
		}
		whole, parts := NewTable(example.TypeExample), NewTable(example.TypeExample)
		part := NewPart(example.TypeExample, new(message.Shared))
		whole.Look, part.Look = true, true
		for range 2 {
			if err := whole.Add(msg); err != nil {
				t.Fatal(err)
			}
			if err := part.Add(msg); err != nil {
				t.Fatal(err)
			}
			parts.Merge(part)
		}
		for _, table := range []*Table{whole, parts} {
			for _, f := range table.Features() {
				want := c.want
				if f.Name == "n" {
					want = ""
				}
				if got := f.Contents.String(); got != want {
					t.Errorf("%s: got %q, want %q", f.Name, got, want)
				}
			}
		}
	}
}

// TestInside has Examples in byte strings, in parts that are merged.
func TestInside(t *testing.T) {
	inner := func(features example.Example) []byte {
		b, err := features.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	whole := NewTable(example.TypeExample)
	for _, values := range [][][]byte{
		{inner(example.Example{"rel": example.Floats(1), "id": example.Int64s(1)}), inner(example.Example{"rel": example.Floats(0)})},
		{inner(example.Example{"rel": example.Floats(1)}), []byte("text")},
	} {
		part := NewPart(example.TypeExample, new(message.Shared))
		part.Look = true
		if err := part.Add(inner(example.Example{"list": example.Bytes(values...)})); err != nil {
			t.Fatal(err)
		}
		whole.Merge(part)
	}
	inside := whole.Features()[0].Contents.Inside()
	if len(inside) != 2 || inside[0].Name != "id" || inside[0].Present != 1 || inside[1].Name != "rel" || inside[1].Present != 3 || inside[1].Of != 3 {
		t.Errorf("got %+v", inside)
	}
}
