package rewrite

import (
	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
)

// Merge joins files.
func Merge() *cli.Command {
	v := &job{}
	return &cli.Command{
		Name:  "merge",
		Flags: v.add,
		Run: func(e *cli.Env, args []string) error {
			if err := v.begin(e, args); err != nil {
				return err
			}
			return v.finish(v.copy(), noRecords)
		},
	}
}
