package rule

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tfparse/tfparse/internal/expression"
)

// A SyntaxError says what is wrong with a rule, and where.
type SyntaxError struct {
	Line    int // from 1
	Column  int // counted in characters, from 1
	Message string
}

// Error gives the line, the column and the message.
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Message)
}

// A Set is a file of rules. It is immutable and safe for all goroutines.
type Set struct{ rules []*rule }

// A rule is one line.
type rule struct {
	text    string // of the expression
	line    int
	at      int // the column at which it begins, from 0
	warning bool
	root    condition
	refs    []*ref
}

// errorAt is an error at a byte of a rule.
func (r *rule) errorAt(at int, format string, args ...any) error {
	return &SyntaxError{r.line, r.at + utf8.RuneCountInString(r.text[:at]) + 1, fmt.Sprintf(format, args...)}
}

// marks are those of rules; of two that begin alike the longer one is first.
var marks = append([]string{"..", "+", "-", "*", "/", ":"}, expression.Marks...)

// maxText is the limit of a file of rules.
const maxText = 1 << 20

// Parse reads rules, one a line. The error is a *SyntaxError.
func Parse(text string) (*Set, error) {
	if len(text) > maxText {
		return nil, &SyntaxError{1, 1, fmt.Sprintf("rules of more than %d bytes", maxText)}
	}
	s := &Set{}
	n := 0
	for line := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) {
		n++
		line = uncommented(strings.TrimRight(line, "\r\n"))
		if strings.TrimSpace(line) == "" {
			continue
		}
		r := &rule{line: n}
		r.text = strings.TrimLeft(line, " \t")
		for _, severity := range []string{"error:", "warning:"} {
			if rest, ok := strings.CutPrefix(r.text, severity); ok {
				r.text, r.warning = strings.TrimLeft(rest, " \t"), severity == "warning:"
				break
			}
		}
		r.at = utf8.RuneCountInString(line[:len(line)-len(r.text)])
		r.text = strings.TrimRight(r.text, " \t")
		p := &parser{Cursor: &expression.Cursor{Text: r.text, Marks: marks}, r: r}
		logic := expression.Logic[condition]{
			Cursor: p.Cursor,
			Or:     func(all []condition) condition { return either(all) },
			And:    func(all []condition) condition { return both(all) },
			Not:    func(c condition) condition { return not{c} },
			Test:   p.test,
			Group:  p.group,
		}
		root, err := logic.Parse()
		if err == nil {
			err = p.whole()
		}
		if e, ok := errors.AsType[*expression.Error](err); ok {
			return nil, r.errorAt(e.At, "%s", e.Message)
		}
		r.root = root
		s.rules = append(s.rules, r)
	}
	return s, nil
}

// Len is the number of rules.
func (s *Set) Len() int { return len(s.rules) }

// uncommented is a line without the comment at its end.
func uncommented(line string) string {
	quote := byte(0)
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case quote == '"' && c == '\\':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'' || c == '`':
			quote = c
		case c == '#':
			return line[:i]
		}
	}
	return line
}

// A parser reads one rule.
type parser struct {
	*expression.Cursor
	r     *rule
	depth int
}

// whole checks the rule as a whole.
func (p *parser) whole() error {
	if len(p.r.refs) == 0 {
		return p.Errorf(0, "the rule names no statistic")
	}
	return nil
}

// group reports whether the parenthesis in hand holds conditions, and not a sum.
func (p *parser) group() bool {
	c := *p.Cursor
	for depth := 0; ; {
		switch {
		case c.Is("("):
			depth++
		case c.Is(")"):
			if depth--; depth == 0 {
				return false
			}
		case c.Token.Kind == expression.End:
			return false
		case c.IsComparison(), c.Is("||"), c.Is("&&"), c.Is("!"), c.Word("in"), c.Call("has"):
			return true
		}
		if c.Advance() != nil {
			return false
		}
	}
}

// test reads one condition.
func (p *parser) test() (condition, error) {
	if p.Call("has") {
		return p.has()
	}
	begin := p.Token.At
	left, err := p.sum()
	if err != nil {
		return nil, err
	}
	t := comparison{left: left}
	negative := p.Word("not")
	if negative {
		if err := p.Advance(); err != nil {
			return nil, err
		}
	}
	switch {
	case p.Word("in"):
		if err := p.Advance(); err != nil {
			return nil, err
		}
		if p.Is("[") {
			return p.list(left, negative)
		}
		if negative {
			return nil, p.Want("[")
		}
		return p.between(left)
	case negative || !p.IsComparison():
		return nil, p.Want("a comparison such as < or in")
	}
	t.op, t.opAt = p.Token.Text, p.Token.At
	if err := p.Advance(); err != nil {
		return nil, err
	}
	if t.op == "=~" || t.op == "!~" {
		return p.match(left, t.op)
	}
	if t.right, err = p.sum(); err != nil {
		return nil, err
	}
	switch {
	case left.isText() != t.right.isText():
		return nil, p.Errorf(t.opAt, "%s compares a number with a string", t.op)
	case left.isText() && t.op != "==" && t.op != "!=":
		return nil, p.Errorf(t.opAt, "%s compares strings; want ==, !=, =~, !~ or in", t.op)
	case len(left.refs(nil)) == 0 && len(t.right.refs(nil)) == 0:
		return nil, p.Errorf(begin, "%s compares two constants; name a statistic", t.op)
	}
	return t, nil
}

// has reads has(name).
func (p *parser) has() (condition, error) {
	if err := p.Advance(); err != nil {
		return nil, err
	}
	r := &ref{at: p.Token.At}
	var err error
	if r.feature, err = p.argument(r); err != nil {
		return nil, err
	}
	if err := p.data(r); err != nil {
		return nil, err
	}
	r.named = true
	p.r.refs = append(p.r.refs, r)
	return has{r}, nil
}

// between reads the range behind "in".
func (p *parser) between(left operand) (condition, error) {
	at := p.Token.At
	low, err := p.sum()
	if err != nil {
		return nil, err
	}
	if !p.Is("..") {
		return nil, p.Want("a range such as 0.8..1.25, or a list such as [1, 2]")
	}
	if err := p.Advance(); err != nil {
		return nil, err
	}
	high, err := p.sum()
	if err != nil {
		return nil, err
	}
	if left.isText() || low.isText() || high.isText() {
		return nil, p.Errorf(at, "a range of strings; want numbers")
	}
	l, isL := low.(number)
	h, isH := high.(number)
	if isL && isH && !(l <= h) {
		return nil, p.Errorf(at, "the range %s..%s is empty", l.text(), h.text())
	}
	return within{left, low, high}, nil
}

// list reads "[1, 2]".
func (p *parser) list(left operand, negative bool) (condition, error) {
	m := among{left: left, not: negative}
	for {
		if err := p.Advance(); err != nil {
			return nil, err
		}
		lit, ok := literal(p.Token)
		if !ok || lit.isText() != left.isText() {
			what := "a number"
			if left.isText() {
				what = "a string"
			}
			return nil, p.Want(what)
		}
		m.set = append(m.set, lit)
		if err := p.Advance(); err != nil {
			return nil, err
		}
		if !p.Is(",") {
			return m, p.Expect("]")
		}
	}
}

// match reads the regular expression behind "=~".
func (p *parser) match(left operand, op string) (condition, error) {
	if p.Token.Kind != expression.String {
		return nil, p.Want("a regular expression as a string")
	}
	if !left.isText() {
		return nil, p.Errorf(p.Token.At, "%s matches strings; want name, type or slice to its left", op)
	}
	re, err := regexp.Compile(p.Token.Text)
	if err != nil {
		return nil, p.Errorf(p.Token.At, "%v", err)
	}
	return match{left, re, op == "!~"}, p.Advance()
}

func (p *parser) sum() (operand, error) {
	left, err := p.product()
	for err == nil {
		op := p.Token.Text
		at := p.Token.At
		switch {
		case p.Is("+"), p.Is("-"):
			if err := p.Advance(); err != nil {
				return nil, err
			}
		case (p.Token.Kind == expression.Int || p.Token.Kind == expression.Float) && strings.ContainsRune("+-", rune(p.Text[at])):
			op = "+" // the number has the sign
		default:
			return left, nil
		}
		var right operand
		if right, err = p.product(); err == nil {
			left, err = p.arithmetic(op, at, left, right)
		}
	}
	return nil, err
}

func (p *parser) product() (operand, error) {
	left, err := p.operand()
	for err == nil && (p.Is("*") || p.Is("/")) {
		op, at := p.Token.Text, p.Token.At
		if err := p.Advance(); err != nil {
			return nil, err
		}
		var right operand
		if right, err = p.operand(); err == nil {
			left, err = p.arithmetic(op, at, left, right)
		}
	}
	return left, err
}

func (p *parser) arithmetic(op string, at int, left, right operand) (operand, error) {
	if left.isText() || right.isText() {
		return nil, p.Errorf(at, "%s calculates with numbers, got a string", op)
	}
	if op == "/" && len(right.refs(nil)) == 0 {
		if v, _ := right.value(nil); v.n == 0 { // a constant needs no statistics
			return nil, p.Errorf(at, "division by zero: / %s", right.text())
		}
	}
	return arithmetic{op, left, right}, nil
}

func (p *parser) operand() (operand, error) {
	if p.depth++; p.depth > expression.MaxDepth {
		return nil, p.Errorf(p.Token.At, "the expression nests more than %d deep", expression.MaxDepth)
	}
	defer func() { p.depth-- }()
	if lit, ok := literal(p.Token); ok {
		return lit, p.Advance()
	}
	at := p.Token.At
	switch {
	case p.Is("-"):
		if err := p.Advance(); err != nil {
			return nil, err
		}
		x, err := p.operand()
		if err != nil {
			return nil, err
		}
		if x.isText() {
			return nil, p.Errorf(at, "- calculates with numbers, got a string")
		}
		return negative{x}, nil
	case p.Is("("):
		return p.inParentheses(func(x operand) operand { return parentheses{x} })
	case p.Call("abs"):
		if err := p.Advance(); err != nil {
			return nil, err
		}
		return p.inParentheses(func(x operand) operand { return absolute{x} })
	case p.Token.Kind != expression.Name:
		return nil, p.Want("a statistic or a number")
	}
	r := &ref{at: at, name: p.Token.Text}
	var ok bool
	if r.statistic, ok = statistics[r.name]; !ok {
		return nil, p.Errorf(at, "there is no statistic %q%s; want one of %s", r.name, hint(r.name), strings.Join(names(), ", "))
	}
	call := p.Call(r.name)
	if err := p.Advance(); err != nil {
		return nil, err
	}
	if call {
		if !r.ofFeature() {
			return nil, p.Errorf(at, "%s is of the data set, and takes no feature", r.name)
		}
		r.named = true
		var err error
		if r.feature, err = p.argument(r); err != nil {
			return nil, err
		}
	}
	if r.takes != nil && !call {
		return nil, p.Errorf(at, "%s takes a feature and %s", r.name, r.takes.what)
	}
	if err := p.data(r); err != nil {
		return nil, err
	}
	if r.distance != nil && r.data == now {
		return nil, p.Errorf(at, "%s is the distance from another data set: want before or serving behind it", r.name)
	}
	if r.slice && r.data != now {
		return nil, p.Errorf(at, "slice is of the data set that is checked: slices of others have the same name")
	}
	p.r.refs = append(p.r.refs, r)
	return r, nil
}

// hint explains a name with an operator in it.
func hint(name string) string {
	if i := strings.IndexAny(name, "/-"); i > 0 {
		if _, ok := statistics[name[:i]]; ok {
			return fmt.Sprintf(" (with a space, %s %s is an operation)", name[:i], name[i:i+1])
		}
	}
	return ""
}

// inParentheses reads "(", a sum and ")".
func (p *parser) inParentheses(make func(operand) operand) (operand, error) {
	if err := p.Expect("("); err != nil {
		return nil, err
	}
	at := p.Token.At
	x, err := p.sum()
	if err != nil {
		return nil, err
	}
	if x.isText() {
		return nil, p.Errorf(at, "want a number, got a string")
	}
	return make(x), p.Expect(")")
}

// argument reads a name in parentheses, and what else the statistic takes.
func (p *parser) argument(r *ref) (string, error) {
	if err := p.Expect("("); err != nil {
		return "", err
	}
	name, err := p.Name("the name of a feature")
	if err != nil {
		return "", err
	}
	if r.takes != nil {
		if err := p.Expect(","); err != nil {
			return "", err
		}
		lit, ok := literal(p.Token)
		if !ok || !r.takes.fits(lit) {
			return "", p.Want(r.takes.what)
		}
		r.second = lit
		if err := p.Advance(); err != nil {
			return "", err
		}
	}
	return name, p.Expect(")")
}

// data reads which data set a statistic is of.
func (p *parser) data(r *ref) error {
	if i := slices.Index(dataNames[:], p.Token.Text); i >= 0 && p.Token.Kind == expression.Name {
		r.data = which(i)
		return p.Advance()
	}
	return nil
}

// literal is a token that is a constant.
func literal(t expression.Token) (operand, bool) {
	switch t.Kind {
	case expression.Int:
		return number(t.Int), true
	case expression.Float:
		return number(t.Float), true
	case expression.String:
		return str(t.Text), true
	}
	return nil, false
}
