package recordjson

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"math"
	"unicode/utf8"
)

// A Cursor reads one line and checks, as it goes, that the line is JSON and
// UTF-8: each byte is looked at once. Where the line is neither, the cursor
// jumps to its end, where nothing can be read, so that every loop ends; Done
// reports it. What exactly is wrong with the line, CheckLine tells.
//
// It is a small value: a copy is a second cursor on the same line. What it
// returns are views of the line.
type Cursor struct {
	line  []byte
	pos   int
	fresh bool // behind the bracket that opens a list or an object
	bad   bool
}

// NewCursor returns a Cursor at the value that the line holds.
func NewCursor(line []byte) Cursor {
	c := Cursor{line: line}
	c.space()
	return c
}

// CheckLine checks that the line is UTF-8 and one JSON value, not nested beyond
// the limit of encoding/json, which is 10,000. The error is an [*Error] in the
// words of encoding/json.
//
// A line that a Cursor could not read, or that does not hold what is wanted, is
// given to it first, so that a fault in the grammar comes before all others.
func CheckLine(line []byte) error {
	if !utf8.Valid(line) {
		return &Error{Column: invalidUTF8(line) + 1, Frame: -1, Value: -1, Err: errors.New("line is not UTF-8")}
	}
	if json.Valid(line) {
		return nil
	}
	var raw json.RawMessage
	err := json.Unmarshal(line, &raw)
	column := len(line)
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		column = int(syntax.Offset)
	}
	return &Error{Column: max(column, 1), Frame: -1, Value: -1, Err: err}
}

func invalidUTF8(b []byte) int {
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return len(b)
}

// errGrammar is the error where the line is not JSON. Nobody sees it: CheckLine
// finds the words.
var errGrammar = errors.New("line is not JSON")

// stop ends the reading of a line that is not JSON.
func (c *Cursor) stop() {
	c.pos, c.bad = len(c.line), true
}

// Done reports whether the whole line was read, and is JSON.
func (c *Cursor) Done() bool { return c.pos == len(c.line) && !c.bad }

// Column returns where the cursor stands, in bytes from 1.
func (c *Cursor) Column() int { return c.pos + 1 }

// absent reports whether the cursor is the zero value: a member that the line
// does not have.
func (c *Cursor) absent() bool { return c.line == nil }

// space steps over white space.
func (c *Cursor) space() {
	for c.pos < len(c.line) {
		switch c.line[c.pos] {
		case ' ', '\t', '\r', '\n':
			c.pos++
		default:
			return
		}
	}
}

// Peek returns the byte at the cursor: the first one of a value, or the bracket
// that closes what the cursor is in; 0 at the end of the line.
func (c *Cursor) Peek() byte {
	if c.pos < len(c.line) {
		return c.line[c.pos]
	}
	return 0
}

// Open steps into the list or object at the cursor, whose bracket the caller
// has seen.
func (c *Cursor) Open() {
	c.pos++
	c.fresh = true
	c.space()
}

// step steps over one byte and the white space behind it.
func (c *Cursor) step() {
	c.pos++
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

// colon steps over the colon behind a name.
func (c *Cursor) colon() {
	if c.Peek() != ':' {
		c.stop()
		return
	}
	c.step()
}

// Name reads a name and the colon behind it. It is false if that is no name, or
// the escapes in it are not Unicode.
func (c *Cursor) Name() (text []byte, ok bool) {
	text, _, err := c.text(nil)
	c.colon()
	return text, err == nil && !c.bad
}

// Member steps over a name and the colon behind it, if it is the one that quoted
// is, which was read or printed before. Otherwise it reads nothing.
func (c *Cursor) Member(quoted string) bool {
	end := c.pos + len(quoted)
	if end > len(c.line) || string(c.line[c.pos:end]) != quoted {
		return false
	}
	c.pos = end
	c.space()
	c.colon()
	return true
}

// literal steps over null, true or false.
func (c *Cursor) literal() {
	for _, word := range [...]string{"null", "true", "false"} {
		if rest := c.line[c.pos:]; len(rest) >= len(word) && string(rest[:len(word)]) == word {
			c.pos += len(word)
			c.space()
			return
		}
	}
	c.stop()
}

// Skip steps over one value, however deep. Of lists and objects it does not
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
			if _, _, err := c.text(nil); err == errGrammar {
				return
			}
		case 'n', 't', 'f':
			c.literal()
		default:
			c.number()
		}
		if depth <= 0 {
			return
		}
	}
}

// The kinds of values. On error the cursor stands at the fault.

var errWantNumber = errors.New("want a number")

// Int64 reads an int64: an integer, or a string of its digits.
func (c *Cursor) Int64() (v int64, err error) {
	at := c.pos
	switch c.Peek() {
	case '"':
		var text []byte
		if text, _, err = c.text(nil); err == nil {
			v, err = parseInt64String(text)
		}
	case '{', '[', 'n', 't', 'f':
		err = errors.New("want an int64")
	default:
		v, err = c.int64()
	}
	if err != nil {
		c.pos = at
	}
	return v, err
}

// Float32 reads a float32: a number, rounded to the nearest, or "NaN",
// "Infinity", "-Infinity".
func (c *Cursor) Float32() (v float32, err error) {
	at := c.pos
	switch c.Peek() {
	case '"':
		var text []byte
		if text, _, err = c.text(nil); err == nil {
			bits, ok := notFinite(text)
			if !ok {
				err = errors.New(`want a number, "NaN", "Infinity" or "-Infinity"`)
			}
			v = math.Float32frombits(bits)
		}
	case '{', '[', 'n', 't', 'f':
		err = errWantNumber
	default:
		v, _, err = c.float32()
	}
	if err != nil {
		c.pos = at
	}
	return v, err
}

// Bytes reads a byte string: a string, {"b64": "…"} or {"hex": "…"}. It returns
// a view of the line where it can; otherwise what it means is appended to dst,
// which is returned as grown.
func (c *Cursor) Bytes(dst []byte) (v, grown []byte, err error) {
	at := c.pos
	switch c.Peek() {
	case '"':
		v, grown, err = c.text(dst)
	case '{':
		name := bytesShape(*c)
		if name == "" || name == nanMember {
			return nil, dst, errors.New(`want a string, {"b64": "…"} or {"hex": "…"}`)
		}
		c.Open()
		c.More('}')
		c.Name()
		at = c.pos
		grown, err = c.decode(dst, name)
		v = grown[len(dst):len(grown):len(grown)]
		if err == nil {
			c.More('}')
		}
	default:
		return nil, dst, errors.New("want a string")
	}
	if err != nil {
		c.pos = at
		return nil, dst, err
	}
	return v, grown, nil
}

// decode appends what the string at the cursor stands for, which is the value
// of "b64" or "hex".
func (c *Cursor) decode(dst []byte, name string) ([]byte, error) {
	at := c.pos
	text, _, err := c.text(nil)
	if err == nil && name == hexMember {
		dst, err = decodeHex(dst, text)
	} else if err == nil {
		dst, err = decodeBase64(dst, text)
	}
	if err != nil {
		c.pos = at
	}
	return dst, err
}

// parseNaNBits reads the eight digits of {"nan": "7fc00001"}.
func parseNaNBits(text []byte) (uint32, error) {
	b, err := decodeHex(nil, text)
	if err != nil || len(b) != 4 || !isNaN(binary.BigEndian.Uint32(b)) {
		return 0, errors.New("want the eight hexadecimal digits of a float32 NaN")
	}
	return binary.BigEndian.Uint32(b), nil
}

// The members of the objects that are single values.
const (
	base64Member = "b64"
	hexMember    = "hex"
	nanMember    = "nan"
)

// bytesShape returns which of the single values the object at c is, {"b64": "…"},
// {"hex": "…"} or {"nan": "…"}, by its member, or "" if it is none.
func bytesShape(c Cursor) string {
	c.Open()
	if !c.More('}') {
		return ""
	}
	text, _ := c.Name()
	var name string
	switch {
	case bytes.Equal(text, []byte(base64Member)):
		name = base64Member
	case bytes.Equal(text, []byte(hexMember)):
		name = hexMember
	case bytes.Equal(text, []byte(nanMember)):
		name = nanMember
	default:
		return ""
	}
	if c.Peek() != '"' {
		return ""
	}
	if _, _, err := c.text(nil); err == errGrammar || c.More('}') || c.bad {
		return ""
	}
	return name
}
