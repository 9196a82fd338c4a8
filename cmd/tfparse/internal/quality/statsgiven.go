package quality

import (
	"slices"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
)

// given reads the statistics that the inputs are, if they are any. What would say how statistics are
// made is a mistake then.
func (c *statistics) given() error {
	if c.partial.Merge {
		return nil
	}
	if err := c.source.Read(c.env); err != nil {
		return err
	}
	if err := c.source.NoParts(); err != nil {
		return err
	}
	switch name := c.making(); {
	case c.source.Statistics == nil && c.source.Slice == "":
		return nil
	case c.partial.Name != "":
		return cli.Usagef("--partial writes statistics of all records of files, and %s is something else", c.source.Inputs[0].Name)
	case c.source.Statistics != nil && name != "":
		return cli.Usagef("--%s sets how statistics are made of records, and %s is statistics", name, c.source.Inputs[0].Name)
	case c.source.Statistics != nil:
		return nil
	case len(c.slices.values) > 0 || c.tuning.slicingConfig != "":
		return cli.Usagef("?slice=%s is one slice of the records, and --slice and --slicing-config make slices of all", c.source.Slice)
	}
	return c.source.Add(&c.opts)
}

// makingFlags say how statistics are made of records, and so does --schema,
// which has a use beside statistics, too.
var makingFlags = slices.Concat([]string{"weight", "slice", "max-slices", "select", "drop", "top", "buckets", "quantiles", "domains", "vocab", "sample-rate"}, tuningFlags, scan.CSVFlags)

// making returns the name of a flag that was given and sets how statistics are made, or
// "". A flag that is given its default value counts.
func (c *statistics) making() string {
	if i := slices.IndexFunc(makingFlags, c.changed); i >= 0 {
		return makingFlags[i]
	}
	return ""
}
