package pbtext

import (
	"errors"
	"fmt"
)

// A body is the fields between two braces, or all of a text.
type body struct {
	open, close int // offsets of the braces; -1 and the length of the text for a whole text
	fields      []*field
}

// A field is a name with its values in a text.
type field struct {
	name       string
	start, end int
	values     []value
	list       bool // the values are in brackets
}

// A value is a scalar, or a message if it has a body.
type value struct {
	start, end int
	body       *body
}

// A span is a range of a text.
type span struct{ start, end int }

// A scanner reads the syntax of a text. The protobuf runtime has read the text before. Text that the runtime
// accepts and the scanner does not is an error, not a panic.
type scanner struct {
	text     []byte
	pos      int
	depth    int
	comments []span
}

var errSyntax = errors.New("pbtext: the syntax is not understood")

func (s *scanner) fail() error { return fmt.Errorf("%w at byte %d", errSyntax, s.pos) }

// parse reads a whole text.
func parse(text []byte) (*body, []span, error) {
	s := &scanner{text: text}
	b, err := s.body(-1)
	if err == nil && s.pos < len(text) {
		err = s.fail()
	}
	return b, s.comments, err
}

// skip skips white space and comments.
func (s *scanner) skip() {
	for s.pos < len(s.text) {
		switch s.text[s.pos] {
		case ' ', '\t', '\n', '\r', '\v', '\f':
			s.pos++
		case '#':
			start := s.pos
			for s.pos < len(s.text) && s.text[s.pos] != '\n' {
				s.pos++
			}
			if n := len(s.comments); n == 0 || s.comments[n-1].start < start { // skip may pass a comment again
				s.comments = append(s.comments, span{start, s.pos})
			}
		default:
			return
		}
	}
}

// at skips white space, and reports whether the next byte is one of bytes.
func (s *scanner) at(bytes string) bool {
	s.skip()
	if s.pos == len(s.text) {
		return false
	}
	for i := range len(bytes) {
		if s.text[s.pos] == bytes[i] {
			return true
		}
	}
	return false
}

// body reads fields up to the closing brace, which it does not read.
func (s *scanner) body(open int) (*body, error) {
	if s.depth++; s.depth > 10000 {
		return nil, s.fail()
	}
	defer func() { s.depth-- }()
	b := &body{open: open}
	for !s.at("}>") {
		if s.pos == len(s.text) {
			break
		}
		f, err := s.field()
		if err != nil {
			return nil, err
		}
		b.fields = append(b.fields, f)
		if s.at(";,") {
			s.pos++
		}
	}
	b.close = s.pos
	return b, nil
}

func (s *scanner) field() (*field, error) {
	f := &field{start: s.pos}
	if s.text[s.pos] == '[' {
		for s.pos < len(s.text) && s.text[s.pos] != ']' {
			s.pos++
		}
		s.pos++
		if s.pos > len(s.text) {
			return nil, errSyntax
		}
	} else {
		s.word()
	}
	if s.pos == f.start {
		return nil, s.fail()
	}
	f.name = string(s.text[f.start:s.pos])
	if s.at(":") {
		s.pos++
	}
	if !s.at("[") {
		v, err := s.value()
		f.values, f.end = []value{v}, v.end
		return f, err
	}
	f.list = true
	s.pos++
	for !s.at("]") {
		v, err := s.value()
		if err != nil {
			return nil, err
		}
		f.values = append(f.values, v)
		if s.at(",") {
			s.pos++
		}
	}
	s.pos++
	f.end = s.pos
	return f, nil
}

// word skips a name or a number.
func (s *scanner) word() {
	for s.pos < len(s.text) {
		switch c := s.text[s.pos]; {
		case c >= '0' && c <= '9', c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c == '_', c == '.', c == '+', c == '-':
			s.pos++
		default:
			return
		}
	}
}

func (s *scanner) value() (value, error) {
	v := value{}
	if s.at("{<") {
		v.start = s.pos
		s.pos++
		b, err := s.body(v.start)
		if err != nil || s.pos == len(s.text) {
			return v, s.fail()
		}
		s.pos++
		v.body, v.end = b, s.pos
		return v, nil
	}
	v.start = s.pos
	if !s.at(`"'`) {
		if s.at("-") {
			s.pos++
			s.skip()
		}
		s.word()
	}
	v.end = s.pos
	for s.at(`"'`) { // adjacent strings are one value
		if err := s.quoted(); err != nil {
			return v, err
		}
		v.end = s.pos
	}
	s.pos = v.end
	if v.end == v.start {
		return v, s.fail()
	}
	return v, nil
}

func (s *scanner) quoted() error {
	quote := s.text[s.pos]
	for s.pos++; s.pos < len(s.text); s.pos++ {
		switch s.text[s.pos] {
		case '\\':
			s.pos++
		case quote:
			s.pos++
			return nil
		}
	}
	return s.fail()
}
