package expr

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tfparse/tfparse/example"
)

// This file explains why a condition is false. It evaluates parts of the condition a second time, with
// the same machine, so that rules that hold cost nothing.

// firstFalse returns the first operand of && that is false, or n.
func (m *machine) firstFalse(n *node) *node {
	for {
		n = stripParentheses(n)
		i := -1
		if n.kind == nodeAnd {
			i = slices.IndexFunc(n.args, func(x *node) bool {
				ok, _ := m.eval(x)
				return !ok
			})
		}
		if i < 0 {
			return n
		}
		n = n.args[i]
	}
}

// explainFalse returns why a condition about statistics is false, with the numbers.
func (m *machine) explainFalse(n *node) string {
	n = m.firstFalse(n)
	switch n.kind {
	case nodeOr:
		texts := make([]string, len(n.args))
		for i, x := range n.args {
			texts[i] = m.explainFalse(x)
		}
		return strings.Join(texts, "; and ")
	case nodeNot:
		return stripParentheses(n.args[0]).String() + " is true, wanted false" + m.valuesInBrackets(n.args[0])
	case nodeHas:
		return m.statistics.Has(n.statistic).Error()
	}
	left, more := n.args[0], n.args
	if left.kind == nodeStatistic {
		more = n.args[1:]
	}
	return left.String() + " is " + m.valueText(left) + ", wanted " + string(n.appendTest(nil)) + m.valuesInBrackets(more...)
}

// expectedObserved returns what a condition about statistics expects, and the values of the statistics.
func (m *machine) expectedObserved(n *node) (expected, observed string) {
	n = m.firstFalse(n)
	switch n.kind {
	case nodeOr, nodeNot:
		return n.String(), strings.Join(m.namedValues(n), ", ")
	case nodeHas:
		return n.String(), m.explainFalse(n)
	}
	return string(n.appendTest(nil)), m.valueText(n.args[0])
}

// valueText returns a value as text.
func (m *machine) valueText(n *node) string {
	v, err := m.evalValue(n)
	if err != nil {
		return "missing"
	}
	return v.String()
}

// valuesInBrackets returns the values of namedValues in parentheses, or "" if there are none.
func (m *machine) valuesInBrackets(nodes ...*node) string {
	texts := m.namedValues(nodes...)
	if len(texts) == 0 {
		return ""
	}
	return " (" + strings.Join(texts, ", ") + ")"
}

// namedValues returns the features, lengths and statistics in nodes, each with its value.
func (m *machine) namedValues(nodes ...*node) (texts []string) {
	seen := map[string]bool{}
	for _, n := range nodes {
		n.visit(func(n *node) bool {
			var name, text string
			switch {
			case n.kind == nodeHas && n.feature != nil:
				name = n.String() + " is"
			case n.kind == nodeFeature && m.element >= 0:
				x := *n.feature
				x.word = "" // the value is one element
				name = x.String()
			case n.kind == nodeFeature, n.kind == nodeLen, n.kind == nodeStatistic:
				name = n.String()
			default:
				return true
			}
			if seen[name] {
				return false
			}
			seen[name] = true
			switch n.kind {
			case nodeHas:
				ok, _ := m.hasFeature(n.feature)
				text = strconv.FormatBool(ok)
			case nodeFeature:
				text = m.listText(n)
			default:
				text = m.valueText(n)
			}
			texts = append(texts, name+" "+text)
			return false
		})
	}
	return texts
}

// mostListed is the most values of a list that an explanation shows.
const mostListed = 5

// listText returns the current value of a feature, or its first values if there is no current element.
func (m *machine) listText(n *node) string {
	x := n.feature
	if x.cursor < 0 || m.element >= 0 {
		return m.valueText(n)
	}
	var texts []string
	more := false
	_ = m.eachPart([]*feature{x}, func(count int) (bool, error) { // values that do not decode are left out
		for i := range count {
			if more = len(texts) == mostListed; more {
				return false, nil
			}
			texts = append(texts, m.cursors[x.cursor].values.valueAt(i).String())
		}
		return true, nil
	})
	if more {
		texts = append(texts, "…")
	}
	return "[" + strings.Join(texts, ", ") + "]"
}

// newViolation returns the violation of a rule about records. failed is the error of evaluating the
// rule, or nil: an error about the kinds or lengths of values is a violation too; other errors are returned.
func (m *machine) newViolation(r *Rule, failed error) (Violation, error) {
	v := Violation{Rule: r, Example: -1, Step: -1, Value: -1, Count: 1, Offset: -1}
	if failed != nil {
		e, ok := errors.AsType[*example.Error](failed)
		if !ok || !errors.Is(e, example.ErrKind) && !errors.Is(e, ErrLengths) {
			return v, failed
		}
		v.Feature, v.Step, v.InList = e.Feature, e.Step, e.Part != "" && e.Part != "context"
		v.Expected, v.Observed = e.Want+", in "+r.Text, e.Got
		_, _ = fmt.Sscanf(e.Part, "examples[%d]", &v.Example)
		v.Text, v.Offset = "want "+v.Expected+", got "+v.Observed, m.featureOffset(v.Feature, v.InList)
		return v, nil
	}
	n := m.firstFalse(r.root)
	n.visit(func(n *node) bool {
		if x := n.feature; x != nil && v.Feature == "" {
			v.Feature, v.InList, v.Offset = x.name, x.list, m.featureOffset(x.name, x.list)
		}
		return n.feature == nil
	})
	v.Expected = n.String()
	m.element = -1
	if n.all && n.each != nil {
		m.findElements(n, &v)
	}
	if v.Value < 0 {
		v.Observed = strings.Join(m.namedValues(n), ", ")
	}
	v.Text = "want " + v.Expected + ", got " + v.Observed
	return v, nil
}

// findElements sets the first element for which a condition is false, and the number of such
// elements, in a violation.
func (m *machine) findElements(n *node, v *Violation) {
	body := n
	if n.kind == nodeEach {
		body = stripParentheses(n.args[0])
	}
	part, broken := 0, 0
	// An error can only come from elements after the one that decided.
	_ = m.eachPart(n.each, func(count int) (bool, error) {
		for m.element = 0; m.element < count; m.element++ {
			if ok, err := m.testElement(n); ok || err != nil {
				continue
			}
			if broken++; broken > 1 {
				continue
			}
			v.Value, v.Expected, v.Observed = m.element, body.String(), strings.Join(m.namedValues(body), ", ")
			if n.each[0].hasSteps() {
				if v.Step = part; m.typ == example.TypeExampleList {
					v.Example, v.Step = part, -1
				}
			}
		}
		part++
		return true, nil
	})
	v.Count = max(broken, 1)
	m.element = -1
}

// featureOffset returns the offset of a feature in the record, or -1.
func (m *machine) featureOffset(name string, inList bool) int {
	part := 0
	if inList {
		part = 1
	}
	i, ok := m.program.slots[part][name]
	switch {
	case !ok:
	case !inList && m.features[i].found && m.typ == example.TypeExampleList:
		return m.contextOffset + m.features[i].feature.Offset()
	case !inList && m.features[i].found:
		return m.features[i].feature.Offset()
	case inList && m.lists[i].found && m.typ == example.TypeExampleList:
		return m.lists[i].each[0].base + m.lists[i].each[0].feature.Offset()
	case inList && m.lists[i].found:
		return m.lists[i].steps.Offset()
	}
	return -1
}
