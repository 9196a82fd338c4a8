package rewrite

import (
	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/example"
)

// Filter keeps the records that an expression selects.
func Filter() *cli.Command {
	v := &transforming{}
	return &cli.Command{
		Name:  "filter",
		Flags: v.add,
		Run: func(e *cli.Env, args []string) error {
			if len(args) == 0 {
				return cli.Usagef("want an expression and files")
			}
			x, err := scan.CompileWhere("the expression", args[0])
			if err != nil {
				return err
			}
			v.sought, v.where = x.FeatureSearch, x
			v.make = func(example.MessageType) func() transform {
				return func() transform {
					return func(dst, rec []byte) ([]byte, error) { return append(dst, rec...), nil }
				}
			}
			return v.run(e, args[1:], noMatch)
		},
	}
}
