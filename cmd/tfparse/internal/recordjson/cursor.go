package recordjson

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// A Cursor walks one line that encoding/json has found to be sound JSON. It
// is there because the tokens of encoding/json replace what is not Unicode
// and do not tell where they stand. No method checks the grammar again.
//
// It is a small value: a copy is a second cursor on the same line. What it
// returns are views of the line.
type Cursor struct {
	line []byte
	pos  int
}

// NewCursor checks the line, that it is UTF-8 and one JSON value, not nested
// beyond the limit of encoding/json, which is 10,000, and returns a Cursor at
// that value. The error is an [*Error].
func NewCursor(line []byte) (Cursor, error) {
	if !utf8.Valid(line) {
		return Cursor{}, &Error{Column: invalidUTF8(line) + 1, Frame: -1, Value: -1, Err: errors.New("line is not UTF-8")}
	}
	if !json.Valid(line) {
		var raw json.RawMessage
		err := json.Unmarshal(line, &raw)
		column := len(line)
		if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
			column = int(syntax.Offset)
		}
		return Cursor{}, &Error{Column: max(column, 1), Frame: -1, Value: -1, Err: err}
	}
	c := Cursor{line: line}
	c.space()
	return c, nil
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

// Peek returns the first byte of the value at the cursor: one of { [ " - t f
// n or a digit; or the bracket that closes what the cursor is in.
func (c *Cursor) Peek() byte { return c.line[c.pos] }

// Open steps into the list or object at the cursor.
func (c *Cursor) Open() {
	c.pos++
	c.space()
}

// More reports whether another element or member follows, and stands at its
// first byte then; otherwise it has stepped out. Call it after Open and after
// each element.
func (c *Cursor) More() bool {
	switch c.line[c.pos] {
	case ',':
		c.Open()
		return true
	case ']', '}':
		c.Open()
		return false
	}
	return true
}

// member reads a name and the colon behind it.
func (c *Cursor) member() (raw []byte) {
	raw = c.text()
	c.pos++
	c.space()
	return raw
}

// Name reads a name and the colon behind it. It is false if the escapes in the
// name are not Unicode.
func (c *Cursor) Name() (text []byte, ok bool) {
	raw := c.member()
	text, _, err := unquote(nil, raw)
	return text, err == nil
}

// text reads a string and returns what stands between the quotes, with its
// escapes.
func (c *Cursor) text() []byte {
	start := c.pos + 1
	end := start
	for {
		end += bytes.IndexByte(c.line[end:], '"')
		slashes := 0
		for c.line[end-1-slashes] == '\\' {
			slashes++
		}
		if slashes%2 == 0 {
			break
		}
		end++
	}
	c.pos = end + 1
	c.space()
	return c.line[start:end]
}

// Scalar reads a number or a literal.
func (c *Cursor) Scalar() []byte {
	start := c.pos
	for c.pos < len(c.line) {
		switch c.line[c.pos] {
		case ',', ']', '}', ' ', '\t', '\r', '\n':
			text := c.line[start:c.pos]
			c.space()
			return text
		}
		c.pos++
	}
	return c.line[start:]
}

// Skip steps over one value, however deep.
func (c *Cursor) Skip() {
	for depth := 0; ; {
		switch c.Peek() {
		case '{', '[':
			depth++
			c.Open()
		case '}', ']':
			depth--
			c.Open()
		case ',', ':':
			c.Open()
		case '"':
			c.text()
		default:
			c.Scalar()
		}
		if depth == 0 {
			return
		}
	}
}

// left counts the values of a list from the one at the cursor on.
func (c Cursor) left() int {
	n := 1
	for c.Skip(); c.More(); c.Skip() {
		n++
	}
	return n
}

// The kinds of values. On error the cursor stands at the fault.

var errWantNumber = errors.New("want a number")

// Int64 reads an int64: an integer, or a string of its digits.
func (c *Cursor) Int64() (v int64, err error) {
	at := c.pos
	switch c.Peek() {
	case '"':
		var text []byte
		if text, _, err = unquote(nil, c.text()); err == nil {
			v, err = parseInt64String(text)
		}
	case '{', '[', 'n', 't', 'f':
		err = errors.New("want an int64")
	default:
		v, err = parseInt64(c.Scalar())
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
		if text, _, err = unquote(nil, c.text()); err == nil {
			bits, ok := notFinite(text)
			if !ok {
				err = errors.New(`want a number, "NaN", "Infinity" or "-Infinity"`)
			}
			v = math.Float32frombits(bits)
		}
	case '{', '[', 'n', 't', 'f':
		err = errWantNumber
	default:
		v, err = parseFloat32(c.Scalar())
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
		v, grown, err = unquote(dst, c.text())
	case '{':
		if !bytesShape(*c) || holdsNaN(*c) {
			return nil, dst, errors.New(`want a string, {"b64": "…"} or {"hex": "…"}`)
		}
		c.Open()
		name, _ := c.Name()
		at = c.pos
		grown, err = c.decode(dst, string(name))
		v = grown[len(dst):len(grown):len(grown)]
		if err == nil {
			c.More()
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
	text, _, err := unquote(nil, c.text())
	if err == nil && name == "hex" {
		dst, err = decodeHex(dst, text)
	} else if err == nil {
		dst, err = decodeBase64(dst, text)
	}
	if err != nil {
		c.pos = at
	}
	return dst, err
}

var errSurrogate = errors.New("escape of half a surrogate pair is not Unicode")

// unquote returns raw itself if it has no escapes, otherwise appends what it
// means to dst and returns the appended part.
func unquote(dst, raw []byte) (text, grown []byte, err error) {
	n := bytes.IndexByte(raw, '\\')
	if n < 0 {
		return raw, dst, nil
	}
	start := len(dst)
	for n >= 0 {
		dst = append(dst, raw[:n]...)
		c := raw[n+1]
		raw = raw[n+2:]
		switch c {
		case 'b':
			dst = append(dst, '\b')
		case 'f':
			dst = append(dst, '\f')
		case 'n':
			dst = append(dst, '\n')
		case 'r':
			dst = append(dst, '\r')
		case 't':
			dst = append(dst, '\t')
		case 'u':
			r := hexRune(raw)
			raw = raw[4:]
			if utf16.IsSurrogate(r) {
				if len(raw) < 6 || raw[0] != '\\' || raw[1] != 'u' {
					return nil, dst[:start], errSurrogate
				}
				if r = utf16.DecodeRune(r, hexRune(raw[2:])); r == utf8.RuneError {
					return nil, dst[:start], errSurrogate
				}
				raw = raw[6:]
			}
			dst = utf8.AppendRune(dst, r)
		default: // quote, backslash, slash
			dst = append(dst, c)
		}
		n = bytes.IndexByte(raw, '\\')
	}
	dst = append(dst, raw...)
	return dst[start:len(dst):len(dst)], dst, nil
}

func hexRune(digits []byte) rune {
	r, _ := strconv.ParseUint(string(digits[:4]), 16, 32)
	return rune(r)
}

// parseNaNBits reads the eight digits of {"nan": "7fc00001"}.
func parseNaNBits(text []byte) (uint32, error) {
	b, err := decodeHex(nil, text)
	if err != nil || len(b) != 4 || !isNaN(binary.BigEndian.Uint32(b)) {
		return 0, errors.New("want the eight hexadecimal digits of a float32 NaN")
	}
	return binary.BigEndian.Uint32(b), nil
}
