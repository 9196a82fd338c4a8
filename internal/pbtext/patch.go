package pbtext

import (
	"bytes"
	"errors"
	"slices"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// Patch returns a copy of text, changed as little as possible so that it reads as want. Fields with equal values
// keep their bytes, comments, order and layout. Comments inside removed fields stay, too.
//
// It fails if text is not the text form of a message of the type of want; the error of an unknown field names the
// field.
func Patch(text []byte, want proto.Message) ([]byte, error) {
	have := want.ProtoReflect().New().Interface()
	if err := Unmarshal(text, have); err != nil {
		return nil, err
	}
	b, comments, err := parse(text)
	if err != nil {
		return nil, err
	}
	b.close = len(text)
	p := patcher{text: text, comments: comments}
	p.message(b, have.ProtoReflect(), want.ProtoReflect())
	out := p.apply()
	if err := Unmarshal(out, have); err != nil {
		return nil, errors.Join(errSyntax, err)
	}
	if !proto.Equal(have, want) {
		return nil, errSyntax
	}
	return out, nil
}

// A patcher collects changes of a text.
type patcher struct {
	text     []byte
	comments []span // the comments in text, in order
	edits    []edit // the changes so far
}

type edit struct {
	span
	text string
}

func (p *patcher) replace(start, end int, text string) {
	p.edits = append(p.edits, edit{span{start, end}, text})
}

func (p *patcher) apply() []byte {
	slices.SortStableFunc(p.edits, func(a, b edit) int { return a.start - b.start })
	var out []byte
	pos := 0
	for _, e := range p.edits {
		if e.start < pos { // begins inside a range that an earlier edit replaces
			e.start = pos
			e.end = max(e.end, pos)
		}
		out = append(append(out, p.text[pos:e.start]...), e.text...)
		pos = e.end
	}
	return append(out, p.text[pos:]...)
}

// An element is one value of a field in a text.
type element struct {
	field *field
	index int // index in field.values
}

func (e element) value() value { return e.field.values[e.index] }

func (p *patcher) message(b *body, have, want protoreflect.Message) {
	elements := map[string][]element{}
	for _, f := range b.fields {
		for i := range f.values {
			elements[f.name] = append(elements[f.name], element{f, i})
		}
	}
	fields := want.Descriptor().Fields()
	order := make([]protoreflect.FieldDescriptor, fields.Len())
	for i := range order {
		order[i] = fields.Get(i)
	}
	slices.SortFunc(order, func(a, b protoreflect.FieldDescriptor) int { return int(a.Number() - b.Number()) })
	for _, fd := range order {
		if fd.IsList() {
			p.repeated(b, fd, elements[string(fd.Name())], have.Get(fd).List(), want.Get(fd).List())
		} else if have.Has(fd) != want.Has(fd) || !have.Get(fd).Equal(want.Get(fd)) {
			p.singular(b, fd, elements[string(fd.Name())], have, want)
		}
	}
}

// singular changes a field that is not repeated and whose value differs.
func (p *patcher) singular(b *body, fd protoreflect.FieldDescriptor, elements []element, have, want protoreflect.Message) {
	switch {
	case len(elements) == 0: // proto3 does not distinguish a zero value from no value
		if !have.Has(fd) {
			p.insert(b, fd, want.Get(fd))
		}
	case !want.Has(fd):
		p.remove(elements[0].field)
	default:
		p.change(elements[0].value(), fd, have.Get(fd), want.Get(fd))
	}
}

// change edits the value v so that it reads as want.
func (p *patcher) change(v value, fd protoreflect.FieldDescriptor, have, want protoreflect.Value) {
	switch {
	case have.Equal(want):
	case fd.Message() == nil:
		text := p.commentsIn(v.start, v.end, p.indentation(v.start))
		if text != "" {
			text = "\n" + text
		}
		p.replace(v.start, v.end, text+(&printer{}).scalar(fd, want))
	case fd.Message().FullName() == "google.protobuf.Any":
		p.replace(v.start, v.end, p.bare(fd, want, p.indentation(v.start)))
	default:
		p.message(v.body, have.Message(), want.Message())
	}
}

// repeated changes the values of a repeated field. Messages with a field name or key are the same message if that
// field is equal.
func (p *patcher) repeated(b *body, fd protoreflect.FieldDescriptor, elements []element, have, want protoreflect.List) {
	if len(elements) != have.Len() {
		return // Patch finds that the result differs from want
	}
	matches := align(fd, have, want)
	kept := make([]bool, len(elements))
	keptIn := map[*field]int{}
	first := -1
	for _, i := range matches {
		if i >= 0 {
			kept[i] = true
			keptIn[elements[i].field]++
			if first < 0 {
				first = i
			}
		}
	}
	for i, e := range elements {
		switch {
		case kept[i]:
		case keptIn[e.field] > 0:
			p.removeFromList(e, slices.Contains(kept[i-e.index:i], true))
		case e.index == 0:
			p.remove(e.field)
		}
	}
	last := -1
	for j, i := range matches {
		switch {
		case i >= 0:
			p.change(elements[i].value(), fd, have.Get(i), want.Get(j))
			last = i
		case last >= 0:
			p.insertAfter(elements[last], fd, want.Get(j))
		case first >= 0:
			p.insertBefore(elements[first], fd, want.Get(j))
		default:
			p.insert(b, fd, want.Get(j))
		}
	}
}

// align returns, for each element of want, the index of the same element in have, or -1. The indexes increase.
func align(fd protoreflect.FieldDescriptor, have, want protoreflect.List) []int {
	key := func(l protoreflect.List, i int) any {
		if fd.Message() == nil {
			return l.Get(i).String()
		}
		for _, name := range []protoreflect.Name{"name", "key"} {
			if k := fd.Message().Fields().ByName(name); k != nil && k.Kind() == protoreflect.StringKind {
				return l.Get(i).Message().Get(k).String()
			}
		}
		return i // other messages are the same if their indexes are equal
	}
	places := map[any][]int{}
	for i := range have.Len() {
		k := key(have, i)
		places[k] = append(places[k], i)
	}
	matches := make([]int, want.Len())
	next := 0
	for j := range matches {
		matches[j] = -1
		k := key(want, j)
		for len(places[k]) > 0 && matches[j] < 0 {
			if i := places[k][0]; i >= next {
				matches[j], next = i, i+1
			}
			places[k] = places[k][1:]
		}
	}
	return matches
}

// insertAfter puts a new value after a value of the same field.
func (p *patcher) insertAfter(e element, fd protoreflect.FieldDescriptor, v protoreflect.Value) {
	if e.field.list {
		end := e.value().end
		p.replace(end, end, ", "+p.bare(fd, v, p.indentation(e.field.start)))
		return
	}
	at := p.afterSeparator(e.field.end)
	line := p.lineEnd(at)
	if rest := bytes.TrimSpace(p.text[at:line]); p.startsLine(e.field.start) && (len(rest) == 0 || rest[0] == '#') {
		p.replace(line, line, "\n"+strings.TrimSuffix(p.render(fd, v, p.indentation(e.field.start)), "\n"))
		return
	}
	p.replace(at, at, " "+oneLine(p.render(fd, v, "")))
}

// insertBefore puts a new value before a value of the same field.
func (p *patcher) insertBefore(e element, fd protoreflect.FieldDescriptor, v protoreflect.Value) {
	start := e.field.start
	switch {
	case e.field.list:
		start = e.value().start
		p.replace(start, start, p.bare(fd, v, p.indentation(e.field.start))+", ")
	case p.startsLine(start):
		start = p.lineStart(start)
		p.replace(start, start, p.render(fd, v, p.indentation(e.field.start)))
	default:
		p.replace(start, start, oneLine(p.render(fd, v, ""))+" ")
	}
}

// insert puts a new field at the end of a body.
func (p *patcher) insert(b *body, fd protoreflect.FieldDescriptor, v protoreflect.Value) {
	inside := p.text[b.open+1 : b.close]
	if b.open >= 0 && !bytes.ContainsRune(inside, '\n') {
		space := ""
		if len(inside) == 0 || inside[len(inside)-1] != ' ' {
			space = " "
		}
		p.replace(b.close, b.close, space+oneLine(p.render(fd, v, ""))+" ")
		return
	}
	indent := ""
	switch {
	case len(b.fields) > 0 && p.startsLine(b.fields[0].start):
		indent = p.indentation(b.fields[0].start)
	case b.open >= 0:
		indent = p.indentation(b.open) + "  "
	}
	at, text := b.close, p.render(fd, v, indent)
	if b.open >= 0 && p.startsLine(b.close) {
		at = p.lineStart(b.close)
	} else if at > 0 && p.text[at-1] != '\n' {
		text = "\n" + text
		if b.open >= 0 {
			text += p.indentation(b.open)
		}
	}
	p.replace(at, at, text)
}

// removeFromList removes a value from a list that keeps other values. Comments stay.
func (p *patcher) removeFromList(e element, keptBefore bool) {
	values := e.field.values
	start, end := e.value().start, e.value().end
	if keptBefore {
		start = values[e.index-1].end
	} else {
		end = values[e.index+1].start
	}
	text := p.commentsIn(start, end, p.indentation(e.field.start))
	if text != "" {
		text = "\n" + text
	}
	p.replace(start, end, text)
}

// remove removes a field. Comments stay.
func (p *patcher) remove(f *field) {
	start, end := f.start, p.afterSeparator(f.end)
	text := p.commentsIn(start, end, p.indentation(f.start))
	if p.startsLine(start) && len(bytes.TrimSpace(p.text[end:p.lineEnd(end)])) == 0 {
		start, end = p.lineStart(start), min(p.lineEnd(end)+1, len(p.text))
	} else if text != "" {
		text = "\n" + text
	}
	p.replace(start, end, text)
}

// commentsIn returns the comments in text[start:end], each on a line of its own.
func (p *patcher) commentsIn(start, end int, indent string) string {
	var b strings.Builder
	for _, c := range p.comments {
		if c.start >= start && c.end <= end {
			b.WriteString(indent + string(p.text[c.start:c.end]) + "\n")
		}
	}
	return b.String()
}

// afterSeparator returns the position after a field that ends at end, and after its separator.
func (p *patcher) afterSeparator(end int) int {
	for q := end; q < len(p.text); q++ {
		switch p.text[q] {
		case ' ', '\t':
		case ',', ';':
			return q + 1
		default:
			return end
		}
	}
	return end
}

func (p *patcher) lineStart(pos int) int { return bytes.LastIndexByte(p.text[:pos], '\n') + 1 }

func (p *patcher) lineEnd(pos int) int {
	if n := bytes.IndexByte(p.text[pos:], '\n'); n >= 0 {
		return pos + n
	}
	return len(p.text)
}

// startsLine reports whether only white space precedes pos in its line.
func (p *patcher) startsLine(pos int) bool {
	return len(bytes.TrimSpace(p.text[p.lineStart(pos):pos])) == 0
}

// indentation returns the white space at the beginning of the line of pos.
func (p *patcher) indentation(pos int) string {
	line := p.text[p.lineStart(pos):pos]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

// render writes a field on lines of their own.
func (p *patcher) render(fd protoreflect.FieldDescriptor, v protoreflect.Value, indent string) string {
	w := printer{}
	w.field(string(fd.Name()), fd, v)
	return indent + strings.ReplaceAll(strings.TrimSuffix(string(w.b), "\n"), "\n", "\n"+indent) + "\n"
}

// bare writes a value without the name.
func (p *patcher) bare(fd protoreflect.FieldDescriptor, v protoreflect.Value, indent string) string {
	if fd.Message() == nil {
		return (&printer{}).scalar(fd, v)
	}
	text := strings.TrimPrefix(p.render(fd, v, indent), indent)
	return strings.TrimSuffix(strings.TrimPrefix(text, string(fd.Name())+" "), "\n")
}

// oneLine joins lines. Strings contain no line breaks, only escapes.
func oneLine(s string) string {
	var words []string
	for line := range strings.Lines(s) {
		words = append(words, strings.TrimSpace(line))
	}
	return strings.Join(words, " ")
}
