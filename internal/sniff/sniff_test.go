package sniff

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/test/testkit"
)

// A headerShape is what a header says of an image.
type headerShape struct {
	Format   string `json:"format"`
	Height   int    `json:"height"`
	Width    int    `json:"width"`
	Channels int    `json:"channels"`
	Frames   int    `json:"frames"` // of a tensor with a dimension for frames
}

// TestImageVectors compares sizes with the shapes that TensorFlow gave.
func TestImageVectors(t *testing.T) {
	s := &testkit.Suite{Family: "decode", Key: "op", Members: []string{"bytes", "decodes", "decode_image", "extract_jpeg_shape", "header", "comment"}}
	s.Files = func(f *testkit.File) bool {
		var op string
		if len(f.Cases) > 0 && f.Cases[0].Decode("op", &op) == nil && op != "image_shape" {
			t.Logf("%s is skipped: package feature runs the op %s", f.Name, op)
			return false
		}
		return true
	}
	s.Handle("image_shape", checkImage)
	s.Run(t)
}

// checkImage runs a case of op image_shape.
func checkImage(c *testkit.Case) error {
	var v []byte
	decodes := false
	var header headerShape // another answer of a reader of headers
	for member, to := range map[string]any{"bytes": &v, "decodes": &decodes, "header": &header} {
		if !c.Has(member) {
			continue
		}
		if err := c.Decode(member, to); err != nil {
			return testkit.Fault(err)
		}
	}
	im, ok := DetectImage(v)
	got := headerShape{strings.ToLower(im.Format.String()), im.Height, im.Width, im.Channels, im.Frames}
	if c.Want().Fail {
		if im.Whole {
			return fmt.Errorf("whole, %+v; TensorFlow refuses it", got)
		}
		return nil
	}
	var want headerShape
	if err := json.Unmarshal(c.Want().Expect, &want); err != nil {
		return testkit.Fault(err)
	}
	if !decodes || want.Frames == 0 { // TensorFlow counted no frames
		got.Frames = want.Frames
	}
	header.Frames = got.Frames
	switch {
	case !ok:
		return fmt.Errorf("not an image, want %+v", want)
	case !decodes && !im.Whole: // a refusal is right too
	case got != want && got != header:
		return fmt.Errorf("%+v, want %+v", got, want)
	case decodes && !im.Whole && im.Format != GIF: // TensorFlow decodes a GIF without its last frames
		return fmt.Errorf("truncated, and TensorFlow decodes it: %+v", got)
	case c.Tagged("cut") && im.Whole && !decodes: // whether the compressed data are intact is not checked
		return fmt.Errorf("whole, and it is truncated: %+v", got)
	}
	return nil
}

func TestDetect(t *testing.T) {
	gif := "GIF89a\x02\x00\x03\x00\x00\x00\x00,\x00\x00\x00\x00\x02\x00\x03\x00\x00\x02\x02\x84\x51\x00;"
	msg, err := example.Example{"label": example.Int64s(3)}.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct{ value, want string }{
		{"", "empty"},
		{"Grüße,\nworld\t!", "text"},
		{"BMW", "text"},
		{"a\x00b", "raw"},
		{"\xff\xfe", "raw"},
		{gif, "GIF 2x3x3"},
		{gif[:len(gif)-1], "GIF 2x3x3 (cut)"},
		{gif[:8], "GIF (cut)"},
		{"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\x03\x00\x00\x00\x00\x00\x00\x00\x00\x00", "gzip"},
		{"\x08\x01\x12\x04\x12\x02\x08\x01\x22\x04\x00\x00\x80\x3f", "TensorProto float32 [1]"},
		{"\x08\x01\x12\x00\x2a\x04\x00\x00\x80\x3f", "TensorProto float32 []"},
		{"\x08\x01\x12\x04\x12\x02\x08\x02\x22\x04\x00\x00\x80\x3f", "raw"}, // a value is missing
		{"\x08\x18\x12\x04\x12\x02\x08\x01\x22\x04\x00\x00\x80\x3f", "raw"}, // no such dtype
		{string(msg), "Example"},
	}
	for _, test := range tests {
		if have := Detect([]byte(test.value)).String(); have != test.want {
			t.Errorf("%.40q: have %s, want %s", test.value, have, test.want)
		}
	}
}

// TestDetectCut walks every beginning of every image, which must not panic, and only the complete image is whole.
func TestDetectCut(t *testing.T) {
	gif := "GIF89a\x02\x00\x03\x00\x00\x00\x00,\x00\x00\x00\x00\x02\x00\x03\x00\x00\x02\x02\x84\x51\x00;"
	for n := range len(gif) {
		if im, _ := DetectImage([]byte(gif[:n])); im.Whole {
			t.Errorf("%d of %d bytes: whole", n, len(gif))
		}
	}
}

func FuzzDetect(f *testing.F) {
	for _, format := range imageFormats {
		f.Add([]byte(format.magic + "\x00\x00\x00\x10WEBPVP8X"))
	}
	f.Fuzz(func(t *testing.T, v []byte) {
		c := Detect(v)
		if im := c.Image; im.Whole && (im.Height < 1 || im.Width < 1 || im.Channels < 1) {
			t.Errorf("whole, and has no size: %+v", im)
		}
		_ = c.String()
	})
}

// TestTooLarge checks complete images that TensorFlow refuses for their size: they are not truncated.
func TestTooLarge(t *testing.T) {
	chunk := func(name, body string) string {
		b := binary.BigEndian.AppendUint32(nil, uint32(len(body)))
		b = append(b, name+body...)
		return string(binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[4:])))
	}
	png := func(width, height uint32, end string) string {
		header := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, width), height)
		return pngMagic + chunk("IHDR", string(header)+"\x08\x02\x00\x00\x00") + chunk("IDAT", "") + end
	}
	iend := chunk("IEND", "")
	jpeg := "\xff\xd8\xff\xc0\x00\x0b\x08\xff\xff\x00\x08\x01\x01\x11\x00\xff\xda\x00\x08\x01\x01\x00\x00\x3f\x00\x00\xff\xd9"
	bmp := "BM6\x00\x00\x00\x00\x00\x00\x006\x00\x00\x00(\x00\x00\x00\x00\x80\x00\x00\x00\x80\x00\x00\x01\x00\x18\x00\x00\x00"
	for _, test := range []struct{ value, want string }{
		{png(8, 9, iend), "PNG 8x9x3"},
		{png(8, 9, ""), "PNG 8x9x3 (cut)"},
		{png(30_000, 30_000, iend), "PNG 30000x30000x3 (too large)"},
		{png(1_000_001, 1, iend), "PNG 1000001x1x3 (too large)"},
		{png(1<<31, 1, iend), "PNG (cut)"}, // not a PNG: a side is at most 2^31-1
		{jpeg, "JPEG 8x65535x1 (too large)"},
		{bmp, "BMP 32768x32768x3 (too large)"},
	} {
		if have := Detect([]byte(test.value)).String(); have != test.want {
			t.Errorf("%.40q: have %s, want %s", test.value, have, test.want)
		}
	}
}

// TestDescribeBytes checks that text is not described, and that other bytes are, even if they are valid UTF-8.
func TestDescribeBytes(t *testing.T) {
	bmp := "BM6\x00\x00\x00\x00\x00\x00\x006\x00\x00\x00(\x00\x00\x00\x04\x00\x00\x00\x00\x00\x00\x00\x01\x00\x18\x00" + strings.Repeat("\x00", 24)
	for _, test := range []struct{ value, want string }{
		{"", ""},
		{"BMW is a text, however long it is: " + strings.Repeat("BM", 40), ""},
		{"a\x00b", ""}, // short enough to be quoted
		{bmp, "BMP (cut)"},
		{bmp[:18] + "\x03\x00\x00\x00\x02" + bmp[23:], "BMP 3x2x3 (cut)"},
		{strings.Repeat("\x00", 200), strings.Repeat(`\x00`, 16) + "…"},
		{"\xff\x01", `\xff\x01`},
	} {
		if have := DescribeBytes(test.value); have != test.want {
			t.Errorf("%.40q: have %s, want %s", test.value, have, test.want)
		}
	}
}
