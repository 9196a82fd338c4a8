package expression

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// An Error says what is wrong with an expression, and at which byte.
type Error struct {
	At      int
	Message string
}

// Error gives the message alone: the caller knows the text, and how to count in it.
func (e *Error) Error() string { return e.Message }

// Column returns where the error is in the text, in characters from 1.
func (e *Error) Column(text string) int { return utf8.RuneCountInString(text[:e.At]) + 1 }

func errorf(at int, format string, args ...any) *Error {
	return &Error{at, fmt.Sprintf(format, args...)}
}

// A Kind is the kind of a token.
type Kind uint8

const (
	End    Kind = iota
	Name        // bare
	Quoted      // a name between backquotes
	Int
	Float
	String
	Mark // an operator or a bracket
)

// A Token is a part of an expression.
type Token struct {
	Kind  Kind
	At    int    // byte in the expression
	Text  string // the mark; the name or string that it stands for
	Int   int64
	Float float64
}

// String describes the token for a message.
func (t Token) String() string {
	switch t.Kind {
	case End:
		return "the end"
	case String:
		return "the string " + strconv.Quote(t.Text)
	case Int:
		return "the number " + strconv.FormatInt(t.Int, 10)
	case Float:
		return "the number " + strconv.FormatFloat(t.Float, 'g', -1, 64)
	case Name, Quoted:
		return "the name " + strconv.Quote(t.Text)
	}
	return strconv.Quote(t.Text)
}

// lex returns the token that begins at or behind byte i, and where it ends.
func (c *Cursor) lex(i int) (Token, int, error) {
	expr := c.Text
	for i < len(expr) && strings.IndexByte(" \t\r\n", expr[i]) >= 0 {
		i++
	}
	t := Token{At: i}
	if i == len(expr) {
		return t, i, nil
	}
	switch b := expr[i]; {
	case b == '"' || b == '\'' || b == '`':
		return lexQuoted(expr, i)
	case isDigit(b) || (b == '-' || b == '+' || b == '.') && i+1 < len(expr) && (isDigit(expr[i+1]) || b != '.' && expr[i+1] == '.'):
		return lexNumber(expr, i)
	case beginsName(b):
		end := i + 1
		for end < len(expr) && (beginsName(expr[end]) || isDigit(expr[end]) || strings.IndexByte("/.-", expr[end]) >= 0) {
			end++
		}
		t.Kind, t.Text = Name, expr[i:end]
		return t, end, nil
	}
	for _, m := range c.Marks {
		if strings.HasPrefix(expr[i:], m) {
			t.Kind, t.Text = Mark, m
			return t, i + len(m), nil
		}
	}
	switch expr[i] {
	case '&', '|', '=':
		return t, i, errorf(i, "want %q, got %q", strings.Repeat(expr[i:i+1], 2), expr[i:i+1])
	}
	_, size := utf8.DecodeRuneInString(expr[i:])
	return t, i, errorf(i, "unexpected %q", expr[i:i+size])
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// beginsName reports whether a bare name may begin with c.
func beginsName(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' || c >= utf8.RuneSelf
}

func lexQuoted(expr string, i int) (Token, int, error) {
	quote := expr[i]
	t := Token{Kind: String, At: i}
	end := i + 1
	for end < len(expr) && expr[end] != quote {
		if quote == '"' && expr[end] == '\\' {
			end++
		}
		end++
	}
	if end >= len(expr) {
		return t, i, errorf(i, "the quote %c has no end", quote)
	}
	t.Text = expr[i+1 : end]
	switch quote {
	case '`':
		t.Kind = Quoted
	case '"':
		s, err := strconv.Unquote(expr[i : end+1])
		if err != nil {
			return t, i, errorf(i, "%s is not a string: unknown escape or line break", expr[i:end+1])
		}
		t.Text = s
	}
	return t, end + 1, nil
}

func lexNumber(expr string, i int) (Token, int, error) {
	end := i + 1
	for end < len(expr) {
		c := expr[end]
		sign := (c == '-' || c == '+') && strings.IndexByte("eEpP", expr[end-1]) >= 0 && !strings.HasPrefix(strings.TrimLeft(expr[i:end], "+-"), "0x")
		if c == '.' && strings.HasPrefix(expr[end:], "..") {
			break // of a range
		}
		if !sign && !isDigit(c) && !beginsName(c) && c != '.' {
			break
		}
		end++
	}
	text := expr[i:end]
	t := Token{Kind: Int, At: i}
	digits := strings.TrimLeft(text, "+-")
	hex := strings.HasPrefix(digits, "0x") || strings.HasPrefix(digits, "0X")
	switch {
	case strings.Contains(digits, "_"): // which strconv takes in numbers of Go
		return t, i, errorf(i, "%s is not a number", text)
	case len(digits) > 1 && digits[0] == '0' && isDigit(digits[1]): // octal in Go, decimal elsewhere
		return t, i, errorf(i, "%s is not a number: it begins with a zero", text)
	}
	base := 10
	if hex {
		base = 0 // strconv finds the prefix
	}
	var err error
	if t.Int, err = strconv.ParseInt(text, base, 64); err == nil {
		return t, end, nil
	}
	if errors.Is(err, strconv.ErrRange) && (hex || !strings.ContainsAny(text, ".eE")) {
		return t, i, errorf(i, "%s does not fit an int64", text)
	}
	t.Kind = Float
	if t.Float, err = strconv.ParseFloat(text, 64); hex || err != nil {
		return t, i, errorf(i, "%s is not a number", text)
	}
	return t, end, nil
}
