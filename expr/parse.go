package expr

import (
	"regexp"
	"slices"
)

// maxDepth is how deep parentheses, functions and negations nest.
const maxDepth = 100

// A parser makes the syntax tree of an expression, from left to right with one token in hand. It does not know what
// names stand for: the checker does.
type parser struct {
	text  string
	tok   token
	depth int    // of what nests
	want  string // what an operand may be, for errors
}

// parse returns the tree of a whole expression. The error of this and of all methods is a *SyntaxError.
func parse(text, want string) (*node, error) {
	p := &parser{text: text, want: want}
	if err := p.advance(); err != nil {
		return nil, err
	}
	n, err := p.or(false)
	if err != nil {
		return nil, err
	}
	if p.tok.kind != tokenEnd {
		return nil, p.wanted("&&, || or the end")
	}
	return n, nil
}

// advance takes the next token in hand.
func (p *parser) advance() (err error) {
	p.tok, err = lex(p.text, p.tok.end)
	return err
}

func (p *parser) errorf(at int, format string, args ...any) error {
	return syntaxError(p.text, at, format, args...)
}

// wanted returns the error of a token where something else is wanted.
func (p *parser) wanted(what string) error { return p.errorf(p.tok.at, "want %s, got %v", what, p.tok) }

// is reports whether the token is a mark.
func (p *parser) is(mark string) bool { return p.tok.kind == tokenMark && p.tok.text == mark }

// word reports whether the token is a bare word.
func (p *parser) word(word string) bool { return p.tok.kind == tokenName && p.tok.text == word }

// expect reads a mark.
func (p *parser) expect(mark string) error {
	if !p.is(mark) {
		return p.wanted("\"" + mark + "\"")
	}
	return p.advance()
}

// nested reads a mark and then, one level deeper, what read reads.
func (p *parser) nested(read func() (*node, error)) (*node, error) {
	if p.depth++; p.depth > maxDepth {
		return nil, p.errorf(p.tok.at, "the expression nests more than %d deep", maxDepth)
	}
	defer func() { p.depth-- }()
	if err := p.advance(); err != nil {
		return nil, err
	}
	return read()
}

// or reads conditions joined by "||". With value set, it may read a value instead of a condition.
func (p *parser) or(value bool) (*node, error) { return p.chain("||", nodeOr, value, p.and) }

func (p *parser) and(value bool) (*node, error) { return p.chain("&&", nodeAnd, value, p.not) }

// chain reads parts with an operator between them.
func (p *parser) chain(mark string, kind nodeKind, value bool, part func(bool) (*node, error)) (*node, error) {
	n, err := part(value)
	if err != nil || !p.is(mark) {
		return n, err
	}
	all := []*node{n}
	for p.is(mark) {
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

func (p *parser) not(value bool) (*node, error) {
	if !p.is("!") {
		return p.test(value)
	}
	at := p.tok.at
	x, err := p.nested(func() (*node, error) { return p.not(false) })
	return &node{kind: nodeNot, at: at, args: []*node{x}}, err
}

// test reads one condition, or a value where that may be.
func (p *parser) test(value bool) (*node, error) {
	left, err := p.sum()
	if err != nil || left.isCondition() {
		return left, err
	}
	negative := p.word("not")
	if negative {
		if err := p.advance(); err != nil {
			return nil, err
		}
	}
	n := &node{kind: nodeCompare, at: left.at, opAt: p.tok.at, name: p.tok.text, args: []*node{left}, negative: negative}
	switch _, compares := operators[n.name]; {
	case p.word("in"):
		return p.in(n)
	case negative:
	case p.is("=~") || p.is("!~"):
		return p.match(n)
	case p.tok.kind == tokenMark && compares:
		if err := p.advance(); err != nil {
			return nil, err
		}
		right, err := p.sum()
		n.args = append(n.args, right)
		return n, err
	case value && !p.is("&&") && !p.is("||"):
		return left, nil
	}
	return nil, p.wanted("a comparison such as == or in")
}

// in reads "in", and a feature, a range or a list of constants.
func (p *parser) in(n *node) (*node, error) {
	n.kind = nodeIn
	if err := p.advance(); err != nil {
		return nil, err
	}
	if p.is("[") {
		return p.list(n)
	}
	if n.negative {
		return nil, p.wanted(`"["`)
	}
	right, err := p.sum()
	n.args = append(n.args, right)
	if err != nil || !p.is("..") {
		return n, err
	}
	n.kind = nodeRange
	if err := p.advance(); err != nil {
		return nil, err
	}
	high, err := p.sum()
	n.args = append(n.args, high)
	return n, err
}

// list reads "[1, 2]".
func (p *parser) list(n *node) (*node, error) {
	n.kind = nodeSet
	for {
		if err := p.advance(); err != nil {
			return nil, err
		}
		one := p.literal()
		if one == nil {
			return nil, p.wanted("a number or a string")
		}
		n.args = append(n.args, one)
		if err := p.advance(); err != nil {
			return nil, err
		}
		if !p.is(",") {
			return n, p.expect("]")
		}
	}
}

// match reads "=~" or "!~", and the regular expression.
func (p *parser) match(n *node) (*node, error) {
	n.kind, n.negative = nodeMatch, p.is("!~")
	if err := p.advance(); err != nil {
		return nil, err
	}
	if p.tok.kind != tokenString {
		return nil, p.wanted("a regular expression as a string")
	}
	var err error
	if n.re, err = regexp.Compile(p.tok.text); err != nil {
		return nil, p.errorf(p.tok.at, "%v", err)
	}
	return n, p.advance()
}

func (p *parser) sum() (*node, error) {
	left, err := p.product()
	for err == nil && !left.isCondition() {
		op, at := p.tok.text, p.tok.at
		switch {
		case p.is("+"), p.is("-"):
			if err := p.advance(); err != nil {
				return nil, err
			}
		case (p.tok.kind == tokenInt || p.tok.kind == tokenFloat) && (p.text[at] == '+' || p.text[at] == '-'):
			op = "+" // the number has the sign
		default:
			return left, nil
		}
		var right *node
		right, err = p.product()
		left = &node{kind: nodeArithmetic, at: left.at, opAt: at, name: op, args: []*node{left, right}}
	}
	return left, err
}

func (p *parser) product() (*node, error) {
	left, err := p.operand()
	for err == nil && !left.isCondition() && (p.is("*") || p.is("/")) {
		op, at := p.tok.text, p.tok.at
		if err := p.advance(); err != nil {
			return nil, err
		}
		var right *node
		right, err = p.operand()
		left = &node{kind: nodeArithmetic, at: left.at, opAt: at, name: op, args: []*node{left, right}}
	}
	return left, err
}

// literal returns the token as a constant, nil if it is none.
func (p *parser) literal() *node {
	n := &node{kind: nodeLiteral, at: p.tok.at, token: p.tok}
	switch p.tok.kind {
	case tokenInt:
		n.constant = value{kind: kindInt, i: p.tok.i}
	case tokenFloat:
		n.constant = value{kind: kindFloat, f: p.tok.f, literal: true}
	case tokenString:
		n.constant = value{kind: kindBytes, b: []byte(p.tok.text)}
	default:
		return nil
	}
	return n
}

func (p *parser) operand() (*node, error) {
	at := p.tok.at
	if n := p.literal(); n != nil {
		return n, p.advance()
	}
	switch {
	case p.is("-"):
		x, err := p.nested(p.operand)
		return &node{kind: nodeNegative, at: at, opAt: at, name: "-", args: []*node{x}}, err
	case p.is("("):
		x, err := p.nested(p.inParentheses)
		return &node{kind: nodeParentheses, at: at, args: []*node{x}}, err
	case p.tok.kind == tokenName, p.tok.kind == tokenQuoted:
		return p.named()
	}
	return nil, p.wanted(p.want)
}

// inParentheses reads what follows "(": a condition or a value, and ")".
func (p *parser) inParentheses() (*node, error) {
	x, err := p.or(true)
	if err != nil {
		return nil, err
	}
	return x, p.expect(")")
}

// named reads a name or a function with its arguments, and what may follow: indexes, and a data set.
func (p *parser) named() (*node, error) {
	n := &node{kind: nodeName, at: p.tok.at, name: p.tok.text, quoted: p.tok.kind == tokenQuoted, token: p.tok}
	if err := p.advance(); err != nil {
		return nil, err
	}
	var err error
	switch {
	case n.quoted || !p.is("("):
	case n.name == "feature":
		err = p.quotedName(n)
	case n.name == "any" || n.name == "all" || n.name == "abs":
		var x *node
		x, err = p.nested(p.inParentheses)
		n.kind, n.args = nodeCall, []*node{x}
	default:
		n.kind = nodeCall
		err = p.arguments(n)
	}
	for err == nil && p.is("[") && len(n.indexes) < 2 {
		err = p.index(n)
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

// quotedName reads the rest of feature("…").
func (p *parser) quotedName(n *node) error {
	if err := p.advance(); err != nil {
		return err
	}
	if p.tok.kind != tokenString {
		return p.wanted("a name as a string")
	}
	n.name, n.quoted = p.tok.text, true
	n.token = token{kind: tokenQuoted, text: n.name}
	if err := p.advance(); err != nil {
		return err
	}
	return p.expect(")")
}

// arguments reads names and literals in parentheses.
func (p *parser) arguments(n *node) error {
	for {
		x, err := p.nested(p.operand)
		if err != nil {
			return err
		}
		n.args = append(n.args, x)
		if !p.is(",") {
			return p.expect(")")
		}
	}
}

// index reads "[3]".
func (p *parser) index(n *node) error {
	if err := p.advance(); err != nil {
		return err
	}
	if p.tok.kind != tokenInt {
		return p.wanted("an integer")
	}
	n.indexes = append(n.indexes, p.tok.i)
	if err := p.advance(); err != nil {
		return err
	}
	return p.expect("]")
}
