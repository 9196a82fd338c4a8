package compare

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/console"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/jsonscan"
)

// How much of long values is printed.
const (
	shortList   = 4  // values of a list that is printed whole
	mostPlaces  = 3  // places at which lists differ
	mostRunes   = 40 // of a string
	mostHexByte = 16 // of bytes that are no text
)

// sides are the two values of a change, short.
func (ch *change) sides() (a, b string) {
	switch ch.what {
	case aFeature:
		return ch.featureSides()
	case aList:
		return ch.listSides()
	case aType:
		return ch.types[0].String(), ch.types[1].String()
	case aNumber:
		return strconv.Itoa(ch.counts[0]), strconv.Itoa(ch.counts[1])
	case aPayload:
		n, a, b := 0, ch.raw[0], ch.raw[1]
		for n < min(len(a), len(b)) && a[n] == b[n] {
			n++
		}
		side := func(b []byte) string {
			return fmt.Sprintf("%s, from byte %d on %s", cli.Plural(int64(len(b)), "byte"), n, hexText(b[n:]))
		}
		return side(a), side(b)
	}
	return "", ""
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

func (ch *change) featureSides() (a, b string) {
	v := ch.values()
	if ch.has == [2]bool{true, true} {
		return valueSides(v[0], v[1])
	}
	return valueText(v[0]), valueText(v[1])
}

// valueSides are two values of a feature that differ.
func valueSides(a, b example.Value) (string, string) {
	if a.Kind() != b.Kind() || a.Len() <= shortList && b.Len() <= shortList {
		return valueText(a), valueText(b)
	}
	edits, more := editsOf(a, b)
	sides := [2]string{lengthText(a), lengthText(b)}
	for _, e := range edits {
		for k, text := range e.sides {
			if text != "" {
				sides[k] += fmt.Sprintf(", [%d] %s", e.at, text)
			}
		}
	}
	return sides[0] + more, sides[1] + more
}

// An edit is a place at which two lists differ. A side that is shorter has "".
type edit struct {
	at    int
	sides [2]string
}

// editsOf returns the first places at which two lists of one kind differ, and how many there are if
// there are more.
func editsOf(a, b example.Value) (edits []edit, more string) {
	n := 0
	for i := range max(a.Len(), b.Len()) {
		if i < a.Len() && i < b.Len() && sameElement(a, b, i) {
			continue
		}
		if n++; n <= mostPlaces {
			edits = append(edits, edit{i, [2]string{elementText(a, i), elementText(b, i)}})
		}
	}
	if n > mostPlaces {
		more = fmt.Sprintf(", … %d differ", n)
	}
	return edits, more
}

// pairText is two values of a feature that differ, in one text.
func pairText(a, b example.Value) string {
	switch {
	case a.Kind() != b.Kind():
		return valueText(a) + " -> " + valueText(b)
	case a.Len() <= shortList && b.Len() <= shortList:
		return valueText(a) + " -> " + listText(b)
	}
	edits, more := editsOf(a, b)
	var parts []string
	for _, e := range edits {
		switch {
		case e.sides[0] == "":
			parts = append(parts, fmt.Sprintf("[%d] only in B %s", e.at, e.sides[1]))
		case e.sides[1] == "":
			parts = append(parts, fmt.Sprintf("[%d] only in A %s", e.at, e.sides[0]))
		default:
			parts = append(parts, fmt.Sprintf("[%d] %s -> %s", e.at, e.sides[0], e.sides[1]))
		}
	}
	return kindText(a) + ", " + numbers(a.Len(), b.Len(), "value") + ": " + strings.Join(parts, ", ") + more
}

// numbers is one number of things, or two.
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

// lengthText is the kind and the number of values.
func lengthText(v example.Value) string {
	return fmt.Sprintf("%s, %s", kindText(v), cli.Plural(int64(v.Len()), "value"))
}

func kindText(v example.Value) string {
	if k := v.Kind(); k != example.Unset {
		return cli.KindNames[k]
	}
	return "no kind"
}

// valueText is a value with its kind.
func valueText(v example.Value) string {
	if v.Kind() == example.Unset {
		return kindText(v)
	}
	return kindText(v) + " " + listText(v)
}

// listText is the values of a feature.
func listText(v example.Value) string {
	var all []string
	for i := range min(v.Len(), shortList) {
		all = append(all, elementText(v, i))
	}
	if v.Len() > shortList {
		all = append(all, fmt.Sprintf("… %d values", v.Len()))
	}
	return "[" + strings.Join(all, ", ") + "]"
}

// elementText is one value; "" if there is none.
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

// floatText prints a NaN with its bits: two of them can differ.
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
	if utf8.RuneCountInString(s) <= mostRunes {
		return console.OneLine(quoted(s))
	}
	n := 0
	for i := range s {
		if n == mostRunes {
			return console.OneLine(quoted(s[:i])) + fmt.Sprintf("… (%d bytes)", len(b))
		}
		n++
	}
	return ""
}

// quoted is a string of JSON. One that begins as base64 does is printed as such.
func quoted(s string) string { return string(jsonscan.AppendName(nil, []byte(s))) }

func hexText(b []byte) string {
	text := "0x" + hex.EncodeToString(b[:min(len(b), mostHexByte)])
	if len(b) > mostHexByte {
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

// listSides are the two feature lists of a change.
func (ch *change) listSides() (a, b string) {
	steps := ch.steps()
	return cli.Plural(int64(len(steps[0])), "step"), cli.Plural(int64(len(steps[1])), "step")
}

// listsText is the two feature lists of a change in one text.
func (ch *change) listsText() string {
	steps := ch.steps()
	text, n := numbers(len(steps[0]), len(steps[1]), "step"), 0
	for i := range max(len(steps[0]), len(steps[1])) {
		has := [2]bool{i < len(steps[0]), i < len(steps[1])}
		if has[0] && has[1] && bytes.Equal(steps[0][i].Raw(), steps[1][i].Raw()) {
			continue
		}
		if n++; n > mostPlaces {
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
	if n > mostPlaces {
		text += fmt.Sprintf("; … %d differ", n)
	}
	return text
}
