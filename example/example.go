package example

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"sync"

	"github.com/tfparse/tfparse/internal/encode"
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
	least, err := e.check()
	if err != nil {
		return b, err
	}
	return appendMessage(b, least, e.write)
}

// MarshalBinary is AppendBinary to a new slice.
func (e Example) MarshalBinary() ([]byte, error) { return e.AppendBinary(nil) }

// UnmarshalBinary replaces *e by the Example in msg, or leaves it as it is if
// there is an error: it fails exactly where [MessageType.Validate] does. It copies.
func (e *Example) UnmarshalBinary(msg []byte) error {
	var buf [64]Entry
	entries, err := TypeExample.Collect(buf[:0], msg)
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

// check returns a lower bound of the size of the encoded Example, or an error if it has
// a value that cannot be encoded: the first one by name.
func (e Example) check() (least int64, err error) {
	var bad *Error
	for name, v := range e {
		least += int64(len(name)) + v.least()
		if v.Kind() == Malformed && (bad == nil || name < bad.Feature) {
			bad = severalKinds("", name, -1)
		}
	}
	if bad != nil {
		return 0, bad
	}
	return least, nil
}

// write writes the map of features.
func (e Example) write(b *encode.Buffer) {
	if len(e) == 0 {
		return
	}
	mark := b.Len()
	for _, name := range slices.Backward(slices.Sorted(maps.Keys(e))) {
		at := b.Len()
		e[name].write(b)
		b.Entry(name, at)
	}
	b.Field(fieldFeatures, mark)
}

// buffers are those of encoders that are not at work.
var buffers = sync.Pool{New: func() any { return new(encode.Buffer) }}

// appendMessage appends what write writes, unless that is too large. If even a lower
// bound of its size is, nothing is written.
func appendMessage(b []byte, least int64, write func(*encode.Buffer)) ([]byte, error) {
	if least > maxSize {
		return b, tooLarge(least)
	}
	buf := buffers.Get().(*encode.Buffer)
	defer buffers.Put(buf)
	buf.Reset()
	write(buf)
	if n := int64(buf.Len()); n > maxSize {
		return b, tooLarge(n)
	}
	return append(b, buf.Bytes()...), nil
}

func severalKinds(part, name string, step int) *Error {
	e := &Error{Path: PathTo(part, name), Err: ErrValue, Want: "values of one kind", Got: "several"}
	e.Step = step
	return e
}

func tooLarge(size int64) *Error {
	return &Error{Path: PathTo("", ""), Err: ErrTooLarge, Got: strconv.FormatInt(size, 10) + " bytes"}
}
