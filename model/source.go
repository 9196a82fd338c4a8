package model

import (
	"errors"
	"fmt"
	"io"

	"github.com/tfparse/tfparse/internal/wire"
)

// Limits: see the package comment. They are far above what TensorFlow writes: a
// saved_model.pb is at most 2 GiB, and the largest real ones have some hundred
// thousand objects.
const (
	maxFields   = 5_000_000
	maxLoaded   = 16 << 20
	maxElements = 100_000
	maxObjects  = 1_000_000 // nodes of the object graph, and saved functions
	maxDepth    = 64
	window      = 16 << 10 // bytes that are read at once: a header, and what follows it
)

// An extent is a part of the file.
type extent struct{ lo, hi int64 }

// A source reads messages of a file without holding it: the caller walks over fields and
// loads only the messages that it needs.
type source struct {
	r    io.ReaderAt
	size int64
	name string // of the file, for errors

	buf []byte // a window of the file
	at  int64  // where it begins

	fields   int // looked at
	loaded   int // bytes held
	elements int // inputs, outputs and members
}

func newSource(r io.ReaderAt, size int64, name string) *source {
	return &source{r: r, size: size, name: name, buf: make([]byte, 0, window)}
}

func (s *source) errorAt(offset int64, field string, err error, detail string) error {
	return &Error{s.name, offset, field, detail, err}
}

// view returns the bytes of an extent, at most as many as a header has, from the window.
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

// A field is one field of a message in the file. The body of a TypeBytes field is an
// extent; of others it is the value.
type field struct {
	num  int32
	typ  wire.Type
	at   int64 // where its tag stands
	body extent
	v    uint64 // of a TypeVarint field
}

// next reads the field at the start of e and moves e behind it.
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

// truncated says that a field goes beyond the file, which was cut, or beyond the message that it is in.
func (s *source) truncated(e extent, f field, path string) error {
	in := "its message ends"
	if e.hi == s.size {
		in = "the file ends early,"
	}
	if path == "" && f.num == 2 {
		path = "meta_graphs"
	}
	what := "a tag"
	if f.num > 0 {
		what = fmt.Sprintf("field %d", f.num)
	}
	return s.errorAt(e.lo, path, io.ErrUnexpectedEOF, fmt.Sprintf("%s at byte %d, inside %s", in, e.hi, what))
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

// text loads a name.
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
