package recordjson

import (
	"math"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/jsonscan"
	"github.com/tfparse/tfparse/internal/wire"
)

// valueTypes is the set of the types of the values in a list.
type valueTypes uint8

const (
	hasInteger valueTypes = 1 << iota // numbers without point and exponent
	hasFloat                          // other numbers, {"nan": "…"}
	hasSpecial                        // "NaN", "Infinity", "-Infinity": a float or a string
	hasString                         // other strings, {"b64": "…"}, {"hex": "…"}
)

// impliedKind is the kind of a list with such values; clear is false if the values do not determine the kind; then
// strings are assumed.
func (c valueTypes) impliedKind() (kind example.Kind, clear bool) {
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

// readPlain appends a Feature with the values of a list to e.oneFeature. If kind is Unset, it is inferred from the
// values; then an empty list has no kind. It sets e.allSpecial.
func (e *Encoder) readPlain(kind example.Kind) (example.Kind, error) {
	e.allSpecial = false
	start := e.cursor
	found, ok := kind, false
	switch kind {
	case example.Int64List:
		e.ints, ok = e.cursor.Int64List(e.ints[:0])
	case example.FloatList:
		e.floats, _, ok = e.cursor.Float32List(e.floats[:0])
	case example.BytesList:
		e.body, _, ok = stringList(&e.cursor, e.body[:0], &e.text)
	default:
		switch first := jsonscan.SkipSpace(e.cursor.Line, e.cursor.Pos+1); {
		case e.cursor.EmptyList():
			return example.Unset, nil
		case first < len(e.cursor.Line) && (e.cursor.Line[first] == '"' || e.cursor.Line[first] == '{'):
			found = example.BytesList
			e.body, e.allSpecial, ok = stringList(&e.cursor, e.body[:0], &e.text)
		default:
			found = example.Int64List
			if e.ints, ok = e.cursor.Int64List(e.ints[:0]); !ok {
				var integers bool
				found = example.FloatList
				e.floats, integers, ok = e.cursor.Float32List(e.floats[:0])
				ok = ok && !integers // integers that are not int64 are an error
			}
		}
	}
	if !ok {
		e.cursor = start
		var err error
		if found, err = e.readValues(kind); err != nil {
			return 0, err
		}
	}
	switch {
	case found == example.Int64List && len(e.ints) == 1: // one integer needs no copy
		v := uint64(e.ints[0])
		e.addHeader(found, int64(wire.SizeVarint(v)))
		e.oneFeature = wire.AppendVarint(e.oneFeature, v)
	case found == example.Int64List:
		e.body = e.body[:0]
		for _, v := range e.ints {
			e.body = wire.AppendVarint(e.body, uint64(v))
		}
		e.addList(found, e.body)
	case found == example.FloatList && len(e.floats) > 0: // floats need no copy
		e.addHeader(found, 4*int64(len(e.floats)))
		e.oneFeature = wire.AppendPackedFloats(e.oneFeature, e.floats)
	case found == example.FloatList:
		e.addList(found, nil)
	default:
		e.addList(found, e.body)
	}
	return found, nil
}

// addList appends a Feature to e.oneFeature. body is the fields of a BytesList, or packed
// numbers; a list without values has no field at all.
func (e *Encoder) addList(kind example.Kind, body []byte) {
	size := int64(len(body))
	if kind != example.BytesList && size > 0 {
		e.addHeader(kind, size)
	} else {
		e.oneFeature = wire.AppendHeader(e.oneFeature, int32(kind), size)
	}
	e.oneFeature = append(e.oneFeature, body...)
}

// addHeader appends the headers before the packed numbers of a list; size is their size in bytes.
func (e *Encoder) addHeader(kind example.Kind, size int64) {
	e.oneFeature = wire.AppendHeader(e.oneFeature, int32(kind), wire.SizeField(size))
	e.oneFeature = wire.AppendHeader(e.oneFeature, 1, size)
}

// inspectList returns the types of the values in the list at c, or an error for a value that no list can have.
func (e *Encoder) inspectList(c jsonscan.Cursor) (valueTypes, error) {
	var found valueTypes
	c.Open()
	for e.value = 0; c.More(']'); e.value++ {
		at := c.Pos
		before := found
		switch c.Peek() {
		case '"':
			text, grown, err := c.Text(e.text[:0])
			if e.text = grown; err != nil {
				return 0, e.failWith(at, err)
			}
			if _, ok := jsonscan.NotFinite(text); ok {
				found |= hasSpecial
			} else {
				found |= hasString
			}
		case '{':
			switch jsonscan.Shape(c) {
			case "":
				return 0, e.fail(at, `want a value, {"b64": "…"} or {"hex": "…"}, got another object`)
			case jsonscan.NaNMember:
				found |= hasFloat
			default:
				found |= hasString
			}
			c.Skip()
		case '[':
			return 0, e.fail(at, "want a value, got a list")
		case 'n':
			return 0, e.fail(at, "null in a list is not a value")
		case 't', 'f':
			return 0, e.fail(at, "true and false are not values; write 1 or 0")
		default:
			d, ok := jsonscan.ScanNumber(c.Line, c.Pos)
			if !ok {
				return 0, jsonscan.ErrGrammar
			}
			c.Pos = jsonscan.SkipSpace(c.Line, d.End)
			if d.Integer {
				found |= hasInteger
			} else {
				found |= hasFloat
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

// readValues reads a list value by value into e.ints, e.floats or the fields in
// e.body. If kind is Unset, it is inferred from the values.
func (e *Encoder) readValues(kind example.Kind) (example.Kind, error) {
	if kind == example.Unset {
		found, err := e.inspectList(e.cursor)
		if err != nil {
			return 0, err
		}
		var clear bool
		kind, clear = found.impliedKind()
		e.allSpecial = !clear
	}
	e.ints, e.floats, e.body = e.ints[:0], e.floats[:0], e.body[:0]
	e.cursor.Open()
	for e.value = 0; e.cursor.More(']'); e.value++ {
		var err error
		switch kind {
		case example.Int64List:
			var v int64
			v, err = e.cursor.Int64()
			e.ints = append(e.ints, v)
		case example.FloatList:
			var v float32
			v, err = e.readFloat32()
			e.floats = append(e.floats, v)
		default:
			var v []byte
			v, e.text, err = e.cursor.Bytes(e.text[:0])
			e.body = append(wire.AppendHeader(e.body, 1, int64(len(v))), v...)
		}
		if err != nil {
			return 0, e.failWith(e.cursor.Pos, err)
		}
	}
	e.value = -1
	return kind, nil
}

func (e *Encoder) readFloat32() (float32, error) {
	if e.cursor.Peek() != '{' {
		return e.cursor.Float32()
	}
	at := e.cursor.Pos
	v, err := e.readNaN()
	if err != nil {
		e.cursor.Pos = at
	}
	return v, err
}

// readNaN reads {"nan": "7fc00001"}.
func (e *Encoder) readNaN() (float32, error) {
	if jsonscan.Shape(e.cursor) != jsonscan.NaNMember {
		return 0, jsonscan.ErrWantNumber
	}
	e.cursor.Open()
	e.cursor.More('}')
	e.cursor.Name()
	text, grown, err := e.cursor.Text(e.text[:0])
	if e.text = grown; err != nil {
		return 0, err
	}
	e.cursor.More('}')
	bits, err := jsonscan.ParseNaNBits(text)
	return math.Float32frombits(bits), err
}

// stringList appends the byte strings of the list at the cursor, each as a field of a BytesList. special is true if
// all of them are "NaN", "Infinity" or "-Infinity", which may also be floats. ok is false, and nothing was read, if
// the list has other values. text is scratch memory.
func stringList(c *jsonscan.Cursor, dst []byte, text *[]byte) (fields []byte, special, ok bool) {
	start := *c
	fields, special = dst, true
	if c.Peek() != '[' {
		return dst, false, false
	}
	c.Open()
	for c.More(']') {
		var v []byte
		var err error
		quoted := c.Peek() == '"'
		if quoted {
			v, *text, err = c.Text((*text)[:0])
		} else {
			v, *text, err = c.Bytes((*text)[:0])
		}
		if err != nil {
			*c = start
			return dst, false, false
		}
		if special {
			_, special = jsonscan.NotFinite(v)
			special = special && quoted
		}
		fields = append(wire.AppendHeader(fields, 1, int64(len(v))), v...)
	}
	if c.Bad {
		*c = start
		return dst, false, false
	}
	return fields, special, true
}
