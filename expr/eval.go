package expr

import (
	"math"

	"github.com/tfparse/tfparse/example"
)

// eval evaluates a condition. An error means that the condition is neither true nor false.
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
		return m.hasFeature(n.feature)
	}
	if n.each != nil {
		return m.evalEach(n)
	}
	return m.evalTest(n)
}

// evalEach evaluates a condition for each element of its lists, until the result is certain.
func (m *machine) evalEach(n *node) (bool, error) {
	var right value
	direct := n.left != nil && n.left.kind == nodeFeature && n.left.feature.cursor >= 0
	if direct && n.right != nil {
		var err error
		if right, err = m.evalValue(n.right); err != nil { // the same for all elements
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

// testElement evaluates a condition for the current element.
func (m *machine) testElement(n *node) (bool, error) {
	if n.kind == nodeEach {
		return m.eval(n.args[0])
	}
	return m.evalTest(n)
}

// testAll evaluates a test for each value on its left side, until the result is certain.
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
	for i := range values.length() {
		left := values.valueAt(i)
		ok, err := m.compareValues(n, &left, &right)
		if ok != n.all || err != nil {
			return ok, err
		}
	}
	return n.all, nil
}

// evalTest evaluates a test once.
func (m *machine) evalTest(n *node) (bool, error) {
	left, err := m.evalValue(n.left)
	if err != nil {
		return false, err
	}
	var right value
	if n.right != nil {
		if right, err = m.evalValue(n.right); err != nil {
			return false, err
		}
	}
	return m.compareValues(n, &left, &right)
}

// compareValues evaluates a test of two values.
func (m *machine) compareValues(n *node, left, right *value) (ok bool, err error) {
	same := true
	switch n.kind {
	case nodeCompare, nodeIn:
		var c int
		var ordered bool
		c, ordered, same = compareOrder(left, right)
		ok = n.op.applies(c, ordered)
	case nodeMatch:
		same = left.kind == kindBytes || left.kind == kindNone
		ok = left.kind == kindBytes && n.re.Match(left.bytes)
	case nodeSet:
		ok, same = n.set.contains(left)
	case nodeIsNaN:
		same = left.kind != kindBytes
		ok = left.kind == kindFloat && math.IsNaN(left.float)
	case nodeRange:
		return m.inRange(n, left)
	}
	if !same {
		return false, m.mismatchError(n, left, right)
	}
	return ok != n.negative, nil
}

// inRange reports whether a value is in a range.
func (m *machine) inRange(n *node, x *value) (bool, error) {
	in := true
	for i, end := range n.args[1:] {
		v, err := m.evalValue(end)
		if err != nil {
			return false, err
		}
		c, ordered, same := compareOrder(&v, x)
		if !same {
			return false, m.mismatchError(&node{left: n.left, right: end}, x, &v)
		}
		in = in && ordered && (c == 0 || (c < 0) == (i == 0))
	}
	return in, nil
}

// mismatchError returns the error of a comparison of values of different kinds.
func (m *machine) mismatchError(n *node, left, right *value) error {
	x, v := n.left, left
	if x = stripParentheses(x); x.kind != nodeFeature {
		x, v = stripParentheses(n.right), right
	}
	return m.kindError(v.kind, x.feature)
}

// evalValue evaluates a value. A list that is evaluated element by element has the value of its
// current element.
func (m *machine) evalValue(n *node) (value, error) {
	switch n.kind {
	case nodeLiteral:
		return n.constant, nil
	case nodeFeature:
		if n.feature.cursor >= 0 {
			return m.cursors[n.feature.cursor].values.valueAt(m.element), nil
		}
		v, err := m.readVector(n.feature, &m.scratch)
		if err != nil || v.length() == 0 {
			return value{}, err
		}
		return v.valueAt(0), nil
	case nodeLen:
		i, err := m.countValues(n.feature)
		return value{kind: kindInt, integer: int64(i)}, err
	case nodeStatistic:
		number, text, err := m.statistics.Value(n.statistic)
		if n.statistic.text {
			return value{kind: kindBytes, bytes: []byte(text)}, err
		}
		return value{kind: kindFloat, float: number}, err
	case nodeParentheses:
		return m.evalValue(n.args[0])
	}
	v, err := m.evalNumber(n.args[0])
	if err != nil {
		return v, err
	}
	switch {
	case n.kind == nodeNegative:
		return v.negate(), nil
	case n.kind == nodeAbs && (v.integer < 0 || math.Signbit(v.float)):
		return v.negate(), nil
	case n.kind == nodeAbs:
		return v, nil
	}
	w, err := m.evalNumber(n.args[1])
	return calculate(n.name, v, w), err
}

// evalNumber evaluates an operand of arithmetic; a string is an error.
func (m *machine) evalNumber(n *node) (value, error) {
	v, err := m.evalValue(n)
	if err == nil && v.kind == kindBytes {
		err = m.kindError(kindBytes, stripParentheses(n).feature)
	}
	return v, err
}

// hasFeature reports whether the record has a feature, or the step or value that an index selects.
func (m *machine) hasFeature(x *feature) (bool, error) {
	switch {
	case x.indexed:
		v, err := m.readVector(x, &m.scratch)
		return v.length() > 0, err
	case x.stepped:
		return m.seekStep(x, &m.scratch.step)
	case x.list:
		return m.lists[x.slot].found, nil
	default:
		return m.features[x.slot].found, nil
	}
}

// countValues returns the number of values of a feature, or of steps of a feature list.
func (m *machine) countValues(x *feature) (int, error) {
	if !x.hasSteps() {
		v, err := m.readVector(x, &m.scratch)
		return v.length(), err
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
		return 0, m.addFeature(err, x)
	}
	return n, nil
}

// eachPart calls visit once for features, and once per step for feature lists. Before each call it
// sets the cursors of the lists to the values. count is the number of values in each list; lists of
// different lengths are an error. visit returns false to end the calls.
func (m *machine) eachPart(lists []*feature, visit func(count int) (more bool, err error)) error {
	if !lists[0].hasSteps() {
		for _, x := range lists {
			cur := &m.cursors[x.cursor]
			var err error
			if cur.values, err = m.readVector(x, cur); err != nil {
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
	for more, step := true, 0; ; step++ { // even after visit returned false: the framing of all steps is checked
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
			return m.addStep(err, step)
		}
	}
}

// nextStep moves the cursor of a feature list to a step; ok is false if the list has fewer.
func (m *machine) nextStep(x *feature, step int) (ok bool, err error) {
	cur, l := &m.cursors[x.cursor], &m.lists[x.slot]
	if m.typ != example.TypeExampleList {
		if cur.scan.Next() {
			cur.step.setFeature(cur.scan.Feature())
			return true, nil
		}
		return false, m.addFeature(cur.scan.Err(), x)
	}
	if step == m.examples {
		return false, nil
	}
	m.exampleIndex, cur.step.found, cur.step.decoded = step, false, false
	if cur.next < len(l.each) && l.each[cur.next].example == step {
		m.exampleOffset = l.each[cur.next].base
		cur.step.setFeature(l.each[cur.next].feature)
		cur.next++
	}
	return true, nil
}

// decodeSteps decodes the current steps of lists, and returns their number of values.
func (m *machine) decodeSteps(lists []*feature) (count int, err error) {
	for _, x := range lists {
		cur := &m.cursors[x.cursor]
		if cur.values, err = cur.step.decode(); err != nil {
			return 0, m.addFeature(err, x)
		}
	}
	return m.sameLength(lists)
}

// sameLength returns the number of values at the cursors of lists; different numbers are an error.
func (m *machine) sameLength(lists []*feature) (count int, err error) {
	count = m.cursors[lists[0].cursor].values.length()
	for _, x := range lists[1:] {
		if n := m.cursors[x.cursor].values.length(); n != count {
			return 0, m.lengthError(lists[0], count, x, n, "value")
		}
	}
	return count, nil
}
