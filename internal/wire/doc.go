// Package wire reads and writes the protobuf wire format, as far as the
// messages of this module use it. It is the only place that knows varints,
// tags and packed lists.
//
// Readers are functions over a buffer and a position in it. They return the
// next position, or a negative one that says what is wrong; then nothing else
// they return means anything. A message inside a message is read from the
// outer buffer cut at its end, b[:hi], so that positions stay those of the
// whole and a length can be checked against len(b) alone:
//
//	lo, hi := wire.Length(b, i) // b[lo:hi] is the body
//	f, next := wire.Next(b[:hi], lo)
//
// Everything is checked against the buffer before it is used; no function
// allocates more than the bytes it was given can account for. Lengths are
// compared as uint64, so that nothing wraps where int has 32 bits.
package wire

import (
	"errors"
	"io"
)

// Faults: the negative positions that readers return.
const (
	Truncated   = -1 - iota // the buffer ends inside a field, or a length overruns it
	Overflow                // a varint of more than 64 bits
	FieldNumber             // a field number outside 1 to 2^29-1
	WireType                // wire type 6 or 7
	Group                   // a group that ends without having begun, or under another number
	Depth                   // groups nested deeper than MaxDepth
)

// MaxDepth is how deep groups may nest in a field that is skipped. protobuf-go
// gives up there too.
const MaxDepth = 10000

// What the faults other than Truncated, which is io.ErrUnexpectedEOF, mean.
var (
	ErrOverflow    = errors.New("varint of more than 64 bits")
	ErrFieldNumber = errors.New("illegal field number")
	ErrWireType    = errors.New("illegal wire type")
	ErrGroup       = errors.New("unbalanced group")
	ErrDepth       = errors.New("groups nested too deep")
)

// Err returns the error that a fault stands for.
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
