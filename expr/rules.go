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

// Rules are those of a file: about statistics, and about each record. They are immutable and safe for all goroutines.
type Rules struct {
	text                string
	statistics, records []*Rule
	program             *program // of the rules about records
}

// A Rule is one line of a file of rules.
type Rule struct {
	Line    int    // from 1
	Text    string // of the expression
	Warning bool   // what does not hold is a warning

	column     int // at which Text begins, from 0
	root       *node
	statistics []*Statistic
}

// Statistics returns the statistics that the rule names, in order; those of has(x) too.
func (r *Rule) Statistics() []*Statistic { return r.statistics }

// maxRules is the limit of a file of rules, in bytes.
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
		line = uncommented(strings.TrimRight(line, "\r\n"))
		if strings.TrimSpace(line) == "" {
			continue
		}
		r := &Rule{Line: n, Text: strings.TrimLeft(line, " \t")}
		if !r.cut("error:") {
			r.Warning = r.cut("warning:")
		}
		ofRecords := r.cut("record:")
		r.column = utf8.RuneCountInString(line[:len(line)-len(r.Text)])
		r.Text = strings.TrimRight(r.Text, " \t")
		if len(r.Text) > maxExpression {
			return nil, r.errorAt(0, fmt.Sprintf("a rule of more than %d bytes", maxExpression))
		}
		if err := s.add(r, ofRecords); err != nil {
			e, _ := errors.AsType[*SyntaxError](err)
			return nil, r.errorAt(e.Column-1, e.Message)
		}
	}
	return s, nil
}

// cut cuts off a word at the beginning of the text.
func (r *Rule) cut(prefix string) bool {
	rest, ok := strings.CutPrefix(r.Text, prefix)
	if ok {
		r.Text = strings.TrimLeft(rest, " \t")
	}
	return ok
}

// errorAt is an error at a character of the text.
func (r *Rule) errorAt(at int, message string) error {
	return &SyntaxError{r.Line, r.column + at + 1, message}
}

// add compiles a rule.
func (s *Rules) add(r *Rule, ofRecords bool) (err error) {
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
		s.records = append(s.records, r)
	} else {
		s.statistics = append(s.statistics, r)
	}
	err = c.condition(r.root)
	r.statistics = c.statistics
	for _, x := range c.statistics {
		x.Line, x.Column = r.Line, r.column+utf8.RuneCountInString(r.Text[:x.at])+1
	}
	return err
}

// namesFeatures reports whether an expression is about records: it names features of these and no statistic.
func namesFeatures(root *node) bool {
	features, statistics := false, false
	root.visit(func(n *node) bool {
		_, known := signatures[n.name]
		switch {
		case n.kind == nodeCall && slices.Contains([]string{"any", "all", "isnan", "len", "list"}, n.name):
			features = true
		case n.kind == nodeCall && n.name == "has": // of either
			return false
		case n.kind == nodeCall && n.name != "abs":
			statistics = statistics || known || n.dataAt > 0
			return false // its arguments are names too
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

// OfStatistics returns the rules about statistics, in order.
func (s *Rules) OfStatistics() []*Rule { return s.statistics }

// OfRecords returns the rules about records, in order.
func (s *Rules) OfRecords() []*Rule { return s.records }

// String returns the text that the rules were read from.
func (s *Rules) String() string { return s.text }

// A RuleFeature is a feature that a rule about records names.
type RuleFeature struct {
	Name         string
	InList       bool // it is a feature list, or one of the examples of an ExampleListWithContext
	Line, Column int  // where, from 1
}

// Features returns the features that the rules about records need: not those for which a rule asks has(x), which records
// may all lack.
func (s *Rules) Features() (all []RuleFeature) {
	for _, r := range s.records {
		optional := map[[2]string]bool{}
		for _, want := range []bool{true, false} { // first those in has
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

// A Violation says why a rule does not hold.
type Violation struct {
	Rule *Rule
	Text string // with the numbers

	// Expected and Observed are what the rule wants, and what there is, in few words: "< 500" and "812".
	Expected, Observed string

	// Of a rule about records:
	Feature string // the first one that the rule names, or that breaks it
	InList  bool   // it is a feature list, or one of the examples of an ExampleListWithContext
	Example int    // of these; -1 if the rule is about no single one
	Step    int    // of a feature list; -1 the same
	Value   int    // the index of the first element that breaks the rule; -1 if the rule is about no single one
	Count   int    // of elements that break it, at least 1
	Offset  int    // of the feature in the record; -1 if it is not there
}

// CheckRecord evaluates the rules about records for one, which is a message of type t, and returns those that do not
// hold: nil if all do. Lists of different lengths, and numbers compared with strings, break a rule as well. The error, an
// *example.Error, is about a record that does not decode.
func (s *Rules) CheckRecord(t example.MessageType, msg []byte) (all []Violation, err error) {
	if len(s.records) == 0 {
		return nil, nil
	}
	m, err := s.program.machine(t, msg)
	defer s.program.pool.Put(m)
	if err != nil {
		return nil, err
	}
	for _, r := range s.records {
		ok, err := m.eval(r.root)
		if ok {
			continue
		}
		v, err := m.violation(r, err)
		if err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	return all, nil
}

// Check evaluates a rule about statistics. It returns nil if the rule holds. A statistic that has no value breaks it.
func (r *Rule) Check(of Statistics) *Violation {
	m := &machine{statistics: of}
	ok, err := m.eval(r.root)
	switch {
	case err != nil:
		return &Violation{Rule: r, Text: err.Error() + ", wanted " + r.Text, Expected: r.Text, Observed: err.Error()}
	case ok:
		return nil
	}
	v := &Violation{Rule: r, Text: m.why(r.root)}
	v.Expected, v.Observed = m.sides(r.root)
	return v
}
