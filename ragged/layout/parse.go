package layout

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Parse reads the text form of a shape. Without a layout an array has the default layout.
// Blanks, newlines and comments are allowed between the parts.
//
//	shape     = array | tuple | "token[]" | "opaque[]"
//	tuple     = "(" [ shape { "," shape } ] ")"
//	array     = type "[" [ dim { "," dim } ] "]" [ layout ]
//	dim       = int | "<=" int | "?"
//	layout    = "{" [ int { "," int } ] [ ":" { attribute } ] "}"
//	attribute = "T" tile { tile } | "L(" int ")" | "E(" int ")" | "S(" int ")"     in this order
//	tile      = "(" int { "," int } ")"
//
// It fails with ErrSyntax, or with ErrInvalid for the text of an invalid shape; the error has
// the offset in the text.
func Parse(text string) (Shape, error) {
	p := parser{text: text}
	s, err := p.shape(0)
	if err == nil {
		p.blank()
		if p.err == nil && p.at < len(text) {
			p.fail("the end")
		}
		err = p.err
	}
	if err != nil {
		return Shape{}, err
	}
	return s, nil
}

// A parser reads a text. After the first error its methods return zero values.
type parser struct {
	text string
	at   int   // offset of the next byte of text
	err  error // the first error
}

// fail sets the error, unless there is one.
func (p *parser) fail(want string) {
	if p.err != nil {
		return
	}
	got := "the end"
	if p.at < len(p.text) {
		got = strconv.Quote(p.text[p.at:min(p.at+8, len(p.text))])
	}
	p.err = &Error{Offset: p.at, Detail: fmt.Sprintf("want %s, got %s", want, got), Err: ErrSyntax}
}

// blank skips blanks, newlines and comments.
func (p *parser) blank() {
	for p.at < len(p.text) {
		rest := p.text[p.at:]
		switch {
		case strings.IndexByte(" \t\r\n", rest[0]) >= 0:
			p.at++
		case strings.HasPrefix(rest, "/*"):
			end := strings.Index(rest[2:], "*/")
			if end < 0 {
				p.fail("the end of a comment")
				return
			}
			p.at += end + 4
		case strings.HasPrefix(rest, "//"):
			end := strings.IndexByte(rest, '\n')
			if end < 0 {
				end = len(rest)
			}
			p.at += end
		default:
			return
		}
	}
}

// has skips a mark, and returns false if another text is next.
func (p *parser) has(mark string) bool {
	p.blank()
	if p.err != nil || !strings.HasPrefix(p.text[p.at:], mark) {
		return false
	}
	p.at += len(mark)
	return true
}

// want skips a mark, and fails if another text is next.
func (p *parser) want(mark string) {
	if !p.has(mark) {
		p.fail(strconv.Quote(mark))
	}
}

// word reads letters and digits.
func (p *parser) word() string {
	p.blank()
	from := p.at
	for p.at < len(p.text) {
		c := p.text[p.at]
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '_' {
			break
		}
		p.at++
	}
	return p.text[from:p.at]
}

// number reads an integer that is not negative.
func (p *parser) number() int64 {
	p.blank()
	from := p.at
	for p.at < len(p.text) && p.text[p.at] >= '0' && p.text[p.at] <= '9' {
		p.at++
	}
	n, err := strconv.ParseInt(p.text[from:p.at], 10, 64)
	if err != nil {
		p.at = from
		p.fail("a number from 0 to 2^63-1")
		return 0
	}
	return n
}

func (p *parser) shape(depth int) (Shape, error) {
	p.blank()
	from := p.at
	if p.has("(") {
		return p.tuple(depth)
	}
	word := p.word()
	switch word {
	case "token":
		p.want("[")
		p.want("]")
		return Shape{kind: kindToken}, p.err
	case "opaque":
		p.want("[")
		p.want("]")
		return Shape{kind: kindOpaque}, p.err
	}
	elem, ok := elementByName[word]
	if !ok {
		p.at = from
		p.fail("an element type")
		return Shape{}, p.err
	}
	dims := p.dims()
	lay := Default(len(dims))
	if p.err == nil && len(dims) <= maxRank && p.has("{") {
		lay = p.layout(len(dims))
	}
	if p.err != nil {
		return Shape{}, p.err
	}
	s, err := Array(elem, lay, dims...)
	if e := (*Error)(nil); errors.As(err, &e) {
		return Shape{}, &Error{Offset: from, Detail: e.Detail, Err: e.Err}
	}
	return s, err
}

func (p *parser) tuple(depth int) (Shape, error) {
	if depth == maxNesting {
		p.at--
		p.fail(fmt.Sprintf("tuples at most %d deep", maxNesting))
		return Shape{}, p.err
	}
	var subs []Shape
	if !p.has(")") {
		for {
			s, err := p.shape(depth + 1)
			if err != nil {
				return Shape{}, err
			}
			subs = append(subs, s)
			if !p.has(",") {
				break
			}
		}
		p.want(")")
	}
	return Shape{kind: kindTuple, subs: subs}, p.err
}

func (p *parser) dims() []Dim {
	p.want("[")
	if p.err != nil || p.has("]") {
		return nil
	}
	var dims []Dim
	for p.err == nil {
		switch {
		case p.has("?"):
			dims = append(dims, Dim{Size: Unbounded, Dynamic: true})
		case p.has("<="):
			dims = append(dims, Dim{Size: p.number(), Dynamic: true})
		default:
			dims = append(dims, Dim{Size: p.number()})
		}
		if !p.has(",") {
			break
		}
	}
	p.want("]")
	return dims
}

func (p *parser) layout(rank int) Layout {
	var l Layout
	for p.err == nil {
		if p.has(":") {
			p.attributes(&l)
			break
		}
		if rank == 0 {
			p.fail(`":"`)
			break
		}
		if len(l.MinorToMajor) > 0 {
			if !p.has(",") {
				break
			}
		} else if p.has("}") {
			return l
		}
		n := p.number()
		if n > maxRank {
			n = maxRank // Array refuses it as well
		}
		l.MinorToMajor = append(l.MinorToMajor, int(n))
	}
	p.want("}")
	return l
}

func (p *parser) attributes(l *Layout) {
	if p.has("T") {
		for more := true; more && p.err == nil; more = p.ahead("(") {
			p.want("(")
			t := Tile{p.number()}
			for p.has(",") {
				t = append(t, p.number())
			}
			p.want(")")
			l.Tiles = append(l.Tiles, t)
		}
	}
	if p.has("L") {
		if l.TailAlignment = p.argument(); l.TailAlignment == 0 {
			p.fail("a tail alignment of at least 1 before this")
		}
	}
	if p.has("E") {
		l.ElementBits = p.argument()
	}
	if p.has("S") {
		l.MemorySpace = p.argument()
	}
}

func (p *parser) argument() int64 {
	p.want("(")
	n := p.number()
	p.want(")")
	return n
}

// ahead reports whether a mark is next.
func (p *parser) ahead(mark string) bool {
	if !p.has(mark) {
		return false
	}
	p.at -= len(mark)
	return true
}
