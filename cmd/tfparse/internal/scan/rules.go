package scan

import (
	"strings"

	"github.com/spf13/pflag"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
)

// A Rule says which flags a flag excludes, or of which it needs one.
type Rule struct {
	flag   string
	needs  bool // one of the others; else it excludes all of them
	others []string
}

// Excludes is the rule of a flag that cannot be combined with others.
func Excludes(flag string, others ...string) Rule { return Rule{flag, false, others} }

// Needs is the rule of a flag that means something with one of the others only.
func Needs(flag string, others ...string) Rule { return Rule{flag, true, others} }

// Rules sets the rules for the flags of the verb. They are checked before the inputs are looked up.
func (r *Flags) Rules(fs *pflag.FlagSet, rules ...Rule) {
	r.given = func(name string) bool {
		f := fs.Lookup(name)
		return f != nil && f.Changed && f.Value.String() != "false"
	}
	r.rules = append(r.rules, rules...)
}

// CheckRules is an error if the flags break a rule. Expand calls it.
func (r *Flags) CheckRules() error {
	for _, rule := range r.rules {
		if !r.given(rule.flag) {
			continue
		}
		found := false
		for _, other := range rule.others {
			if !r.given(other) {
				continue
			}
			if found = true; !rule.needs {
				return cli.Usagef("--%s cannot be combined with --%s", rule.flag, other)
			}
		}
		if rule.needs && !found {
			return cli.Usagef("--%s needs --%s", rule.flag, strings.Join(rule.others, " or --"))
		}
	}
	return nil
}
