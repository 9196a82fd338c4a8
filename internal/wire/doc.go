// Package wire reads and writes the protobuf wire format, as far as the messages of this module
// need it: varints, tags, lengths and packed lists. It is the reference; packages canonical and
// simd have faster forms for the common cases.
//
// Readers take a buffer and a position, and return the next position, or a negative number that
// is the fault; then the other results are meaningless. A nested message is read from the
// outer buffer cut at its end, b[:hi], so that positions stay those of the
// whole and a length can be checked against len(b) alone:
//
//	lo, hi := wire.Length(b, i) // b[lo:hi] is the body
//	f, next := wire.Next(b[:hi], lo)
//
// Every length is checked against the buffer before use, and no allocation is larger than the
// input justifies. Lengths are compared as uint64, so that they do not overflow an int of 32 bits.
package wire

import (
	"errors"
	"io"
)

// Faults: the negative positions that readers return.
const (
	Truncated   = -1 - iota // the buffer ends inside a field, or a length overruns it
	Overflow                // a varint has more than 64 bits
	FieldNumber             // a field number is outside 1 to 2^29-1
	WireType                // wire type 6 or 7
	Group                   // a group ends that has not begun, or ends with another number
	Depth                   // groups are nested deeper than MaxDepth
)

// MaxDepth is the maximum nesting of groups in a skipped field, the same as in protobuf-go.
const MaxDepth = 10000

// The errors of the faults. That of Truncated is io.ErrUnexpectedEOF.
var (
	ErrOverflow    = errors.New("varint of more than 64 bits")
	ErrFieldNumber = errors.New("illegal field number")
	ErrWireType    = errors.New("illegal wire type")
	ErrGroup       = errors.New("unbalanced group")
	ErrDepth       = errors.New("groups nested too deep")
)

// Err returns the error of a fault.
func Err(fault int) error {
	switch fault {
	case Truncated:
		return io.ErrUnexpectedEOF
	case Overflow:
		return ErrOverflow
	case FieldNumber:
		return ErrFieldNumber
	case WireType:
		return ErrWireType
	case Group:
		return ErrGroup
	}
	return ErrDepth
}
