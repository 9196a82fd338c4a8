package tfrecord

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
)

// The sentinels inside an [Error]. A stream that ends too early wraps
// [io.ErrUnexpectedEOF].
var (
	ErrLengthChecksum = errors.New("tfrecord: length checksum mismatch")  // the position is lost
	ErrDataChecksum   = errors.New("tfrecord: payload checksum mismatch") // the next record can be read
	ErrTooLarge       = errors.New("tfrecord: record exceeds the size limit")
	ErrNotTFRecord    = errors.New("tfrecord: not a TFRecord")
	ErrCodec          = errors.New("tfrecord: compressed stream is damaged or of another kind")
	ErrIndex          = errors.New("tfrecord: index does not fit")
	ErrModTime        = errors.New("tfrecord: index of data last modified at another time") // comes with ErrIndex; all else fits
)

// A Class says what is wrong with the bytes. The zero Class belongs to errors
// that are not about the bytes read: a failing source, or an error that
// [Reader.WrapError] was given.
type Class uint8

// The classes of faults. The text form is in the comment.
const (
	Truncated   Class = iota + 1 // "truncated": the stream ends inside a record or inside the compressed stream
	LengthCRC                    // "length_crc": the length and its checksum disagree
	PayloadCRC                   // "payload_crc": the payload and its checksum disagree
	TooLong                      // "too_long": the length is sound and above the limit
	NotTFRecord                  // "not_tfrecord": the very first header fails
	Codec                        // "codec": the compressed stream is damaged or of another kind
)

var classNames = [...]string{"", "truncated", "length_crc", "payload_crc", "too_long", "not_tfrecord", "codec"}

// String returns the text form, "" for the zero Class.
func (c Class) String() string {
	if int(c) < len(classNames) {
		return classNames[c]
	}
	return fmt.Sprintf("class(%d)", uint8(c))
}

// A Position locates one record.
type Position struct {
	Name   string // of the stream, as given in the options; may be empty
	Record int64  // ordinal of the record, from 0; -1 when unknown
	Offset int64  // of the record's header, in bytes of the uncompressed stream
}

// String gives the position as errors print it, for example
// "train-00003.tfrecord: record 17 (offset 0x3f2c)".
func (p Position) String() string {
	var b strings.Builder
	if p.Name != "" {
		b.WriteString(p.Name)
		b.WriteString(": ")
	}
	if p.Record < 0 {
		fmt.Fprintf(&b, "offset %#x", p.Offset)
	} else {
		fmt.Fprintf(&b, "record %d (offset %#x)", p.Record, p.Offset)
	}
	return b.String()
}

// An Error is any failure that has a place in a stream of records.
//
// It wraps one of the sentinels of this package or [io.ErrUnexpectedEOF]
// according to its Class, and the error of the codec or of the source where
// there is one.
type Error struct {
	Position
	Class      Class
	Compressed int64  // byte in the compressed input at or before the fault, at most a buffer before it; -1 when not compressed or unknown
	LooksLike  string // what the input looks like instead, in the words of [Identify], or "crc-zero", "crc-unmasked", "crc-32"; "" when unknown
	Err        error
}

// Error gives one line: the position, then what is wrong.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.Position.String())
	if e.Compressed >= 0 {
		fmt.Fprintf(&b, ", near compressed byte %#x", e.Compressed)
	}
	b.WriteString(": ")
	if e.Err != nil {
		b.WriteString(trimPrefix(e.Err))
	} else {
		b.WriteString("unknown error")
	}
	return b.String()
}

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

// trimPrefix is for text that says already where it comes from.
func trimPrefix(err error) string { return strings.TrimPrefix(err.Error(), "tfrecord: ") }

// A fault is a sentinel with the particulars of one case.
type fault struct {
	sentinel error
	detail   string
	cause    error // may be nil
}

func (f *fault) Error() string { return f.detail }

func (f *fault) Unwrap() []error {
	if f.cause == nil {
		return []error{f.sentinel}
	}
	return []error{f.sentinel, f.cause}
}

func checksumFault(sentinel error, stored, computed uint32) error {
	return &fault{sentinel: sentinel, detail: fmt.Sprintf("%s: stored %#08x, computed %#08x", trimPrefix(sentinel), stored, computed)}
}

// lengthFault says what is wrong with the header that b begins with. b may go on with what follows it in the stream.
func lengthFault(b []byte) error {
	b = b[:min(len(b), sniffMax)] // the text does not depend on the size of a buffer
	if zeros := len(b) - len(bytes.TrimLeft(b, "\x00")); zeros >= HeaderSize {
		count := "zeros"
		if zeros < len(b) {
			count = fmt.Sprintf("%d zeros", zeros)
		}
		return &fault{sentinel: ErrLengthChecksum, detail: fmt.Sprintf("%s: %s in place of a record", trimPrefix(ErrLengthChecksum), count)}
	}
	return checksumFault(ErrLengthChecksum, binary.LittleEndian.Uint32(b[8:]), lengthCRC(binary.LittleEndian.Uint64(b)))
}

func truncatedHeader(have int) error {
	return &fault{sentinel: io.ErrUnexpectedEOF, detail: fmt.Sprintf("truncated: the stream ends after %d of the %d bytes of a header", have, HeaderSize)}
}

func truncatedRecord(have, want int64) error {
	return &fault{sentinel: io.ErrUnexpectedEOF, detail: fmt.Sprintf("truncated: the stream ends after %d of the %d bytes of payload and footer", have, want)}
}

func tooLongFault(size uint64, limit int64) error {
	return &fault{sentinel: ErrTooLarge, detail: fmt.Sprintf("record of %d bytes exceeds the limit of %d", size, limit)}
}
