package main

import (
	"bytes"
	"os"

	"github.com/spf13/pflag"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/console"
)

// colorVar defines --color.
func colorVar(fs *pflag.FlagSet, p *when) {
	enumVar(fs, p, "color", whenNames, "use colours, `WHEN`: auto (on a terminal), always or never")
}

// colored reports whether what is printed to standard output has colours. Without a flag that
// says so the variables count that other programs look at: https://no-color.org and
// https://bixense.com/clicolors.
func (e *env) colored(flag when) bool {
	forced := os.Getenv("CLICOLOR_FORCE")
	switch {
	case flag != auto:
		return flag == always
	case os.Getenv("NO_COLOR") != "":
		return false
	case forced != "" && forced != "0":
		return true
	}
	return os.Getenv("CLICOLOR") != "0" && console.CanErase(e.stdout)
}

// Colours, as the terminal has been told to show them.
const (
	colorOff    = "\x1b[0m"
	colorName   = "\x1b[1;34m" // of a feature
	colorKind   = "\x1b[36m"
	colorString = "\x1b[32m"
	colorInt    = "\x1b[33m"
	colorFloat  = "\x1b[35m"
	colorOther  = "\x1b[2m" // null, true and false
)

var severityColors = map[string]string{"error": "\x1b[1;31m", "warning": "\x1b[1;33m"}

// A look is how JSON is shown to people: in colours, or with a line for each member.
type look struct{ color, pretty bool }

func (l look) plain() bool { return l == look{} }

// lookFormatter is a formatter that shows the text of another one.
type lookFormatter struct {
	formatter
	look look
}

func (f *lookFormatter) format(b *batch) {
	begin := len(b.text)
	faults := len(b.misfits)
	f.formatter.format(b)
	text := bytes.Clone(b.text[begin:])
	b.text = b.text[:begin]
	// Where a record has no text its fault is told between those of the others.
	done := 0
	for i := range b.misfits[faults:] {
		m := &b.misfits[faults+i]
		b.text = f.look.append(b.text, text[done:m.at-begin])
		done, m.at = m.at-begin, len(b.text)
	}
	b.text = f.look.append(b.text, text[done:])
}

// append appends lines of JSON, each a value.
func (l look) append(dst, lines []byte) []byte {
	for line := range bytes.Lines(lines) {
		v := jsonLook{look: l, dst: dst, rest: bytes.TrimSuffix(line, []byte("\n"))}
		v.value(0)
		dst = append(append(v.dst, v.rest...), '\n')
	}
	return dst
}

// A jsonLook rewrites one value of JSON as a printer of ours writes it: sound, and without
// spaces between its parts.
type jsonLook struct {
	look
	dst, rest []byte
}

// value rewrites the next value, which is so deep in others.
func (v *jsonLook) value(depth int) {
	if len(v.rest) == 0 {
		return
	}
	switch v.rest[0] {
	case '{':
		kind := depth > 0 && kindKeys[string(v.rest[1:1+stringEnd(v.rest[1:])])]
		v.list(depth, '}', !kind)
	case '[':
		v.list(depth, ']', v.pretty && v.nested())
	case '"':
		v.colored(colorString, stringEnd(v.rest))
	default:
		n := bytes.IndexAny(v.rest, ",]}")
		if n < 0 {
			n = len(v.rest)
		}
		color := colorInt
		switch {
		case bytes.IndexByte([]byte("ntf"), v.rest[0]) >= 0:
			color = colorOther
		case bytes.ContainsAny(v.rest[:n], ".eE"):
			color = colorFloat
		}
		v.colored(color, n)
	}
}

// list rewrites an object or an array, up to its end; of one that is broken every part has a
// line of its own.
func (v *jsonLook) list(depth int, end byte, broken bool) {
	broken = broken && v.pretty && len(v.rest) > 1 && v.rest[1] != end
	v.take(1)
	for len(v.rest) > 0 && v.rest[0] != end {
		if v.rest[0] == ',' {
			v.take(1)
			if v.pretty && !broken {
				v.dst = append(v.dst, ' ')
			}
		}
		if broken {
			v.newline(depth + 1)
		}
		if end == '}' {
			v.key(depth)
		}
		v.value(depth + 1)
	}
	if broken {
		v.newline(depth)
	}
	v.take(min(1, len(v.rest)))
}

// kindKeys are the names in front of a list of values that say its kind.
var kindKeys = map[string]bool{`"int64"`: true, `"float32"`: true, `"string"`: true, `"b64"`: true, `"hex"`: true, `"nan"`: true}

// key rewrites the name of a member and its colon.
func (v *jsonLook) key(depth int) {
	n := stringEnd(v.rest)
	color := colorName
	if depth > 0 && kindKeys[string(v.rest[:n])] {
		color = colorKind
	}
	v.colored(color, n)
	v.take(min(1, len(v.rest)))
	if v.pretty {
		v.dst = append(v.dst, ' ')
	}
}

// nested reports whether the array that follows holds arrays or objects: others are one line,
// however long.
func (v *jsonLook) nested() bool { return len(v.rest) > 1 && (v.rest[1] == '[' || v.rest[1] == '{') }

func (v *jsonLook) take(n int) {
	v.dst = append(v.dst, v.rest[:n]...)
	v.rest = v.rest[n:]
}

func (v *jsonLook) colored(color string, n int) {
	if !v.color {
		v.take(n)
		return
	}
	v.dst = append(v.dst, color...)
	v.take(n)
	v.dst = append(v.dst, colorOff...)
}

func (v *jsonLook) newline(depth int) {
	v.dst = append(v.dst, '\n')
	for range depth {
		v.dst = append(v.dst, "  "...)
	}
}

// stringEnd returns the length of the string that text begins with.
func stringEnd(text []byte) int {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(text)
}
