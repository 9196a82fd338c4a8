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

// A JSON document as a tree that keeps what encoding/json would hide: members
// that repeat, the order of members, and numbers as they were written.
type node struct {
	kind    nodeKind
	members []member
	items   []*node
	text    string // of a string or a number
	truth   bool
}

type member struct {
	name string
	node *node
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

// maxJSONDepth bounds how deep a document may nest.
const maxJSONDepth = 64

func parseJSON(b []byte) (*node, error) {
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

// syntaxError says what is wrong with a document that is no JSON.
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

func (p *jsonParser) value(depth int) (*node, error) {
	if depth > maxJSONDepth {
		return nil, fmt.Errorf("nested deeper than %d", maxJSONDepth)
	}
	n := &node{}
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
			n.members = append(n.members, member{name, v})
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
		n.kind = numberNode
		n.text = string(p.c.Number())
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

// describe says what a node is where it is not what was wanted.
func (n *node) describe() error {
	switch n.kind {
	case numberNode:
		return errors.New(n.text)
	case stringNode:
		return errors.New(strconv.Quote(n.text))
	}
	return errors.New(n.kind.String())
}

// integer reads a number without a point and without an exponent.
func (n *node) integer() (int64, error) {
	if n.kind == numberNode {
		if v, err := strconv.ParseInt(n.text, 10, 64); err == nil {
			return v, nil
		}
	}
	return 0, n.describe()
}

// float reads a number that a float32 can stand for, or the name of one that JSON
// has no number for.
func (n *node) float() (float32, error) {
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
	return 0, n.describe()
}

// bytes reads a string or {"b64": …}.
func (n *node) bytes() ([]byte, error) {
	if n.kind == stringNode {
		return []byte(n.text), nil
	}
	if n.kind == objectNode && len(n.members) == 1 && n.members[0].name == "b64" && n.members[0].node.kind == stringNode {
		return base64.StdEncoding.Strict().DecodeString(n.members[0].node.text)
	}
	return nil, n.describe()
}

// appendName appends a name or key as a JSON string, in base64 if it is not UTF-8
// or could be taken for base64.
func appendName(b []byte, name string) []byte { return jsonscan.AppendName(b, []byte(name)) }

// appendString appends a JSON string; s is UTF-8.
func appendString(b []byte, s string) []byte { return jsonscan.AppendString(b, []byte(s)) }
