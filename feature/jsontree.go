package feature

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tfparse/tfparse/internal/jsonscan"
)

// A jsonNode is a value of a JSON document. Unlike encoding/json it keeps repeated members, the
// order of members, and numbers as they were written.
type jsonNode struct {
	kind    nodeKind
	members []jsonMember // of an object, in order
	items   []*jsonNode  // of a list
	text    string       // of a string, decoded; of a number, as it was written
	truth   bool         // of a boolean
}

// A jsonMember is a member of an object.
type jsonMember struct {
	name string
	node *jsonNode
}

type nodeKind uint8

const (
	nullNode nodeKind = iota
	boolNode
	numberNode
	stringNode
	arrayNode
	objectNode
)

func (k nodeKind) String() string {
	return [...]string{"null", "a boolean", "a number", "a string", "a list", "an object"}[k]
}

// maxJSONDepth is how deep lists and objects of a document may nest.
const maxJSONDepth = 64

func parseJSON(b []byte) (*jsonNode, error) {
	if !utf8.Valid(b) {
		return nil, errors.New("the document is not UTF-8")
	}
	p := jsonParser{c: jsonscan.NewCursor(b)}
	n, err := p.value(0)
	switch {
	case p.c.Bad:
		return nil, syntaxError(b)
	case err != nil:
		return nil, fmt.Errorf("byte %d: %w", p.c.Pos, err)
	case !p.c.Done():
		return nil, fmt.Errorf("byte %d: more after the document", p.c.Pos+1)
	}
	return n, nil
}

// syntaxError returns the error of a document that is not JSON.
func syntaxError(b []byte) error {
	column, err := jsonscan.CheckSyntax(b)
	if err == nil {
		return errors.New("the document cannot be read")
	}
	if strings.HasPrefix(err.Error(), "unexpected end") {
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("byte %d: %w", column, err)
}

type jsonParser struct{ c jsonscan.Cursor }

func (p *jsonParser) value(depth int) (*jsonNode, error) {
	if depth > maxJSONDepth {
		return nil, fmt.Errorf("nested deeper than %d", maxJSONDepth)
	}
	n := &jsonNode{}
	switch first := p.c.Peek(); first {
	case '{':
		n.kind = objectNode
		p.c.Open()
		for p.c.More('}') {
			name, err := p.text()
			if err != nil {
				return nil, err
			}
			p.c.Colon()
			v, err := p.value(depth + 1)
			if err != nil {
				return nil, err
			}
			n.members = append(n.members, jsonMember{name, v})
		}
	case '[':
		n.kind = arrayNode
		p.c.Open()
		for p.c.More(']') {
			v, err := p.value(depth + 1)
			if err != nil {
				return nil, err
			}
			n.items = append(n.items, v)
		}
	case '"':
		n.kind = stringNode
		var err error
		if n.text, err = p.text(); err != nil {
			return nil, err
		}
	case 't', 'f', 'n':
		n.truth = first == 't'
		if first != 'n' {
			n.kind = boolNode
		}
		p.c.Literal()
	default:
		at := p.c.Column()
		n.kind = numberNode
		n.text = string(p.c.Number())
		if _, ok := jsonscan.NotFinite([]byte(n.text)); ok { // allowed in records, not in specs
			p.c.Pos = at
			return nil, jsonscan.NotFiniteError(n.text)
		}
	}
	return n, nil
}

func (p *jsonParser) text() (string, error) {
	text, _, err := p.c.Text(nil)
	if err != nil {
		return "", errors.New("half a surrogate pair in a string")
	}
	return string(text), nil
}

// typeError returns the text or the type of a node as an error.
func (n *jsonNode) typeError() error {
	switch n.kind {
	case numberNode:
		return errors.New(n.text)
	case stringNode:
		return errors.New(strconv.Quote(n.text))
	}
	return errors.New(n.kind.String())
}

// integer reads a number without a point and without an exponent.
func (n *jsonNode) integer() (int64, error) {
	if n.kind == numberNode {
		if v, err := strconv.ParseInt(n.text, 10, 64); err == nil {
			return v, nil
		}
	}
	return 0, n.typeError()
}

// float reads a number within the range of float32, or the name of NaN or an infinity.
func (n *jsonNode) float() (float32, error) {
	if n.kind == numberNode {
		if v, err := strconv.ParseFloat(n.text, 32); err == nil {
			return float32(v), nil
		}
	}
	if n.kind == stringNode {
		switch n.text {
		case "NaN":
			return float32(math.NaN()), nil
		case "Infinity":
			return float32(math.Inf(1)), nil
		case "-Infinity":
			return float32(math.Inf(-1)), nil
		}
	}
	return 0, n.typeError()
}

// bytes reads a string or {"b64": …}.
func (n *jsonNode) bytes() ([]byte, error) {
	if n.kind == stringNode {
		return []byte(n.text), nil
	}
	if n.kind == objectNode && len(n.members) == 1 && n.members[0].name == "b64" && n.members[0].node.kind == stringNode {
		return base64.StdEncoding.Strict().DecodeString(n.members[0].node.text)
	}
	return nil, n.typeError()
}

// appendName appends a name or key as a JSON string, as "b64:" and base64 if it is not UTF-8 or
// begins with "b64:".
func appendName(b []byte, name string) []byte { return jsonscan.AppendName(b, []byte(name)) }

// appendString appends a JSON string; s is UTF-8.
func appendString(b []byte, s string) []byte { return jsonscan.AppendString(b, []byte(s)) }
