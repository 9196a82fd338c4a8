package expr

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tfparse/tfparse/example"
)

// This file says why a condition does not hold. It evaluates parts of the condition again, with the machine that has
// evaluated it: only a broken rule pays for that.

// firstFalse returns the first part of joined conditions that does not hold, or n.
func (m *machine) firstFalse(n *node) *node {
	for {
		n = strip(n)
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

// why says why a condition about statistics does not hold, with the numbers.
func (m *machine) why(n *node) string {
	n = m.firstFalse(n)
	switch n.kind {
	case nodeOr:
		texts := make([]string, len(n.args))
		for i, x := range n.args {
			texts[i] = m.why(x)
		}
		return strings.Join(texts, "; and ")
	case nodeNot:
		return strip(n.args[0]).String() + " is true, wanted false" + m.inBrackets(n.args[0])
	case nodeHas:
		return m.statistics.Has(n.statistic).Error()
	}
	left, more := n.args[0], n.args
	if left.kind == nodeStatistic {
		more = n.args[1:]
	}
	return left.String() + " is " + m.shown(left) + ", wanted " + string(n.appendWanted(nil)) + m.inBrackets(more...)
}

// sides are what a condition about statistics expects and what there is.
func (m *machine) sides(n *node) (expected, observed string) {
	n = m.firstFalse(n)
	switch n.kind {
	case nodeOr, nodeNot:
		return n.String(), strings.Join(m.values(n), ", ")
	case nodeHas:
		return n.String(), m.why(n)
	}
	return string(n.appendWanted(nil)), m.shown(n.args[0])
}

// shown is a value as text.
func (m *machine) shown(n *node) string {
	v, err := m.value(n)
	if err != nil {
		return "missing"
	}
	return v.String()
}

// inBrackets returns values in brackets, or nothing without any.
func (m *machine) inBrackets(all ...*node) string {
	texts := m.values(all...)
	if len(texts) == 0 {
		return ""
	}
	return " (" + strings.Join(texts, ", ") + ")"
}

// values are the features, lengths and statistics in nodes, each with its value.
func (m *machine) values(all ...*node) (texts []string) {
	seen := map[string]bool{}
	for _, n := range all {
		n.visit(func(n *node) bool {
			var name, text string
			switch {
			case n.kind == nodeHas && n.feature != nil:
				name = n.String() + " is"
			case n.kind == nodeFeature && m.element >= 0:
				x := *n.feature
				x.word = "" // it is one element
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
				ok, _ := m.has(n.feature)
				text = strconv.FormatBool(ok)
			case nodeFeature:
				text = m.listed(n)
			default:
				text = m.shown(n)
			}
			texts = append(texts, name+" "+text)
			return false
		})
	}
	return texts
}

// mostListed is how many values of a list are shown.
const mostListed = 5

// listed is the value of a feature, or its values if no element is at hand.
func (m *machine) listed(n *node) string {
	x := n.feature
	if x.cursor < 0 || m.element >= 0 {
		return m.shown(n)
	}
	var texts []string
	more := false
	_ = m.eachPart([]*feature{x}, func(count int) (bool, error) { // a value that does not decode is not shown
		for i := range count {
			if more = len(texts) == mostListed; more {
				return false, nil
			}
			texts = append(texts, m.cursors[x.cursor].values.at(i).String())
		}
		return true, nil
	})
	if more {
		texts = append(texts, "…")
	}
	return "[" + strings.Join(texts, ", ") + "]"
}

// violation says why a rule about records does not hold. failed is the error of its evaluation; one that is about the
// values and not about the encoding breaks the rule, others are returned.
func (m *machine) violation(r *Rule, failed error) (Violation, error) {
	v := Violation{Rule: r, Example: -1, Step: -1, Value: -1, Count: 1, Offset: -1}
	if failed != nil {
		e, ok := errors.AsType[*example.Error](failed)
		if !ok || !errors.Is(e, example.ErrKind) && !errors.Is(e, ErrLengths) {
			return v, failed
		}
		v.Feature, v.Step, v.InList = e.Feature, e.Step, e.Part != "" && e.Part != "context"
		v.Expected, v.Observed = e.Want+", in "+r.Text, e.Got
		_, _ = fmt.Sscanf(e.Part, "examples[%d]", &v.Example)
		v.Text, v.Offset = "want "+v.Expected+", got "+v.Observed, m.offset(v.Feature, v.InList)
		return v, nil
	}
	n := m.firstFalse(r.root)
	n.visit(func(n *node) bool {
		if x := n.feature; x != nil && v.Feature == "" {
			v.Feature, v.InList, v.Offset = x.name, x.list, m.offset(x.name, x.list)
		}
		return n.feature == nil
	})
	v.Expected = n.String()
	m.element = -1
	if n.all && n.each != nil {
		m.findElements(n, &v)
	}
	if v.Value < 0 {
		v.Observed = strings.Join(m.values(n), ", ")
	}
	v.Text = "want " + v.Expected + ", got " + v.Observed
	return v, nil
}

// findElements looks for the elements for which a condition does not hold.
func (m *machine) findElements(n *node, v *Violation) {
	body := n
	if n.kind == nodeEach {
		body = strip(n.args[0])
	}
	part, broken := 0, 0
	// The error is of elements after the one that decided.
	_ = m.eachPart(n.each, func(count int) (bool, error) {
		for m.element = 0; m.element < count; m.element++ {
			if ok, err := m.testElement(n); ok || err != nil {
				continue
			}
			if broken++; broken > 1 {
				continue
			}
			v.Value, v.Expected, v.Observed = m.element, body.String(), strings.Join(m.values(body), ", ")
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

// offset returns the offset of a feature in the record, -1 if it is not there.
func (m *machine) offset(name string, inList bool) int {
	part := 0
	if inList {
		part = 1
	}
	i, ok := m.program.slots[part][name]
	switch {
	case !ok:
	case !inList && m.features[i].found && m.typ == example.TypeExampleList:
		return m.context + m.features[i].feature.Offset()
	case !inList && m.features[i].found:
		return m.features[i].feature.Offset()
	case inList && m.lists[i].found && m.typ == example.TypeExampleList:
		return m.lists[i].each[0].base + m.lists[i].each[0].feature.Offset()
	case inList && m.lists[i].found:
		return m.lists[i].steps.Offset()
	}
	return -1
}
