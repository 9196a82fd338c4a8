package tfrecord

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
)

// The errors that an [Error] wraps, according to its Class. A stream that ends too early wraps
// [io.ErrUnexpectedEOF].
var (
	// Next continues with the following record
	ErrDataChecksum = errors.New("tfrecord: payload checksum mismatch")
	// Next returns the error again
	ErrLengthChecksum = errors.New("tfrecord: length checksum mismatch")
	ErrTooLarge       = errors.New("tfrecord: record exceeds the size limit")
	ErrNotTFRecord    = errors.New("tfrecord: not a TFRecord")
	ErrCodec          = errors.New("tfrecord: compressed stream is damaged or of another kind")
	// the index of OpenIndexed or ReadIndex
	ErrIndex = errors.New("tfrecord: index does not fit")
	// wrapped together with ErrIndex; everything else fits
	ErrModTime = errors.New("tfrecord: index of data last modified at another time")
)

// A Class is the kind of damage in the bytes of a stream. The zero Class is for other errors: of
// the source, or passed to [Reader.WrapError].
type Class uint8

// The classes of errors, with their text form.
const (
	Truncated   Class = iota + 1 // "truncated": the stream ends inside a record or inside the compressed stream
	LengthCRC                    // "length_crc": the length does not match its checksum
	PayloadCRC                   // "payload_crc": the payload does not match its checksum
	TooLong                      // "too_long": the length matches its checksum and exceeds the limit
	NotTFRecord                  // "not_tfrecord": the first header does not match its checksum
	Codec                        // "codec": the compressed stream is damaged or of another codec
)

var classNames = [...]string{"", "truncated", "length_crc", "payload_crc", "too_long", "not_tfrecord", "codec"}

// String returns the text form, "" for the zero Class.
func (c Class) String() string {
	if int(c) < len(classNames) {
		return classNames[c]
	}
	return fmt.Sprintf("class(%d)", uint8(c))
}

// A Position locates one record in a stream.
type Position struct {
	Name   string // name of the stream, as in the options; may be empty
	Record int64  // ordinal of the record, from 0; -1 if unknown
	Offset int64  // offset of the record's header in the uncompressed stream, in bytes
}

// String formats the position as in errors, for example "train-00003.tfrecord: record 17 (offset
// 0x3f2c)".
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

// An Error is an error at a position in a stream of records.
//
// It wraps the sentinel of its Class or [io.ErrUnexpectedEOF], and the error of the codec or of the
// source if there is one.
type Error struct {
	Position
	Class Class
	// Offset in the compressed input, at most one buffer before the fault; -1 if the stream is not
	// compressed or the offset is unknown.
	Compressed int64
	// What the input looks like instead, as a word of [Identify], or "crc-zero", "crc-unmasked", "crc-32";
	// "" if unknown.
	LooksLike string
	Err       error // what is wrong
}

// Error returns one line: the position, then what is wrong.
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

// trimPrefix returns the text of err without "tfrecord: ", for texts that follow a position.
func trimPrefix(err error) string { return strings.TrimPrefix(err.Error(), "tfrecord: ") }

// detailedError is a sentinel with the details of one case.
type detailedError struct {
	sentinel error  // one of this package, or io.ErrUnexpectedEOF
	detail   string // the text
	cause    error  // wrapped as well; may be nil
}

func (f *detailedError) Error() string { return f.detail }

func (f *detailedError) Unwrap() []error {
	if f.cause == nil {
		return []error{f.sentinel}
	}
	return []error{f.sentinel, f.cause}
}

// checksumError is the error of a checksum that does not match.
func checksumError(sentinel error, stored, computed uint32) error {
	return &detailedError{sentinel: sentinel, detail: fmt.Sprintf("%s: stored %#08x, computed %#08x", trimPrefix(sentinel), stored, computed)}
}

// lengthError is the error of the header at the start of b, which may include bytes after it.
func lengthError(b []byte) error {
	b = b[:min(len(b), maxSniffSize)] // the text does not depend on the size of a buffer
	if zeros := len(b) - len(bytes.TrimLeft(b, "\x00")); zeros >= HeaderSize {
		count := "zeros"
		if zeros < len(b) {
			count = fmt.Sprintf("%d zeros", zeros)
		}
		return &detailedError{sentinel: ErrLengthChecksum, detail: fmt.Sprintf("%s: %s in place of a record", trimPrefix(ErrLengthChecksum), count)}
	}
	return checksumError(ErrLengthChecksum, binary.LittleEndian.Uint32(b[8:]), lengthCRC(binary.LittleEndian.Uint64(b)))
}

func truncatedHeader(have int) error {
	return &detailedError{sentinel: io.ErrUnexpectedEOF, detail: fmt.Sprintf("truncated: the stream ends after %d of the %d bytes of a header", have, HeaderSize)}
}

func truncatedRecord(have, want int64) error {
	return &detailedError{sentinel: io.ErrUnexpectedEOF, detail: fmt.Sprintf("truncated: the stream ends after %d of the %d bytes of payload and footer", have, want)}
}

func tooLongError(size uint64, limit int64) error {
	return &detailedError{sentinel: ErrTooLarge, detail: fmt.Sprintf("record of %d bytes exceeds the limit of %d", size, limit)}
}
