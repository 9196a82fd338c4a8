package records

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/console"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/feature/raggedjson"
	"github.com/tfparse/tfparse/internal/jsonscan"
	"github.com/tfparse/tfparse/internal/sniff"
	"github.com/tfparse/tfparse/tensor"
)

// A recordTree prints records for people, as --pretty does:
//
//	train.tfrecord#17 (offset 0x3f2c)
//	  image  string  1  JPEG 640x480, 51 kB
//	  label  int64   1  3
//	  steps  string  9
//	    [0]
//	      [0][0]  "whisk"  "flour"  "milk"
//	      [0][1]  "rest"
//	    [1]
//	      [1][0]  "fry"  "thin"  "on"  "both"  "sides"
//
// A feature has its name, the kind and number of its values, and the values. It rewrites the lines of JSON that the printers make,
// so one function prints messages of all types and the columns of a spec, with the same values and errors. It is immutable.
type recordTree struct {
	color bool
	fold  bool                   // print only the beginning of long values and lists
	width int                    // of the terminal, in columns
	typed bool                   // the JSON has the kind of each feature: {"int64":[1]}
	kinds map[columnPlace]string // the types of the columns of a spec; nil: no spec
}

// A columnPlace identifies a column of a spec in the JSON of a row.
type columnPlace struct {
	group string // member that holds the column; "" for an Example
	name  string
}

// columnKinds returns the types of the columns of a parser.
func columnKinds(parser *feature.Parser, renderings map[string]raggedjson.Rendering) map[columnPlace]string {
	kinds := map[columnPlace]string{}
	for name, column := range parser.NewBatch().Columns().All() {
		place, kind := columnPlace{column.Group().String(), name}, column.DType().String()
		switch d := feature.DecodeOf(column.Spec()).(type) {
		case feature.DecodeRaw:
			kind = cmp.Or(d.Bitcast, d.DType).String()
		case feature.DecodeTensor:
			if kind = "tensor"; d.DType != tensor.Invalid {
				kind = d.DType.String()
			}
		}
		if column.Group() == feature.InFeatures {
			place.group = ""
			r := renderings[name]
			if r.Name != "" {
				place.name = r.Name
			}
			if r.DType != tensor.Invalid {
				kind = r.DType.String()
			}
		}
		kinds[place] = kind
	}
	return kinds
}

// A treeWriter is a recordTree that writes one record.
type treeWriter struct {
	*recordTree
	dst    []byte
	column int // columns written of the current line
	margin int // column at which values are continued in the next line
	lines  int // lines written for rows of the current feature
}

// maxRowLines is the number of lines, for rows of a feature, after which further rows are left out.
const maxRowLines = 40

// colorHeading is the colour of the line before a record.
const colorHeading = "\x1b[1m"

// appendRecord appends a record, given as a line of JSON that begins with its position.
func (t *recordTree) appendRecord(dst, line []byte) []byte {
	w := treeWriter{recordTree: t, dst: dst}
	c := jsonscan.NewCursor(line)
	var file []byte
	var record, offset int64
	c.Open()
	more := c.More('}')
	for ; more; more = c.More('}') {
		if c.Member(`"_file"`) {
			file, _, _ = c.Text(nil)
		} else if c.Member(`"_record"`) {
			record, _ = c.Int64()
		} else if c.Member(`"_offset"`) {
			offset, _ = c.Int64()
		} else {
			break
		}
	}
	w.write(colorHeading, console.OneLine(scan.Address(string(file), record)))
	if offset >= 0 { // not a row of Parquet or Arrow
		w.write("", fmt.Sprintf(" (offset %#x)", offset))
	}
	raw := c
	switch {
	case !more:
		w.newLine(2)
		w.write(colorOther, "empty")
	case w.typed && raw.Member(`"b64"`) && raw.Peek() == '"': // a record of unknown type
		b, _ := raw.Decode(nil, jsonscan.Base64Member)
		w.newLine(2)
		w.write(colorString, w.bytesText(b))
	default:
		w.writeMembers(&c, "", 2)
	}
	return append(bytes.TrimRight(w.dst, " "), '\n')
}

// A treeMember is a named value: a feature, or a field of another message.
type treeMember struct {
	name  string          // for display
	kind  string          // of the values; "": unknown
	count string          // number of values; "" for an object
	value jsonscan.Cursor // at the value, without its kind
	group string          // as in columnPlace
}

// writeMembers writes the members of an object on lines of their own, with aligned names, kinds and numbers of values. The cursor
// is at the name of the first one.
func (w *treeWriter) writeMembers(c *jsonscan.Cursor, group string, indent int) {
	var all []treeMember
	var nameWidth, kindWidth, countWidth int
	for more := true; more; more = c.More('}') {
		name, _ := c.Name()
		m := treeMember{name: string(name), value: *c, group: group}
		c.Skip()
		if plain, err := jsonscan.ParseName(m.name); err == nil {
			m.kind = w.kinds[columnPlace{group, plain}]
			m.name = cli.FeatureName(plain)
		}
		if m.kind == "" {
			m.kind, m.value = w.readKind(m.value)
		}
		if m.value.Peek() == '[' || m.kind != "" {
			m.count = thousands(w.countValues(m.value))
		}
		m.name = cli.Shorten(m.name, max(w.width-indent-1, 8))
		all = append(all, m)
		if n := console.TextWidth(m.name); n <= w.width/3 { // longer ones have a line of their own
			nameWidth = max(nameWidth, n)
		}
		kindWidth, countWidth = max(kindWidth, len(m.kind)), max(countWidth, len(m.count))
	}
	for _, m := range all {
		w.newLine(indent)
		w.writeCell(colorName, m.name, nameWidth)
		if w.column > indent+nameWidth && m.kind+m.count != "" {
			w.newLine(indent + nameWidth)
		}
		if kindWidth > 0 {
			w.write("", "  ")
			w.writeCell(colorKind, m.kind, kindWidth)
		}
		if countWidth > 0 {
			w.write("", "  ")
			w.writeCell("", m.count, countWidth)
		}
		w.lines = 0
		w.setMargin(indent + 4)
		w.writeValue(m.value, &m, "", indent+2)
	}
}

// noKind is the kind of a feature that is present without a list of values.
const noKind = "none"

// readKind returns the kind of a value whose JSON has it, and its values. Feature lists have the kinds of their steps.
func (w *treeWriter) readKind(c jsonscan.Cursor) (string, jsonscan.Cursor) {
	if !w.typed {
		return "", c
	}
	switch inner := c; {
	case c.Peek() == 'n':
		return noKind, c
	case c.Peek() == '{' && jsonscan.Shape(c) == "":
		inner.Open()
		inner.More('}')
		if name, _ := inner.Name(); kindKeys[string(name)] {
			return string(name), inner
		}
	case c.Peek() == '[':
		var kinds []string
		for inner.Open(); inner.More(']'); inner.Skip() {
			if kind, _ := w.readKind(inner); kind != "" && !slices.Contains(kinds, kind) {
				kinds = append(kinds, kind)
			}
		}
		return strings.Join(kinds, "|"), c
	}
	return "", c
}

// countValues returns the number of values in nested lists; of sparse features, that of the values at their indices.
func (w *treeWriter) countValues(c jsonscan.Cursor) (n int) {
	switch _, c = w.readKind(c); c.Peek() {
	case '[':
		for c.Open(); c.More(']'); c.Skip() {
			n += w.countValues(c)
		}
		return n
	case 'n':
		return 0
	}
	if _, values, ok := sparseEntries(c); ok {
		return listLength(values)
	}
	return 1
}

// sparseEntries returns the lists of indices and values of a sparse feature.
func sparseEntries(c jsonscan.Cursor) (indices, values jsonscan.Cursor, ok bool) {
	if c.Peek() != '{' {
		return c, c, false
	}
	c.Open()
	if !c.More('}') || !c.Member(`"indices"`) {
		return c, c, false
	}
	indices = c
	c.Skip()
	ok = c.More('}') && c.Member(`"values"`)
	return indices, c, ok
}

// hasRows reports whether a list has lists or objects, which are written as rows.
func hasRows(list jsonscan.Cursor) bool {
	for list.Open(); list.More(']'); list.Skip() {
		if first := list.Peek(); first != 'n' { // a step without a kind
			return first == '[' || first == '{' && jsonscan.Shape(list) == ""
		}
	}
	return false
}

// writeValue writes a value of a member. Lists of lists and objects begin on the next line, indented; path is the path of the value
// in the lists around it.
func (w *treeWriter) writeValue(c jsonscan.Cursor, m *treeMember, path string, indent int) {
	indent = min(indent, w.width/2)
	steps := path == "" && w.kinds != nil && m.group == feature.InSequence.String()
	switch first := c.Peek(); {
	case first == '[' && (steps || hasRows(c)):
		w.writeRows(c, m, path, indent)
	case first == '[':
		w.writeList(c, m.kind)
	case first == 'n' && m.kind == noKind:
	case first != '{' || jsonscan.Shape(c) != "":
		w.writeScalar(&c, m.kind)
	default:
		if indices, values, ok := sparseEntries(c); ok && m.kind != "" {
			w.writeSparse(indices, values, m, indent)
			return
		}
		if c.Open(); c.More('}') {
			w.writeMembers(&c, cmp.Or(m.group, m.name), indent)
		} else {
			w.writeWord(colorOther, "empty")
		}
	}
}

// writeRows writes the elements of a list on lines of their own, each after its path.
func (w *treeWriter) writeRows(c jsonscan.Cursor, m *treeMember, path string, indent int) {
	n := listLength(c)
	c.Open()
	for i := 0; c.More(']') && w.beginRow(i, n, indent, fmt.Sprintf("%s[%d]", path, i)); i++ {
		_, value := w.readKind(c)
		w.writeValue(value, m, fmt.Sprintf("%s[%d]", path, i), indent+2)
		c.Skip()
	}
	if n == 0 {
		w.writeWord(colorOther, "empty")
	}
}

// writeSparse writes the values of a sparse feature as rows, each after its index.
func (w *treeWriter) writeSparse(indices, values jsonscan.Cursor, m *treeMember, indent int) {
	n := listLength(values)
	if n == 0 {
		w.writeWord(colorOther, "empty")
	}
	indices.Open()
	values.Open()
	for i := 0; indices.More(']') && values.More(']'); i++ {
		index := indices
		indices.Skip()
		if !w.beginRow(i, n, indent, string(index.Line[index.Pos:indices.Pos])) {
			return
		}
		w.writeScalar(&values, m.kind)
	}
}

// beginRow begins the line of row i of n with its path. It returns false if this row and the rest are left out.
func (w *treeWriter) beginRow(i, n, indent int, path string) bool {
	w.newLine(indent)
	if w.fold && (i == shownValues && n > maxWholeList || w.lines >= maxRowLines) {
		w.write(colorOther, "… "+cli.Plural(int64(n-i), "more row"))
		return false
	}
	w.lines++
	w.write("", path)
	w.setMargin(indent + 2)
	return true
}

// writeList writes the values of a list.
func (w *treeWriter) writeList(c jsonscan.Cursor, kind string) {
	n := listLength(c)
	if n == 0 {
		w.writeWord(colorOther, "empty")
	}
	c.Open()
	for i := 0; c.More(']'); i++ {
		if w.fold && i == shownValues && n > maxWholeList {
			w.writeWord(colorOther, fmt.Sprintf("… %s values", thousands(n)))
			return
		}
		w.writeScalar(&c, kind)
	}
}

// writeScalar writes the number, string or literal at the cursor.
func (w *treeWriter) writeScalar(c *jsonscan.Cursor, kind string) {
	value := *c
	c.Skip()
	text := value.Line[value.Pos:c.Pos]
	switch first := value.Peek(); {
	case first != '"' && first != '{':
		w.writeWord(scalarColor(text), string(text))
	case jsonscan.Shape(value) == jsonscan.NaNMember:
		w.writeWord(colorFloat, "NaN")
	default:
		if b, _, _ := value.Bytes(nil); strings.Contains(kind, "float") { // NaN, Infinity
			w.writeWord(colorFloat, console.OneLine(string(b)))
		} else {
			w.writeWord(colorString, w.bytesText(b))
		}
	}
}

// shownBytes is the number of bytes that are printed in hexadecimal of a byte string that is not text.
const shownBytes = 16

// bytesText returns the text of a byte string: quoted, so that a terminal does not obey it, or a description of its contents.
func (t *recordTree) bytesText(b []byte) string {
	content := sniff.Detect(b)
	switch im := content.Image; {
	case content.Format == sniff.Text || content.Format == sniff.Empty || content.Format == sniff.Raw && mostlyText(b):
		shown := prefixLength(b, shownRunes)
		if !t.fold || len(b) <= maxWholeString || shown == len(b) {
			return strconv.Quote(string(b))
		}
		quoted := strconv.Quote(string(b[:shown]))
		return fmt.Sprintf(`%s…" (%s)`, quoted[:len(quoted)-1], sizeText(len(b)))
	case im.Format != sniff.Raw:
		text := im.Format.String()
		if im.Height > 0 {
			text += fmt.Sprintf(" %dx%d", im.Width, im.Height)
		}
		if im.Frames > 1 {
			text += fmt.Sprintf(" %d frames", im.Frames)
		}
		return text + im.Remark() + ", " + sizeText(len(b))
	}
	dots := ""
	if len(b) > shownBytes {
		dots = "…"
	}
	return fmt.Sprintf("%s, %s: %x%s", content, sizeText(len(b)), b[:min(len(b), shownBytes)], dots)
}

// mostlyText reports whether b is UTF-8, and at most half of its characters are not printable.
func mostlyText(b []byte) bool {
	printable, others := 0, 0
	for _, r := range string(b) {
		if unicode.IsPrint(r) {
			printable++
		} else {
			others++
		}
	}
	return utf8.Valid(b) && others <= printable
}

// minValueWidth is the number of columns that values take at least.
const minValueWidth = 20

// setMargin sets the margin for values that begin at the current column; to narrow, if there are too few columns after it.
func (w *treeWriter) setMargin(narrow int) {
	if w.margin = w.column + 2; w.width-w.margin < minValueWidth {
		w.margin = narrow
	}
}

// writeWord writes a value two columns after the text on the line, or on the next line. A value that is longer than a line is
// broken, after a space if possible.
func (w *treeWriter) writeWord(color, text string) {
	width := max(w.width, w.margin+minValueWidth)
	if w.column == w.margin-2 || w.column+2+console.TextWidth(text) <= width {
		w.write("", "  ")
	} else {
		w.newLine(w.margin)
	}
	for { // each turn reads one line, since a text may have megabytes
		end := console.FitWidth(text, width-w.column)
		if end == len(text) {
			w.write(color, text)
			return
		}
		if space := strings.LastIndexByte(text[:end], ' '); space > 0 {
			end = space + 1
		}
		w.write(color, text[:end])
		w.newLine(w.margin)
		text = text[end:]
	}
}

// writeCell writes text, and spaces up to a width.
func (w *treeWriter) writeCell(color, text string, width int) {
	w.write(color, text)
	w.write("", console.Pad("", width-console.TextWidth(text)))
}

// write writes printable text on the current line.
func (w *treeWriter) write(color, text string) {
	w.column += console.TextWidth(text)
	if !w.color || color == "" || text == "" {
		w.dst = append(w.dst, text...)
		return
	}
	w.dst = append(append(append(w.dst, color...), text...), cli.ColorOff...)
}

// newLine begins a line with spaces.
func (w *treeWriter) newLine(indent int) {
	w.dst = append(bytes.TrimRight(w.dst, " "), '\n')
	w.dst = append(w.dst, console.Pad("", indent)...)
	w.column = indent
}
