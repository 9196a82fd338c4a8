package filter

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A SyntaxError says what is wrong with an expression, and where.
type SyntaxError struct {
	Column  int // counted in characters, from 1
	Message string
}

// Error gives the column and the message.
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("filter: column %d: %s", e.Column, e.Message)
}

// A tokenKind is the kind of a token.
type tokenKind uint8

const (
	tokenEnd    tokenKind = iota
	tokenName             // bare
	tokenQuoted           // a name between backquotes
	tokenInt
	tokenFloat
	tokenString
	tokenMark // an operator or a bracket
)

// A token is a part of an expression.
type token struct {
	kind tokenKind
	at   int    // byte in the expression
	text string // the mark; the name or string that it stands for
	i    int64
	f    float64
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

// marks are the operators and brackets; of two that begin alike the longer one is first.
var marks = []string{"||", "&&", "==", "!=", "<=", ">=", "=~", "!~", "<", ">", "!", "(", ")", "[", "]", ","}

// errorAt is an error at a byte of the expression.
func errorAt(expr string, at int, format string, args ...any) *SyntaxError {
	return &SyntaxError{utf8.RuneCountInString(expr[:at]) + 1, fmt.Sprintf(format, args...)}
}

// lex returns the token that begins at or behind byte i, and where it ends.
func lex(expr string, i int) (token, int, error) {
	for i < len(expr) && strings.IndexByte(" \t\r\n", expr[i]) >= 0 {
		i++
	}
	t := token{at: i}
	if i == len(expr) {
		return t, i, nil
	}
	switch c := expr[i]; {
	case c == '"' || c == '\'' || c == '`':
		return lexQuoted(expr, i)
	case isDigit(c) || (c == '-' || c == '+' || c == '.') && i+1 < len(expr) && (isDigit(expr[i+1]) || expr[i+1] == '.'):
		return lexNumber(expr, i)
	case beginsName(c):
		end := i + 1
		for end < len(expr) && (beginsName(expr[end]) || isDigit(expr[end]) || strings.IndexByte("/.-", expr[end]) >= 0) {
			end++
		}
		t.kind, t.text = tokenName, expr[i:end]
		return t, end, nil
	}
	for _, m := range marks {
		if strings.HasPrefix(expr[i:], m) {
			t.kind, t.text = tokenMark, m
			return t, i + len(m), nil
		}
	}
	switch expr[i] {
	case '&', '|', '=':
		return t, i, errorAt(expr, i, "want %q, got %q", strings.Repeat(expr[i:i+1], 2), expr[i:i+1])
	}
	_, size := utf8.DecodeRuneInString(expr[i:])
	return t, i, errorAt(expr, i, "unexpected %q", expr[i:i+size])
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// beginsName reports whether a bare name may begin with c.
func beginsName(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' || c >= utf8.RuneSelf
}

func lexQuoted(expr string, i int) (token, int, error) {
	quote := expr[i]
	t := token{kind: tokenString, at: i}
	end := i + 1
	for end < len(expr) && expr[end] != quote {
		if quote == '"' && expr[end] == '\\' {
			end++
		}
		end++
	}
	if end >= len(expr) {
		return t, i, errorAt(expr, i, "the quote %c has no end", quote)
	}
	t.text = expr[i+1 : end]
	switch quote {
	case '`':
		t.kind = tokenQuoted
	case '"':
		s, err := strconv.Unquote(expr[i : end+1])
		if err != nil {
			return t, i, errorAt(expr, i, "%s is not a string: unknown escape or line break", expr[i:end+1])
		}
		t.text = s
	}
	return t, end + 1, nil
}

func lexNumber(expr string, i int) (token, int, error) {
	end := i + 1
	for end < len(expr) {
		c := expr[end]
		sign := (c == '-' || c == '+') && strings.IndexByte("eEpP", expr[end-1]) >= 0 && !strings.HasPrefix(strings.TrimLeft(expr[i:end], "+-"), "0x")
		if !sign && !isDigit(c) && !beginsName(c) && c != '.' {
			break
		}
		end++
	}
	text := expr[i:end]
	t := token{kind: tokenInt, at: i}
	var err error
	if t.i, err = strconv.ParseInt(text, 0, 64); err == nil {
		return t, end, nil
	}
	hex := strings.HasPrefix(strings.TrimLeft(text, "+-"), "0x")
	if errors.Is(err, strconv.ErrRange) && (hex || !strings.ContainsAny(text, ".eE")) {
		return t, i, errorAt(expr, i, "%s does not fit an int64", text)
	}
	t.kind = tokenFloat
	if t.f, err = strconv.ParseFloat(text, 64); err != nil {
		return t, i, errorAt(expr, i, "%s is not a number", text)
	}
	return t, end, nil
}
