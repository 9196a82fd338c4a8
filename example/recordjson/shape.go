package recordjson

import (
	"github.com/tfparse/tfparse/example"

	"github.com/tfparse/tfparse/internal/jsonscan"
)

// lineShape returns the message type of the line at the cursor, a valid JSON object, from its members; position
// members do not count. If the line could also be of another type, doubt is that type; else doubt equals typ.
// TypeAuto means that the line is {}, which is the same message in every type.
//
// Every line that a Printer prints has the shape of its type: the features of an Example are lists, null, or
// objects around one list, which distinguishes them from the members of the other messages. appendExample handles
// the three exceptions.
func lineShape(c jsonscan.Cursor) (typ, doubt example.MessageType) {
	var context, lists, examples, raw jsonscan.Cursor
	others := 0
	c.Open()
	for c.More('}') {
		name, _ := c.Name()
		value := c
		c.Skip()
		switch string(name) {
		case "_file", "_record", "_offset":
			continue
		case "context":
			context = value
		case "feature_lists":
			lists = value
		case "examples":
			examples = value
		case "b64", "hex":
			raw = value
		default:
			others++
		}
	}
	contextFits := context.Absent() || context.Peek() == '{'
	switch {
	case others > 0:
	case !raw.Absent():
		if context.Absent() && lists.Absent() && examples.Absent() && raw.Peek() == '"' {
			return example.TypeRaw, example.TypeRaw
		}
	case !lists.Absent() && examples.Absent():
		if contextFits && lists.Peek() == '{' {
			return sequenceShape(context, lists)
		}
	case !examples.Absent() && lists.Absent():
		if contextFits && examples.Peek() == '[' {
			return listShape(context, examples)
		}
	case context.Absent():
		return example.TypeAuto, example.TypeAuto
	}
	return example.TypeExample, example.TypeExample
}

// sequenceShape is lineShape for a line that has only "feature_lists", an object, and perhaps "context", an object.
func sequenceShape(context, lists jsonscan.Cursor) (typ, doubt example.MessageType) {
	typed, empty := typedShape(lists)
	switch {
	case !typed:
		return example.TypeSequence, example.TypeSequence
	case !empty:
		return example.TypeExample, example.TypeExample
	case context.Absent():
		return example.TypeExample, example.TypeSequence
	}
	if typed, _ := typedShape(context); !typed {
		return example.TypeSequence, example.TypeSequence
	}
	return example.TypeSequence, example.TypeExample
}

// listShape is lineShape for a line that has only "examples", a list, and perhaps "context", an object.
func listShape(context, examples jsonscan.Cursor) (typ, doubt example.MessageType) {
	empty := true
	examples.Open()
	for examples.More(']') {
		empty = false
		if examples.Peek() != '{' || jsonscan.Shape(examples) != "" {
			return example.TypeExample, example.TypeExample
		}
		examples.Skip()
	}
	if empty && context.Absent() {
		return example.TypeExampleList, example.TypeExample
	}
	return example.TypeExampleList, example.TypeExampleList
}

// typedShape reports whether the object at c can be a feature in the typed form, {"int64": [1, 2]}, not a map
// of feature lists; empty reports whether that feature has no values; then the object can be both.
func typedShape(c jsonscan.Cursor) (typed, empty bool) {
	c.Open()
	if !c.More('}') {
		return false, false
	}
	name, _ := c.Name()
	_, isKind := ParseKind(string(name))
	if !isKind || c.Peek() != '[' {
		return false, false
	}
	list := c
	c.Skip()
	if c.More('}') {
		return false, false
	}
	list.Open()
	if !list.More(']') {
		return true, true
	}
	switch list.Peek() {
	case '[', 'n':
		return false, false
	case '{':
		return jsonscan.Shape(list) != "", false
	}
	return true, false
}
