package expr

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tfparse/tfparse/example"
)

// Rules are the rules of a file, about statistics and about records. They are immutable and safe for
// concurrent use.
type Rules struct {
	text         string   // the file
	ofStatistics []*Rule  // the rules about statistics
	ofRecords    []*Rule  // the rules about records
	program      *program // names and cursors of ofRecords
}

// A Rule is one line of a file of rules.
type Rule struct {
	Line    int    // line in the file, from 1
	Text    string // the expression
	Warning bool   // a violation is a warning, not an error

	column     int          // column of Text in the line, in characters, from 0
	root       *node        // the syntax tree
	statistics []*Statistic // statistics that Text names
}

// Statistics returns the statistics that the rule names, in order, including those of has(x).
func (r *Rule) Statistics() []*Statistic { return r.statistics }

// maxRules is the largest file of rules, in bytes.
const maxRules = 1 << 20

// ParseRules reads rules, one a line. The error is a *SyntaxError.
func ParseRules(text string) (*Rules, error) {
	if len(text) > maxRules {
		return nil, &SyntaxError{1, 1, fmt.Sprintf("rules of more than %d bytes", maxRules)}
	}
	s := &Rules{text: text, program: newProgram()}
	n := 0
	for line := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) {
		n++
		line = cutComment(strings.TrimRight(line, "\r\n"))
		if strings.TrimSpace(line) == "" {
			continue
		}
		r := &Rule{Line: n, Text: strings.TrimLeft(line, " \t")}
		if !r.cutPrefix("error:") {
			r.Warning = r.cutPrefix("warning:")
		}
		ofRecords := r.cutPrefix("record:")
		r.column = utf8.RuneCountInString(line[:len(line)-len(r.Text)])
		r.Text = strings.TrimRight(r.Text, " \t")
		if len(r.Text) > maxExpression {
			return nil, r.errorAt(0, fmt.Sprintf("a rule of more than %d bytes", maxExpression))
		}
		if err := s.addRule(r, ofRecords); err != nil {
			e, _ := errors.AsType[*SyntaxError](err)
			return nil, r.errorAt(e.Column-1, e.Message)
		}
	}
	return s, nil
}

// cutPrefix removes a prefix of the text, and reports whether the text had it.
func (r *Rule) cutPrefix(prefix string) bool {
	rest, ok := strings.CutPrefix(r.Text, prefix)
	if ok {
		r.Text = strings.TrimLeft(rest, " \t")
	}
	return ok
}

// errorAt returns an error at a character of the text, counted from 0.
func (r *Rule) errorAt(at int, message string) error {
	return &SyntaxError{r.Line, r.column + at + 1, message}
}

// addRule compiles a rule.
func (s *Rules) addRule(r *Rule, ofRecords bool) (err error) {
	want := "a statistic or a number"
	if ofRecords {
		want = "a feature or a constant"
	}
	if r.root, err = parse(r.Text, want); err != nil {
		return err
	}
	c := &checker{text: r.Text}
	if ofRecords || namesFeatures(r.root) {
		c.program = s.program
		s.ofRecords = append(s.ofRecords, r)
	} else {
		s.ofStatistics = append(s.ofStatistics, r)
	}
	err = c.checkCondition(r.root)
	r.statistics = c.statistics
	for _, x := range c.statistics {
		x.Line, x.Column = r.Line, r.column+utf8.RuneCountInString(r.Text[:x.at])+1
	}
	return err
}

// namesFeatures reports whether an expression is about records: it names features and no statistic.
func namesFeatures(root *node) bool {
	features, statistics := false, false
	root.visit(func(n *node) bool {
		_, known := signatures[n.name]
		switch {
		case n.kind == nodeCall && slices.Contains([]string{"any", "all", "isnan", "len", "list"}, n.name):
			features = true
		case n.kind == nodeCall && n.name == "has": // about statistics or records
			return false
		case n.kind == nodeCall && n.name != "abs":
			statistics = statistics || known || n.dataAt > 0
			return false // the arguments are names of features, or literals
		case n.kind == nodeName && (n.quoted || n.indexes != nil):
			features = true
		case n.kind == nodeName:
			known = known || n.dataAt > 0 || hintOperation(n.name) != ""
			features, statistics = features || !known, statistics || known
		}
		return true
	})
	return features && !statistics
}

// cutComment returns a line without the comment at its end.
func cutComment(line string) string {
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

// OfStatistics returns the rules about statistics, in order.
func (s *Rules) OfStatistics() []*Rule { return s.ofStatistics }

// OfRecords returns the rules about records, in order.
func (s *Rules) OfRecords() []*Rule { return s.ofRecords }

// String returns the text that the rules were read from.
func (s *Rules) String() string { return s.text }

// A RuleFeature is a feature in a rule about records.
type RuleFeature struct {
	Name         string
	InList       bool // Name is a feature list, or in an ExampleListWithContext a feature of its examples
	Line, Column int  // position in the file, from 1
}

// Features returns the features that the rules about records require. A feature in has(x) of a rule is
// optional for that rule.
func (s *Rules) Features() (all []RuleFeature) {
	for _, r := range s.ofRecords {
		optional := map[[2]string]bool{}
		for _, want := range []bool{true, false} { // first the names in has(x)
			r.root.visit(func(n *node) bool {
				x := n.feature
				if x == nil {
					return true
				}
				key := [2]string{x.name, strconv.FormatBool(x.list)}
				switch at := n.at; {
				case want && n.kind == nodeHas:
					optional[key] = true
				case !want && !optional[key]:
					if len(n.args) == 1 { // len(x), any(x), list(x)
						at = n.args[0].at
					}
					all = append(all, RuleFeature{x.name, x.list, r.Line, r.column + utf8.RuneCountInString(r.Text[:at]) + 1})
				}
				return false
			})
		}
	}
	return all
}

// A Violation is a rule that does not hold.
type Violation struct {
	Rule *Rule  // the checked rule, not a copy
	Text string // why the rule does not hold, with the values

	// Expected is what the rule requires, Observed what the data have: "< 500" and "812".
	Expected, Observed string

	// These are set for rules about records.
	Feature string // the feature that breaks the rule, or the first feature in the rule
	InList  bool   // Feature is a feature list, or a feature of the examples in a list
	Example int    // index of the example; -1: the rule is not about one example
	Step    int    // index of the step; -1: the rule is not about one step
	Value   int    // index of the first element that breaks the rule; -1: the rule is not about elements
	Count   int    // number of elements that break the rule, at least 1
	Offset  int    // offset of Feature in the record; -1: the record does not have the feature
}

// CheckRecord evaluates the rules about records for one record, a message of type t, and returns the
// violations. Lists of different lengths, and numbers compared with strings, are violations too.
// The error, an *example.Error, is about a record that does not decode.
func (s *Rules) CheckRecord(t example.MessageType, msg []byte) (all []Violation, err error) {
	if len(s.ofRecords) == 0 {
		return nil, nil
	}
	m, err := s.program.newMachine(t, msg)
	defer s.program.pool.Put(m)
	if err != nil {
		return nil, err
	}
	for _, r := range s.ofRecords {
		ok, err := m.eval(r.root)
		if ok {
			continue
		}
		v, err := m.newViolation(r, err)
		if err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	return all, nil
}

// Check evaluates a rule about statistics. It returns nil if the rule holds. A statistic without a
// value is a violation.
func (r *Rule) Check(statistics Statistics) *Violation {
	m := &machine{statistics: statistics}
	ok, err := m.eval(r.root)
	switch {
	case err != nil:
		return &Violation{Rule: r, Text: err.Error() + ", wanted " + r.Text, Expected: r.Text, Observed: err.Error()}
	case ok:
		return nil
	}
	v := &Violation{Rule: r, Text: m.explainFalse(r.root)}
	v.Expected, v.Observed = m.expectedObserved(r.root)
	return v
}
