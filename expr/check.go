package expr

import (
	"fmt"
	"slices"
	"strings"
)

// A valueType is the static type of a value. It is typeUnknown for features: their types are known
// only when a record is read.
type valueType uint8

const (
	typeUnknown valueType = iota
	typeNumber
	typeText
)

var typeNames = [...]string{typeNumber: "a number", typeText: "a string"}

// A checker resolves the names in a syntax tree and checks the types of its values.
type checker struct {
	text       string       // the expression, for errors
	program    *program     // names and cursors of an expression about records; nil: the expression is about statistics
	statistics []*Statistic // statistics that the expression names
	lists      []*feature   // features without an index in the current test, or in the any(…) or all(…) around the test
	quantifier string       // "any" or "all" around a feature of the current test; "": neither
	inEach     bool         // the current condition is inside any(…) or all(…)
}

func (c *checker) errorf(at int, format string, args ...any) error {
	return syntaxError(c.text, at, format, args...)
}

// checkCondition checks a condition.
func (c *checker) checkCondition(n *node) error {
	switch n.kind {
	case nodeOr, nodeAnd, nodeNot, nodeParentheses:
		for _, x := range n.args {
			if err := c.checkCondition(x); err != nil {
				return err
			}
		}
		return nil
	case nodeCall:
		switch n.name {
		case "has":
			return c.checkHas(n)
		case "isnan":
			n.kind = nodeIsNaN
			return c.checkTest(n)
		}
		return c.checkEach(n)
	}
	return c.checkTest(n)
}

// checkHas checks has(x).
func (c *checker) checkHas(n *node) (err error) {
	n.kind = nodeHas
	x, err := c.onlyArgument(n)
	switch {
	case err != nil:
	case c.program != nil:
		n.feature, err = c.resolveFeature(x)
	case x.kind != nodeName || x.indexes != nil:
		err = c.errorf(x.at, "want the name of a feature, got %s", x.describeNode())
	default:
		n.statistic = &Statistic{Feature: x.name, Named: true, Data: n.data, at: x.at}
		c.statistics = append(c.statistics, n.statistic)
	}
	return err
}

// onlyArgument returns the only argument of a function.
func (c *checker) onlyArgument(n *node) (*node, error) {
	if len(n.args) != 1 || n.indexes != nil {
		return nil, c.errorf(n.at, "%s takes one feature", n.name)
	}
	if n.dataAt > 0 && (c.program != nil || n.kind != nodeHas) {
		return nil, c.errorf(n.dataAt-1, "%s belongs to statistics", n.data)
	}
	return n.args[0], nil
}

// checkEach checks any(…) or all(…) around a condition.
func (c *checker) checkEach(n *node) error {
	x, err := c.onlyArgument(n)
	switch {
	case err != nil:
		return err
	case c.program == nil:
		return c.recordsOnly(n)
	case c.inEach:
		return c.errorf(n.at, "any(…) and all(…) cannot contain each other or themselves")
	}
	n.kind, n.all = nodeEach, n.name == "all"
	c.inEach = true
	err = c.checkCondition(x)
	c.inEach = false
	lists := c.lists
	c.lists = nil
	if err != nil {
		return err
	}
	if len(lists) == 0 {
		return c.errorf(n.at, "want a feature with a list of values in %s(…)", n.name)
	}
	for _, x := range lists[1:] {
		if x.hasSteps() != lists[0].hasSteps() {
			return c.errorf(n.at, "%s pairs feature lists with feature lists only", n.name)
		}
	}
	n.each = c.program.addCursors(lists)
	return nil
}

// checkTest checks a comparison, a match, a range, a set or isnan(x).
func (c *checker) checkTest(n *node) error {
	outer := c.lists
	c.lists, c.quantifier = nil, ""
	values := n.args
	switch n.kind {
	case nodeSet:
		values = n.args[:1]
	case nodeIsNaN:
		x, err := c.onlyArgument(n)
		if err == nil && c.program == nil {
			err = c.recordsOnly(n)
		}
		if err == nil {
			err = c.useFeature(x, x, "")
		}
		if err != nil {
			return err
		}
		n.left, values = x, nil
	}
	types, lists := make([]valueType, len(values)), make([]int, len(values))
	for i, x := range values {
		var err error
		if types[i], err = c.checkValue(x); err != nil {
			return err
		}
		lists[i] = len(c.lists)
	}
	if err := c.checkSides(n, types, lists); err != nil {
		return err
	}
	found := c.lists
	switch {
	case c.inEach:
		c.lists = append(outer, found...)
		return nil
	case len(found) > 1:
		op := n.name
		if n.kind != nodeCompare {
			op = "=="
		}
		return c.errorf(n.opAt, "%s compares two lists; want a[0] %s b[0] or any(a %s b)", n.name, op, op)
	case len(found) == 1:
		n.each = c.program.addCursors(found)
		n.all = c.quantifier == "all" || c.quantifier == "" && (n.negative || n.op.unordered)
	}
	c.lists = outer
	return nil
}

// checkSides checks the types of the sides of a test. lists[i] is the number of lists in the sides 0
// to i.
func (c *checker) checkSides(n *node, types []valueType, lists []int) error {
	if n.kind == nodeIsNaN {
		return nil
	}
	n.left = n.args[0]
	constant := !slices.ContainsFunc(n.args, func(x *node) bool { return !x.isConstant() })
	if constant && n.kind != nodeMatch {
		what := "a statistic"
		if c.program != nil {
			what = "a feature"
		}
		return c.errorf(n.opAt, "%s compares two constants; name %s", n.name, what)
	}
	switch n.kind {
	case nodeMatch:
		switch {
		case c.program != nil && n.left.kind != nodeFeature:
			return c.errorf(n.left.at, "%s matches values of a feature; want a feature to its left", n.name)
		case types[0] == typeNumber:
			return c.errorf(n.left.at, "%s matches strings; want name, type or slice to its left", n.name)
		}
	case nodeSet:
		return c.checkSet(n, types[0])
	case nodeRange:
		if slices.Contains(types, typeText) {
			return c.errorf(n.args[1].at, "a range of strings; want numbers")
		}
		if low, high := n.args[1], n.args[2]; low.isConstant() && high.isConstant() && !operators["<="].holdsBetween(low.constantValue(), high.constantValue()) {
			return c.errorf(low.at, "the range %s..%s is empty", low, high)
		}
	case nodeIn, nodeCompare:
		return c.checkCompare(n, types, lists)
	}
	return nil
}

// checkCompare checks the two sides of a comparison.
func (c *checker) checkCompare(n *node, types []valueType, lists []int) error {
	n.right = n.args[1]
	op := n.name
	if n.kind == nodeIn {
		if op = "=="; n.right.kind != nodeFeature || n.right.feature.word != "" {
			what := "a range such as 0.8..1.25, or a list such as [1, 2]"
			if c.program != nil {
				what = "a feature, " + what
			}
			return c.errorf(n.right.at, "want %s, got %s", what, n.right.describeNode())
		}
	}
	if types[0]+types[1] == typeNumber+typeText && types[0] != typeUnknown && types[1] != typeUnknown {
		what := "a number"
		if n.left.kind == nodeLen || n.right.kind == nodeLen {
			what = "a length"
		}
		return c.errorf(n.opAt, "%s compares %s with a string", n.name, what)
	}
	if lists[0] == 0 && (lists[1] > 0 || n.left.isConstant()) {
		n.left, n.right, op = n.right, n.left, mirrored[op]
	}
	n.op = operators[op]
	return nil
}

// checkSet checks the constants of a test such as "x in [1, 2]". left is the type of the left side.
func (c *checker) checkSet(n *node, left valueType) error {
	for _, x := range n.args[1:] {
		t, _ := c.checkValue(x)
		if left == typeUnknown {
			left = t
		}
		if t != left {
			return c.errorf(x.at, "want %s, got %s", typeNames[left], x.describeNode())
		}
		n.set.addConstant(x.constant)
	}
	return nil
}

// constantValue returns the value of a constant.
func (n *node) constantValue() value {
	v, _ := (&machine{}).evalValue(n) // a constant needs no record and no statistics
	return v
}

// checkValue checks a value.
func (c *checker) checkValue(n *node) (valueType, error) {
	if n.isCondition() {
		return 0, c.errorf(n.at, "want a value, got a condition")
	}
	switch n.kind {
	case nodeLiteral:
		if n.constant.kind == kindBytes {
			return typeText, nil
		}
		return typeNumber, nil
	case nodeParentheses:
		return c.checkValue(n.args[0])
	case nodeNegative, nodeArithmetic:
		return c.checkArithmetic(n)
	case nodeCall:
		switch n.name {
		case "abs":
			if _, err := c.onlyArgument(n); err != nil {
				return 0, err
			}
			n.kind, n.opAt = nodeAbs, n.at
			return c.checkArithmetic(n)
		case "len":
			x, err := c.onlyArgument(n)
			if err == nil && c.program == nil {
				err = c.recordsOnly(n)
			}
			if err == nil {
				n.kind = nodeLen
				n.feature, err = c.resolveFeature(x)
			}
			return typeNumber, err
		}
	}
	if c.program != nil {
		return c.checkFeature(n)
	}
	return c.checkStatistic(n)
}

// checkArithmetic checks the operands of an operation on numbers.
func (c *checker) checkArithmetic(n *node) (valueType, error) {
	for _, x := range n.args {
		t, err := c.checkValue(x)
		if err != nil {
			return 0, err
		}
		if t == typeText {
			return 0, c.errorf(n.opAt, "%s calculates with numbers, got a string", n.name)
		}
	}
	if last := n.args[len(n.args)-1]; n.name == "/" && last.isConstant() {
		if v := last.constantValue(); v.toFloat() == 0 {
			return 0, c.errorf(n.opAt, "division by zero: / %s", last)
		}
	}
	return typeNumber, nil
}

// checkFeature checks a feature of a record that is used as a value: x, any(x) or all(x). A feature
// without an index is compared element by element.
func (c *checker) checkFeature(n *node) (valueType, error) {
	x, word := n, ""
	if n.kind == nodeCall && (n.name == "any" || n.name == "all") {
		if c.inEach {
			return 0, c.errorf(n.at, "any(…) and all(…) cannot contain each other or themselves")
		}
		inner, err := c.onlyArgument(n)
		if err != nil {
			return 0, err
		}
		x, word = stripParentheses(inner), n.name
	}
	return typeUnknown, c.useFeature(n, x, word)
}

// useFeature turns n into a node for the feature that x names. quantifier is "any" or "all" if x is
// inside any(x) or all(x), else "".
func (c *checker) useFeature(n, x *node, quantifier string) error {
	f, err := c.resolveFeature(x)
	if err != nil {
		return err
	}
	n.kind, n.feature = nodeFeature, f
	if f.word = quantifier; quantifier != "" || !f.indexed {
		c.lists, c.quantifier = append(c.lists, f), quantifier
	}
	return nil
}

// resolveFeature returns the feature of a record that a node names.
func (c *checker) resolveFeature(n *node) (*feature, error) {
	f := &feature{cursor: -1}
	name, indexes := n, n.indexes
	if n.kind == nodeCall {
		if n.name != "list" {
			functions := []string{"abs", "all", "any", "has", "isnan", "len", "list"}
			if slices.Contains(functions, n.name) {
				return nil, c.errorf(n.at, "want a feature, got %s", n)
			}
			return nil, c.errorf(n.at, "there is no function %q; want one of %s", n.name, strings.Join(functions, ", "))
		}
		f.list = true
		if len(n.args) != 1 || n.args[0].kind != nodeName || n.args[0].indexes != nil {
			return nil, c.errorf(n.at, "list takes the name of a feature list")
		}
		if name = n.args[0]; len(indexes) > 0 {
			f.stepped, f.step, indexes = true, indexes[0], indexes[1:]
		}
	}
	if name.kind != nodeName {
		return nil, c.errorf(n.at, "want a feature, got %s", n.describeNode())
	}
	for _, x := range []*node{name, n} {
		if x.dataAt > 0 {
			return nil, c.errorf(x.dataAt-1, "want a comparison such as == or in, got the name %q", x.data)
		}
	}
	if len(indexes) > 1 {
		return nil, c.errorf(n.at, "two indexes; a feature takes one, and list(x) two")
	}
	if len(indexes) == 1 {
		f.indexed, f.at = true, indexes[0]
	}
	f.name, f.slot = name.name, c.program.addName(f.list, name.name)
	return f, nil
}

// recordsOnly returns the error for a function that works on records, in a rule about statistics.
func (c *checker) recordsOnly(n *node) error {
	return c.errorf(n.at, "%s works on records, this rule on statistics; prefix it with record:", n.name)
}

// checkStatistic checks the name of a statistic, or its name and arguments.
func (c *checker) checkStatistic(n *node) (valueType, error) {
	if slices.Contains([]string{"any", "all", "isnan", "list"}, n.name) && n.kind == nodeCall {
		return 0, c.recordsOnly(n)
	}
	if n.quoted || n.indexes != nil {
		return 0, c.errorf(n.at, "want a statistic or a number, got %s", n.describeNode())
	}
	s := &Statistic{Name: n.name, Data: n.data, at: n.at}
	var ok bool
	if s.signature, ok = signatures[n.name]; !ok {
		return 0, c.errorf(n.at, "there is no statistic %q%s; want one of %s", n.name, hintOperation(n.name), strings.Join(StatisticNames(), ", "))
	}
	if err := c.checkArguments(s, n); err != nil {
		return 0, err
	}
	switch {
	case s.distance && s.Data == Now:
		return 0, c.errorf(n.at, "%s compares two data sets: want before or serving after it", s.Name)
	case s.Name == "slice" && s.Data != Now:
		return 0, c.errorf(n.at, "slice names a slice of the checked data set only")
	}
	n.kind, n.statistic = nodeStatistic, s
	c.statistics = append(c.statistics, s)
	if s.text {
		return typeText, nil
	}
	return typeNumber, nil
}

// checkArguments checks the arguments of a statistic.
func (c *checker) checkArguments(s *Statistic, n *node) error {
	if n.kind == nodeName {
		if s.argument != "" {
			return c.errorf(n.at, "%s takes a feature and %s", s.Name, s.argument)
		}
		return nil
	}
	if s.ofDataset {
		return c.errorf(n.at, "%s describes the whole data set; it takes no feature", s.Name)
	}
	x := n.args[0]
	if x.kind != nodeName || x.indexes != nil || x.dataAt > 0 {
		return c.errorf(x.at, "want the name of a feature, got %s", x.describeNode())
	}
	s.Feature, s.Named = x.name, true
	if s.argument == "" {
		if len(n.args) > 1 {
			return c.errorf(n.args[1].at, "%s takes only a feature", s.Name)
		}
		return nil
	}
	if len(n.args) != 2 {
		return c.errorf(n.at, "%s takes a feature and %s", s.Name, s.argument)
	}
	second := n.args[1]
	s.Text, s.Number, s.second = string(second.constant.bytes), second.constant.toFloat(), second
	text := second.constant.kind == kindBytes
	if second.kind != nodeLiteral || text != (s.argument == aLabel) || s.argument == aFraction && !(s.Number >= 0 && s.Number <= 1) {
		return c.errorf(second.at, "want %s, got %s", s.argument, second.describeNode())
	}
	return nil
}

// hintOperation returns a hint for a name such as a/b, which may be meant as an operation.
func hintOperation(name string) string {
	if i := strings.IndexAny(name, "/-"); i > 0 {
		if _, ok := signatures[name[:i]]; ok {
			return fmt.Sprintf(" (with a space, %s %s is an operation)", name[:i], name[i:i+1])
		}
	}
	return ""
}
