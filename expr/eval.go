package expr

import (
	"math"

	"github.com/tfparse/tfparse/example"
)

// eval evaluates a condition. The error says why it can be neither true nor false.
func (m *machine) eval(n *node) (bool, error) {
	switch n.kind {
	case nodeAnd:
		for _, x := range n.args {
			if ok, err := m.eval(x); !ok || err != nil {
				return false, err
			}
		}
		return true, nil
	case nodeOr:
		for _, x := range n.args {
			if ok, err := m.eval(x); ok || err != nil {
				return ok, err
			}
		}
		return false, nil
	case nodeNot:
		ok, err := m.eval(n.args[0])
		return !ok && err == nil, err
	case nodeParentheses:
		return m.eval(n.args[0])
	case nodeHas:
		if n.statistic != nil {
			return m.statistics.Has(n.statistic) == nil, nil
		}
		return m.has(n.feature)
	}
	if n.each != nil {
		return m.evalEach(n)
	}
	return m.test(n)
}

// evalEach evaluates a condition for the elements of its lists, until one decides.
func (m *machine) evalEach(n *node) (bool, error) {
	var right value
	direct := n.left != nil && n.left.kind == nodeFeature && n.left.feature.cursor >= 0
	if direct && n.right != nil {
		var err error
		if right, err = m.value(n.right); err != nil { // it is the same for all elements
			return false, err
		}
	}
	result := n.all
	err := m.eachPart(n.each, func(count int) (more bool, err error) {
		if direct {
			result, err = m.testAll(n, m.cursors[n.left.feature.cursor].values, right)
			return result == n.all, err
		}
		for m.element = 0; m.element < count && result == n.all && err == nil; m.element++ {
			result, err = m.testElement(n)
		}
		return result == n.all, err
	})
	return result && err == nil, err
}

// testElement evaluates a condition for the element at hand.
func (m *machine) testElement(n *node) (bool, error) {
	if n.kind == nodeEach {
		return m.eval(n.args[0])
	}
	return m.test(n)
}

// testAll evaluates a test whose left side is values, until one decides.
func (m *machine) testAll(n *node, values *vector, right value) (bool, error) {
	if n.kind == nodeCompare || n.kind == nodeIn {
		if ok, done := n.op.testAll(values, &right, n.all); done {
			return ok, nil
		}
	}
	switch {
	case n.kind == nodeMatch && values.kind == kindBytes:
		for _, b := range values.bytes {
			if ok := n.re.Match(b) != n.negative; ok != n.all {
				return ok, nil
			}
		}
		return n.all, nil
	case n.kind == nodeSet && values.kind == kindBytes && len(n.set.texts) > 0:
		for _, b := range values.bytes {
			if ok := n.set.texts[string(b)] != n.negative; ok != n.all {
				return ok, nil
			}
		}
		return n.all, nil
	}
	for i := range values.len() {
		left := values.at(i)
		ok, err := m.compare(n, &left, &right)
		if ok != n.all || err != nil {
			return ok, err
		}
	}
	return n.all, nil
}

// test evaluates a test once.
func (m *machine) test(n *node) (bool, error) {
	left, err := m.value(n.left)
	if err != nil {
		return false, err
	}
	var right value
	if n.right != nil {
		if right, err = m.value(n.right); err != nil {
			return false, err
		}
	}
	return m.compare(n, &left, &right)
}

// compare applies a test to values.
func (m *machine) compare(n *node, left, right *value) (ok bool, err error) {
	same := true
	switch n.kind {
	case nodeCompare, nodeIn:
		var c int
		var ordered bool
		c, ordered, same = order(left, right)
		ok = n.op.of(c, ordered)
	case nodeMatch:
		same = left.kind == kindBytes || left.kind == kindNone
		ok = left.kind == kindBytes && n.re.Match(left.b)
	case nodeSet:
		ok, same = n.set.has(left)
	case nodeIsNaN:
		same = left.kind != kindBytes
		ok = left.kind == kindFloat && math.IsNaN(left.f)
	case nodeRange:
		return m.between(n, left)
	}
	if !same {
		return false, m.mismatch(n, left, right)
	}
	return ok != n.negative, nil
}

// between reports whether a value is in a range.
func (m *machine) between(n *node, x *value) (bool, error) {
	in := true
	for i, end := range n.args[1:] {
		v, err := m.value(end)
		if err != nil {
			return false, err
		}
		c, ordered, same := order(&v, x)
		if !same {
			return false, m.mismatch(&node{left: n.left, right: end}, x, &v)
		}
		in = in && ordered && (c == 0 || (c < 0) == (i == 0))
	}
	return in, nil
}

// mismatch is the error of values of different kinds.
func (m *machine) mismatch(n *node, left, right *value) error {
	x, v := n.left, left
	if x = strip(x); x.kind != nodeFeature {
		x, v = strip(n.right), right
	}
	return m.kindError(v.kind, x.feature)
}

// value returns a value: for a list that a condition is evaluated for, the element at hand.
func (m *machine) value(n *node) (value, error) {
	switch n.kind {
	case nodeLiteral:
		return n.constant, nil
	case nodeFeature:
		if n.feature.cursor >= 0 {
			return m.cursors[n.feature.cursor].values.at(m.element), nil
		}
		v, err := m.vector(n.feature, &m.scratch)
		if err != nil || v.len() == 0 {
			return value{}, err
		}
		return v.at(0), nil
	case nodeLen:
		i, err := m.count(n.feature)
		return value{kind: kindInt, i: int64(i)}, err
	case nodeStatistic:
		number, text, err := m.statistics.Value(n.statistic)
		if n.statistic.text {
			return value{kind: kindBytes, b: []byte(text)}, err
		}
		return value{kind: kindFloat, f: number}, err
	case nodeParentheses:
		return m.value(n.args[0])
	}
	v, err := m.number(n.args[0])
	if err != nil {
		return v, err
	}
	switch {
	case n.kind == nodeNegative:
		return v.negate(), nil
	case n.kind == nodeAbs && (v.i < 0 || math.Signbit(v.f)):
		return v.negate(), nil
	case n.kind == nodeAbs:
		return v, nil
	}
	w, err := m.number(n.args[1])
	return calculate(n.name, v, w), err
}

// number returns a value that is calculated with.
func (m *machine) number(n *node) (value, error) {
	v, err := m.value(n)
	if err == nil && v.kind == kindBytes {
		err = m.kindError(kindBytes, strip(n).feature)
	}
	return v, err
}

// has reports whether the record has a feature, or as many values as an index needs.
func (m *machine) has(x *feature) (bool, error) {
	switch {
	case x.indexed:
		v, err := m.vector(x, &m.scratch)
		return v.len() > 0, err
	case x.stepped:
		return m.seek(x, &m.scratch.step)
	case x.list:
		return m.lists[x.slot].found, nil
	default:
		return m.features[x.slot].found, nil
	}
}

// count returns the number of values of a feature, or of steps of a feature list.
func (m *machine) count(x *feature) (int, error) {
	if !x.hasSteps() {
		v, err := m.vector(x, &m.scratch)
		return v.len(), err
	}
	l := &m.lists[x.slot]
	if m.typ == example.TypeExampleList {
		return m.examples, nil
	}
	if !l.found {
		return 0, nil
	}
	n, err := l.steps.Len()
	if err != nil {
		return 0, m.in(err, x)
	}
	return n, nil
}

// eachPart calls visit for the values of lists, which are those of features at once and those of feature lists step by
// step. All lists must have the same number of values. visit is given this number, finds the values in the cursors of the
// lists, and returns false when it wants no more.
func (m *machine) eachPart(lists []*feature, visit func(count int) (more bool, err error)) error {
	if !lists[0].hasSteps() {
		for _, x := range lists {
			cur := &m.cursors[x.cursor]
			var err error
			if cur.values, err = m.vector(x, cur); err != nil {
				return err
			}
		}
		count, err := m.sameLength(lists)
		if err == nil {
			_, err = visit(count)
		}
		return err
	}
	for _, x := range lists {
		cur := &m.cursors[x.cursor]
		cur.scan, cur.next = example.StepScanner{}, 0
		if l := &m.lists[x.slot]; l.found && m.typ != example.TypeExampleList {
			cur.scan = l.steps.Scan()
		}
	}
	for more, step := true, 0; ; step++ { // to the end, so that all of the framing is judged
		found := 0
		for _, x := range lists {
			ok, err := m.nextStep(x, step)
			if err != nil {
				return err
			}
			if ok {
				found++
			}
		}
		switch {
		case found == 0:
			return nil
		case found < len(lists):
			return m.stepsDiffer(lists)
		case !more && len(lists) == 1:
			continue
		}
		count, err := m.decodeSteps(lists)
		if err == nil && more {
			more, err = visit(count)
		}
		if err != nil {
			return m.inStep(err, step)
		}
	}
}

// nextStep moves the cursor of a feature list to a step. ok is false if there are fewer.
func (m *machine) nextStep(x *feature, step int) (ok bool, err error) {
	cur, l := &m.cursors[x.cursor], &m.lists[x.slot]
	if m.typ != example.TypeExampleList {
		if cur.scan.Next() {
			cur.step.look(cur.scan.Feature())
			return true, nil
		}
		return false, m.in(cur.scan.Err(), x)
	}
	if step == m.examples {
		return false, nil
	}
	m.at, cur.step.found, cur.step.decoded = step, false, false
	if cur.next < len(l.each) && l.each[cur.next].example == step {
		m.base = l.each[cur.next].base
		cur.step.look(l.each[cur.next].feature)
		cur.next++
	}
	return true, nil
}

// decodeSteps decodes the steps that the cursors of lists are at, and returns the number of values of each.
func (m *machine) decodeSteps(lists []*feature) (count int, err error) {
	for _, x := range lists {
		cur := &m.cursors[x.cursor]
		if cur.values, err = cur.step.decode(); err != nil {
			return 0, m.in(err, x)
		}
	}
	return m.sameLength(lists)
}

// sameLength returns the number of values at the cursors of lists, which must be the same.
func (m *machine) sameLength(lists []*feature) (count int, err error) {
	count = m.cursors[lists[0].cursor].values.len()
	for _, x := range lists[1:] {
		if n := m.cursors[x.cursor].values.len(); n != count {
			return 0, m.lengthError(lists[0], count, x, n, "value")
		}
	}
	return count, nil
}
