// Package sniff guesses the contents of the byte strings of a feature: an image and its size, a message, text, or unknown.
//
// It reads headers and the structure of messages, never pixels or compressed data. No allocation is sized by a number in a
// header. The results are guesses for people, except the size of an image, which is the size of the tensor that
// TensorFlow's decode_image makes.
package sniff

import (
	"fmt"
	"strconv"
	"strings"
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
	Image  Image  // only for image formats
	Tensor Tensor // only for TensorProto
}

// Detect guesses the format of v.
func Detect(v []byte) Content {
	if len(v) == 0 {
		return Content{Format: Empty}
	}
	if im, ok := DetectImage(v); ok && (im.Height > 0 || !isText(v)) {
		return Content{Format: im.Format, Image: im}
	}
	switch {
	case len(v) > 10 && string(v[:3]) == "\x1f\x8b\x08":
		return Content{Format: Gzip}
	case isText(v):
		return Content{Format: Text}
	}
	if t, ok := DetectTensor(v); ok {
		return Content{Format: TensorProto, Tensor: t}
	}
	return Content{Format: messageOf(v)}
}

// String returns the name of the format, and the width, height and channels of an image or the dtype and shape of a tensor:
// JPEG 96x96x3, GIF 8x8x3 5 frames (cut), PNG 30000x30000x3 (too large), TensorProto float32 [2,3].
func (c Content) String() string {
	text := c.Format.String()
	im := &c.Image
	if c.Format == TensorProto {
		return text + " " + c.Tensor.DType + " " + ShapeText(c.Tensor.Shape)
	}
	if im.Height > 0 {
		text += fmt.Sprintf(" %dx%dx%d", im.Width, im.Height, im.Channels)
	}
	if im.Frames > 1 {
		text += fmt.Sprintf(" %d frames", im.Frames)
	}
	return text + im.Remark()
}

// shownBytes is the number of leading bytes that DescribeBytes shows of a value of unknown format.
const shownBytes = 16

// DescribeBytes returns the content of a value that is not text: its format, or its first bytes as in a Go string literal. It returns "" for
// text, and for a short value of unknown format that is UTF-8: it can be quoted as a whole.
func DescribeBytes(value string) string {
	c := Detect([]byte(value))
	switch {
	case c.Format == Text || c.Format == Empty || c.Format == Raw && len(value) <= shownBytes && utf8.ValidString(value):
		return ""
	case c.Format != Raw:
		return c.String()
	}
	more := ""
	if len(value) > shownBytes {
		value, more = value[:shownBytes], "…"
	}
	quoted := strconv.QuoteToASCII(value)
	return quoted[1:len(quoted)-1] + more
}

// ShapeText returns a shape as TensorFlow's specs have it: [2,3].
func ShapeText(shape []int64) string { return strings.ReplaceAll(fmt.Sprint(shape), " ", ",") }

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
