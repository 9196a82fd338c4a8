package filter

import (
	"math"
	"regexp"

	"github.com/tfparse/tfparse/example"
)

// A node is a compiled part of an expression.
type node interface {
	eval(st *state) (bool, error)
}

type (
	andNode []node
	orNode  []node
	notNode struct{ n node }
	hasNode struct{ x ref }
	nanNode struct{ x ref }
)

func (n andNode) eval(st *state) (bool, error) {
	for _, part := range n {
		if ok, err := part.eval(st); !ok || err != nil {
			return false, err
		}
	}
	return true, nil
}

func (n orNode) eval(st *state) (bool, error) {
	for _, part := range n {
		if ok, err := part.eval(st); ok || err != nil {
			return ok, err
		}
	}
	return false, nil
}

func (n notNode) eval(st *state) (bool, error) {
	ok, err := n.n.eval(st)
	return !ok && err == nil, err
}

func (n hasNode) eval(st *state) (bool, error) {
	switch x := n.x; {
	case x.indexed:
		v, err := st.vector(x)
		return v.len() > 0, err
	case x.stepped:
		return st.seek(x)
	case x.list:
		return st.lists[x.slot].found, nil
	default:
		return st.features[x.slot].found, nil
	}
}

func (n *nanNode) eval(st *state) (bool, error) {
	return st.quantify(n.x, false, n, value{})
}

func (n *nanNode) holds(v, _ value) (ok, same bool) {
	return v.kind == kindFloat && math.IsNaN(v.f), v.kind != kindBytes
}

// A form is the form of an operand.
type form uint8

const (
	formLiteral form = iota
	formLen
	formFeature
)

// says is which quantifier an operand names.
type says uint8

const (
	saysNothing says = iota
	saysAny
	saysAll
)

// An operand is a side of a comparison.
type operand struct {
	form    form
	says    says
	lit     value
	feature ref
}

// quantified reports whether the operand is tested value by value: it may have several, or any or all
// says what holds if it has none.
func (o operand) quantified() bool {
	return o.form == formFeature && (!o.feature.indexed || o.says != saysNothing)
}

// quantifier reports whether all values are asked for, rather than some.
func (o operand) quantifier(negative bool) (all bool) {
	if o.says == saysNothing {
		return negative
	}
	return o.says == saysAll
}

// scalar returns the value of an operand that has at most one.
func (st *state) scalar(o operand) (value, error) {
	switch o.form {
	case formLiteral:
		return o.lit, nil
	case formLen:
		n, err := st.count(o.feature)
		return value{kind: kindInt, i: int64(n)}, err
	}
	v, err := st.vector(o.feature)
	if err != nil || v.len() == 0 {
		return value{}, err
	}
	return v.at(0), nil
}

// count returns the number of values of a feature, or of steps of a feature list.
func (st *state) count(x ref) (int, error) {
	if x.list && !x.stepped {
		l := &st.lists[x.slot]
		if st.typ == example.TypeExampleList {
			return st.examples, nil
		}
		if !l.found {
			return 0, nil
		}
		n, err := l.steps.Len()
		if err != nil {
			return 0, st.in(err, x)
		}
		return n, nil
	}
	v, err := st.vector(x)
	return v.len(), err
}

// A tester tests one value. same is false if the value is not of the kind that it tests.
type tester interface {
	holds(v, other value) (ok, same bool)
}

// quantify reports whether t holds for some, or for all, of the values of a feature or list.
func (st *state) quantify(x ref, all bool, t tester, other value) (bool, error) {
	if !x.list || x.stepped {
		v, err := st.vector(x)
		if err != nil {
			return false, err
		}
		return st.each(v, x, all, t, other)
	}
	if !st.lists[x.slot].found {
		return all, nil
	}
	result := all
	for _, step := range st.lists[x.slot].each { // of an ExampleListWithContext
		st.lookAt(step)
		v, err := st.step.decode()
		if err == nil {
			result, err = st.each(v, x, all, t, other)
		}
		if err != nil {
			return false, st.in(err, x)
		}
		if result != all {
			return result, nil
		}
	}
	if st.typ == example.TypeExampleList {
		return result, nil
	}
	s := st.lists[x.slot].steps.Scan()
	for s.Next() { // to the end, so that all of its framing is judged
		if result != all {
			continue
		}
		st.look(s.Feature())
		v, err := st.step.decode()
		if err == nil {
			result, err = st.each(v, x, all, t, other)
		}
		if err != nil {
			return false, st.inStep(err, x, s.Index())
		}
	}
	if err := s.Err(); err != nil {
		return false, st.in(err, x)
	}
	return result, nil
}

func (st *state) inStep(err error, x ref, step int) error {
	err = st.in(err, x)
	if e, ok := err.(*example.Error); ok {
		e.Step = e.Step.Or(example.At(step))
	}
	return err
}

// each is quantify for a vector.
func (st *state) each(v vector, x ref, all bool, t tester, other value) (bool, error) {
	if c, ok := t.(*compareNode); ok && v.kind == kindInt && other.kind == kindInt {
		for _, i := range v.ints { // the loop below takes several times as long
			ok := c.op.less && i < other.i || c.op.equal && i == other.i || c.op.greater && i > other.i
			if ok != all {
				return ok, nil
			}
		}
		return all, nil
	}
	for i := range v.len() {
		ok, same := t.holds(v.at(i), other)
		if !same {
			return false, st.kindError(v.kind, x)
		}
		if ok != all {
			return ok, nil
		}
	}
	return all, nil
}

// kindError is the error of values that are of another kind than what they are compared
// with.
func (st *state) kindError(got valueKind, x ref) error {
	numbers := example.Int64List.String() + " or " + example.FloatList.String()
	e := &example.Error{Path: st.path(x), Err: example.ErrKind, Want: numbers, Got: example.BytesList.String()}
	if got != kindBytes {
		e.Want = example.BytesList.String()
		if e.Got = example.Int64List.String(); got == kindFloat {
			e.Got = example.FloatList.String()
		}
	}
	return e
}

// A compareNode compares the values of left with the one of right.
type compareNode struct {
	left, right operand
	op          operator
	all         bool
}

func (n *compareNode) eval(st *state) (bool, error) {
	right, err := st.scalar(n.right)
	if err != nil {
		return false, err
	}
	if n.left.form == formFeature {
		return st.quantify(n.left.feature, n.all, n, right)
	}
	left, err := st.scalar(n.left)
	if err != nil {
		return false, err
	}
	ok, same := n.holds(left, right)
	if !same {
		return false, st.kindError(right.kind, n.right.feature)
	}
	return ok, nil
}

func (n *compareNode) holds(v, right value) (ok, same bool) {
	c, ordered, same := order(v, right)
	return n.op.of(c, ordered), same
}

// A matchNode searches values for a regular expression.
type matchNode struct {
	left operand
	re   *regexp.Regexp
	not  bool
	all  bool
}

func (n *matchNode) eval(st *state) (bool, error) {
	return st.quantify(n.left.feature, n.all, n, value{})
}

func (n *matchNode) holds(v, _ value) (ok, same bool) {
	if v.kind != kindBytes {
		return false, false
	}
	return n.re.Match(v.b) != n.not, true
}

// An inNode looks values up in a set of constants.
type inNode struct {
	left   operand
	all    bool
	set    []value
	ints   map[int64]bool
	texts  map[string]bool
	floats []value
}

// index prepares the set.
func (n *inNode) index() {
	n.ints, n.texts = map[int64]bool{}, map[string]bool{}
	for _, v := range n.set {
		switch v.kind {
		case kindInt:
			n.ints[v.i] = true
		case kindFloat:
			n.floats = append(n.floats, v)
		default:
			n.texts[string(v.b)] = true
		}
	}
}

func (n *inNode) eval(st *state) (bool, error) {
	if n.left.form == formFeature {
		return st.quantify(n.left.feature, n.all, n, value{})
	}
	v, err := st.scalar(n.left)
	if err != nil {
		return false, err
	}
	ok, _ := n.holds(v, value{})
	return ok, nil
}

func (n *inNode) holds(v, _ value) (ok, same bool) {
	if (v.kind == kindBytes) != (n.set[0].kind == kindBytes) {
		return false, false
	}
	set := n.floats
	switch v.kind {
	case kindBytes:
		return n.texts[string(v.b)], true
	case kindInt:
		if n.ints[v.i] {
			return true, true
		}
	default:
		set = n.set
	}
	for _, w := range set {
		if c, ordered, _ := order(v, w); ordered && c == 0 {
			return true, true
		}
	}
	return false, true
}
