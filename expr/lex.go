package expr

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A SyntaxError is an error in an expression, with its position.
type SyntaxError struct {
	Line    int // line in a file of rules, from 1; 0: the expression is not from a file
	Column  int // column in characters, from 1
	Message string
}

// Error returns the position and the message.
func (e *SyntaxError) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("expr: column %d: %s", e.Column, e.Message)
	}
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Message)
}

// syntaxError returns an error at a byte offset in text.
func syntaxError(text string, at int, format string, args ...any) *SyntaxError {
	return &SyntaxError{Column: utf8.RuneCountInString(text[:at]) + 1, Message: fmt.Sprintf(format, args...)}
}

// A tokenKind is the kind of a token.
type tokenKind uint8

const (
	tokenEnd    tokenKind = iota
	tokenName             // a name without quotes
	tokenQuoted           // a name between backquotes
	tokenInt
	tokenFloat
	tokenString
	tokenMark // an operator or a bracket
)

// A token is a part of an expression.
type token struct {
	kind    tokenKind
	at, end int     // byte offsets in the expression
	text    string  // the mark, or the name or string without quotes and escapes
	i       int64   // value of a tokenInt
	f       float64 // value of a tokenFloat
}

// String describes the token for a message.
func (t token) String() string {
	switch t.kind {
	case tokenEnd:
		return "the end"
	case tokenString:
		return "the string " + strconv.Quote(t.text)
	case tokenInt:
		return "the number " + strconv.FormatInt(t.i, 10)
	case tokenFloat:
		return "the number " + strconv.FormatFloat(t.f, 'g', -1, 64)
	case tokenName, tokenQuoted:
		return "the name " + strconv.Quote(t.text)
	}
	return strconv.Quote(t.text)
}

// marks are the operators and brackets. Marks of two characters come first, so that lex finds the longest match.
var marks = []string{"||", "&&", "==", "!=", "<=", ">=", "=~", "!~", "..", "<", ">", "!", "(", ")", "[", "]", ",", "+", "-", "*", "/"}

// lex returns the token that begins at or after byte i.
func lex(expr string, i int) (token, error) {
	for i < len(expr) && strings.IndexByte(" \t\r\n", expr[i]) >= 0 {
		i++
	}
	t := token{at: i, end: i}
	if i == len(expr) {
		return t, nil
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
		t.kind, t.end, t.text = tokenName, end, expr[i:end]
		return t, nil
	}
	for _, m := range marks {
		if strings.HasPrefix(expr[i:], m) {
			t.kind, t.end, t.text = tokenMark, i+len(m), m
			return t, nil
		}
	}
	switch expr[i] {
	case '&', '|', '=':
		return t, syntaxError(expr, i, "want %q, got %q", strings.Repeat(expr[i:i+1], 2), expr[i:i+1])
	}
	_, size := utf8.DecodeRuneInString(expr[i:])
	return t, syntaxError(expr, i, "unexpected %q", expr[i:i+size])
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// beginsName reports whether a bare name may begin with c.
func beginsName(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' || c >= utf8.RuneSelf
}

func lexQuoted(expr string, i int) (token, error) {
	quote := expr[i]
	end := i + 1
	for end < len(expr) && expr[end] != quote {
		if quote == '"' && expr[end] == '\\' {
			end++
		}
		end++
	}
	t := token{kind: tokenString, at: i, end: end + 1}
	if end >= len(expr) {
		return t, syntaxError(expr, i, "the quote %c has no end", quote)
	}
	t.text = expr[i+1 : end]
	switch quote {
	case '`':
		t.kind = tokenQuoted
	case '"':
		s, err := strconv.Unquote(expr[i : end+1])
		if err != nil {
			return t, syntaxError(expr, i, "%s is not a string: unknown escape or line break", expr[i:end+1])
		}
		t.text = s
	}
	return t, nil
}

func lexNumber(expr string, i int) (token, error) {
	end := i + 1
	for end < len(expr) {
		c := expr[end]
		sign := (c == '-' || c == '+') && strings.IndexByte("eE", expr[end-1]) >= 0 && !strings.HasPrefix(strings.TrimLeft(expr[i:end], "+-"), "0x")
		if c == '.' && strings.HasPrefix(expr[end:], "..") {
			break // at the .. of a range
		}
		if !sign && !isDigit(c) && !beginsName(c) && c != '.' {
			break
		}
		end++
	}
	text := expr[i:end]
	t := token{kind: tokenInt, at: i, end: end}
	digits := strings.TrimLeft(text, "+-")
	hex := strings.HasPrefix(digits, "0x") || strings.HasPrefix(digits, "0X")
	switch {
	case strings.Contains(digits, "_"): // strconv accepts underscores, as Go does
		return t, syntaxError(expr, i, "%s is not a number", text)
	case len(digits) > 1 && digits[0] == '0' && isDigit(digits[1]): // octal in Go, decimal elsewhere
		return t, syntaxError(expr, i, "%s is not a number: it begins with a zero", text)
	}
	base := 10
	if hex {
		base = 0 // strconv finds the prefix
	}
	var err error
	if t.i, err = strconv.ParseInt(text, base, 64); err == nil {
		return t, nil
	}
	if errors.Is(err, strconv.ErrRange) && (hex || !strings.ContainsAny(text, ".eE")) {
		return t, syntaxError(expr, i, "%s does not fit an int64", text)
	}
	t.kind = tokenFloat
	if t.f, err = strconv.ParseFloat(text, 64); hex || err != nil {
		return t, syntaxError(expr, i, "%s is not a number", text)
	}
	return t, nil
}
