package expr

import (
	"regexp"
	"slices"
)

// maxDepth limits how deep parentheses, functions and negations nest.
const maxDepth = 100

// A parser makes the syntax tree of an expression by recursive descent with one token of lookahead.
// The checker resolves the names.
type parser struct {
	text  string
	tok   token
	depth int    // nesting depth of the current token, at most maxDepth
	want  string // operands that are allowed, such as "a feature or a constant", for errors
}

// parse returns the tree of a whole expression. The error of this and of all methods is a *SyntaxError.
func parse(text, want string) (*node, error) {
	p := &parser{text: text, want: want}
	if err := p.advance(); err != nil {
		return nil, err
	}
	n, err := p.parseOr(false)
	if err != nil {
		return nil, err
	}
	if p.tok.kind != tokenEnd {
		return nil, p.wantError("&&, || or the end")
	}
	return n, nil
}

// advance reads the next token.
func (p *parser) advance() (err error) {
	p.tok, err = lex(p.text, p.tok.end)
	return err
}

func (p *parser) errorf(at int, format string, args ...any) error {
	return syntaxError(p.text, at, format, args...)
}

// wantError returns the error of an unexpected token.
func (p *parser) wantError(what string) error {
	return p.errorf(p.tok.at, "want %s, got %v", what, p.tok)
}

// isMark reports whether the token is a mark.
func (p *parser) isMark(mark string) bool { return p.tok.kind == tokenMark && p.tok.text == mark }

// isWord reports whether the token is a bare word.
func (p *parser) isWord(word string) bool { return p.tok.kind == tokenName && p.tok.text == word }

// expect reads a mark.
func (p *parser) expect(mark string) error {
	if !p.isMark(mark) {
		return p.wantError("\"" + mark + "\"")
	}
	return p.advance()
}

// readNested skips the current token and calls read one level deeper.
func (p *parser) readNested(read func() (*node, error)) (*node, error) {
	if p.depth++; p.depth > maxDepth {
		return nil, p.errorf(p.tok.at, "the expression nests more than %d deep", maxDepth)
	}
	defer func() { p.depth-- }()
	if err := p.advance(); err != nil {
		return nil, err
	}
	return read()
}

// parseOr reads conditions joined by "||". If value is true, it also accepts a value.
func (p *parser) parseOr(value bool) (*node, error) {
	return p.parseChain("||", nodeOr, value, p.parseAnd)
}

func (p *parser) parseAnd(value bool) (*node, error) {
	return p.parseChain("&&", nodeAnd, value, p.parseNot)
}

// parseChain reads one or more operands separated by mark.
func (p *parser) parseChain(mark string, kind nodeKind, value bool, part func(bool) (*node, error)) (*node, error) {
	n, err := part(value)
	if err != nil || !p.isMark(mark) {
		return n, err
	}
	all := []*node{n}
	for p.isMark(mark) {
		if err := p.advance(); err != nil {
			return nil, err
		}
		if n, err = part(false); err != nil {
			return nil, err
		}
		all = append(all, n)
	}
	return &node{kind: kind, at: all[0].at, args: all}, nil
}

func (p *parser) parseNot(value bool) (*node, error) {
	if !p.isMark("!") {
		return p.parseTest(value)
	}
	at := p.tok.at
	x, err := p.readNested(func() (*node, error) { return p.parseNot(false) })
	return &node{kind: nodeNot, at: at, args: []*node{x}}, err
}

// parseTest reads one condition. If value is true, it also accepts a value.
func (p *parser) parseTest(value bool) (*node, error) {
	left, err := p.parseSum()
	if err != nil || left.isCondition() {
		return left, err
	}
	negative := p.isWord("not")
	if negative {
		if err := p.advance(); err != nil {
			return nil, err
		}
	}
	n := &node{kind: nodeCompare, at: left.at, opAt: p.tok.at, name: p.tok.text, args: []*node{left}, negative: negative}
	switch _, compares := operators[n.name]; {
	case p.isWord("in"):
		return p.parseIn(n)
	case negative:
	case p.isMark("=~") || p.isMark("!~"):
		return p.parseMatch(n)
	case p.tok.kind == tokenMark && compares:
		if err := p.advance(); err != nil {
			return nil, err
		}
		right, err := p.parseSum()
		n.args = append(n.args, right)
		return n, err
	case value && !p.isMark("&&") && !p.isMark("||"):
		return left, nil
	}
	return nil, p.wantError("a comparison such as == or in")
}

// parseIn reads "in", and a feature, a range or a list of constants.
func (p *parser) parseIn(n *node) (*node, error) {
	n.kind = nodeIn
	if err := p.advance(); err != nil {
		return nil, err
	}
	if p.isMark("[") {
		return p.parseSet(n)
	}
	if n.negative {
		return nil, p.wantError(`"["`)
	}
	right, err := p.parseSum()
	n.args = append(n.args, right)
	if err != nil || !p.isMark("..") {
		return n, err
	}
	n.kind = nodeRange
	if err := p.advance(); err != nil {
		return nil, err
	}
	high, err := p.parseSum()
	n.args = append(n.args, high)
	return n, err
}

// parseSet reads "[1, 2]".
func (p *parser) parseSet(n *node) (*node, error) {
	n.kind = nodeSet
	for {
		if err := p.advance(); err != nil {
			return nil, err
		}
		one := p.parseLiteral()
		if one == nil {
			return nil, p.wantError("a number or a string")
		}
		n.args = append(n.args, one)
		if err := p.advance(); err != nil {
			return nil, err
		}
		if !p.isMark(",") {
			return n, p.expect("]")
		}
	}
}

// parseMatch reads "=~" or "!~", and the regular expression.
func (p *parser) parseMatch(n *node) (*node, error) {
	n.kind, n.negative = nodeMatch, p.isMark("!~")
	if err := p.advance(); err != nil {
		return nil, err
	}
	if p.tok.kind != tokenString {
		return nil, p.wantError("a regular expression as a string")
	}
	var err error
	if n.re, err = regexp.Compile(p.tok.text); err != nil {
		return nil, p.errorf(p.tok.at, "%v", err)
	}
	return n, p.advance()
}

func (p *parser) parseSum() (*node, error) {
	left, err := p.parseProduct()
	for err == nil && !left.isCondition() {
		op, at := p.tok.text, p.tok.at
		switch {
		case p.isMark("+"), p.isMark("-"):
			if err := p.advance(); err != nil {
				return nil, err
			}
		case (p.tok.kind == tokenInt || p.tok.kind == tokenFloat) && (p.text[at] == '+' || p.text[at] == '-'):
			op = "+" // the number has the sign
		default:
			return left, nil
		}
		var right *node
		right, err = p.parseProduct()
		left = &node{kind: nodeArithmetic, at: left.at, opAt: at, name: op, args: []*node{left, right}}
	}
	return left, err
}

func (p *parser) parseProduct() (*node, error) {
	left, err := p.parseOperand()
	for err == nil && !left.isCondition() && (p.isMark("*") || p.isMark("/")) {
		op, at := p.tok.text, p.tok.at
		if err := p.advance(); err != nil {
			return nil, err
		}
		var right *node
		right, err = p.parseOperand()
		left = &node{kind: nodeArithmetic, at: left.at, opAt: at, name: op, args: []*node{left, right}}
	}
	return left, err
}

// parseLiteral returns a node for the current token, or nil if the token is not a literal.
func (p *parser) parseLiteral() *node {
	n := &node{kind: nodeLiteral, at: p.tok.at, token: p.tok}
	switch p.tok.kind {
	case tokenInt:
		n.constant = value{kind: kindInt, integer: p.tok.i}
	case tokenFloat:
		n.constant = value{kind: kindFloat, float: p.tok.f, literal: true}
	case tokenString:
		n.constant = value{kind: kindBytes, bytes: []byte(p.tok.text)}
	default:
		return nil
	}
	return n
}

func (p *parser) parseOperand() (*node, error) {
	at := p.tok.at
	if n := p.parseLiteral(); n != nil {
		return n, p.advance()
	}
	switch {
	case p.isMark("-"):
		x, err := p.readNested(p.parseOperand)
		return &node{kind: nodeNegative, at: at, opAt: at, name: "-", args: []*node{x}}, err
	case p.isMark("("):
		x, err := p.readNested(p.parseParentheses)
		return &node{kind: nodeParentheses, at: at, args: []*node{x}}, err
	case p.tok.kind == tokenName, p.tok.kind == tokenQuoted:
		return p.parseName()
	}
	return nil, p.wantError(p.want)
}

// parseParentheses reads what follows "(": a condition or a value, and ")".
func (p *parser) parseParentheses() (*node, error) {
	x, err := p.parseOr(true)
	if err != nil {
		return nil, err
	}
	return x, p.expect(")")
}

// parseName reads a name, or a function with its arguments, then indices and a data set.
func (p *parser) parseName() (*node, error) {
	n := &node{kind: nodeName, at: p.tok.at, name: p.tok.text, quoted: p.tok.kind == tokenQuoted, token: p.tok}
	if err := p.advance(); err != nil {
		return nil, err
	}
	var err error
	switch {
	case n.quoted || !p.isMark("("):
	case n.name == "feature":
		err = p.parseQuotedName(n)
	case n.name == "any" || n.name == "all" || n.name == "abs":
		var x *node
		x, err = p.readNested(p.parseParentheses)
		n.kind, n.args = nodeCall, []*node{x}
	default:
		n.kind = nodeCall
		err = p.parseArguments(n)
	}
	for err == nil && p.isMark("[") && len(n.indexes) < 2 {
		err = p.parseIndex(n)
	}
	if err != nil {
		return nil, err
	}
	if i := slices.Index(dataNames[:], p.tok.text); i >= 0 && p.tok.kind == tokenName {
		n.data, n.dataAt = Data(i), p.tok.at+1
		return n, p.advance()
	}
	return n, nil
}

// parseQuotedName reads the rest of feature("…").
func (p *parser) parseQuotedName(n *node) error {
	if err := p.advance(); err != nil {
		return err
	}
	if p.tok.kind != tokenString {
		return p.wantError("a name as a string")
	}
	n.name, n.quoted = p.tok.text, true
	n.token = token{kind: tokenQuoted, text: n.name}
	if err := p.advance(); err != nil {
		return err
	}
	return p.expect(")")
}

// parseArguments reads the arguments of a function, separated by commas, and ")".
func (p *parser) parseArguments(n *node) error {
	for {
		x, err := p.readNested(p.parseOperand)
		if err != nil {
			return err
		}
		n.args = append(n.args, x)
		if !p.isMark(",") {
			return p.expect(")")
		}
	}
}

// parseIndex reads "[3]".
func (p *parser) parseIndex(n *node) error {
	if err := p.advance(); err != nil {
		return err
	}
	if p.tok.kind != tokenInt {
		return p.wantError("an integer")
	}
	n.indexes = append(n.indexes, p.tok.i)
	if err := p.advance(); err != nil {
		return err
	}
	return p.expect("]")
}
