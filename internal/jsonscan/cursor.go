package jsonscan

import (
	"errors"
	"math"
)

// A Cursor reads one line and checks, as it goes, that the line is JSON and UTF-8: it reads each byte once. If the
// line is not, the cursor moves to the end of the line, where nothing can be read, so that every loop ends; Done
// returns false. CheckSyntax finds the error.
//
// It is a small value: a copy is a second cursor on the same line. Slices that it returns are views of the line, or
// of dst.
type Cursor struct {
	Line  []byte // the whole line
	Pos   int    // index in Line
	fresh bool   // Pos follows the bracket that opens a list or an object
	Bad   bool   // the line is not JSON
}

// NewCursor returns a Cursor at the value in line.
func NewCursor(line []byte) Cursor {
	c := Cursor{Line: line}
	c.space()
	return c
}

// ErrGrammar means that the line is not JSON. Callers report the error of CheckSyntax instead.
var ErrGrammar = errors.New("line is not JSON")

// stop ends the reading of a line that is not JSON.
func (c *Cursor) stop() {
	c.Pos, c.Bad = len(c.Line), true
}

// Done reports whether the whole line was read, and is JSON.
func (c *Cursor) Done() bool { return c.Pos == len(c.Line) && !c.Bad }

// Column returns the position of the cursor, in bytes from 1.
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

// Open moves into the list or object at the cursor. The caller has seen its bracket.
func (c *Cursor) Open() {
	c.Pos++
	c.fresh = true
	c.space()
}

// step skips one byte and the white space after it.
func (c *Cursor) step() {
	c.Pos++
	c.space()
}

// More reports whether another element or member follows, and moves to its first byte; otherwise it moves out of
// the list or object. Call it after Open and after each element. bracket closes the list or object.
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

// Colon skips the colon after a name.
func (c *Cursor) Colon() {
	if c.Peek() != ':' {
		c.stop()
		return
	}
	c.step()
}

// Name reads a name and the colon after it. ok is false if they are missing, or an escape in the name is half a
// surrogate pair.
func (c *Cursor) Name() (text []byte, ok bool) {
	text, _, err := c.Text(nil)
	c.Colon()
	return text, err == nil && !c.Bad
}

// Member skips a name and the colon after it, if the line has the text quoted: a name with its quotation marks.
// Otherwise it reads nothing and returns false.
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

// Word skips one of the words and returns it. At any other text it returns "".
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

// Skip skips one value of any depth. It does not check the syntax of lists and objects: callers check or reject the
// value that contains them.
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

// The methods below read a value of one kind. On error the cursor is at the error.

// ErrWantNumber is the error of values that are not numbers.
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

// Bytes reads a byte string: a string, {"b64": "…"} or {"hex": "…"}. It returns a view of the line if the line has
// the bytes; otherwise it appends them to dst and returns dst as grown.
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

// Decode appends the bytes that the string at the cursor encodes: the value of the member name, "b64" or "hex".
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
