package model

import (
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/tfparse/tfparse/internal/wire"
	"github.com/tfparse/tfparse/tensor"
)

// Limits, see the package comment. They are far above real files: TensorFlow writes at most 2 GiB,
// and large models have several hundred thousand objects.
const (
	maxFields   = 5_000_000
	maxLoaded   = 16 << 20 // in bytes
	maxElements = 100_000
	maxObjects  = 1_000_000 // number of nodes of the object graph, and of saved functions
	maxDepth    = 64
	window      = 16 << 10 // size of one read, in bytes
)

// An extent is a part of the file.
type extent struct{ lo, hi int64 }

// A source reads messages of a file of any size. The caller visits fields and loads only the messages
// that it needs.
type source struct {
	file io.ReaderAt // the caller's; read at any offset
	size int64       // size of the file, in bytes
	name string      // name of the file, for errors

	buf       []byte // a window of the file
	bufOffset int64  // offset of buf in the file

	fields   int // number of fields read, limit maxFields
	loaded   int // number of bytes in loaded messages, limit maxLoaded
	elements int // number of inputs, outputs and members, limit maxElements
}

func newSource(r io.ReaderAt, size int64, name string) *source {
	return &source{file: r, size: size, name: name, buf: make([]byte, 0, window)}
}

func (s *source) errorAt(offset int64, field string, err error, detail string) error {
	return &Error{s.name, offset, field, detail, err}
}

// headerAt returns the first bytes of an extent, enough for a field header. The slice aliases the window.
func (s *source) headerAt(e extent) ([]byte, error) {
	const header = 20 // a tag and a length or value
	hi := min(e.hi, e.lo+header)
	if e.lo < s.bufOffset || hi > s.bufOffset+int64(len(s.buf)) {
		n := int(min(window, s.size-e.lo))
		got, err := s.file.ReadAt(s.buf[:n], e.lo)
		if got < n {
			if err == nil || errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return nil, err
		}
		s.buf, s.bufOffset = s.buf[:n], e.lo
	}
	return s.buf[e.lo-s.bufOffset : hi-s.bufOffset], nil
}

// A field is one field of a message in the file.
type field struct {
	num    int32
	typ    wire.Type
	offset int64  // offset of its tag
	body   extent // value of a TypeBytes field
	varint uint64 // value of a TypeVarint field
}

// nextField reads the field at the start of e and removes it from e.
func (s *source) nextField(e *extent, path string) (f field, err error) {
	if s.fields++; s.fields > maxFields {
		return f, s.errorAt(e.lo, path, ErrLimit, "more than 5,000,000 fields")
	}
	b, err := s.headerAt(*e)
	if err != nil {
		return f, s.errorAt(e.lo, path, err, "")
	}
	fault := func(code int) (field, error) {
		if code == wire.Truncated {
			return f, s.truncated(*e, f, path)
		}
		return f, s.errorAt(e.lo, path, wire.Err(code), "")
	}
	tag, i := wire.Varint(b, 0)
	if i < 0 {
		return fault(i)
	}
	if tag>>3 == 0 || tag>>3 > 1<<29-1 {
		return fault(wire.FieldNumber)
	}
	f = field{num: int32(tag >> 3), typ: wire.Type(tag & 7), offset: e.lo}
	end := int64(i)
	switch f.typ {
	case wire.TypeVarint:
		v, next := wire.Varint(b, i)
		if next < 0 {
			return fault(next)
		}
		f.varint, end = v, int64(next)
	case wire.TypeBytes:
		n, next := wire.Varint(b, i)
		if next < 0 {
			return fault(next)
		}
		if n > uint64(e.hi-e.lo-int64(next)) {
			return f, s.truncated(*e, f, path)
		}
		f.body = extent{e.lo + int64(next), e.lo + int64(next) + int64(n)}
		end = int64(next) + int64(n)
	case wire.TypeFixed64:
		end += 8
	case wire.TypeFixed32:
		end += 4
	case wire.TypeStartGroup, wire.TypeEndGroup: // no message of TensorFlow has groups
		return fault(wire.Group)
	default:
		return fault(wire.WireType)
	}
	if end > e.hi-e.lo {
		return f, s.truncated(*e, f, path)
	}
	e.lo += end
	return f, nil
}

// truncated returns the error for a field that exceeds its message, possibly because the file is
// truncated.
func (s *source) truncated(e extent, f field, path string) error {
	in := "its message ends"
	if e.hi == s.size {
		in = "the file ends early,"
	}
	if path == "" && f.num == 2 {
		path = "meta_graphs"
	}
	part := "a tag"
	if f.num > 0 {
		part = fmt.Sprintf("field %d", f.num)
	}
	return s.errorAt(e.lo, path, io.ErrUnexpectedEOF, fmt.Sprintf("%s at byte %d, inside %s", in, e.hi, part))
}

// eachField calls f for every field of an extent.
func (s *source) eachField(e extent, path string, f func(field) error) error {
	for e.lo < e.hi {
		next, err := s.nextField(&e, path)
		if err != nil {
			return err
		}
		if err := f(next); err != nil {
			return err
		}
	}
	return nil
}

// loadMessage reads an extent into memory.
func (s *source) loadMessage(e extent, path string) (message, error) {
	if e.hi-e.lo > int64(maxLoaded-s.loaded) {
		return message{}, s.errorAt(e.lo, path, ErrLimit, "more than 16 MiB of signatures and functions")
	}
	n := int(e.hi - e.lo)
	s.loaded += n
	b := make([]byte, n)
	if got, err := s.file.ReadAt(b, e.lo); got < n {
		if err == nil || errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return message{}, s.errorAt(e.lo, path, err, "")
	}
	return message{src: s, b: b, at: e.lo, path: path}, nil
}

// loadText loads a string.
func (s *source) loadText(f field, path string) (string, error) {
	if f.typ != wire.TypeBytes {
		return "", s.errorAt(f.offset, path, ErrMessage, "want a string")
	}
	m, err := s.loadMessage(f.body, path)
	if err != nil {
		return "", err
	}
	return m.readText()
}

// countElement counts an input, output or member. It fails beyond maxElements.
func (s *source) countElement(at int64, path string) error {
	if s.elements++; s.elements > maxElements {
		return s.errorAt(at, path, ErrLimit, "more than 100,000 inputs, outputs and members")
	}
	return nil
}

// A message is an encoded message in memory, or the body of one of its fields.
type message struct {
	src  *source // enforces the limits
	b    []byte  // the encoded message
	at   int64   // offset of b in the file
	path string  // path of the message, for errors
}

func (m message) errorAt(err error, detail string) error {
	return m.src.errorAt(m.at, m.path, err, detail)
}

// A fieldValue is a field of a message in memory.
type fieldValue struct {
	num    int32
	typ    wire.Type
	varint uint64  // value of a TypeVarint field
	body   message // value of a TypeBytes field
}

// eachField calls f for every field of the message.
func (m message) eachField(f func(fieldValue) error) error {
	for i := 0; i < len(m.b); {
		if m.src.fields++; m.src.fields > maxFields {
			return m.errorAt(ErrLimit, "more than 5,000,000 fields")
		}
		field, next := wire.Next(m.b, i)
		if next < 0 {
			m.at += int64(i)
			return m.errorAt(wire.Err(next), "")
		}
		x := fieldValue{num: field.Num, typ: field.Type, body: message{m.src, m.b[field.Lo:field.Hi], m.at + int64(field.Lo), m.path}}
		if field.Type == wire.TypeVarint {
			x.varint, _ = wire.Varint(m.b, field.Lo)
		}
		if err := f(x); err != nil {
			return err
		}
		i = next
	}
	return nil
}

// eachMessage calls f for the message in every field with the number num.
func (m message) eachMessage(num int32, f func(message) error) error {
	return m.eachField(func(v fieldValue) error {
		if v.num != num {
			return nil
		}
		body, err := v.message()
		if err != nil {
			return err
		}
		return f(body)
	})
}

// message returns the message in a field. It fails for another wire type.
func (v fieldValue) message() (message, error) {
	if v.typ != wire.TypeBytes {
		return v.body, v.body.errorAt(ErrMessage, "want a message, got "+v.typ.String())
	}
	return v.body, nil
}

// number returns the number in a field. It fails for another wire type.
func (v fieldValue) number() (uint64, error) {
	if v.typ != wire.TypeVarint {
		return 0, v.body.errorAt(ErrMessage, "want a number, got "+v.typ.String())
	}
	return v.varint, nil
}

// readText returns the string in a field. It fails for another wire type.
func (v fieldValue) readText() (string, error) {
	m, err := v.message()
	if err != nil {
		return "", err
	}
	return m.readText()
}

func (m message) readText() (string, error) {
	if !utf8.Valid(m.b) {
		return "", m.errorAt(ErrMessage, "a string is not UTF-8")
	}
	return string(m.b), nil
}

// readEntry reads an entry of a map with string keys. A missing value is an empty message.
func (m message) readEntry() (key string, body message, err error) {
	body = message{src: m.src, at: m.at, path: m.path}
	err = m.eachField(func(v fieldValue) (err error) {
		switch v.num {
		case 1:
			key, err = v.readText()
		case 2:
			body, err = v.message()
		}
		return err
	})
	return key, body, err
}

// readDType reads a DataType.
func (v fieldValue) readDType() (tensor.DType, error) {
	n, err := v.number()
	if err == nil && n > 255 {
		err = v.body.errorAt(ErrMessage, "no such dtype")
	}
	return tensor.DType(n), err
}

// readShape reads a TensorShapeProto. The result is nil for an unknown rank.
func (m message) readShape() (tensor.Shape, error) {
	s, unknown, err := m.readSizes()
	if unknown {
		return nil, err
	}
	return s, err
}

// readSizes reads a TensorShapeProto: the dimensions, and unknown_rank.
func (m message) readSizes() (s tensor.Shape, unknown bool, err error) {
	s = tensor.Shape{}
	err = m.eachField(func(v fieldValue) error {
		switch v.num {
		case 2: // dim
			dim, err := v.message()
			if err != nil {
				return err
			}
			if err := m.src.countElement(m.at, m.path); err != nil {
				return err
			}
			size := int64(0)
			err = dim.eachField(func(v fieldValue) error {
				if v.num != 1 {
					return nil
				}
				n, err := v.number()
				if size = int64(n); err == nil && size < -1 {
					err = v.body.errorAt(ErrMessage, "want a dimension of at least -1")
				}
				return err
			})
			s = append(s, size)
			return err
		case 3: // unknown_rank
			n, err := v.number()
			unknown = n != 0
			return err
		}
		return nil
	})
	return s, unknown, err
}
