package model

import (
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/tfparse/tfparse/internal/wire"
)

// Limits, see the package comment. They are far above real files: TensorFlow writes at most 2 GiB,
// and large models have some hundred thousand objects.
const (
	maxFields   = 5_000_000
	maxLoaded   = 16 << 20
	maxElements = 100_000
	maxObjects  = 1_000_000 // nodes of the object graph, and saved functions
	maxDepth    = 64
	window      = 16 << 10 // bytes of one read
)

// An extent is a part of the file.
type extent struct{ lo, hi int64 }

// A source reads messages of a file of any size: the caller visits fields, and loads only the
// messages that it needs.
type source struct {
	r    io.ReaderAt
	size int64  // of the file
	name string // of the file, for errors

	buf []byte // a window of the file
	at  int64  // offset of buf in the file

	fields   int // number of fields read, limit maxFields
	loaded   int // bytes in loaded messages, limit maxLoaded
	elements int // number of inputs, outputs and members, limit maxElements
}

func newSource(r io.ReaderAt, size int64, name string) *source {
	return &source{r: r, size: size, name: name, buf: make([]byte, 0, window)}
}

func (s *source) errorAt(offset int64, field string, err error, detail string) error {
	return &Error{s.name, offset, field, detail, err}
}

// view returns the first bytes of an extent, as many as a header has, from the window.
func (s *source) view(e extent) ([]byte, error) {
	const header = 20 // a tag and a length or value
	hi := min(e.hi, e.lo+header)
	if e.lo < s.at || hi > s.at+int64(len(s.buf)) {
		n := int(min(window, s.size-e.lo))
		got, err := s.r.ReadAt(s.buf[:n], e.lo)
		if got < n {
			if err == nil || errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return nil, err
		}
		s.buf, s.at = s.buf[:n], e.lo
	}
	return s.buf[e.lo-s.at : hi-s.at], nil
}

// A field is one field of a message in the file.
type field struct {
	num  int32
	typ  wire.Type
	at   int64  // offset of its tag
	body extent // value of a TypeBytes field
	v    uint64 // value of a TypeVarint field
}

// next reads the field at the start of e and removes it from e.
func (s *source) next(e *extent, path string) (f field, err error) {
	if s.fields++; s.fields > maxFields {
		return f, s.errorAt(e.lo, path, ErrLimit, "more than 5,000,000 fields")
	}
	b, err := s.view(*e)
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
	f = field{num: int32(tag >> 3), typ: wire.Type(tag & 7), at: e.lo}
	end := int64(i)
	switch f.typ {
	case wire.TypeVarint:
		v, next := wire.Varint(b, i)
		if next < 0 {
			return fault(next)
		}
		f.v, end = v, int64(next)
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

// truncated returns the error for a field that exceeds its message, perhaps because the file is cut
// off.
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

// each calls f for every field of an extent.
func (s *source) each(e extent, path string, f func(field) error) error {
	for e.lo < e.hi {
		next, err := s.next(&e, path)
		if err != nil {
			return err
		}
		if err := f(next); err != nil {
			return err
		}
	}
	return nil
}

// load reads an extent into memory.
func (s *source) load(e extent, path string) (message, error) {
	if e.hi-e.lo > int64(maxLoaded-s.loaded) {
		return message{}, s.errorAt(e.lo, path, ErrLimit, "more than 16 MiB of signatures and functions")
	}
	n := int(e.hi - e.lo)
	s.loaded += n
	b := make([]byte, n)
	if got, err := s.r.ReadAt(b, e.lo); got < n {
		if err == nil || errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return message{}, s.errorAt(e.lo, path, err, "")
	}
	return message{src: s, b: b, at: e.lo, path: path}, nil
}

// text loads a string.
func (s *source) text(f field, path string) (string, error) {
	if f.typ != wire.TypeBytes {
		return "", s.errorAt(f.at, path, ErrMessage, "want a string")
	}
	m, err := s.load(f.body, path)
	if err != nil {
		return "", err
	}
	return m.text()
}

// element counts one input, output or member against the limit.
func (s *source) element(at int64, path string) error {
	if s.elements++; s.elements > maxElements {
		return s.errorAt(at, path, ErrLimit, "more than 100,000 inputs, outputs and members")
	}
	return nil
}

// A message is a message in memory, or a part of one.
type message struct {
	src  *source // counts fields and elements
	b    []byte  // encoded
	at   int64   // offset of b in the file
	path string  // for errors
}

func (m message) error(err error, detail string) error {
	return m.src.errorAt(m.at, m.path, err, detail)
}

// A value is a field of a message in memory.
type value struct {
	num int32
	typ wire.Type
	v   uint64  // value of a TypeVarint field
	m   message // value of a TypeBytes field
}

// each calls f for every field of the message.
func (m message) each(f func(value) error) error {
	for i := 0; i < len(m.b); {
		if m.src.fields++; m.src.fields > maxFields {
			return m.error(ErrLimit, "more than 5,000,000 fields")
		}
		field, next := wire.Next(m.b, i)
		if next < 0 {
			m.at += int64(i)
			return m.error(wire.Err(next), "")
		}
		x := value{num: field.Num, typ: field.Type, m: message{m.src, m.b[field.Lo:field.Hi], m.at + int64(field.Lo), m.path}}
		if field.Type == wire.TypeVarint {
			x.v, _ = wire.Varint(m.b, field.Lo)
		}
		if err := f(x); err != nil {
			return err
		}
		i = next
	}
	return nil
}

// messages calls f for the message in every field with a number.
func (m message) messages(num int32, f func(message) error) error {
	return m.each(func(v value) error {
		if v.num != num {
			return nil
		}
		body, err := v.bytes()
		if err != nil {
			return err
		}
		return f(body)
	})
}

// bytes returns the message in a field, an error for another wire type.
func (v value) bytes() (message, error) {
	if v.typ != wire.TypeBytes {
		return v.m, v.m.error(ErrMessage, "want a message, got "+v.typ.String())
	}
	return v.m, nil
}

// varint returns the number in a field, an error for another wire type.
func (v value) varint() (uint64, error) {
	if v.typ != wire.TypeVarint {
		return 0, v.m.error(ErrMessage, "want a number, got "+v.typ.String())
	}
	return v.v, nil
}

// text returns the string in a field, an error for another wire type.
func (v value) text() (string, error) {
	m, err := v.bytes()
	if err != nil {
		return "", err
	}
	return m.text()
}

func (m message) text() (string, error) {
	if !utf8.Valid(m.b) {
		return "", m.error(ErrMessage, "a string is not UTF-8")
	}
	return string(m.b), nil
}

// entry reads an entry of a map with string keys. A missing value is an empty message.
func (m message) entry() (key string, body message, err error) {
	body = message{src: m.src, at: m.at, path: m.path}
	err = m.each(func(v value) (err error) {
		switch v.num {
		case 1:
			key, err = v.text()
		case 2:
			body, err = v.bytes()
		}
		return err
	})
	return key, body, err
}

// dtype reads a DataType.
func (v value) dtype() (DType, error) {
	n, err := v.varint()
	if err == nil && n > 255 {
		err = v.m.error(ErrMessage, "no such dtype")
	}
	return DType(n), err
}

// shape reads a TensorShapeProto. The result is nil for an unknown rank.
func (m message) shape() (Shape, error) {
	s, unknown, err := m.sizes()
	if unknown {
		return nil, err
	}
	return s, err
}

// sizes reads a TensorShapeProto: the dimensions, and unknown_rank.
func (m message) sizes() (s Shape, unknown bool, err error) {
	s = Shape{}
	err = m.each(func(v value) error {
		switch v.num {
		case 2: // dim
			dim, err := v.bytes()
			if err != nil {
				return err
			}
			if err := m.src.element(m.at, m.path); err != nil {
				return err
			}
			size := int64(0)
			err = dim.each(func(v value) error {
				if v.num != 1 {
					return nil
				}
				n, err := v.varint()
				if size = int64(n); err == nil && size < -1 {
					err = v.m.error(ErrMessage, "a dimension below -1")
				}
				return err
			})
			s = append(s, size)
			return err
		case 3: // unknown_rank
			n, err := v.varint()
			unknown = n != 0
			return err
		}
		return nil
	})
	return s, unknown, err
}
