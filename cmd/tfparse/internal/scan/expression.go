package scan

import (
	"errors"

	"github.com/spf13/pflag"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/expr"
)

// WhereHelp describes expressions in help texts.
const WhereHelp = `  label == 3, score < 0.5, title != "x"  some value is; != and !~: every one
  all(score) < 0.5, any(tags) != "x"     every value is, some value is
  tags =~ "^glut", tags !~ "milk"        a regular expression is found in it
  "x" in tags, label in [1, 2, 3]        a value is x; is one of these
  has(x), len(x) > 2, x[0] > y[-1]       x is there; how many; first, last
  isnan(x)                               some value is NaN
  any(a < b && c == 1), all(a < b)       element by element: some, every
  x[0] - y[0] > 1, len(x) * 2 in 1..9    numbers are calculated
  list(page) == "x", len(list(page))     of a feature list, in SequenceExamples
  list(score) > 0.5, list(score)[0][-1]  of the examples, in type elwc
  !A, A && B, A || B, (A)                not, and, or

Names with / . or - stand as they are, others between backquotes or as
feature("a b"). A feature that is missing has no values. A number compared with
strings, or lists of different lengths element by element, are a fault of the record.
In SequenceExamples and ExampleListWithContexts a name
alone is that of a feature of the context.`

// WhereVar defines --where.
func WhereVar(fs *pflag.FlagSet, p *string) {
	fs.StringVar(p, "where", "", "only records for which `EXPR` is true, see tfparse filter --help")
}

// An Expression selects records.
type Expression struct {
	filter *expr.Filter
	Sought *Sought // the features that the expression names
	Others *Sought // those that another flag names; they need not be in records that are selected. May be nil
}

// CompileWhere compiles an expression. what says where it stands.
func CompileWhere(what, text string) (*Expression, error) {
	f, err := expr.Compile(text)
	if e, ok := errors.AsType[*expr.SyntaxError](err); ok {
		return nil, cli.Usagef("%s: column %d: %s", what, e.Column, e.Message)
	} else if err != nil {
		return nil, err
	}
	x := &Expression{filter: f, Sought: NewSought(what)}
	x.Sought.Add(InContext, f.Features()...)
	x.Sought.Add(InLists, f.FeatureLists()...)
	return x, nil
}

// match reports whether the expression selects a record.
func (x *Expression) match(t example.MessageType, rec []byte) (bool, error) {
	x.Sought.Look(t, rec)
	return x.filter.Match(t, rec)
}

// sought returns the features that the expression names.
func (x *Expression) sought() *Sought {
	if x == nil {
		return nil
	}
	return x.Sought
}

// MatchOf returns a function that reports whether the expression selects a record, for a type of messages.
func (x *Expression) MatchOf(t example.MessageType) func(rec []byte) (bool, error) {
	return func(rec []byte) (bool, error) {
		x.Sought.Look(t, rec)
		x.Others.Look(t, rec)
		return x.filter.Match(t, rec)
	}
}
