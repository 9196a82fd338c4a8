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
		Count: "limit",
		Flags: func(fs *pflag.FlagSet) {
			c.reading.AddLimit(fs, 10, "print `N` records")
			c.reading.AddWhere(fs)
			c.addSpec(fs)
			c.printing.add(fs)
			c.fullVar(fs)
			cli.OutputVar(fs, &c.output, "write to `FILE`; - is standard output")
			c.reading.Add(fs)
			c.reading.AddMissingFeatures(fs)
			c.reading.AddCSV(fs, "tfrecord")
		},
		Run: c.run,
	}
}
