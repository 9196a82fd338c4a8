package text_test

import (
	"slices"
	"testing"

	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/ragged/text"
)

// TestDecodeMarked compares with code points and offsets that TensorFlow 2.21 reads in encodings with
// a byte order mark, and in windows-1252.
func TestDecodeMarked(t *testing.T) {
	for _, c := range []struct {
		enc     text.Encoding
		s       string
		runes   []int32
		offsets []int64
	}{
		{text.UTF16, "\xff\xfea\x00b\x00", []int32{'a', 'b'}, []int64{0, 4}},
		{text.UTF16, "\xfe\xff\x00a\x00b", []int32{'a', 'b'}, []int64{0, 4}},
		{text.UTF16, "\x00a\x00b", []int32{'a', 'b'}, []int64{0, 2}},
		{text.UTF16, "\xff", []int32{0xfffd}, []int64{0}},
		{text.UTF16, "\xff\xfe\xff\xfea\x00", []int32{0xfeff, 'a'}, []int64{0, 4}}, // a second mark belongs to the text
		{text.UTF16, "\xff\xfe\x00\xd8a\x00", []int32{0xfffd, 'a'}, []int64{0, 4}},
		{text.UTF16, "\x00\x00\x00a\x00", []int32{0, 'a', 0xfffd}, []int64{0, 2, 4}},
		{text.UTF16, "\xff\xfe\x00\x00", []int32{0}, []int64{0}},
		{text.UTF16, "", nil, nil},
		{text.UTF16, "\x00\xd8\x00\x00", []int32{0xd8, 0}, []int64{0, 2}},
		{text.UTF32, "\xff\xfea\x00b\x00", []int32{0xfffd, 0xfffd}, []int64{0, 4}},
		{text.UTF32, "\xff\xfe", []int32{0xfffd}, []int64{0}},
		{text.UTF32, "\x00\x00\x00a\x00", []int32{'a', 0xfffd}, []int64{0, 4}},
		{text.UTF32, "\x00\x00\xfe\xff\x00\x00\x00a", []int32{'a'}, []int64{0}},
		{text.UTF32, "\xff\xfe\x00\x00a\x00\x00\x00b\x00\x00\x00", []int32{'a', 'b'}, []int64{0, 8}},
		{text.UTF32, "\x00\xd8\x00\x00", []int32{0xfffd}, []int64{0}},
		{text.Windows1252, "\x80\x81\x9f\xff~", []int32{0x20ac, 0x81, 0x178, 0xff, '~'}, []int64{0, 1, 2, 3, 4}},

		// Differs from TensorFlow, which reads U+FFFF.
		{text.UTF16, "\xff\xfe", nil, nil},
		{text.UTF32, "\xff\xfe\x00\x00", nil, nil},
	} {
		runes, offsets, err := text.DecodeOffsets(ragged.Vector(c.s), c.enc, nil)
		if err != nil || !slices.Equal(runes.Values(), c.runes) || !slices.Equal(offsets.Values(), c.offsets) {
			t.Errorf("%s %q: got %v at %v (%v), want %v at %v", c.enc, c.s, runes.Values(), offsets.Values(), err, c.runes, c.offsets)
		}
	}
	out, err := text.Transcode(ragged.Vector("\xff\xfea\x00b\x00"), text.UTF16, text.UTF16BE, nil)
	if err != nil || out.Values()[0] != "\x00a\x00b" {
		t.Errorf("transcode: %v, %v", out, err)
	}
	all := make([]byte, 32)
	for i := range all {
		all[i] = 0x80 + byte(i)
	}
	out, err = text.Transcode(ragged.Vector(string(all)), text.Windows1252, text.UTF8, &text.UnicodeOptions{Errors: text.Strict})
	if want := "€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ"; err != nil || out.Values()[0] != want {
		t.Errorf("windows-1252: %q, %v", out.Values(), err)
	}
}
