package jsonscan

import (
	"encoding/json"
	"errors"
	"unicode/utf8"
)

// CheckSyntax checks that text is UTF-8 and one JSON value, not nested beyond the limit of
// encoding/json, which is 10,000. The error has the words of encoding/json; column is where
// the fault is, in bytes from 1.
//
// A line that a Cursor could not read, or that does not hold what is wanted, is
// given to it first, so that a fault in the grammar comes before all others.
func CheckSyntax(text []byte) (column int, err error) {
	if !utf8.Valid(text) {
		return invalidUTF8(text) + 1, errors.New("line is not UTF-8")
	}
	if json.Valid(text) {
		return 0, nil
	}
	var raw json.RawMessage
	err = json.Unmarshal(text, &raw)
	column = len(text)
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		column = int(syntax.Offset)
	}
	return max(column, 1), err
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
