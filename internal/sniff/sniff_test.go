package sniff

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/example"
)

// imageCase is a case of op image_shape: what TensorFlow's decode_image made of the bytes.
type imageCase struct {
	Name   string
	Op     string
	Tags   []string
	Bytes  []byte
	Expect *imageShape
	Header *imageShape // what the header alone says, where that differs: as good an answer
	// Decodes is whether decode_image takes the bytes. A checker of headers refuses no damage in compressed data.
	Decodes *bool
}

type imageShape struct {
	Format                          string
	Height, Width, Channels, Frames int64
}

// TestImageVectors compares sizes with the shapes that TensorFlow gave.
func TestImageVectors(t *testing.T) {
	name := "../../../shared/vectors/decode/image_shape.jsonl"
	text, err := os.ReadFile(name)
	if err != nil {
		t.Skipf("no vectors of images: %v", err)
	}
	seen := 0
	for line := range strings.Lines(string(text)) {
		var c imageCase
		if err := json.Unmarshal([]byte(line), &c); err != nil {
			t.Fatal(err)
		}
		if c.Op != "image_shape" {
			continue
		}
		seen++
		im, ok := DetectImage(c.Bytes)
		have := imageShape{strings.ToLower(im.Format.String()), int64(im.Height), int64(im.Width), int64(im.Channels), int64(im.Frames)}
		if c.Expect == nil || c.Expect.Format == "" {
			if im.Whole {
				t.Errorf("%s: have %+v, whole; TensorFlow refuses it", c.Name, have)
			}
			continue
		}
		decodes := c.Decodes == nil || *c.Decodes
		if !decodes || c.Expect.Frames == 0 { // TensorFlow counted no frames
			have.Frames = c.Expect.Frames
		}
		switch {
		case !ok:
			t.Errorf("%s: not an image, want %+v", c.Name, *c.Expect)
		case have == *c.Expect || c.Header != nil && have == *c.Header:
		case !decodes && !im.Whole: // a refusal is right too
		default:
			t.Errorf("%s: have %+v (whole: %v), want %+v", c.Name, have, im.Whole, *c.Expect)
		}
		// TensorFlow decodes a GIF without its last frames, or its end.
		if decodes && !im.Whole && im.Format != GIF {
			t.Errorf("%s: not whole, and TensorFlow decodes it", c.Name)
		}
	}
	if seen < 100 {
		t.Errorf("%s has %d cases of op image_shape", name, seen)
	}
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
		{gif, "GIF 2x3"},
		{gif[:len(gif)-1], "GIF 2x3 (cut)"},
		{gif[:8], "GIF (cut)"},
		{"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\x03\x00\x00\x00\x00\x00\x00\x00\x00\x00", "gzip"},
		{"\x08\x01\x12\x04\x12\x02\x08\x01\x22\x04\x00\x00\x80\x3f", "TensorProto"},
		{string(msg), "Example"},
	}
	for _, test := range tests {
		if have := Detect([]byte(test.value)).String(); have != test.want {
			t.Errorf("%.40q: have %s, want %s", test.value, have, test.want)
		}
	}
}

// TestDetectCut walks every beginning of every image, which must not panic, and be whole only where all is there.
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
