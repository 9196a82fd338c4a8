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
		Args:  "EXPR FILE... -o OUT",
		Short: "keep the records that an expression selects",
		Long: `
Write the records for which EXPR is true, byte for byte, in order. An expression
compares features with constants, as in label == 3 && "gluten" in tags:

` + scan.WhereHelp + `

OUT may be a set of shards, as train@16: records go to its shards in turn. It
appears under its name only when it is complete, and may not be one of the inputs.
If no record matches, OUT stays as it was unless --allow-empty is given; files without
records make OUT empty.`,
		Examples: []string{
			`tfparse filter 'minutes < 30' testdata/recipes.tfrecord -o quick.tfrecord`,
			`tfparse filter 'title =~ "soup" && has(rating)' testdata/recipes.tfrecord -o a@2`,
		},
		Flags: v.add,
		Run: func(e *cli.Env, args []string) error {
			if len(args) == 0 {
				return cli.Usagef("want an expression and files")
			}
			x, err := scan.CompileWhere("the expression", args[0])
			if err != nil {
				return err
			}
			v.sought, v.where = x.Sought, x
			v.make = func(example.MessageType) func() transform {
				return func() transform {
					return func(dst, rec []byte) ([]byte, error) { return append(dst, rec...), nil }
				}
			}
			return v.run(e, args[1:], "no record matches")
		},
	}
}
