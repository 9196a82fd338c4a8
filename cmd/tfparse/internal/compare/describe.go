package compare

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/console"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/summary"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/jsonscan"
)

// A recordDiff describes two paired records, or one record without a partner, for diff and skew. Its exported
// fields are the JSON output.
type recordDiff struct {
	A       *recordPosition `json:"a"`
	B       *recordPosition `json:"b"`
	Key     *string         `json:"key,omitempty"`
	Changes []jsonChange    `json:"changes,omitempty"`

	texts []changeText // Changes for the text output
}

// A recordPosition is the file and the ordinal of a record.
type recordPosition struct {
	File   jsonscan.Name `json:"file"`
	Record int64         `json:"record"`
}

// address returns the position in the form FILE[N], for a line of text.
func (p *recordPosition) address() string {
	return console.OneLine(scan.Address(string(p.File), p.Record))
}

// MarshalJSON implements [json.Marshaler]. It adds the member address.
func (p recordPosition) MarshalJSON() ([]byte, error) {
	type place recordPosition
	return cli.AppendJSON(nil, struct {
		place
		Address jsonscan.Name `json:"address"`
	}{place(p), jsonscan.Name(scan.Address(string(p.File), p.Record))}), nil
}

// A jsonChange is the JSON output of a change.
type jsonChange struct {
	Part    *string         `json:"part"`
	Example *int            `json:"example,omitempty"`
	Name    json.RawMessage `json:"name"`
	Change  string          `json:"change"` // changed, only_a, only_b
	A       *string         `json:"a"`
	B       *string         `json:"b"`
}

// A changeText is the text output of a change.
type changeText struct {
	sign  string // ~ for changed, - for only in A, + for only in B
	title string
	text  string // may be empty
}

func (t changeText) line() string {
	return strings.TrimSuffix(t.sign+" "+t.title+": "+t.text, ": ")
}

// describe describes the current two records. It lists the changes that differs accepts; nil accepts all.
func (c *comparer) describe(a, b *pairedRecord, keys []string, differs func(*change) bool) *recordDiff {
	key := c.keyText(0, a.typ, keys)
	placeA, placeB := a.position, b.position
	d := &recordDiff{A: &placeA, B: &placeB, Key: cli.Known(key, key != "")}
	c.eachChange(a.typ, b.typ, func(ch *change) {
		if differs == nil || differs(ch) {
			d.Changes = append(d.Changes, ch.json())
			d.texts = append(d.texts, ch.text())
		}
	})
	return d
}

// appendText appends the addresses of the records and their changes.
func (d *recordDiff) appendText(dst []byte) []byte {
	switch {
	case d.B == nil:
		dst = append(dst, "only in A: "+d.A.address()...)
	case d.A == nil:
		dst = append(dst, "only in B: "+d.B.address()...)
	default:
		dst = append(dst, d.A.address()+" "+d.B.address()...)
	}
	if d.Key != nil {
		dst = append(dst, " ("+*d.Key+")"...)
	}
	dst = append(dst, '\n')
	t := cli.Table{Indent: "  "}
	for _, ch := range d.texts {
		t.Row(ch.sign+" "+ch.title, ch.text)
	}
	return t.AppendTo(dst)
}

// title returns the name of the changed feature or property, with the index of its example.
func (ch *change) title() string {
	title := featureKey{ch.part, string(ch.name), ch.label}.title()
	if ch.example >= 0 {
		return fmt.Sprintf("examples[%d]%s", ch.example, strings.TrimPrefix(title, ch.part.String()))
	}
	return title
}

func (ch *change) text() changeText {
	a, b := ch.sides()
	t := changeText{"~", ch.title(), a + " -> " + b}
	switch {
	case !ch.has[1]:
		t.sign, t.text = "-", a
	case !ch.has[0]:
		t.sign, t.text = "+", b
	case ch.label != "":
	case ch.part == summary.Lists:
		t.text = ch.listsText()
	default:
		v := ch.values()
		t.text = pairText(v[0], v[1])
	}
	return t
}

func (ch *change) json() jsonChange {
	a, b := ch.sides()
	j := jsonChange{Part: jsonPart(ch.part), Example: cli.Known(ch.example, ch.example >= 0), Name: jsonName(string(ch.name), ch.label),
		Change: changeNames[boolIndex(ch.has[0])+2*boolIndex(ch.has[1])], A: cli.Known(a, ch.has[0]), B: cli.Known(b, ch.has[1])}
	return j
}

var changeNames = [4]string{1: "only_a", 2: "only_b", 3: "changed"}

func boolIndex(b bool) int {
	if b {
		return 1
	}
	return 0
}

// jsonPart returns a part of a message for JSON: null for summary.Top.
func jsonPart(p summary.Part) *string { return cli.Known(p.String(), p != summary.Top) }

// jsonName returns the name of a feature for JSON: null if there is a label.
func jsonName(name, label string) json.RawMessage {
	if label != "" {
		return json.RawMessage("null")
	}
	return jsonscan.AppendName(nil, []byte(name))
}

// Limits on how much of long values is printed.
const (
	maxWholeList = 4  // longest list that is printed whole, in values
	maxEdits     = 3  // differing elements of two lists
	maxRunes     = 40 // of a string
	maxHexBytes  = 16 // of a byte string that is not UTF-8
)

// sides returns the two values of a change, shortened.
func (ch *change) sides() (a, b string) {
	switch {
	case ch.label != "":
		return ch.texts[0], ch.texts[1]
	case ch.part == summary.Lists:
		steps := ch.steps()
		return cli.Plural(int64(len(steps[0])), "step"), cli.Plural(int64(len(steps[1])), "step")
	}
	v := ch.values()
	if ch.has == [2]bool{true, true} {
		return valueSides(v[0], v[1])
	}
	return valueText(v[0]), valueText(v[1])
}

// payloadTexts describes two different raw records, each from the first differing byte on.
func payloadTexts(a, b []byte) (string, string) {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	text := func(b []byte) string {
		return fmt.Sprintf("%s, from byte %d on %s", cli.Plural(int64(len(b)), "byte"), n, hexText(b[n:]))
	}
	return text(a), text(b)
}

// values decodes the features of a change.
func (ch *change) values() (v [2]example.Value) {
	for i, f := range ch.features {
		if ch.has[i] {
			v[i], _ = f.Value() // forms are sound
		}
	}
	return v
}

// valueSides describes two different values of a feature, each in a text of its own.
func valueSides(a, b example.Value) (string, string) {
	if a.Kind() != b.Kind() || a.Len() <= maxWholeList && b.Len() <= maxWholeList {
		return valueText(a), valueText(b)
	}
	edits, more := editsOf(a, b)
	sides := [2]string{lengthText(a), lengthText(b)}
	for _, e := range edits {
		for k, text := range e.sides {
			if text != "" {
				sides[k] += fmt.Sprintf(", [%d] %s", e.index, text)
			}
		}
	}
	return sides[0] + more, sides[1] + more
}

// An edit is one index at which two lists differ. The text of a side is "" beyond its end.
type edit struct {
	index int
	sides [2]string
}

// editsOf returns the first maxEdits edits between two lists of one kind. If there are more edits, more is a
// text with their number.
func editsOf(a, b example.Value) (edits []edit, more string) {
	n := 0
	for i := range max(a.Len(), b.Len()) {
		if i < a.Len() && i < b.Len() && sameElement(a, b, i) {
			continue
		}
		if n++; n <= maxEdits {
			edits = append(edits, edit{i, [2]string{elementText(a, i), elementText(b, i)}})
		}
	}
	if n > maxEdits {
		more = fmt.Sprintf(", … %d differ", n)
	}
	return edits, more
}

// pairText describes two different values of a feature in one text.
func pairText(a, b example.Value) string {
	switch {
	case a.Kind() != b.Kind():
		return valueText(a) + " -> " + valueText(b)
	case a.Len() <= maxWholeList && b.Len() <= maxWholeList:
		return valueText(a) + " -> " + listText(b)
	}
	edits, more := editsOf(a, b)
	var parts []string
	for _, e := range edits {
		switch {
		case e.sides[0] == "":
			parts = append(parts, fmt.Sprintf("[%d] only in B %s", e.index, e.sides[1]))
		case e.sides[1] == "":
			parts = append(parts, fmt.Sprintf("[%d] only in A %s", e.index, e.sides[0]))
		default:
			parts = append(parts, fmt.Sprintf("[%d] %s -> %s", e.index, e.sides[0], e.sides[1]))
		}
	}
	return kindText(a) + ", " + numbers(a.Len(), b.Len(), "value") + ": " + strings.Join(parts, ", ") + more
}

// numbers returns a count with its noun, or "A -> B" if the two counts differ.
func numbers(a, b int, noun string) string {
	if a == b {
		return cli.Plural(int64(a), noun)
	}
	return fmt.Sprintf("%d -> %s", a, cli.Plural(int64(b), noun))
}

func sameElement(a, b example.Value, i int) bool {
	switch {
	case a.Bytes != nil:
		return bytes.Equal(a.Bytes[i], b.Bytes[i])
	case a.Floats != nil:
		return math.Float32bits(a.Floats[i]) == math.Float32bits(b.Floats[i])
	}
	return a.Int64s[i] == b.Int64s[i]
}

// lengthText returns the kind and the number of values.
func lengthText(v example.Value) string {
	return fmt.Sprintf("%s, %s", kindText(v), cli.Plural(int64(v.Len()), "value"))
}

func kindText(v example.Value) string {
	if k := v.Kind(); k != example.Unset {
		return cli.KindNames[k]
	}
	return "no kind"
}

// valueText returns the kind and the values of a feature.
func valueText(v example.Value) string {
	if v.Kind() == example.Unset {
		return kindText(v)
	}
	return kindText(v) + " " + listText(v)
}

// listText returns the first values of a feature in brackets.
func listText(v example.Value) string {
	var all []string
	for i := range min(v.Len(), maxWholeList) {
		all = append(all, elementText(v, i))
	}
	if v.Len() > maxWholeList {
		all = append(all, fmt.Sprintf("… %d values", v.Len()))
	}
	return "[" + strings.Join(all, ", ") + "]"
}

// elementText returns value i, or "" beyond the end.
func elementText(v example.Value, i int) string {
	switch {
	case i >= v.Len():
		return ""
	case v.Bytes != nil:
		return stringText(v.Bytes[i])
	case v.Floats != nil:
		return floatText(v.Floats[i])
	}
	return strconv.FormatInt(v.Int64s[i], 10)
}

// floatText prints a NaN with its bits, since two NaNs can differ.
func floatText(f float32) string {
	if f != f {
		return fmt.Sprintf("NaN(%#08x)", math.Float32bits(f))
	}
	return strconv.FormatFloat(float64(f), 'g', -1, 32)
}

func stringText(b []byte) string {
	if !utf8.Valid(b) {
		return hexText(b)
	}
	s := string(b)
	if utf8.RuneCountInString(s) <= maxRunes {
		return console.OneLine(quoted(s))
	}
	n := 0
	for i := range s {
		if n == maxRunes {
			return console.OneLine(quoted(s[:i])) + fmt.Sprintf("… (%d bytes)", len(b))
		}
		n++
	}
	return ""
}

// quoted returns s as a JSON string, in base64 if it could be taken for base64 otherwise.
func quoted(s string) string { return string(jsonscan.AppendName(nil, []byte(s))) }

func hexText(b []byte) string {
	text := "0x" + hex.EncodeToString(b[:min(len(b), maxHexBytes)])
	if len(b) > maxHexBytes {
		text += fmt.Sprintf("… (%d bytes)", len(b))
	}
	return text
}

// steps decodes the steps of the two lists of a change.
func (ch *change) steps() (steps [2][]example.Feature) {
	for i := range steps {
		if !ch.has[i] {
			continue
		}
		s := ch.lists[i].Scan()
		for s.Next() {
			steps[i] = append(steps[i], s.Feature())
		}
	}
	return steps
}

// listsText describes the two feature lists of a change in one text.
func (ch *change) listsText() string {
	steps := ch.steps()
	text, n := numbers(len(steps[0]), len(steps[1]), "step"), 0
	for i := range max(len(steps[0]), len(steps[1])) {
		has := [2]bool{i < len(steps[0]), i < len(steps[1])}
		if has[0] && has[1] && bytes.Equal(steps[0][i].Raw(), steps[1][i].Raw()) {
			continue
		}
		if n++; n > maxEdits {
			continue
		}
		var v [2]example.Value
		for k := range v {
			if has[k] {
				v[k], _ = steps[k][i].Value() // forms are sound
			}
		}
		switch {
		case !has[0]:
			text += fmt.Sprintf("; step %d only in B: %s", i, valueText(v[1]))
		case !has[1]:
			text += fmt.Sprintf("; step %d only in A: %s", i, valueText(v[0]))
		default:
			text += fmt.Sprintf("; step %d: %s", i, pairText(v[0], v[1]))
		}
	}
	if n > maxEdits {
		text += fmt.Sprintf("; … %d differ", n)
	}
	return text
}
