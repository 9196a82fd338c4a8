package encode

import (
	"github.com/tfparse/tfparse/feature"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
)

// newParser returns the parser of the spec that the lines are rows of.
func (c *encode) newParser() (*feature.Parser, error) {
	switch {
	case len(c.kinds) > 0:
		return nil, cli.Usagef("--kind is for lines without a spec, which says it itself")
	case c.strict:
		return nil, cli.Usagef("--strict-kinds is for lines without a spec, which has one kind for each feature")
	}
	parser, err := scan.NewParser(c.spec, nil, &feature.ParserOptions{})
	if err != nil {
		return nil, err
	}
	return parser, scan.CheckType(c.typ, parser)
}
