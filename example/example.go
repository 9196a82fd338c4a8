package example

import (
	"maps"
	"math"
	"slices"

	"github.com/tfparse/tfparse/internal/wire"
)

// maxSize is the size that no message may exceed: the limit of protobuf.
const maxSize = math.MaxInt32

// Example is the owned form of an Example: features by name. The zero value is
// an empty Example.
type Example map[string]Value

// AppendBinary appends the encoded Example to b. The encoding is deterministic:
// names sorted by their bytes, lists packed, nothing written for an Example
// without features. The error, ErrValue or ErrTooLarge in an *Error, is about
// the values; names may be any bytes, though decoders other than TensorFlow
// and this package refuse names that are not UTF-8.
func (e Example) AppendBinary(b []byte) ([]byte, error) {
	return e.append(b, fieldFeatures)
}

// MarshalBinary is AppendBinary to a new slice.
func (e Example) MarshalBinary() ([]byte, error) { return e.AppendBinary(nil) }

// UnmarshalBinary replaces *e by the Example in msg, or leaves it as it is if
// there is an error: it fails exactly where [Validate] does. It copies.
func (e *Example) UnmarshalBinary(msg []byte) error {
	var buf [64]Entry
	entries, err := Collect(buf[:0], msg)
	if err != nil {
		return err
	}
	x, err := owned(entries)
	if err != nil {
		return err
	}
	*e = x
	return nil
}

// owned decodes entries into an Example.
func owned(entries []Entry) (Example, error) {
	x := make(Example, len(entries))
	for _, n := range entries {
		v, err := n.Feature.Value()
		if err != nil {
			return nil, in(err, "", string(n.Name))
		}
		x[string(n.Name)] = v
	}
	return x, nil
}

// append appends the map as field num of a message.
func (e Example) append(b []byte, num int32) ([]byte, error) {
	names := slices.Sorted(maps.Keys(e))
	var total int64
	for _, name := range names {
		if e[name].Kind() == Malformed {
			return b, &Error{Offset: -1, Feature: name, Frame: -1, Err: ErrValue, Want: "values of one kind", Got: "several"}
		}
		total += wire.SizeField(entrySize(name, e[name].layout().feature))
	}
	if len(names) == 0 {
		return b, nil
	}
	if wire.SizeField(total) > maxSize {
		return b, tooLarge(total)
	}
	b = slices.Grow(b, int(wire.SizeField(total)))
	b = wire.AppendHeader(b, num, total)
	for _, name := range names {
		v := e[name]
		l := v.layout()
		b = v.append(appendEntry(b, name, l.feature), l)
	}
	return b, nil
}

// size is the size of the encoded Example.
func (e Example) size() int64 {
	var total int64
	for name, v := range e {
		total += wire.SizeField(entrySize(name, v.layout().feature))
	}
	if len(e) == 0 {
		return 0
	}
	return wire.SizeField(total)
}

// entrySize is the size of a map entry with a value of the given size.
func entrySize(name string, value int64) int64 {
	return wire.SizeField(int64(len(name))) + wire.SizeField(value)
}

// appendEntry appends a map entry up to its value.
func appendEntry(b []byte, name string, value int64) []byte {
	b = wire.AppendHeader(b, 1, entrySize(name, value))
	b = append(wire.AppendHeader(b, 1, int64(len(name))), name...)
	return wire.AppendHeader(b, 2, value)
}

func tooLarge(size int64) *Error {
	return &Error{Offset: -1, Frame: -1, Err: ErrTooLarge, Got: formatSize(size)}
}
