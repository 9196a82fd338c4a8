package filter

import (
	"fmt"
	"regexp"
	"slices"

	"github.com/tfparse/tfparse/internal/expression"
)

const maxExpr = 64 << 10 // bytes

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
		return nil, syntaxError(expr, &expression.Error{At: maxExpr, Message: fmt.Sprintf("an expression of more than %d bytes", maxExpr)})
	}
	f := &Filter{expr: expr}
	p := &parser{Cursor: &expression.Cursor{Text: expr, Marks: expression.Marks}, f: f, slots: [2]map[string]int{{}, {}}}
	logic := expression.Logic[node]{
		Cursor: p.Cursor,
		Or:     func(all []node) node { return orNode(all) },
		And:    func(all []node) node { return andNode(all) },
		Not:    func(n node) node { return notNode{n} },
		Test:   p.test,
	}
	root, err := logic.Parse()
	if err != nil {
		return nil, syntaxError(expr, err)
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
	*expression.Cursor
	f     *Filter
	slots [2]map[string]int // the places of names in those of the Filter
}

func (p *parser) test() (node, error) {
	for _, word := range []string{"has", "isnan"} {
		if !p.Call(word) {
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
	at := p.Token.At
	left, err := p.operand()
	if err != nil {
		return nil, err
	}
	if p.Word("in") {
		return p.in(left, at)
	}
	op := p.Token.Text
	if !p.IsComparison() {
		return nil, p.Want("a comparison such as == or in")
	}
	opAt := p.Token.At
	if err := p.Advance(); err != nil {
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

// compare makes the node of a comparison. The side whose values are tested one by one is the left
// one of the node.
func (p *parser) compare(left, right operand, op string, at int) (node, error) {
	fail := func(format string, args ...any) (node, error) {
		return nil, p.Errorf(at, format, args...)
	}
	switch {
	case left.form == formLiteral && right.form == formLiteral:
		return fail("%s compares two constants; name a feature", op)
	case left.quantified() && right.quantified():
		return fail("%s compares two lists; compare values, as in a[0] %s b[0]", op, op)
	case right.quantified() || left.form == formLiteral:
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
		return nil, p.Errorf(at, "%s matches values of a feature; want a feature to its left", op)
	}
	if p.Token.Kind != expression.String {
		return nil, p.Want("a regular expression as a string")
	}
	re, err := regexp.Compile(p.Token.Text)
	if err != nil {
		return nil, p.Errorf(p.Token.At, "%v", err)
	}
	return &matchNode{left, re, op == "!~", left.quantifier(op == "!~")}, p.Advance()
}

// in reads what follows an operand: "in", and a feature or a list of constants.
func (p *parser) in(left operand, at int) (node, error) {
	inAt := p.Token.At
	if err := p.Advance(); err != nil {
		return nil, err
	}
	if !p.Is("[") {
		x, err := p.feature()
		if err != nil {
			return nil, err
		}
		return p.compare(left, operand{form: formFeature, feature: x}, "==", inAt)
	}
	if left.form == formLiteral {
		return nil, p.Errorf(at, "in compares two constants; name a feature")
	}
	n := &inNode{left: left, all: left.quantifier(false)}
	for {
		if err := p.Advance(); err != nil {
			return nil, err
		}
		t := p.Token
		lit, ok := literal(t)
		switch {
		case !ok:
			return nil, p.Want("a number or a string")
		case len(n.set) > 0 && (n.set[0].kind == kindBytes) != (lit.kind == kindBytes), left.form == formLen && lit.kind == kindBytes:
			return nil, p.Want("a number or a string, as what it is compared with")
		}
		n.set = append(n.set, lit)
		if err := p.Advance(); err != nil {
			return nil, err
		}
		if !p.Is(",") {
			break
		}
	}
	n.index()
	return n, p.Expect("]")
}

func literal(t expression.Token) (value, bool) {
	switch t.Kind {
	case expression.Int:
		return value{kind: kindInt, i: t.Int}, true
	case expression.Float:
		return value{kind: kindFloat, f: t.Float, literal: true}, true
	case expression.String:
		return value{kind: kindBytes, b: []byte(t.Text)}, true
	}
	return value{}, false
}

func (p *parser) operand() (operand, error) {
	if v, ok := literal(p.Token); ok {
		return operand{form: formLiteral, lit: v}, p.Advance()
	}
	for word, o := range map[string]operand{"len": {form: formLen}, "any": {form: formFeature, says: saysAny}, "all": {form: formFeature, says: saysAll}} {
		if p.Call(word) {
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
	if err := p.Advance(); err != nil {
		return ref{}, err
	}
	if err := p.Expect("("); err != nil {
		return ref{}, err
	}
	x, err := p.feature()
	if err != nil {
		return x, err
	}
	return x, p.Expect(")")
}

func (p *parser) feature() (x ref, err error) {
	if x.list = p.Call("list"); x.list {
		if err = p.Advance(); err == nil {
			err = p.Expect("(")
		}
		if err == nil {
			err = p.name(&x)
		}
		if err == nil {
			err = p.Expect(")")
		}
		if err == nil && p.Is("[") {
			x.stepped = true
			x.step, err = p.index()
		}
		if !x.stepped {
			return x, err
		}
	} else {
		err = p.name(&x)
	}
	if err == nil && p.Is("[") {
		x.indexed = true
		x.at, err = p.index()
	}
	return x, err
}

// name reads the name of a feature or a feature list.
func (p *parser) name(x *ref) error {
	name, err := p.Name("a feature or a constant")
	if err != nil {
		return err
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
	if err := p.Advance(); err != nil {
		return 0, err
	}
	i := p.Token.Int
	if p.Token.Kind != expression.Int {
		return 0, p.Want("an integer")
	}
	if err := p.Advance(); err != nil {
		return 0, err
	}
	return i, p.Expect("]")
}
