package jsonscan

import (
	"errors"
	"math"
)

// A Cursor reads one line and checks, as it goes, that the line is JSON and
// UTF-8: each byte is looked at once. Where the line is neither, the cursor
// jumps to its end, where nothing can be read, so that every loop ends; Done
// reports it. What exactly is wrong with the line, CheckSyntax finds.
//
// It is a small value: a copy is a second cursor on the same line. What it
// returns are views of the line.
type Cursor struct {
	Line  []byte
	Pos   int
	fresh bool // behind the bracket that opens a list or an object
	Bad   bool // the text is not JSON
}

// NewCursor returns a Cursor at the value that the line holds.
func NewCursor(line []byte) Cursor {
	c := Cursor{Line: line}
	c.space()
	return c
}

// ErrGrammar is the error where the line is not JSON. It is not reported:
// CheckSyntax finds the words.
var ErrGrammar = errors.New("line is not JSON")

// stop ends the reading of a line that is not JSON.
func (c *Cursor) stop() {
	c.Pos, c.Bad = len(c.Line), true
}

// Done reports whether the whole line was read, and is JSON.
func (c *Cursor) Done() bool { return c.Pos == len(c.Line) && !c.Bad }

// Column returns where the cursor stands, in bytes from 1.
func (c *Cursor) Column() int { return c.Pos + 1 }

// Absent reports whether the cursor is the zero value: a member that the line
// does not have.
func (c *Cursor) Absent() bool { return c.Line == nil }

// space skips white space.
func (c *Cursor) space() {
	for c.Pos < len(c.Line) {
		switch c.Line[c.Pos] {
		case ' ', '\t', '\r', '\n':
			c.Pos++
		default:
			return
		}
	}
}

// Peek returns the byte at the cursor: the first one of a value, or the bracket
// that closes what the cursor is in; 0 at the end of the line.
func (c *Cursor) Peek() byte {
	if c.Pos < len(c.Line) {
		return c.Line[c.Pos]
	}
	return 0
}

// Open steps into the list or object at the cursor, whose bracket the caller
// has seen.
func (c *Cursor) Open() {
	c.Pos++
	c.fresh = true
	c.space()
}

// step skips one byte and the white space behind it.
func (c *Cursor) step() {
	c.Pos++
	c.space()
}

// More reports whether another element or member follows, and stands at its
// first byte then; otherwise it has stepped out. Call it after Open and after
// each element. bracket is the one that closes the list or object.
func (c *Cursor) More(bracket byte) bool {
	fresh := c.fresh
	c.fresh = false
	switch b := c.Peek(); {
	case b == bracket:
		c.step()
		return false
	case fresh && b != ',' && b != 0:
		return true
	case !fresh && b == ',':
		if c.step(); c.Peek() != bracket {
			return true
		}
	}
	c.stop()
	return false
}

// Colon skips the colon behind a name.
func (c *Cursor) Colon() {
	if c.Peek() != ':' {
		c.stop()
		return
	}
	c.step()
}

// Name reads a name and the colon behind it. It is false if that is no name, or
// the escapes in it are not Unicode.
func (c *Cursor) Name() (text []byte, ok bool) {
	text, _, err := c.Text(nil)
	c.Colon()
	return text, err == nil && !c.Bad
}

// Member skips a name and the colon behind it, if it is the one that quoted
// is, which was read or printed before. Otherwise it reads nothing.
func (c *Cursor) Member(quoted string) bool {
	end := c.Pos + len(quoted)
	if end > len(c.Line) || string(c.Line[c.Pos:end]) != quoted {
		return false
	}
	c.Pos = end
	c.space()
	c.Colon()
	return true
}

// Literal skips null, true or false.
func (c *Cursor) Literal() {
	if c.Word("null", "true", "false") == "" {
		c.stop()
	}
}

// Word skips one of some words and returns it; or skips nothing and returns "".
func (c *Cursor) Word(words ...string) string {
	for _, word := range words {
		if rest := c.Line[c.Pos:]; len(rest) >= len(word) && string(rest[:len(word)]) == word {
			c.Pos += len(word)
			c.space()
			return word
		}
	}
	return ""
}

// Skip skips one value, however deep. Of lists and objects it does not
// check the grammar: what holds them is checked, or is an error.
func (c *Cursor) Skip() {
	for depth := 0; ; {
		switch c.Peek() {
		case 0:
			c.stop()
			return
		case '{', '[':
			depth++
			c.step()
		case '}', ']':
			depth--
			c.step()
		case ',', ':':
			c.step()
		case '"':
			if _, _, err := c.Text(nil); err == ErrGrammar {
				return
			}
		case 'n', 't', 'f':
			c.Literal()
		default:
			c.Number()
		}
		if depth <= 0 {
			return
		}
	}
}

// The kinds of values. On error the cursor stands at the fault.

// ErrWantNumber is the error of values that are no numbers.
var ErrWantNumber = errors.New("want a number")

// Int64 reads an int64: an integer, or a string of its digits.
func (c *Cursor) Int64() (v int64, err error) {
	at := c.Pos
	switch c.Peek() {
	case '"':
		var text []byte
		if text, _, err = c.Text(nil); err == nil {
			v, err = ParseInt64String(text)
		}
	case '{', '[', 'n', 't', 'f':
		err = errors.New("want an int64")
	default:
		v, err = c.int64()
	}
	if err != nil {
		c.Pos = at
	}
	return v, err
}

// Float32 reads a float32: a number, rounded to the nearest, or "NaN",
// "Infinity", "-Infinity".
func (c *Cursor) Float32() (v float32, err error) {
	at := c.Pos
	switch c.Peek() {
	case '"':
		var text []byte
		if text, _, err = c.Text(nil); err == nil {
			bits, ok := NotFinite(text)
			if !ok {
				err = errors.New(`want a number, "NaN", "Infinity" or "-Infinity"`)
			}
			v = math.Float32frombits(bits)
		}
	case '{', '[', 'n', 't', 'f':
		err = ErrWantNumber
	default:
		v, _, err = c.float32()
	}
	if err != nil {
		c.Pos = at
	}
	return v, err
}

// Bytes reads a byte string: a string, {"b64": "…"} or {"hex": "…"}. It returns
// a view of the line where it can; otherwise what it means is appended to dst,
// which is returned as grown.
func (c *Cursor) Bytes(dst []byte) (v, grown []byte, err error) {
	at := c.Pos
	switch c.Peek() {
	case '"':
		v, grown, err = c.Text(dst)
	case '{':
		name := Shape(*c)
		if name == "" || name == NaNMember {
			return nil, dst, errors.New(`want a string, {"b64": "…"} or {"hex": "…"}`)
		}
		c.Open()
		c.More('}')
		c.Name()
		at = c.Pos
		grown, err = c.Decode(dst, name)
		v = grown[len(dst):len(grown):len(grown)]
		if err == nil {
			c.More('}')
		}
	default:
		return nil, dst, errors.New("want a string")
	}
	if err != nil {
		c.Pos = at
		return nil, dst, err
	}
	return v, grown, nil
}

// Decode appends what the string at the cursor stands for, which is the value
// of "b64" or "hex".
func (c *Cursor) Decode(dst []byte, name string) ([]byte, error) {
	at := c.Pos
	text, _, err := c.Text(nil)
	if err == nil && name == HexMember {
		dst, err = decodeHex(dst, text)
	} else if err == nil {
		dst, err = DecodeBase64(dst, text)
	}
	if err != nil {
		c.Pos = at
	}
	return dst, err
}
