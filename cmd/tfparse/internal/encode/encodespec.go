package encode

import (
	"github.com/tfparse/tfparse/feature"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
)

// newParser returns the parser of the spec that the lines are rows of.
func (c *encode) newParser() (*feature.Parser, error) {
	parser, err := scan.NewParser(c.spec, nil, &feature.ParserOptions{})
	if err != nil {
		return nil, err
	}
	return parser, scan.CheckType(c.typ, parser)
}
