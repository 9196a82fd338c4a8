package filter

import (
	"regexp"
	"slices"
)

const (
	maxExpr  = 64 << 10 // bytes
	maxDepth = 100
)

// A Filter is a compiled expression. It is immutable and safe for all goroutines.
type Filter struct {
	expr  string
	root  node
	names [2][]string // of features, and of feature lists
	pool  statePool
}

// Compile compiles an expression. The error is a *SyntaxError.
func Compile(expr string) (*Filter, error) {
	if len(expr) > maxExpr {
		return nil, errorAt(expr, maxExpr, "an expression of more than %d bytes", maxExpr)
	}
	f := &Filter{expr: expr}
	p := &parser{f: f, slots: [2]map[string]int{{}, {}}}
	if err := p.advance(); err != nil {
		return nil, err
	}
	root, err := p.expr(0)
	if err != nil {
		return nil, err
	}
	if p.t.kind != tokenEnd {
		return nil, p.want("&&, || or the end")
	}
	f.root = root
	return f, nil
}

// String returns the expression.
func (f *Filter) String() string { return f.expr }

// Features returns the names of the features in the expression, in the order in which they
// stand there.
func (f *Filter) Features() []string { return slices.Clone(f.names[0]) }

// FeatureLists is Features for feature lists.
func (f *Filter) FeatureLists() []string { return slices.Clone(f.names[1]) }

// A parser reads an expression from left to right, with one token in hand.
type parser struct {
	f     *Filter
	t     token
	end   int               // of t
	slots [2]map[string]int // the places of names in those of the Filter
}

func (p *parser) advance() (err error) {
	p.t, p.end, err = lex(p.f.expr, p.end)
	return err
}

func (p *parser) want(what string) error {
	return errorAt(p.f.expr, p.t.at, "want %s, got %v", what, p.t)
}

func (p *parser) is(mark string) bool { return p.t.kind == tokenMark && p.t.text == mark }

// expect reads a mark.
func (p *parser) expect(mark string) error {
	if !p.is(mark) {
		return p.want("\"" + mark + "\"")
	}
	return p.advance()
}

// call reports whether the token is a word with a parenthesis behind it.
func (p *parser) call(word string) bool {
	if p.t.kind != tokenName || p.t.text != word {
		return false
	}
	next, _, err := lex(p.f.expr, p.end)
	return err == nil && next.kind == tokenMark && next.text == "("
}

func (p *parser) expr(depth int) (node, error) {
	return p.chain("||", depth, p.and, func(all []node) node { return orNode(all) })
}

func (p *parser) and(depth int) (node, error) {
	return p.chain("&&", depth, p.not, func(all []node) node { return andNode(all) })
}

// chain reads parts with an operator between them.
func (p *parser) chain(mark string, depth int, part func(int) (node, error), join func([]node) node) (node, error) {
	var all []node
	for {
		n, err := part(depth)
		if err != nil {
			return nil, err
		}
		all = append(all, n)
		if !p.is(mark) {
			break
		}
		if err := p.advance(); err != nil {
			return nil, err
		}
	}
	if len(all) == 1 {
		return all[0], nil
	}
	return join(all), nil
}

func (p *parser) not(depth int) (node, error) {
	if depth++; depth > maxDepth {
		return nil, errorAt(p.f.expr, p.t.at, "the expression nests more than %d deep", maxDepth)
	}
	switch {
	case p.is("!"):
		if err := p.advance(); err != nil {
			return nil, err
		}
		n, err := p.not(depth)
		return notNode{n}, err
	case p.is("("):
		if err := p.advance(); err != nil {
			return nil, err
		}
		n, err := p.expr(depth)
		if err != nil {
			return nil, err
		}
		return n, p.expect(")")
	}
	return p.test()
}

func (p *parser) test() (node, error) {
	for _, word := range []string{"has", "isnan"} {
		if !p.call(word) {
			continue
		}
		x, err := p.argument()
		if err != nil {
			return nil, err
		}
		if word == "has" {
			return hasNode{x}, nil
		}
		return &nanNode{x}, nil
	}
	at := p.t.at
	left, err := p.operand()
	if err != nil {
		return nil, err
	}
	if p.t.kind == tokenName && p.t.text == "in" {
		return p.in(left, at)
	}
	op := p.t.text
	if p.t.kind != tokenMark || !slices.Contains([]string{"==", "!=", "<", "<=", ">", ">=", "=~", "!~"}, op) {
		return nil, p.want("a comparison such as == or in")
	}
	opAt := p.t.at
	if err := p.advance(); err != nil {
		return nil, err
	}
	if op == "=~" || op == "!~" {
		return p.match(left, op, at)
	}
	right, err := p.operand()
	if err != nil {
		return nil, err
	}
	return p.compare(left, right, op, opAt)
}

// compare makes the node of a comparison. The side that may have several values is the left
// one of the node.
func (p *parser) compare(left, right operand, op string, at int) (node, error) {
	fail := func(format string, args ...any) (node, error) {
		return nil, errorAt(p.f.expr, at, format, args...)
	}
	switch {
	case left.form == formLiteral && right.form == formLiteral:
		return fail("%s compares two constants; name a feature", op)
	case left.many() && right.many():
		return fail("%s compares two lists; compare values, as in a[0] %s b[0]", op, op)
	case right.many() || left.form == formLiteral:
		left, right, op = right, left, mirrored[op]
	}
	for _, pair := range [][2]operand{{left, right}, {right, left}} {
		if pair[0].form == formLen && pair[1].form == formLiteral && pair[1].lit.kind == kindBytes {
			return fail("%s compares a length with a string", op)
		}
	}
	return &compareNode{left, right, operators[op], left.quantifier(op == "!=")}, nil
}

// mirrored is the operator of a comparison whose sides change places.
var mirrored = map[string]string{"==": "==", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}

func (p *parser) match(left operand, op string, at int) (node, error) {
	if left.form != formFeature {
		return nil, errorAt(p.f.expr, at, "%s matches values of a feature; want a feature to its left", op)
	}
	if p.t.kind != tokenString {
		return nil, p.want("a regular expression as a string")
	}
	re, err := regexp.Compile(p.t.text)
	if err != nil {
		return nil, errorAt(p.f.expr, p.t.at, "%v", err)
	}
	return &matchNode{left, re, op == "!~", left.quantifier(op == "!~")}, p.advance()
}

// in reads what follows an operand: "in", and a feature or a list of constants.
func (p *parser) in(left operand, at int) (node, error) {
	inAt := p.t.at
	if err := p.advance(); err != nil {
		return nil, err
	}
	if !p.is("[") {
		x, err := p.feature()
		if err != nil {
			return nil, err
		}
		return p.compare(left, operand{form: formFeature, feature: x}, "==", inAt)
	}
	if left.form == formLiteral {
		return nil, errorAt(p.f.expr, at, "in compares two constants; name a feature")
	}
	n := &inNode{left: left, all: left.quantifier(false)}
	for {
		if err := p.advance(); err != nil {
			return nil, err
		}
		t := p.t
		lit, ok := literal(t)
		switch {
		case !ok:
			return nil, p.want("a number or a string")
		case len(n.set) > 0 && (n.set[0].kind == kindBytes) != (lit.kind == kindBytes), left.form == formLen && lit.kind == kindBytes:
			return nil, p.want("a number or a string, as what it is compared with")
		}
		n.set = append(n.set, lit)
		if err := p.advance(); err != nil {
			return nil, err
		}
		if !p.is(",") {
			break
		}
	}
	n.index()
	return n, p.expect("]")
}

func literal(t token) (value, bool) {
	switch t.kind {
	case tokenInt:
		return value{kind: kindInt, i: t.i}, true
	case tokenFloat:
		return value{kind: kindFloat, f: t.f, literal: true}, true
	case tokenString:
		return value{kind: kindBytes, b: []byte(t.text)}, true
	}
	return value{}, false
}

func (p *parser) operand() (operand, error) {
	if v, ok := literal(p.t); ok {
		return operand{form: formLiteral, lit: v}, p.advance()
	}
	for word, o := range map[string]operand{"len": {form: formLen}, "any": {form: formFeature, says: saysAny}, "all": {form: formFeature, says: saysAll}} {
		if p.call(word) {
			x, err := p.argument()
			o.feature = x
			return o, err
		}
	}
	x, err := p.feature()
	return operand{form: formFeature, feature: x}, err
}

// argument reads a word and a feature in parentheses.
func (p *parser) argument() (ref, error) {
	if err := p.advance(); err != nil {
		return ref{}, err
	}
	if err := p.expect("("); err != nil {
		return ref{}, err
	}
	x, err := p.feature()
	if err != nil {
		return x, err
	}
	return x, p.expect(")")
}

func (p *parser) feature() (x ref, err error) {
	if x.list = p.call("list"); x.list {
		if err = p.advance(); err == nil {
			err = p.expect("(")
		}
		if err == nil {
			err = p.name(&x)
		}
		if err == nil {
			err = p.expect(")")
		}
		if err == nil && p.is("[") {
			x.stepped = true
			x.step, err = p.index()
		}
		if !x.stepped {
			return x, err
		}
	} else {
		err = p.name(&x)
	}
	if err == nil && p.is("[") {
		x.indexed = true
		x.at, err = p.index()
	}
	return x, err
}

// name reads the name of a feature or a feature list.
func (p *parser) name(x *ref) error {
	name := p.t.text
	switch {
	case p.call("feature"):
		if err := p.advance(); err != nil {
			return err
		}
		if err := p.expect("("); err != nil {
			return err
		}
		if name = p.t.text; p.t.kind != tokenString {
			return p.want("a name as a string")
		}
		if err := p.advance(); err != nil {
			return err
		}
		if err := p.expect(")"); err != nil {
			return err
		}
	case p.t.kind == tokenName || p.t.kind == tokenQuoted:
		if err := p.advance(); err != nil {
			return err
		}
	default:
		return p.want("a feature or a constant")
	}
	which := 0
	if x.list {
		which = 1
	}
	names := &p.f.names[which]
	slot, ok := p.slots[which][name]
	if !ok {
		slot = len(*names)
		*names = append(*names, name)
		p.slots[which][name] = slot
	}
	x.slot = slot
	return nil
}

// index reads "[3]".
func (p *parser) index() (int64, error) {
	if err := p.advance(); err != nil {
		return 0, err
	}
	i := p.t.i
	if p.t.kind != tokenInt {
		return 0, p.want("an integer")
	}
	if err := p.advance(); err != nil {
		return 0, err
	}
	return i, p.expect("]")
}
