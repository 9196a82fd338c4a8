package jsonscan

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"
)

// CheckSyntax checks that text is UTF-8 and one JSON value, not nested beyond the limit of encoding/json, which is
// 10,000. The error has the words of encoding/json; column is the position of the error, in bytes from 1.
//
// Callers use it on a line that a Cursor could not read, or whose values are wrong, because an error of syntax
// comes before all others.
func CheckSyntax(text []byte) (column int, err error) {
	if !utf8.Valid(text) {
		return invalidUTF8(text) + 1, errors.New("line is not UTF-8")
	}
	if json.Valid(text) {
		return 0, nil
	}
	var raw json.RawMessage
	err = json.Unmarshal(text, &raw)
	column = max(len(text), 1)
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok && syntax.Offset > 0 {
		column = int(syntax.Offset)
		if word := notFiniteAt(text, column-1); word != "" {
			if word == "Infinity" && bytes.HasSuffix(text[:column-1], []byte("-")) {
				word = "-" + word
			}
			err = NotFiniteError(word)
		}
	}
	return column, err
}

// CheckLine checks that a line is one JSON object, which is one record. It does what CheckSyntax does, but allows NaN,
// Infinity and -Infinity as numbers. Its errors name a jq command that splits other JSON into lines.
func CheckLine(line []byte) (column int, err error) {
	column, err = CheckSyntax(line)
	if _, ok := err.(NotFiniteError); ok {
		if at, other := CheckSyntax(onlyFinite(line)); at != column {
			column, err = at, other
		}
	}
	text := bytes.TrimLeft(line, " \t\r\n")
	begin := len(line) - len(text) + 1
	switch {
	case len(text) == 0:
	case text[0] == '[':
		return begin, errors.New("want an object, got an array; jq -c '.[]' splits it")
	case err == nil && text[0] != '{':
		return begin, errors.New("want an object, which is one record")
	case err != nil && len(bytes.TrimSpace(text)) == 1 && text[0] == '{':
		return begin, fmt.Errorf("%w; jq -c . writes a record on one line", err)
	}
	return column, err
}

// A NotFiniteError is a number that JSON does not have: NaN, Infinity or -Infinity.
type NotFiniteError string

func (e NotFiniteError) Error() string {
	return fmt.Sprintf("%s is not JSON; write %q", string(e), string(e))
}

// notFiniteAt returns NaN or Infinity if text has that word at i.
func notFiniteAt(text []byte, i int) string {
	for _, word := range [...]string{"NaN", "Infinity"} {
		if bytes.HasPrefix(text[i:], []byte(word)) {
			return word
		}
	}
	return ""
}

// onlyFinite returns a copy of a line in which numbers of the same length replace NaN and infinities, for CheckSyntax.
func onlyFinite(line []byte) []byte {
	line = bytes.Clone(line)
	before := byte(0) // the last byte outside of strings that is not white space
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == ' ' || c == '\t' || c == '\r' || c == '\n':
			continue
		case c == '"':
			for i++; i < len(line) && line[i] != '"'; i++ {
				if line[i] == '\\' {
					i++
				}
			}
		case bytes.IndexByte([]byte("[,:"), before) >= 0:
			d, ok := ScanNumber(line, i)
			if end := SkipSpace(line, max(i, d.End)); ok && end < len(line) && bytes.IndexByte([]byte(",]}"), line[end]) >= 0 {
				for ; i < d.End; i++ {
					line[i] = '1'
				}
				i--
			}
		}
		if i < len(line) {
			before = line[i]
		}
	}
	return line
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
