package records

import (
	"bytes"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
)

// Colours of the terminal.
const (
	colorName   = "\x1b[1;34m" // of a feature
	colorKind   = "\x1b[36m"
	colorString = "\x1b[32m"
	colorInt    = "\x1b[33m"
	colorFloat  = "\x1b[35m"
	colorOther  = "\x1b[2m" // null, true and false
)

// A style is how JSON is printed for people.
type style struct {
	color  bool
	pretty bool // a line for each member
	fold   bool // long byte strings and lists are shortened: what is printed is not JSON
}

// worker returns a worker that shows the text of another one.
func (l style) worker(work textWorker) textWorker {
	if l == (style{}) {
		return work
	}
	return func(b *scan.Batch[[]byte]) {
		work(b)
		text := bytes.Clone(b.Result)
		b.Result = b.Result[:0]
		done := 0
		for i := range b.Misfits { // where the text of their records would be
			m := &b.Misfits[i]
			b.Result = l.append(b.Result, text[done:m.At])
			done, m.At = m.At, len(b.Result)
		}
		b.Result = l.append(b.Result, text[done:])
	}
}

// append appends lines of JSON, each a value.
func (l style) append(dst, lines []byte) []byte {
	for line := range bytes.Lines(lines) {
		v := styledJSON{style: l, dst: dst, rest: bytes.TrimSuffix(line, []byte("\n"))}
		v.value(0)
		dst = append(append(v.dst, v.rest...), '\n')
	}
	return dst
}

// A styledJSON rewrites one value of JSON as a printer of ours writes it: sound, and without
// spaces between its parts.
type styledJSON struct {
	style
	dst, rest []byte
}

// value rewrites the next value, which is so deep in others.
func (v *styledJSON) value(depth int) {
	if len(v.rest) == 0 {
		return
	}
	if v.foldString() || v.foldObject() {
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
func (v *styledJSON) list(depth int, end byte, broken bool) {
	broken = broken && v.pretty && len(v.rest) > 1 && v.rest[1] != end
	long := v.fold && end == ']' && listLength(v.rest) > wholeList
	v.take(1)
	for shown := 0; len(v.rest) > 0 && v.rest[0] != end; shown++ {
		if long && shown == shownValues {
			v.foldList(shown)
			break
		}
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
			if v.foldRecord(depth) {
				continue
			}
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
func (v *styledJSON) key(depth int) {
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
func (v *styledJSON) nested() bool { return len(v.rest) > 1 && (v.rest[1] == '[' || v.rest[1] == '{') }

func (v *styledJSON) take(n int) {
	v.dst = append(v.dst, v.rest[:n]...)
	v.rest = v.rest[n:]
}

func (v *styledJSON) colored(color string, n int) {
	if !v.color {
		v.take(n)
		return
	}
	v.dst = append(v.dst, color...)
	v.take(n)
	v.dst = append(v.dst, cli.ColorOff...)
}

func (v *styledJSON) newline(depth int) {
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
