package rule

import (
	"fmt"
	"regexp"
	"strings"
)

// A condition is true or false.
type condition interface {
	// holds evaluates it. The error, a missing, says that it cannot be evaluated.
	holds(e *env) (bool, error)

	// why says why it does not hold, with the numbers.
	why(e *env) string

	// sides are what is expected and what the statistics have, of a condition that does not hold.
	sides(e *env) (expected, observed string)

	text() string
}

type (
	both       []condition
	either     []condition
	not        struct{ c condition }
	has        struct{ r *ref }
	comparison struct {
		left, right operand
		op          string
		opAt        int
	}
	within struct{ left, low, high operand }
	among  struct {
		left operand
		not  bool
		set  []operand
	}
	match struct {
		left operand
		re   *regexp.Regexp
		not  bool
	}
)

func (b both) holds(e *env) (bool, error) {
	for _, c := range b {
		if ok, err := c.holds(e); !ok || err != nil {
			return false, err
		}
	}
	return true, nil
}

func (a either) holds(e *env) (bool, error) {
	for _, c := range a {
		if ok, err := c.holds(e); ok || err != nil {
			return ok, err
		}
	}
	return false, nil
}

func (n not) holds(e *env) (bool, error) {
	ok, err := n.c.holds(e)
	return !ok && err == nil, err
}

func (h has) holds(e *env) (bool, error) { return e.find(h.r) != nil, nil }

func (c comparison) holds(e *env) (bool, error) {
	v, err := c.left.value(e)
	if err != nil {
		return false, err
	}
	w, err := c.right.value(e)
	if err != nil {
		return false, err
	}
	switch c.op {
	case "==":
		return v == w, nil
	case "!=":
		return v != w, nil
	case "<":
		return v.n < w.n, nil
	case "<=":
		return v.n <= w.n, nil
	case ">":
		return v.n > w.n, nil
	}
	return v.n >= w.n, nil
}

func (w within) holds(e *env) (bool, error) {
	var v [3]value
	for i, x := range [3]operand{w.low, w.left, w.high} {
		var err error
		if v[i], err = x.value(e); err != nil {
			return false, err
		}
	}
	return v[0].n <= v[1].n && v[1].n <= v[2].n, nil
}

func (a among) holds(e *env) (bool, error) {
	v, err := a.left.value(e)
	if err != nil {
		return false, err
	}
	for _, x := range a.set {
		if w, _ := x.value(e); v == w {
			return !a.not, nil
		}
	}
	return a.not, nil
}

func (m match) holds(e *env) (bool, error) {
	v, err := m.left.value(e)
	return err == nil && m.re.MatchString(v.s) != m.not, err
}

func (b both) text() string   { return joined(b, " && ") }
func (a either) text() string { return joined(a, " || ") }
func (n not) text() string    { return "!(" + n.c.text() + ")" }

func (h has) text() string {
	text := "has(" + h.r.feature + ")"
	if h.r.data != now {
		text += " " + dataNames[h.r.data]
	}
	return text
}

func (c comparison) text() string { return c.left.text() + " " + c.wanted() }
func (w within) text() string     { return w.left.text() + " in " + w.wanted() }
func (a among) text() string      { return a.left.text() + " " + a.wanted() }
func (m match) text() string      { return m.left.text() + " " + m.wanted() }

func (c comparison) wanted() string { return c.op + " " + c.right.text() }
func (w within) wanted() string     { return w.low.text() + ".." + w.high.text() }

func (a among) wanted() string {
	var all []string
	for _, x := range a.set {
		all = append(all, x.text())
	}
	text := "in [" + strings.Join(all, ", ") + "]"
	if a.not {
		text = "not " + text
	}
	return text
}

func (m match) wanted() string {
	op := "=~ "
	if m.not {
		op = "!~ "
	}
	return op + fmt.Sprintf("%q", m.re)
}

func joined(all []condition, with string) string {
	var texts []string
	for _, c := range all {
		text := c.text()
		if _, ok := c.(either); ok {
			text = "(" + text + ")"
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, with)
}

func (b both) why(e *env) string {
	for _, c := range b {
		if ok, _ := c.holds(e); !ok {
			return c.why(e)
		}
	}
	return ""
}

func (a either) why(e *env) string {
	var texts []string
	for _, c := range a {
		texts = append(texts, c.why(e))
	}
	return strings.Join(texts, "; and ")
}

func (n not) why(e *env) string {
	return n.c.text() + " is true, wanted false" + numbers(e, operandsOf(n.c)...)
}

func (h has) why(e *env) string {
	return fmt.Sprintf("there is no feature %s in %s", h.r.feature, e.phrase(h.r.data))
}

func (c comparison) why(e *env) string { return is(e, c.left, c.wanted(), c.right) }
func (w within) why(e *env) string     { return is(e, w.left, w.wanted(), w.low, w.high) }
func (a among) why(e *env) string      { return is(e, a.left, a.wanted()) }
func (m match) why(e *env) string      { return is(e, m.left, m.wanted()) }

func (b both) sides(e *env) (expected, observed string) {
	for _, c := range b {
		if ok, _ := c.holds(e); !ok {
			return c.sides(e)
		}
	}
	return b.text(), ""
}

func (a either) sides(e *env) (expected, observed string) {
	return a.text(), strings.Join(values(e, operandsOf(a)...), ", ")
}

func (n not) sides(e *env) (expected, observed string) {
	return n.text(), strings.Join(values(e, operandsOf(n.c)...), ", ")
}

func (h has) sides(e *env) (expected, observed string)        { return h.text(), h.why(e) }
func (c comparison) sides(e *env) (expected, observed string) { return c.wanted(), shown(e, c.left) }
func (w within) sides(e *env) (expected, observed string)     { return w.wanted(), shown(e, w.left) }
func (a among) sides(e *env) (expected, observed string)      { return a.wanted(), shown(e, a.left) }
func (m match) sides(e *env) (expected, observed string)      { return m.wanted(), shown(e, m.left) }

// is says what an operand is, what is wanted of it, and the numbers that both are made of.
func is(e *env, left operand, wanted string, more ...operand) string {
	all := more
	if _, ok := left.(*ref); !ok {
		all = append([]operand{left}, more...)
	}
	return left.text() + " is " + shown(e, left) + ", wanted " + wanted + numbers(e, all...)
}

// shown is the value of an operand.
func shown(e *env, x operand) string {
	v, err := x.value(e)
	switch {
	case err != nil:
		return "missing"
	case x.isText():
		return fmt.Sprintf("%q", v.s)
	}
	return formatNumber(v.n)
}

// numbers are the values of the statistics in operands, in brackets.
func numbers(e *env, all ...operand) string {
	texts := values(e, all...)
	if len(texts) == 0 {
		return ""
	}
	return " (" + strings.Join(texts, ", ") + ")"
}

// values are the statistics in operands, each with its value.
func values(e *env, all ...operand) (texts []string) {
	var refs []*ref
	for _, x := range all {
		refs = x.refs(refs)
	}
	seen := map[string]bool{}
	for _, r := range refs {
		if text := r.text(); !seen[text] {
			seen[text] = true
			texts = append(texts, text+" "+shown(e, r))
		}
	}
	return texts
}

// operandsOf are the operands in a condition.
func operandsOf(c condition) (all []operand) {
	switch c := c.(type) {
	case both:
		for _, part := range c {
			all = append(all, operandsOf(part)...)
		}
	case either:
		for _, part := range c {
			all = append(all, operandsOf(part)...)
		}
	case not:
		return operandsOf(c.c)
	case comparison:
		return []operand{c.left, c.right}
	case within:
		return []operand{c.left, c.low, c.high}
	case among:
		return []operand{c.left}
	case match:
		return []operand{c.left}
	}
	return all
}
