package scan

import (
	"errors"

	"github.com/spf13/pflag"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/expr"
)

// WhereVar defines --where.
func WhereVar(fs *pflag.FlagSet, p *string) {
	fs.StringVar(p, "where", "", "only records for which `EXPR` is true")
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
	features, lists := f.Features()
	x.Sought.Add(InContext, features...)
	x.Sought.Add(InLists, lists...)
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
