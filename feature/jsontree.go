package feature

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
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
	p := jsonParser{dec: json.NewDecoder(bytes.NewReader(b)), doc: b}
	p.dec.UseNumber()
	n, err := p.value(0)
	if err != nil {
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return nil, fmt.Errorf("byte %d: %w", p.dec.InputOffset(), err)
	}
	if _, err := p.dec.Token(); err != io.EOF {
		return nil, fmt.Errorf("byte %d: more after the document", p.dec.InputOffset())
	}
	return n, nil
}

type jsonParser struct {
	dec *json.Decoder
	doc []byte
}

func (p *jsonParser) value(depth int) (*node, error) {
	if depth > maxJSONDepth {
		return nil, fmt.Errorf("nested deeper than %d", maxJSONDepth)
	}
	from := p.dec.InputOffset()
	tok, err := p.dec.Token()
	if err != nil {
		return nil, err
	}
	switch t := tok.(type) {
	case bool:
		return &node{kind: boolNode, truth: t}, nil
	case json.Number:
		return &node{kind: numberNode, text: string(t)}, nil
	case string:
		return &node{kind: stringNode, text: t}, p.surrogates(t, from)
	case json.Delim:
		n := &node{kind: arrayNode}
		if t == '{' {
			n.kind = objectNode
		}
		for p.dec.More() {
			name := ""
			if n.kind == objectNode {
				key, err := p.value(depth)
				if err != nil {
					return nil, err
				}
				name = key.text
			}
			v, err := p.value(depth + 1)
			if err != nil {
				return nil, err
			}
			if n.kind == objectNode {
				n.members = append(n.members, member{name, v})
			} else {
				n.items = append(n.items, v)
			}
		}
		_, err := p.dec.Token() // the closing bracket
		return n, err
	}
	return &node{kind: nullNode}, nil
}

// surrogates refuses a string with half a surrogate pair, which encoding/json
// turns into U+FFFD without a word.
func (p *jsonParser) surrogates(s string, from int64) error {
	raw := strings.ToLower(string(p.doc[from:p.dec.InputOffset()]))
	if strings.Count(s, "\uFFFD") > strings.Count(raw, "\uFFFD")+strings.Count(raw, `\ufffd`) {
		return errors.New("half a surrogate pair in a string")
	}
	return nil
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
func appendName(b []byte, name string) []byte {
	if !utf8.ValidString(name) || strings.HasPrefix(name, "b64:") {
		name = "b64:" + base64.StdEncoding.EncodeToString([]byte(name))
	}
	return appendString(b, name)
}

func decodeName(s string) (string, error) {
	enc, ok := strings.CutPrefix(s, "b64:")
	if !ok {
		return s, nil
	}
	name, err := base64.StdEncoding.Strict().DecodeString(enc)
	if err != nil {
		return "", fmt.Errorf("%q is not base64", s)
	}
	return string(name), nil
}

// appendString appends a JSON string; s is UTF-8.
func appendString(b []byte, s string) []byte {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	enc.Encode(s) // a string cannot fail
	return append(b, bytes.TrimSuffix(buf.Bytes(), []byte("\n"))...)
}
