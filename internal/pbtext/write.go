package pbtext

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/anypb"
)

// Append appends the text form of a message to dst, one field per line, with two spaces of indentation per level.
// Unknown fields are left out. Bytes that are not UTF-8, and characters that do not print, are octal escapes.
func Append(dst []byte, m proto.Message) []byte {
	p := printer{b: dst}
	p.message(m.ProtoReflect())
	return p.b
}

// Marshal returns the text form of a message; see [Append].
func Marshal(m proto.Message) []byte { return Append(nil, m) }

// Plain returns the text form of a message as programs in C++ print it in their
// messages: floats that are whole numbers without a point, and only ASCII.
func Plain(m proto.Message) string {
	p := printer{plain: true}
	p.message(m.ProtoReflect())
	return string(p.b)
}

type printer struct {
	b     []byte
	depth int
	plain bool
}

func (p *printer) message(m protoreflect.Message) {
	if a, ok := m.Interface().(*anypb.Any); ok && p.any(a) {
		return
	}
	type entry struct {
		fd protoreflect.FieldDescriptor
		v  protoreflect.Value
	}
	var fields []entry
	m.Range(func(fd protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		fields = append(fields, entry{fd, v})
		return true
	})
	slices.SortFunc(fields, func(a, b entry) int { return cmp.Compare(a.fd.Number(), b.fd.Number()) })
	for _, f := range fields {
		if !f.fd.IsList() {
			p.field(string(f.fd.Name()), f.fd, f.v)
			continue
		}
		list := f.v.List()
		for i := range list.Len() {
			p.field(string(f.fd.Name()), f.fd, list.Get(i))
		}
	}
}

// any prints the message that an Any holds, if it is one of ours.
func (p *printer) any(a *anypb.Any) bool {
	t, err := Resolver{}.FindMessageByURL(a.GetTypeUrl())
	if err != nil {
		return false
	}
	m := t.New()
	if proto.Unmarshal(a.GetValue(), m.Interface()) != nil {
		return false
	}
	p.open("[" + a.GetTypeUrl() + "]")
	p.message(m)
	p.close()
	return true
}

func (p *printer) indent() {
	for range p.depth {
		p.b = append(p.b, "  "...)
	}
}

func (p *printer) open(name string) {
	p.indent()
	p.b = append(append(p.b, name...), " {\n"...)
	p.depth++
}

func (p *printer) close() {
	p.depth--
	p.indent()
	p.b = append(p.b, "}\n"...)
}

func (p *printer) field(name string, fd protoreflect.FieldDescriptor, v protoreflect.Value) {
	if fd.Message() != nil {
		p.open(name)
		p.message(v.Message())
		p.close()
		return
	}
	p.indent()
	p.b = append(append(p.b, name...), ": "...)
	p.b = append(p.b, p.scalar(fd, v)...)
	p.b = append(p.b, '\n')
}

func (p *printer) scalar(fd protoreflect.FieldDescriptor, v protoreflect.Value) string {
	switch fd.Kind() {
	case protoreflect.StringKind:
		return p.quote(v.String())
	case protoreflect.BytesKind:
		return p.quote(string(v.Bytes()))
	case protoreflect.FloatKind:
		return p.number(v.Float(), 32)
	case protoreflect.DoubleKind:
		return p.number(v.Float(), 64)
	case protoreflect.EnumKind:
		if d := fd.Enum().Values().ByNumber(v.Enum()); d != nil {
			return string(d.Name())
		}
		return strconv.FormatInt(int64(v.Enum()), 10)
	}
	return fmt.Sprint(v.Interface()) // integers and bools
}

// number returns the fewest digits that read back the same.
func (p *printer) number(f float64, bits int) string {
	switch {
	case math.IsNaN(f):
		return "nan"
	case math.IsInf(f, 1):
		return "inf"
	case math.IsInf(f, -1):
		return "-inf"
	}
	s := strconv.FormatFloat(f, 'e', -1, bits)
	_, e, _ := strings.Cut(s, "e")
	if exp, _ := strconv.Atoi(e); exp < -4 || exp >= 16 || p.plain && exp >= 15 {
		mantissa, exponent, _ := strings.Cut(s, "e")
		return mantissa + "e" + exponent
	}
	s = strconv.FormatFloat(f, 'f', -1, bits)
	if !p.plain && !strings.ContainsRune(s, '.') {
		s += ".0"
	}
	return s
}

// quote writes a string as the text form reads it back, byte for byte.
func (p *printer) quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		switch {
		case r == '"' || r == '\\' || r == '\'' && p.plain:
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == utf8.RuneError && n == 1 || !unicode.IsPrint(r) || p.plain && r >= utf8.RuneSelf:
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
