package expr

import (
	"errors"
	"iter"
	"slices"

	"github.com/tfparse/tfparse/example"
)

const maxExpression = 64 << 10 // bytes

// A Filter is a condition about a record. It is immutable and safe for concurrent use.
type Filter struct {
	text    string
	program *program
	root    *node
}

// Compile compiles an expression about a record, without a schema. The error is a *SyntaxError.
func Compile(text string) (*Filter, error) {
	if len(text) > maxExpression {
		return nil, syntaxError(text, maxExpression, "an expression of more than %d bytes", maxExpression)
	}
	root, err := parse(text, "a feature or a constant")
	if err != nil {
		return nil, err
	}
	f := &Filter{text: text, program: newProgram(), root: root}
	c := &checker{text: text, program: f.program}
	if err := c.checkCondition(root); err != nil {
		return nil, err
	}
	return f, nil
}

// String returns the expression.
func (f *Filter) String() string { return f.text }

// Features returns the names of the features and of the feature lists in the expression, in the
// order of their first use.
func (f *Filter) Features() (features, lists []string) {
	return slices.Clone(f.program.names[0]), slices.Clone(f.program.names[1])
}

// Texts returns the names of the features that the expression compares with strings, and these strings. A feature that it only
// matches with regular expressions has none.
func (f *Filter) Texts() map[string][]string {
	all := map[string][]string{}
	f.root.visit(func(n *node) bool {
		if n.kind != nodeCompare && n.kind != nodeIn && n.kind != nodeSet && n.kind != nodeMatch {
			return true
		}
		var names, texts []string
		for _, x := range n.args {
			switch x = stripParentheses(x); {
			case x.kind == nodeFeature:
				names = append(names, x.feature.name)
			case x.kind == nodeLiteral && x.constant.kind == kindBytes && n.kind != nodeMatch:
				texts = append(texts, string(x.constant.bytes))
			}
		}
		for _, name := range names {
			if texts != nil || n.kind == nodeMatch {
				all[name] = append(all[name], texts...)
			}
		}
		return true
	})
	return all
}

// Match evaluates the expression for a record, a message of type t; the zero type is Example. It does
// not keep msg, and allocates nothing once its buffers have grown. The error is an *example.Error about
// the framing of the message, or about a feature in the expression. It wraps [example.ErrKind] for
// numbers compared with strings, and [ErrLengths] for lists of different lengths.
func (f *Filter) Match(t example.MessageType, msg []byte) (bool, error) {
	m, err := f.program.newMachine(t, msg)
	defer f.program.pool.Put(m)
	if err != nil {
		return false, err
	}
	return m.eval(f.root)
}

// Values are the values of one feature. At most one of the slices has elements.
type Values struct {
	Has     bool      // the record has the feature, with or without values
	Ints    []int64   // integers, bools and enums
	Floats  []float32 // compared as float32
	Doubles []float64 // of messages with fields of type double
	Bytes   [][]byte  // strings and bytes
}

// MatchValues reports whether the expression holds for a record of any message. values has the values of each name that
// [Filter.Features] returns, in that order; the expression must have no feature lists. MatchValues does not keep values.
func (f *Filter) MatchValues(values []Values) (bool, error) {
	m, err := f.program.newMachine(example.TypeExample, nil)
	defer f.program.pool.Put(m)
	if err != nil {
		return false, err
	}
	for i, v := range values {
		x := featureValues{found: v.Has, decoded: true, values: vector{ints: v.Ints, floats: v.Floats, doubles: v.Doubles, bytes: v.Bytes}}
		switch {
		case len(v.Ints) > 0:
			x.values.kind = kindInt
		case len(v.Floats)+len(v.Doubles) > 0:
			x.values.kind = kindFloat
		case len(v.Bytes) > 0:
			x.values.kind = kindBytes
		}
		m.features[i] = x
	}
	defer clear(m.features)
	return m.eval(f.root)
}

// Select returns the records of a sequence for which the expression is true. The records are messages of type t, for example
// those of a file or of dataset.Files:
//
//	for rec, err := range f.Select(example.TypeExample, files.Records(ctx).All()) {
//
// A record is valid for as long as the sequence keeps it valid. Errors of the sequence are passed on. A
// record that cannot be evaluated yields an error with its index in the sequence, from 0; the loop may
// continue.
func (f *Filter) Select(t example.MessageType, records iter.Seq2[[]byte, error]) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		n := 0
		for rec, err := range records {
			ok := err != nil
			if err == nil {
				if ok, err = f.Match(t, rec); err != nil {
					rec, ok = nil, true
					if e, is := errors.AsType[*example.Error](err); is {
						e.Record = n
					}
				}
				n++
			}
			if ok && !yield(rec, err) {
				return
			}
		}
	}
}
