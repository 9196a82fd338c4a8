package quality

import (
	"slices"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/recordscan"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/statsource"
	pb "github.com/tfparse/tfparse/proto/metadatapb"
)

// given returns the statistics that the only input is, or nil if the inputs are records
// or parts. What would say how statistics are made is a mistake then.
func (c *statistics) given(in []recordscan.Input, merge bool) (*pb.DatasetFeatureStatisticsList, error) {
	if merge {
		return nil, c.checkMerge()
	}
	list, details, err := statsource.Given(c.env, in)
	if err != nil {
		return nil, err
	}
	if len(list.GetDatasets()) == 0 {
		return nil, nil // an empty file has no records
	}
	name := c.making()
	if name == "" && c.partial != "" {
		name = "partial"
	}
	if name != "" {
		return nil, cli.Usagef("--%s sets how statistics are made of records, and %s is statistics", name, in[0].Name)
	}
	c.details = details
	return list, nil
}

// makingFlags say how statistics are made of records, and so do --schema and --compat,
// which have a use beside statistics, too.
var makingFlags = append([]string{"weight", "slice", "max-slices", "features", "top", "buckets", "quantiles", "domains", "vocab", "sample-rate"}, tuningFlags...)

// The flags that tfparse stats merge refuses: what parts say themselves, and what is for
// records alone.
var (
	madeBefore = append(slices.Clone(makingFlags), "schema", "compat", "memory")
	forRecords = []string{"type", "on-error", "max-messages", "shard"}
)

// making returns the name of a flag that was given and sets how statistics are made, or
// "". One that says what holds without it says it, too.
func (c *statistics) making() string { return c.firstGiven(makingFlags...) }

// firstGiven returns the first of the names of flags that was given, or "".
func (c *statistics) firstGiven(names ...string) string {
	if i := slices.IndexFunc(names, c.changed); i >= 0 {
		return names[i]
	}
	return ""
}

// checkMerge refuses flags that parts say themselves, and those without a use for parts.
func (c *statistics) checkMerge() error {
	if name := c.firstGiven(madeBefore...); name != "" {
		return cli.Usagef("--%s sets how statistics are made of records, and the parts are made already", name)
	}
	if name := c.firstGiven(forRecords...); name != "" {
		return cli.Usagef("--%s is for records, and parts have none: each of them must be sound", name)
	}
	return nil
}
