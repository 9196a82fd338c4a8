package recordjson

import (
	"bytes"
	"fmt"
	"strconv"

	"github.com/tfparse/tfparse/example"
)

// readFeatures reads an object of features. At the top of a line it may hold
// position members.
func (e *Encoder) readFeatures(into example.Example, top bool) error {
	if e.c.Peek() != '{' {
		return e.fail(e.c.pos, "want an object of features")
	}
	var seen []byte // position members
	e.c.Open()
	for e.c.More() {
		at := e.c.pos
		printed, ok := e.c.Name()
		if !ok {
			return e.failWith(at, errSurrogate)
		}
		if top && IsPosition(printed) {
			which := printed[1] // f, r or o
			if bytes.IndexByte(seen, which) >= 0 {
				return e.fail(at, "second member "+strconv.Quote(string(printed)))
			}
			seen = append(seen, which)
			if err := e.skipPosition(printed); err != nil {
				return err
			}
			continue
		}
		name, err := e.readName(printed, at)
		if err != nil {
			return err
		}
		if _, dup := into[name]; dup {
			return e.fail(at, "second feature "+strconv.Quote(name))
		}
		e.feature = name
		if into[name], err = e.readFeature(e.kindOf(name)); err != nil {
			return err
		}
		e.feature = ""
	}
	return nil
}

// readLists reads an object of feature lists.
func (e *Encoder) readLists() error {
	if e.c.Peek() != '{' {
		return e.fail(e.c.pos, "want an object of feature lists")
	}
	e.c.Open()
	for e.c.More() {
		at := e.c.pos
		printed, ok := e.c.Name()
		if !ok {
			return e.failWith(at, errSurrogate)
		}
		name, err := e.readName(printed, at)
		if err != nil {
			return err
		}
		if _, dup := e.lists[name]; dup {
			return e.fail(at, "second feature list "+strconv.Quote(name))
		}
		e.feature = name
		if e.lists[name], err = e.readFrames(e.kindOf(name)); err != nil {
			return err
		}
		e.feature = ""
	}
	return nil
}

// readName turns a printed name into the name in the message.
func (e *Encoder) readName(printed []byte, at int) (string, error) {
	name, err := DecodeName(e.text[len(e.text):], printed)
	if err != nil {
		return "", e.failWith(at, err)
	}
	kept, ok := e.names[string(name)]
	if !ok {
		kept = string(name)
		e.names[kept] = kept
	}
	return kept, nil
}

// kindOf returns the kind that was given for a feature, or Unset.
func (e *Encoder) kindOf(name string) example.Kind {
	kind, ok := e.kinds[name]
	if ok {
		e.used[name] = true
	}
	return kind
}

// readFrames reads a list of features.
func (e *Encoder) readFrames(given example.Kind) ([]example.Value, error) {
	if e.c.Peek() != '[' {
		return nil, e.fail(e.c.pos, "want a list of frames, each a list of values")
	}
	if given == example.Unset {
		var err error
		if given, err = e.frameKind(e.c); err != nil {
			return nil, err
		}
	}
	start := len(e.frames)
	e.c.Open()
	for e.frame = 0; e.c.More(); e.frame++ {
		var v example.Value
		var err error
		if e.c.Peek() == '{' {
			v, err = e.readTyped(example.Unset)
		} else {
			v, err = e.readFeature(given)
		}
		if err != nil {
			return nil, err
		}
		e.frames = append(e.frames, v)
	}
	e.frame = -1
	return e.frames[start:len(e.frames):len(e.frames)], nil
}

// frameKind finds the kind that the plain frames of a list share, by the
// values of all of them: TensorFlow wants one kind for a whole list, so an
// empty frame is of the kind of its neighbours. Frames whose values tell
// different kinds are refused rather than turned into one.
func (e *Encoder) frameKind(c Cursor) (example.Kind, error) {
	start := c.pos
	kinds := [4]bool{} // by example.Kind
	plain, special := false, false
	c.Open()
	for e.frame = 0; c.More(); e.frame++ {
		switch c.Peek() {
		case '[':
			plain = true
			found, err := e.look(c)
			if err != nil {
				return 0, err
			}
			if kind, clear := found.kind(); clear {
				kinds[kind] = true
			} else if found&hasSpecial != 0 {
				special = true
			}
		case '{':
			if kind, ok := typedKind(c); ok {
				kinds[kind] = true
			}
		}
		c.Skip()
	}
	e.frame = -1
	shared, several := example.Unset, false
	for _, kind := range [...]example.Kind{example.BytesList, example.FloatList, example.Int64List} {
		if kinds[kind] {
			several = several || shared != example.Unset
			shared = kind
		}
	}
	if plain && (several || special && shared == example.Int64List) {
		return 0, e.fail(start, "frames of one list hold values of different kinds; --kind settles doubts")
	}
	if shared == example.Unset || several {
		shared = example.BytesList
	}
	return shared, nil
}

// typedKind returns the kind that the first member of an object names.
func typedKind(c Cursor) (example.Kind, bool) {
	c.Open()
	if !c.More() {
		return 0, false
	}
	name, _ := c.Name()
	return ParseKind(string(name))
}

// readFeature reads null, a list in the plain form, or the typed form. A kind
// that is not Unset was given by the user or by the neighbours.
func (e *Encoder) readFeature(given example.Kind) (example.Value, error) {
	switch e.c.Peek() {
	case 'n':
		e.c.Scalar()
		return example.Value{}, nil
	case '{':
		return e.readTyped(given)
	case '[':
	default:
		return example.Value{}, e.fail(e.c.pos, `want a list of values, null, or an object such as {"int64": [1, 2]}`)
	}
	if given == example.Unset {
		found, err := e.look(e.c)
		if err != nil {
			return example.Value{}, err
		}
		given, _ = found.kind()
	}
	return e.readValues(given)
}

// readTyped reads an object such as {"int64": [1, 2]}.
func (e *Encoder) readTyped(given example.Kind) (example.Value, error) {
	start := e.c.pos
	e.c.Open()
	if !e.c.More() {
		return example.Value{}, e.fail(start, `want one member, "int64", "float32" or "string"`)
	}
	at := e.c.pos
	name, _ := e.c.Name()
	kind, ok := ParseKind(string(name))
	if !ok {
		return example.Value{}, e.fail(at, fmt.Sprintf(`want a member "int64", "float32" or "string", got %q`, name))
	}
	if given != example.Unset && given != kind {
		return example.Value{}, e.fail(at, fmt.Sprintf("line says %s, --kind says %s", kindName(kind), kindName(given)))
	}
	if e.c.Peek() != '[' {
		return example.Value{}, e.fail(e.c.pos, "want a list of values")
	}
	v, err := e.readValues(kind)
	if err == nil && e.c.More() {
		err = e.fail(e.c.pos, "want one member, got another")
	}
	return v, err
}
