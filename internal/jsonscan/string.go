package jsonscan

import (
	"encoding/binary"
	"errors"
	"math/bits"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// ErrSurrogate is the error of a string that is valid JSON but escapes half a surrogate pair, so it is not Unicode.
var ErrSurrogate = errors.New("escape of half a surrogate pair is not Unicode")

// endOfPlain returns the index, from i on, of the first quote, backslash or control character; len(line) if there
// is none. ascii is false if bytes before it are not ASCII.
func endOfPlain(line []byte, i int) (end int, ascii bool) {
	const highs = 0x8080808080808080
	var odd uint64
	for len(line)-i >= 8 {
		x := binary.LittleEndian.Uint64(line[i:])
		if found := escapes(x) & highs; found != 0 {
			n := bits.TrailingZeros64(found) / 8
			return i + n, (odd|x&(1<<(8*n)-1))&highs == 0
		}
		odd |= x
		i += 8
	}
	ascii = odd&highs == 0
	for ; i < len(line); i++ {
		if b := line[i]; b < 0x20 || b == '"' || b == '\\' {
			break
		} else if b >= utf8.RuneSelf {
			ascii = false
		}
	}
	return i, ascii
}

// Text reads a string. It returns a view of the line if there are no escapes in it; otherwise it appends the
// decoded text to dst and returns dst as grown. For a string that is JSON but not Unicode the error is
// ErrSurrogate, and the string was read to its end.
func (c *Cursor) Text(dst []byte) (text, grown []byte, err error) {
	if c.Peek() != '"' {
		c.stop()
		return nil, dst, ErrGrammar
	}
	start := c.Pos + 1
	end, ascii := endOfPlain(c.Line, start)
	if end < len(c.Line) && c.Line[end] == '"' {
		text = c.Line[start:end:end]
		if !ascii && !utf8.Valid(text) {
			c.stop()
			return nil, dst, ErrGrammar
		}
		c.Pos = end + 1
		c.space()
		return text, dst, nil
	}
	return c.escaped(dst, start)
}

// escaped reads a string with escapes, which begins at start.
func (c *Cursor) escaped(dst []byte, start int) (text, grown []byte, err error) {
	grown = dst
	for i := start; ; {
		end, ascii := endOfPlain(c.Line, i)
		part := c.Line[i:end]
		if end == len(c.Line) || c.Line[end] < 0x20 || !ascii && !utf8.Valid(part) {
			break
		}
		grown = append(grown, part...)
		if c.Line[end] == '"' {
			c.Pos = end + 1
			c.space()
			if err != nil {
				return nil, dst, err
			}
			return grown[len(dst):len(grown):len(grown)], grown, nil
		}
		var r rune
		var n int
		r, n, ok := escape(c.Line[end:])
		if n == 0 {
			break
		}
		if !ok {
			err = ErrSurrogate
		}
		grown = utf8.AppendRune(grown, r)
		i = end + n
	}
	c.stop()
	return nil, dst, ErrGrammar
}

// escape reads the escape at the start of b, or both escapes of a surrogate pair. n is their size in bytes, 0 for
// an invalid escape; ok is false for half a surrogate pair.
func escape(b []byte) (r rune, n int, ok bool) {
	if len(b) < 2 {
		return 0, 0, false
	}
	if b[1] != 'u' {
		const short, means = `"\/bfnrt`, "\"\\/\b\f\n\r\t"
		i := strings.IndexByte(short, b[1])
		if i < 0 {
			return 0, 0, false
		}
		return rune(means[i]), 2, true
	}
	r, ok = hexRune(b[2:])
	switch {
	case !ok:
		return 0, 0, false
	case !utf16.IsSurrogate(r):
		return r, 6, true
	case len(b) < 8 || b[6] != '\\' || b[7] != 'u':
		return utf8.RuneError, 6, false
	}
	second, ok := hexRune(b[8:])
	if !ok {
		return 0, 0, false
	}
	if r = utf16.DecodeRune(r, second); r == utf8.RuneError {
		return r, 6, false // second may begin a pair, but the line is refused anyway
	}
	return r, 12, true
}

// hexRune reads the four digits at the start of b.
func hexRune(b []byte) (r rune, ok bool) {
	if len(b) < 4 {
		return 0, false
	}
	for _, c := range b[:4] {
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c|0x20 && c|0x20 <= 'f':
			c = c | 0x20 - 'a' + 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}
