// Package sniff guesses the contents of the byte strings of a feature: an image and its size, a message, text, or unknown.
//
// It reads headers and the structure of messages, never pixels or compressed data. No allocation is sized by a number in a
// header. The results are guesses for people, except the size of an image, which is the size of the tensor that
// TensorFlow's decode_image makes.
package sniff

import (
	"fmt"
	"unicode/utf8"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/detect"
)

// Format is the guessed format of a byte string.
type Format uint8

const (
	Raw         Format = iota // unknown
	Empty                     // no bytes
	Text                      // UTF-8 without control characters except tab, CR and LF
	JPEG                      //
	PNG                       //
	GIF                       //
	BMP                       //
	WebP                      //
	Gzip                      //
	TensorProto               // TensorFlow's TensorProto, as tf.io.serialize_tensor writes it
	Example                   // an Example with at least one feature
	Sequence                  // a SequenceExample with at least one feature list
)

var formatNames = [...]string{"raw", "empty", "text", "JPEG", "PNG", "GIF", "BMP", "WebP", "gzip", "TensorProto", "Example", "SequenceExample"}

// String returns the name for reports, such as JPEG or TensorProto.
func (f Format) String() string { return formatNames[f] }

// Content describes one byte string.
type Content struct {
	Format Format
	Image  Image // only for image formats
}

// Detect guesses the format of v.
func Detect(v []byte) Content {
	if len(v) == 0 {
		return Content{Format: Empty}
	}
	if im, ok := DetectImage(v); ok && (im.Height > 0 || !isText(v)) {
		return Content{im.Format, im}
	}
	switch {
	case len(v) > 10 && string(v[:3]) == "\x1f\x8b\x08":
		return Content{Format: Gzip}
	case isText(v):
		return Content{Format: Text}
	case detect.Identify([][]byte{v}) == "tensor":
		return Content{Format: TensorProto}
	}
	return Content{Format: messageOf(v)}
}

// String returns the name of the format and the size of an image: JPEG 96x96, PNG 8x8 (cut).
func (c Content) String() string {
	im := &c.Image
	switch {
	case im.Format == Raw:
		return c.Format.String()
	case im.Height == 0:
		return c.Format.String() + " (cut)"
	case !im.Whole:
		return fmt.Sprintf("%s %dx%d (cut)", c.Format, im.Width, im.Height)
	}
	return fmt.Sprintf("%s %dx%d", c.Format, im.Width, im.Height)
}

// isText reports whether v is readable UTF-8 text.
func isText(v []byte) bool {
	for _, c := range v {
		if c < ' ' && c != '\t' && c != '\n' && c != '\r' || c == 0x7f {
			return false
		}
	}
	return utf8.Valid(v)
}

// messageOf returns the format of a message of this module, or Raw.
func messageOf(v []byte) Format {
	switch t, ok := detect.Detect([][]byte{v}); {
	case !ok:
		return Raw
	case t == example.TypeExample:
		return Example
	case t == example.TypeSequence:
		return Sequence
	}
	return Raw
}
