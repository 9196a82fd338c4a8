package summary

import (
	"bytes"
	"image"
	"image/png"
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

func TestContents(t *testing.T) {
	small, large := pngOf(t, 8, 4), pngOf(t, 640, 480)
	for _, c := range []struct {
		want   string
		values [][]byte
	}{
		{"", nil},
		{"empty", [][]byte{{}}},
		{"text", [][]byte{[]byte("hello"), {}}},
		{"PNG 8x4", [][]byte{small, small}},
		{"PNG 8x4 to 640x480", [][]byte{large, small}},
		{"PNG 8x4 to 640x480 (some cut)", [][]byte{large[:len(large)-20], small}},
		{"PNG 640x480 (cut)", [][]byte{large[:len(large)-20]}},
		{"raw|text|PNG 8x4", [][]byte{small, {0xff, 0x00}, []byte("a")}},
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
