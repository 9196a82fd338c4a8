package example_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"

	"github.com/tfparse/tfparse/example"
)

// This file is a model of the parsers of TensorFlow 2.21, for a VarLen feature: which bytes they accept, clamp,
// skip and drop. With it the dialect is tested against both of its sources. The vectors, which TensorFlow ran,
// prove that the model is right.

var (
	errTF        = errors.New("refused")
	errUndefined = errors.New("undefined: TensorFlow may crash")
)

// A tfCursor reads b[pos:limit].
type tfCursor struct {
	b          []byte
	pos, limit int
}

func (c *tfCursor) atEnd() bool { return c.pos >= c.limit }

func (c *tfCursor) varint() (v uint64, err error) {
	for n := range 10 {
		if c.atEnd() {
			return 0, errTF
		}
		x := c.b[c.pos]
		c.pos++
		v |= uint64(x&127) << (7 * n) // bits beyond 64 are dropped
		if x < 128 {
			return v, nil
		}
	}
	return 0, errTF
}

// length returns a length modulo 2^32.
func (c *tfCursor) length() (int64, error) {
	v, err := c.varint()
	return int64(uint32(v)), err
}

// tag reads the given byte.
func (c *tfCursor) tag(want byte) bool {
	if c.atEnd() || c.b[c.pos] != want {
		return false
	}
	c.pos++
	return true
}

// enter returns a cursor for a message of length n, clamped. If n is 2^31 or more, it has no limit.
func (c *tfCursor) enter(n int64) *tfCursor {
	limit := c.limit
	if n < 1<<31 && int64(c.pos)+n < int64(limit) {
		limit = c.pos + int(n)
	}
	return &tfCursor{c.b, c.pos, limit}
}

// message reads a length and enters the message.
func (c *tfCursor) message() (*tfCursor, error) {
	n, err := c.length()
	if err != nil {
		return nil, err
	}
	return c.enter(n), nil
}

// take reads n bytes, and fails if there are fewer.
func (c *tfCursor) take(n int64) ([]byte, error) {
	if n > int64(c.limit-c.pos) {
		return nil, errTF
	}
	b := c.b[c.pos : c.pos+int(n)]
	c.pos += int(n)
	return b, nil
}

// skip skips a field at the top level.
func (c *tfCursor) skip() error {
	t, err := c.varint()
	if err != nil {
		return err
	}
	switch uint32(t) & 7 {
	case 0:
		_, err = c.varint()
	case 1:
		_, err = c.take(8)
	case 5:
		_, err = c.take(4)
	case 2:
		var n int64
		if n, err = c.length(); err == nil && n < 1<<31 {
			c.pos = int(min(int64(c.pos)+n, int64(c.limit)))
		}
	default:
		return errTF
	}
	return err
}

// A tfMessage has the entries that a parser found.
type tfMessage struct {
	sequence        bool
	features, lists map[string][]tfCursor
}

func tfRead(b []byte, sequence bool) (tfMessage, error) {
	m := tfMessage{sequence, map[string][]tfCursor{}, map[string][]tfCursor{}}
	c := &tfCursor{b, 0, len(b)}
	for !c.atEnd() {
		into := m.features
		switch {
		case c.tag(0x0a):
		case sequence && c.tag(0x12):
			into = m.lists
		default:
			if err := c.skip(); err != nil {
				return m, err
			}
			continue
		}
		features, err := c.message()
		if err != nil {
			return m, err
		}
		for !features.atEnd() {
			if !features.tag(0x0a) {
				return m, errTF
			}
			entry, err := features.message()
			if err != nil {
				return m, err
			}
			read := (*tfCursor).entry
			if sequence {
				read = (*tfCursor).strictEntry
			}
			key, value, err := read(entry)
			if err != nil || !entry.atEnd() {
				return m, errTF
			}
			into[key] = append(into[key], value)
			features.pos = entry.pos
		}
		c.pos = features.pos
	}
	return m, nil
}

// entry reads exactly two fields, each a key or a value.
func (c *tfCursor) entry() (key string, value tfCursor, err error) {
	for range 2 {
		t, err := c.varint()
		if err != nil {
			return "", value, err
		}
		n, err := c.length()
		if err != nil {
			return "", value, err
		}
		at := c.pos
		b, err := c.take(n)
		if err != nil {
			return "", value, err
		}
		switch uint32(t) {
		case 0x0a:
			key = string(b)
		case 0x12:
			value = tfCursor{c.b, at, c.pos}
		default:
			return "", value, errTF
		}
	}
	return key, value, nil
}

// strictEntry reads a key and then a value.
func (c *tfCursor) strictEntry() (key string, value tfCursor, err error) {
	for _, t := range []byte{0x0a, 0x12} {
		if !c.tag(t) {
			return "", value, errTF
		}
		n, err := c.length()
		if err != nil {
			return "", value, err
		}
		at := c.pos
		b, err := c.take(n)
		if err != nil {
			return "", value, err
		}
		if t == 0x0a {
			key = string(b)
		} else {
			value = tfCursor{c.b, at, c.pos}
		}
	}
	return key, value, nil
}

// list reads the first list of a Feature, after the tag of its kind. In a SequenceExample packed floats are checked
// differently.
func (c *tfCursor) list(kind example.Kind, sequence bool) (values []string, err error) {
	l, err := c.message()
	if err != nil {
		return nil, err
	}
	defer func() { c.pos = l.pos }()
	if kind == example.BytesList {
		for !l.atEnd() {
			if !l.tag(0x0a) {
				return nil, errTF
			}
			n, err := l.length()
			if err != nil {
				return nil, err
			}
			if n >= 1<<31 {
				return nil, errUndefined
			}
			b, err := l.take(n)
			if err != nil {
				return nil, err
			}
			values = append(values, string(b))
		}
		return values, nil
	}
	number := func(from *tfCursor) error {
		if kind == example.Int64List {
			v, err := from.varint()
			values = append(values, strconv.FormatInt(int64(v), 10))
			return err
		}
		b, err := from.take(4)
		if err == nil {
			values = append(values, fmt.Sprintf("%08x", binary.LittleEndian.Uint32(b)))
		}
		return err
	}
	if l.atEnd() {
		return nil, nil
	}
	if !l.tag(0x0a) {
		tag := byte(0x08)
		if kind == example.FloatList {
			tag = 0x0d
		}
		for !l.atEnd() {
			if !l.tag(tag) {
				return nil, errTF
			}
			if err := number(l); err != nil {
				return nil, err
			}
		}
		return values, nil
	}
	n, err := l.length()
	if err != nil {
		return nil, err
	}
	if kind == example.FloatList && !sequence {
		if n >= 1<<31 {
			return nil, errUndefined
		}
		if n > int64(l.limit-l.pos) {
			return nil, errTF
		}
		n -= n % 4 // the remaining bytes are dropped
	}
	packed := l.enter(n)
	for !packed.atEnd() {
		if err := number(packed); err != nil {
			return nil, err
		}
	}
	l.pos = packed.pos
	return values, nil
}

// feature returns the values of a VarLen feature of dtype want in a batch. The Example parser visits entries from
// the last to the first, and checks the kind of each.
func (m tfMessage) feature(name string, want example.Kind) (values []string, err error) {
	seen := m.features[name]
	for i := range seen {
		f := seen[len(seen)-1-i] // a copy
		if m.sequence && i > 0 {
			break
		}
		if f.atEnd() {
			if m.sequence {
				return nil, nil
			}
			continue
		}
		kind := example.Kind(f.b[f.pos] >> 3)
		if b := f.b[f.pos]; b != 0x0a && b != 0x12 && b != 0x1a {
			return nil, errTF
		}
		f.pos++
		if i > 0 {
			continue
		}
		if kind != want {
			return nil, errTF
		}
		if values, err = f.list(kind, m.sequence); err != nil {
			return nil, err
		}
	}
	return values, nil
}

// steps returns the values of a VarLen feature list of the dtype. The bytes after the first list of a step are read
// like another element.
func (m tfMessage) steps(name string, want example.Kind) (steps [][]string, err error) {
	seen := m.lists[name]
	if len(seen) == 0 {
		return nil, nil
	}
	c := seen[len(seen)-1]
	for !c.atEnd() {
		if !c.tag(0x0a) {
			return nil, errTF
		}
		n, err := c.length()
		if err != nil {
			return nil, err
		}
		if n == 0 {
			steps = append(steps, nil)
			continue
		}
		if n == 1 || !c.tag(byte(want)<<3|2) {
			return nil, errTF
		}
		if n == 2 {
			if !c.tag(0) {
				return nil, errTF
			}
			steps = append(steps, nil)
			continue
		}
		values, err := c.list(want, true)
		if err != nil {
			return nil, err
		}
		steps = append(steps, values)
	}
	return steps, nil
}
