package main

import "github.com/spf13/pflag"

func headCommand() *command {
	c := &cat{limit: 10}
	return &command{
		name:  "head",
		args:  "FILE[#RECORDS]...",
		count: "limit",
		short: "print the first records as JSON lines",
		long: `
Print the first records of all files together, as tfparse cat --limit N does.
Nothing behind them is looked at, except to find their type: where more records
are slow to come, --type saves waiting for them.

FILE#5 is record 5 of a file, counted from 0, and FILE#5:9 are records 5 to 8: all
of them, unless -n says otherwise. head -3 is head -n 3.`,
		examples: []string{
			"tfparse head -n 2 testdata/recipes.tfrecord",
			"tfparse head -n 1 --typed testdata/sessions.tfrecord",
			"tfparse head -n 2 --spec testdata/sessions.spec.json --batch 2 --format dense testdata/sessions.tfrecord",
		},
		flags: func(fs *pflag.FlagSet) {
			fs.Int64VarP(&c.limit, "limit", "n", c.limit, "print `N` records")
			c.addSpec(fs)
			c.printing.add(fs)
			outputVar(fs, &c.output, "write to `FILE`; - is standard output")
			c.reading.add(fs, "compression")
			c.limited = func() bool { return fs.Changed("limit") }
		},
		run: c.run,
	}
}
