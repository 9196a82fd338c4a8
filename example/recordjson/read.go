package recordjson

import (
	"bytes"
	"fmt"
	"strconv"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/jsonscan"
	"github.com/tfparse/tfparse/internal/wire"
)

// readFeatures reads an object of features. At the top of a line it may hold
// position members.
func (e *Encoder) readFeatures(into *entries, n *nameTable, top bool) error {
	if e.cursor.Peek() != '{' {
		return e.fail(e.cursor.Pos, "want an object of features")
	}
	e.objects++
	n.beginObject(false)
	var seen []byte // position members
	e.cursor.Open()
	for e.cursor.More('}') {
		at := e.cursor.Pos
		i := n.expectedName()
		if i < 0 || top && n.entries[i].position || !e.cursor.Member(n.entries[i].quoted) {
			printed, quoted, err := e.readQuoted(at)
			if err != nil {
				return err
			}
			if top && jsonscan.IsPosition(printed) {
				which := printed[1] // f, r or o
				if bytes.IndexByte(seen, which) >= 0 {
					return e.fail(at, "member "+strconv.Quote(string(printed))+" is given twice")
				}
				seen = append(seen, which)
				if err := e.skipPosition(printed); err != nil {
					return err
				}
				continue
			}
			if i, err = e.readName(n, printed, quoted, at); err != nil {
				return err
			}
		}
		f := &n.entries[i]
		if f.lastObject == e.objects {
			return e.fail(at, "feature "+strconv.Quote(f.name)+" is given twice")
		}
		f.lastObject = e.objects
		e.ambiguous = e.ambiguous || top && f.member
		e.feature = f.name
		e.oneFeature, e.isTyped = e.oneFeature[:0], false
		kind, err := e.readFeature(f.given)
		if err != nil {
			return err
		}
		e.feature = ""
		into.add(f.name, e.oneFeature)
		e.noteKind(n, i, kind)
		n.setFollowing(i)
	}
	return nil
}

// readLists reads an object of feature lists.
func (e *Encoder) readLists() error {
	if e.cursor.Peek() != '{' {
		return e.fail(e.cursor.Pos, "want an object of feature lists")
	}
	e.objects++
	n := &e.lists
	n.beginObject(false)
	e.cursor.Open()
	for e.cursor.More('}') {
		at := e.cursor.Pos
		i := n.expectedName()
		if i < 0 || !e.cursor.Member(n.entries[i].quoted) {
			printed, quoted, err := e.readQuoted(at)
			if err != nil {
				return err
			}
			if i, err = e.readName(n, printed, quoted, at); err != nil {
				return err
			}
		}
		f := &n.entries[i]
		if f.lastObject == e.objects {
			return e.fail(at, "feature list "+strconv.Quote(f.name)+" is given twice")
		}
		f.lastObject = e.objects
		e.feature = f.name
		e.isTyped = false
		found, err := e.readSteps(f.given)
		if err != nil {
			return err
		}
		e.feature = ""
		e.listEntries.add(f.name, e.steps)
		for kind := example.BytesList; kind <= example.Int64List; kind++ {
			if found&(1<<kind) != 0 {
				e.noteKind(n, i, kind)
			}
		}
		n.setFollowing(i)
	}
	return nil
}

// readQuoted reads a name as it is printed, and the colon after it. printed is a view of the line or of e.text;
// quoted is the name in the line, with its quotes.
func (e *Encoder) readQuoted(at int) (printed, quoted []byte, err error) {
	printed, e.text, err = e.cursor.Text(e.text[:0])
	quoted = bytes.TrimRight(e.cursor.Line[at:e.cursor.Pos], " \t\r\n")
	e.cursor.Colon()
	if err != nil {
		return nil, nil, e.failWith(at, err)
	}
	return printed, quoted, nil
}

// readName returns the index in n of the feature that a printed name means. at is the position of the name, for
// errors.
func (e *Encoder) readName(n *nameTable, printed, quoted []byte, at int) (int, error) {
	name, err := jsonscan.DecodeName(e.text[len(e.text):], printed)
	if err != nil {
		return 0, e.failWith(at, err)
	}
	i, ok := n.index[string(name)]
	if !ok {
		i = n.addName(string(name), string(quoted), e.kinds)
		if n.entries[i].given != example.Unset {
			e.used[string(name)] = true
		}
	}
	return i, nil
}

// readSteps reads a list of features into e.steps, and returns the set of
// their kinds.
func (e *Encoder) readSteps(given example.Kind) (found uint8, err error) {
	if e.cursor.Peek() != '[' {
		return 0, e.fail(e.cursor.Pos, "want a list of steps, each a list of values")
	}
	if given == example.Unset {
		start := e.cursor
		if found, ok := e.readUniformSteps(); ok {
			return found, nil
		}
		e.cursor = start
		if given, err = e.stepKind(e.cursor); err != nil {
			return 0, err
		}
	}
	e.steps = e.steps[:0]
	e.cursor.Open()
	for e.step = 0; e.cursor.More(']'); e.step++ {
		var kind example.Kind
		e.oneFeature = e.oneFeature[:0]
		if e.cursor.Peek() == '{' {
			kind, err = e.readTyped(example.Unset)
		} else {
			kind, err = e.readFeature(given)
		}
		if err != nil {
			return 0, err
		}
		found |= 1 << kind
		e.addStep()
	}
	e.step = -1
	return found, nil
}

func (e *Encoder) addStep() {
	e.steps = append(wire.AppendHeader(e.steps, 1, int64(len(e.oneFeature))), e.oneFeature...)
}

// readUniformSteps reads a list of features in one pass, if all steps have one form and, in the untyped form,
// values of one kind from the first step on. Most lists are such. ok is false if the kind depends on all steps
// together.
func (e *Encoder) readUniformSteps() (found uint8, ok bool) {
	var shared example.Kind
	plain, typed, empty := false, false, false
	e.steps = e.steps[:0]
	e.cursor.Open()
	for e.step = 0; e.cursor.More(']'); e.step++ {
		var kind example.Kind
		var err error
		e.oneFeature = e.oneFeature[:0]
		switch e.cursor.Peek() {
		case '[':
			plain = true
			if e.cursor.EmptyList() {
				if kind = shared; kind == example.Unset {
					empty = true
				} else {
					e.addList(kind, nil)
				}
				break
			}
			if kind, err = e.readPlain(example.Unset); e.allSpecial || empty || shared != example.Unset && kind != shared {
				return 0, false
			}
			shared = kind
		case '{':
			typed = true
			kind, err = e.readTyped(example.Unset)
		default:
			kind, err = e.readFeature(example.Unset)
		}
		if err != nil || plain && typed {
			return 0, false
		}
		found |= 1 << kind
		e.addStep()
	}
	e.step = -1
	return found, true
}

// stepKind returns the kind that the untyped steps of a list share, from the values of all steps. TensorFlow wants
// one kind for a whole list, so an empty step gets the kind of the other steps, and no kind if they have none.
// Steps with values of different kinds are an error.
func (e *Encoder) stepKind(c jsonscan.Cursor) (example.Kind, error) {
	start := c.Pos
	kinds := [4]bool{} // by example.Kind
	plain, special := false, false
	c.Open()
	for e.step = 0; c.More(']'); e.step++ {
		switch c.Peek() {
		case '[':
			plain = true
			found, err := e.inspectList(c)
			if err != nil {
				return 0, err
			}
			if kind, clear := found.impliedKind(); clear {
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
	e.step = -1
	shared, several := example.Unset, false
	for _, kind := range [...]example.Kind{example.BytesList, example.FloatList, example.Int64List} {
		if kinds[kind] {
			several = several || shared != example.Unset
			shared = kind
		}
	}
	if plain && (several || special && shared == example.Int64List) {
		return 0, e.failWith(start, &sentinelError{"steps of one list hold values of different kinds", ErrMixedKinds})
	}
	if shared == example.Unset && special {
		shared = example.BytesList
	}
	return shared, nil
}

// typedKind returns the kind that the first member of an object names.
func typedKind(c jsonscan.Cursor) (example.Kind, bool) {
	c.Open()
	if !c.More('}') {
		return 0, false
	}
	name, _ := c.Name()
	return ParseKind(string(name))
}

// readFeature appends a Feature to e.oneFeature: null, a list in the untyped form, or the typed form. given is the
// kind from the user or from the other steps; Unset if there is none.
func (e *Encoder) readFeature(given example.Kind) (example.Kind, error) {
	switch e.cursor.Peek() {
	case 'n':
		e.cursor.Literal()
		return example.Unset, nil
	case '{':
		return e.readTyped(given)
	case '[':
		return e.readPlain(given)
	}
	return 0, e.fail(e.cursor.Pos, e.scalarHint())
}

// scalarHint returns the message about a value in place of a list, which is how other programs print lists of one
// value.
func (e *Encoder) scalarHint() string {
	const want = `want a list of values, null, or an object such as {"int64": [1, 2]}`
	c := e.cursor
	c.Skip()
	value := bytes.TrimRight(e.cursor.Line[e.cursor.Pos:c.Pos], " \t\r\n")
	if e.cursor.Peek() == 't' || e.cursor.Peek() == 'f' {
		return want + ", got " + string(value) + ": write [1] or [0]"
	}
	text := want + ", got a value: write it in brackets"
	if len(value) <= 40 {
		text = want + ", got " + string(value) + ": write [" + string(value) + "]"
	}
	if e.part == "" {
		text += `; jq -c 'map_values(if type == "array" or . == null then . else [.] end)' does so in all lines`
	}
	return text
}

// readTyped reads an object such as {"int64": [1, 2]}.
func (e *Encoder) readTyped(given example.Kind) (example.Kind, error) {
	start := e.cursor.Pos
	e.cursor.Open()
	if !e.cursor.More('}') {
		return 0, e.fail(start, `want one member, "int64", "float32" or "string"`)
	}
	at := e.cursor.Pos
	name, _ := e.cursor.Name()
	kind, ok := ParseKind(string(name))
	e.isTyped = true
	if !ok {
		return 0, e.fail(at, fmt.Sprintf(`want a member "int64", "float32" or "string", got %q`, name))
	}
	if given != example.Unset && given != kind {
		return 0, e.fail(at, fmt.Sprintf("line says %s, the given kind is %s", KindName(kind), KindName(given)))
	}
	if e.cursor.Peek() != '[' {
		return 0, e.fail(e.cursor.Pos, "want a list of values")
	}
	_, err := e.readPlain(kind)
	if err == nil && e.cursor.More('}') {
		err = e.fail(e.cursor.Pos, "want one member, got a second")
	}
	return kind, err
}
