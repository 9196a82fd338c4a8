package model

import (
	"unicode/utf8"

	"github.com/tfparse/tfparse/internal/wire"
)

// A message is one that was loaded, or a part of it.
type message struct {
	src  *source
	b    []byte
	at   int64 // where it stands in the file
	path string
}

func (m message) error(err error, detail string) error {
	return m.src.errorAt(m.at, m.path, err, detail)
}

// A value is a field of a loaded message.
type value struct {
	num int32
	typ wire.Type
	v   uint64  // of a TypeVarint field
	m   message // of a TypeBytes field
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

// messages calls f for every message in the fields of one number.
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

// bytes returns the message of a field that must be one.
func (v value) bytes() (message, error) {
	if v.typ != wire.TypeBytes {
		return v.m, v.m.error(ErrMessage, "want a message, got "+v.typ.String())
	}
	return v.m, nil
}

// varint returns the value of a field that must be a number.
func (v value) varint() (uint64, error) {
	if v.typ != wire.TypeVarint {
		return 0, v.m.error(ErrMessage, "want a number, got "+v.typ.String())
	}
	return v.v, nil
}

// text returns the string of a field that must be one.
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

// entry reads an entry of a map with string keys; a value that is left out is an empty
// message.
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

// shape reads a TensorShapeProto of a tensor that need not be known.
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
