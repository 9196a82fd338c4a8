package main

import "github.com/tfparse/tfparse/feature"

// parser returns the parser of the spec that the lines are rows of.
func (c *encode) parser() (*feature.Parser, error) {
	switch {
	case len(c.kinds) > 0:
		return nil, usagef("--kind is for lines without a spec, which says it itself")
	case c.strict:
		return nil, usagef("--strict-kinds is for lines without a spec, which has one kind for each feature")
	}
	parser, err := newParser(c.spec, nil, &feature.ParserOptions{})
	if err != nil {
		return nil, err
	}
	return parser, checkType(c.typ, parser)
}
