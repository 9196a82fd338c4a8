package records

import (
	"github.com/spf13/pflag"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
)

// Head prints the first records.
func Head() *cli.Command {
	c := &cat{}
	return &cli.Command{
		Name:  "head",
		Args:  "FILE[#RECORDS]...",
		Count: "limit",
		Short: "print the first records as JSON lines",
		Long: `
Print the first records of all files together, as tfparse cat --limit N does.
Later records are read only to detect the message type: for input that arrives
slowly, --type avoids the wait.

FILE#5 is record 5 of a file, counted from 0, and FILE#5:9 are records 5 to 8: all
of them, unless -n is given. head -3 is head -n 3.

CSV, FILE.csv or --input-format csv, is read as by tfparse cat: all of it, for the types
of the columns.`,
		Examples: []string{
			"tfparse head -n 2 testdata/recipes.tfrecord",
			"tfparse head -n 1 --typed testdata/sessions.tfrecord",
			"tfparse head -n 2 --spec testdata/sessions.spec.json --batch 2 --format dense testdata/sessions.tfrecord",
		},
		Flags: func(fs *pflag.FlagSet) {
			c.reading.AddLimit(fs, 10, "print `N` records")
			c.reading.AddWhere(fs)
			c.addSpec(fs)
			c.printing.add(fs)
			cli.OutputVar(fs, &c.output, "write to `FILE`; - is standard output")
			c.reading.Add(fs, "compression")
			c.reading.AddMissingFeatures(fs)
			c.reading.AddCSV(fs, "tfrecord")
		},
		Negative: noFeature,
		Run:      c.run,
	}
}
