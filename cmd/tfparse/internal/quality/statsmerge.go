package quality

import (
	"slices"

	"github.com/spf13/pflag"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
)

// Merge puts together what stats --partial has written.
func Merge() *cli.Command {
	c := &statistics{gathering: newGathering(), merge: true}
	return &cli.Command{
		Name:  "stats merge",
		Args:  "PART...",
		Short: "combine the outputs of stats --partial",
		Long: `
Combine the outputs of tfparse stats --partial from several machines: the result is
that of one run over all their files, in the order of the arguments, byte for byte.
It is printed, or written to the file of -o, as by tfparse stats; --partial writes
it as one part.

Flags that set how statistics are made, such as --top or --slice, are refused: the
parts have these settings, which must be equal in all. A damaged part is an error.`,
		Examples: []string{
			"tfparse stats --partial a.part testdata/recipes.tfrecord && tfparse stats merge a.part",
			"tfparse stats --partial a.part testdata/recipes.tfrecord > a.txt && tfparse stats merge -o both.pb a.part a.part",
		},
		Flags: func(fs *pflag.FlagSet) {
			c.flags(fs)
			for _, name := range slices.Concat(madeBefore, forRecords) {
				fs.Lookup(name).Hidden = true // refused with the reason
			}
		},
		Run: c.run,
	}
}
