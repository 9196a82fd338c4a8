package recordjson

import (
	"bytes"
	"math"
	"slices"

	"github.com/tfparse/tfparse/example"
)

// contents says what the values of a list are.
type contents uint8

const (
	hasInteger contents = 1 << iota // numbers without point and exponent
	hasFloat                        // other numbers, {"nan": "…"}
	hasSpecial                      // "NaN", "Infinity", "-Infinity": a float or a string
	hasString                       // other strings, {"b64": "…"}, {"hex": "…"}
)

// kind is the kind of a list with such values; clear is false where the
// values do not tell and strings are assumed.
func (c contents) kind() (kind example.Kind, clear bool) {
	switch {
	case c&hasString != 0:
		return example.BytesList, true
	case c&hasFloat != 0, c&hasInteger != 0 && c&hasSpecial != 0:
		return example.FloatList, true
	case c&hasInteger != 0:
		return example.Int64List, true
	}
	return example.BytesList, false
}

// look finds what the list at c holds, and refuses what no list holds.
func (e *Encoder) look(c Cursor) (contents, error) {
	var found contents
	c.Open()
	for e.value = 0; c.More(); e.value++ {
		at := c.pos
		before := found
		switch c.Peek() {
		case '"':
			text, _, err := unquote(e.text[len(e.text):], c.text())
			if err != nil {
				return 0, e.failWith(at, err)
			}
			if _, ok := notFinite(text); ok {
				found |= hasSpecial
			} else {
				found |= hasString
			}
		case '{':
			if !bytesShape(c) {
				return 0, e.fail(at, `want a value, got an object that is neither {"b64": "…"} nor {"hex": "…"}`)
			}
			if holdsNaN(c) {
				found |= hasFloat
			} else {
				found |= hasString
			}
			c.Skip()
		case '[':
			return 0, e.fail(at, "want a value, got a list")
		case 'n':
			return 0, e.fail(at, "null in a list is no value")
		case 't', 'f':
			return 0, e.fail(at, "true and false are no values; write 1 or 0")
		default:
			if bytes.ContainsAny(c.Scalar(), ".eE") {
				found |= hasFloat
			} else {
				found |= hasInteger
			}
		}
		if found&hasString != 0 && found&(hasInteger|hasFloat) != 0 {
			got := "a number among strings"
			if before&(hasInteger|hasFloat) != 0 {
				got = "a string among numbers"
			}
			return 0, e.fail(at, got)
		}
	}
	e.value = -1
	return found, nil
}

// holdsNaN tells {"nan": "…"} from the other objects that are values.
func holdsNaN(c Cursor) bool {
	c.Open()
	name, _ := c.Name()
	return string(name) == "nan"
}

// readValues reads a list whose kind is known.
func (e *Encoder) readValues(kind example.Kind) (example.Value, error) {
	ints, floats, elements := len(e.ints), len(e.floats), len(e.bytes)
	e.c.Open()
	for e.value = 0; e.c.More(); e.value++ {
		var err error
		switch kind {
		case example.Int64List:
			err = e.readInt64()
		case example.FloatList:
			err = e.readFloat32()
		default:
			err = e.readString()
		}
		if err != nil {
			return example.Value{}, e.failWith(e.c.pos, err)
		}
	}
	e.value = -1
	switch kind {
	case example.Int64List:
		return example.Value{Int64s: e.ints[ints:len(e.ints):len(e.ints)]}, nil
	case example.FloatList:
		return example.Value{Floats: e.floats[floats:len(e.floats):len(e.floats)]}, nil
	}
	return example.Value{Bytes: e.bytes[elements:len(e.bytes):len(e.bytes)]}, nil
}

func (e *Encoder) readInt64() error {
	v, err := e.c.Int64()
	e.ints = append(e.ints, v)
	return err
}

func (e *Encoder) readFloat32() error {
	if e.c.Peek() == '{' {
		at := e.c.pos
		v, err := e.readNaN()
		if err != nil {
			e.c.pos = at
		}
		e.floats = append(e.floats, v)
		return err
	}
	v, err := e.c.Float32()
	e.floats = append(e.floats, v)
	return err
}

// readNaN reads {"nan": "7fc00001"}.
func (e *Encoder) readNaN() (float32, error) {
	if !bytesShape(e.c) || !holdsNaN(e.c) {
		return 0, errWantNumber
	}
	e.c.Open()
	e.c.Name()
	text, _, err := unquote(e.text[len(e.text):], e.c.text())
	if err != nil {
		return 0, err
	}
	e.c.More()
	bits, err := parseNaNBits(text)
	return math.Float32frombits(bits), err
}

func (e *Encoder) readString() error {
	if len(e.bytes) == cap(e.bytes) { // ask for memory once
		e.bytes = slices.Grow(e.bytes, e.c.left())
	}
	var text []byte
	var err error
	text, e.text, err = e.c.Bytes(e.text)
	e.bytes = append(e.bytes, text)
	return err
}
