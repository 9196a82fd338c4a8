package featurepb

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A protoText writes the text form of a message. The protobuf runtime has a
// writer too, but its text varies between builds on purpose.
type protoText struct {
	b     []byte
	depth int
}

func (t *protoText) indent() {
	for range t.depth {
		t.b = append(t.b, "  "...)
	}
}

func (t *protoText) open(name string) {
	t.indent()
	t.b = append(append(t.b, name...), " {\n"...)
	t.depth++
}

// close ends a message; one without fields takes one line.
func (t *protoText) close() {
	t.depth--
	if n := len(t.b); t.b[n-2] == '{' {
		t.b = append(t.b[:n-1], "}\n"...)
		return
	}
	t.indent()
	t.b = append(t.b, "}\n"...)
}

func (t *protoText) field(name, value string) {
	t.indent()
	t.b = append(append(append(append(t.b, name...), ": "...), value...), '\n')
}

func (t *protoText) string(name, value string) { t.field(name, quote(value)) }

func (t *protoText) shape(name string, dims []int64) {
	t.open(name)
	for _, n := range dims {
		t.open("dim")
		t.field("size", strconv.FormatInt(n, 10))
		t.close()
	}
	t.close()
}

// quote writes a string as text proto reads it back, byte for byte: what prints
// stands as it is, any other byte as three octal digits.
func quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == utf8.RuneError && n == 1 || !unicode.IsPrint(r):
			for _, c := range []byte(s[:n]) {
				fmt.Fprintf(&b, `\%03o`, c)
			}
		default:
			b.WriteString(s[:n])
		}
		s = s[n:]
	}
	b.WriteByte('"')
	return b.String()
}

// floatText writes a float32 for a field of type double, so that it comes back the
// same. Nearly always the digits of the float32 will do.
func floatText(f float32) string {
	switch d := float64(f); {
	case math.IsNaN(d):
		return "nan"
	case math.IsInf(d, 1):
		return "inf"
	case math.IsInf(d, -1):
		return "-inf"
	}
	s := strconv.FormatFloat(float64(f), 'g', -1, 32)
	if d, err := strconv.ParseFloat(s, 64); err != nil || float32(d) != f {
		s = strconv.FormatFloat(float64(f), 'g', -1, 64)
	}
	return s
}
