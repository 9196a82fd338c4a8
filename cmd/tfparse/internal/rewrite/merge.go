package rewrite

import (
	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
)

// Merge joins files.
func Merge() *cli.Command {
	v := &job{}
	return &cli.Command{
		Name:  "merge",
		Args:  "FILE... -o OUT",
		Short: "join files or shards into one file or other shards",
		Long: `
Copy the records of all files, in order, byte for byte, however they are compressed.
` + oneMessageHelp + outputHelp,
		Examples: []string{
			"tfparse merge testdata/recipes.tfrecord testdata/recipes.tfrecord -o both.tfrecord",
			"tfparse merge --compression gzip testdata/recipes.tfrecord -o recipes@4.gz",
		},
		Flags: v.add,
		Run: func(e *cli.Env, args []string) error {
			if err := v.begin(e, args); err != nil {
				return err
			}
			return v.finish(v.copy(), noRecords)
		},
	}
}
