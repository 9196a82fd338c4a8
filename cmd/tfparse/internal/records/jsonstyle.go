package records

import (
	"bytes"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
)

// Colours of parts of JSON, as terminal escape sequences.
const (
	colorName   = "\x1b[1;34m" // name of a feature
	colorKind   = "\x1b[36m"   // name of a kind
	colorString = "\x1b[32m"
	colorInt    = "\x1b[33m"
	colorFloat  = "\x1b[35m"
	colorOther  = "\x1b[2m" // null, true and false
)

// A style is a way to print JSON for people. The zero value leaves JSON unchanged.
type style struct {
	color  bool
	pretty bool // print each member on its own line
	fold   bool // shorten long byte strings and lists; the output is not valid JSON
}

// styleWorker returns a textWorker that applies the style to the text of work.
func (l style) styleWorker(work textWorker) textWorker {
	if l == (style{}) {
		return work
	}
	return func(b *scan.Batch[[]byte]) {
		work(b)
		text := bytes.Clone(b.Result)
		b.Result = b.Result[:0]
		done := 0
		for i := range b.Misfits { // move the position of each fault to the styled text
			m := &b.Misfits[i]
			b.Result = l.appendStyled(b.Result, text[done:m.At])
			done, m.At = m.At, len(b.Result)
		}
		b.Result = l.appendStyled(b.Result, text[done:])
	}
}

// appendStyled appends lines of JSON in the style. Each line is one value.
func (l style) appendStyled(dst, lines []byte) []byte {
	for line := range bytes.Lines(lines) {
		v := styledJSON{style: l, dst: dst, rest: bytes.TrimSuffix(line, []byte("\n"))}
		v.rewriteValue(0)
		dst = append(append(v.dst, v.rest...), '\n')
	}
	return dst
}

// A styledJSON rewrites one JSON value in a style. The value must be valid and without white space, as our printers write it.
type styledJSON struct {
	style
	dst  []byte // output
	rest []byte // input that is not rewritten yet
}

// rewriteValue rewrites the next value; depth is its nesting depth.
func (v *styledJSON) rewriteValue(depth int) {
	if len(v.rest) == 0 {
		return
	}
	if v.foldString() || v.foldObject() {
		return
	}
	switch v.rest[0] {
	case '{':
		kind := depth > 0 && kindKeys[string(v.rest[1:1+stringEnd(v.rest[1:])])]
		v.rewriteList(depth, '}', !kind)
	case '[':
		v.rewriteList(depth, ']', v.pretty && v.hasNested())
	case '"':
		v.copyColored(colorString, stringEnd(v.rest))
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
		v.copyColored(color, n)
	}
}

// rewriteList rewrites an object or an array. end is its closing bracket. If broken and pretty, each element is on its own line.
func (v *styledJSON) rewriteList(depth int, end byte, broken bool) {
	broken = broken && v.pretty && len(v.rest) > 1 && v.rest[1] != end
	long := v.fold && end == ']' && listLength(v.rest) > maxWholeList
	v.copyBytes(1)
	for shown := 0; len(v.rest) > 0 && v.rest[0] != end; shown++ {
		if long && shown == shownValues {
			v.foldList(shown)
			break
		}
		if v.rest[0] == ',' {
			v.copyBytes(1)
			if v.pretty && !broken {
				v.dst = append(v.dst, ' ')
			}
		}
		if broken {
			v.appendNewline(depth + 1)
		}
		if end == '}' {
			if v.foldRecord(depth) {
				continue
			}
			v.rewriteKey(depth)
		}
		v.rewriteValue(depth + 1)
	}
	if broken {
		v.appendNewline(depth)
	}
	v.copyBytes(min(1, len(v.rest)))
}

// kindKeys are the member names that give the kind of a list of values.
var kindKeys = map[string]bool{`"int64"`: true, `"float32"`: true, `"string"`: true, `"b64"`: true, `"hex"`: true, `"nan"`: true}

// rewriteKey rewrites the name of a member and its colon.
func (v *styledJSON) rewriteKey(depth int) {
	n := stringEnd(v.rest)
	color := colorName
	if depth > 0 && kindKeys[string(v.rest[:n])] {
		color = colorKind
	}
	v.copyColored(color, n)
	v.copyBytes(min(1, len(v.rest)))
	if v.pretty {
		v.dst = append(v.dst, ' ')
	}
}

// hasNested reports whether the next array holds arrays or objects. Other arrays are printed on one line.
func (v *styledJSON) hasNested() bool {
	return len(v.rest) > 1 && (v.rest[1] == '[' || v.rest[1] == '{')
}

func (v *styledJSON) copyBytes(n int) {
	v.dst = append(v.dst, v.rest[:n]...)
	v.rest = v.rest[n:]
}

func (v *styledJSON) copyColored(color string, n int) {
	if !v.color {
		v.copyBytes(n)
		return
	}
	v.dst = append(v.dst, color...)
	v.copyBytes(n)
	v.dst = append(v.dst, cli.ColorOff...)
}

func (v *styledJSON) appendNewline(depth int) {
	v.dst = append(v.dst, '\n')
	for range depth {
		v.dst = append(v.dst, "  "...)
	}
}

// stringEnd returns the length of the string at the start of text, in bytes.
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
