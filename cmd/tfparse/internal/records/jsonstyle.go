package records

import (
	"bytes"
	"fmt"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/internal/jsonscan"
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
	color bool
	fold  bool        // shorten long byte strings and lists; the output is not valid JSON
	tree  *recordTree // prints records as trees; nil: lines of JSON
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
		line = bytes.TrimSuffix(line, []byte("\n"))
		if l.tree != nil {
			dst = l.tree.appendRecord(dst, line)
			continue
		}
		v := styledJSON{style: l, dst: dst, Cursor: jsonscan.NewCursor(line)}
		v.rewriteValue(0)
		if !v.Done() { // not JSON
			v.dst = append(dst, line...)
		}
		dst = append(v.dst, '\n')
	}
	return dst
}

// A styledJSON rewrites one JSON value in a style. The value must be without white space, as our printers write it.
type styledJSON struct {
	style
	jsonscan.Cursor        // input; its position is the first byte not yet rewritten
	dst             []byte // output
}

// rewriteValue rewrites the next value; depth is its nesting depth.
func (v *styledJSON) rewriteValue(depth int) {
	if v.foldBytes() {
		return
	}
	c := v.Cursor
	switch first := c.Peek(); first {
	case '{':
		v.rewriteList(depth, '}')
	case '[':
		v.rewriteList(depth, ']')
	default:
		v.Skip()
		text := c.Line[c.Pos:v.Pos]
		v.appendColored(scalarColor(text), text)
	}
}

// scalarColor returns the colour of a number, a string or a literal.
func scalarColor(text []byte) string {
	switch {
	case bytes.HasPrefix(text, []byte{'"'}):
		return colorString
	case bytes.ContainsAny(text[:min(len(text), 1)], "ntf"):
		return colorOther
	case bytes.ContainsAny(text, ".eE"):
		return colorFloat
	}
	return colorInt
}

// rewriteList rewrites an object or an array. end is its closing bracket.
func (v *styledJSON) rewriteList(depth int, end byte) {
	length := 0 // of a list that may be shortened
	if v.fold && end == ']' {
		length = listLength(v.Cursor)
	}
	v.dst = append(v.dst, v.Peek())
	v.Open()
	for shown := 0; v.More(end); shown++ {
		if length > maxWholeList && shown == shownValues {
			kind := "value"
			for more := true; more; more = v.More(end) {
				if v.Peek() == '[' {
					kind = "list"
				}
				v.Skip()
			}
			v.dst = fmt.Appendf(v.dst, ", … %s %ss", thousands(length), kind)
			break
		}
		if shown > 0 {
			v.dst = append(v.dst, ',')
		}
		if end == '}' {
			if v.foldRecord(depth) {
				continue
			}
			v.rewriteKey(depth)
		}
		v.rewriteValue(depth + 1)
	}
	v.dst = append(v.dst, end)
}

// kindKeys are the member names that give the kind of a list of values.
var kindKeys = map[string]bool{"int64": true, "float32": true, "string": true, "b64": true, "hex": true, "nan": true}

// rewriteKey rewrites the name of a member and its colon.
func (v *styledJSON) rewriteKey(depth int) {
	begin := v.Pos
	name, _ := v.Name()
	color := colorName
	if depth > 0 && kindKeys[string(name)] {
		color = colorKind
	}
	v.appendColored(color, bytes.TrimSuffix(v.Line[begin:v.Pos], []byte(":")))
	v.dst = append(v.dst, ':')
}

// appendColored appends text of the input, or in place of it.
func (v *styledJSON) appendColored(color string, text []byte) {
	if v.color {
		v.dst = append(append(append(v.dst, color...), text...), cli.ColorOff...)
	} else {
		v.dst = append(v.dst, text...)
	}
}
