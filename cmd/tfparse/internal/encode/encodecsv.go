package encode

import (
	"slices"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/example"
)

// checkCSV refuses flags that have no meaning for an input that is CSV.
func (c *encode) checkCSV(in []scan.Input) error {
	i := slices.IndexFunc(in, func(i scan.Input) bool { return i.Table != nil })
	switch {
	case i < 0:
		return nil
	case c.spec != "":
		return cli.Usagef("--spec is for JSON lines, and %s is CSV", in[i].Name)
	case c.typ != example.TypeAuto && c.typ != example.TypeExample:
		return cli.Usagef("--type %v: rows of CSV become records of type %v, and %s is CSV", c.typ, example.TypeExample, in[i].Name)
	}
	return nil
}

// isColumn reports whether a file of CSV has a column of that name.
func isColumn(name string, in []scan.Input) bool {
	return slices.ContainsFunc(in, func(i scan.Input) bool { return i.Table != nil && slices.Contains(i.Table.Columns(), name) })
}
