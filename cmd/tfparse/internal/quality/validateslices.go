package quality

import (
	"slices"

	"github.com/spf13/pflag"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/statsource"
	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/anomaly"
	"github.com/tfparse/tfparse/validate/stats"
)

// checksSlices reports whether slices are checked. TensorFlow Data Validation's validate_statistics does not, and
// validate_corresponding_slices does.
func (c *validate) checksSlices() bool {
	if c.compat.TFDV() {
		return c.eachSlice && c.changed("check-slices")
	}
	return c.eachSlice
}

// sliced reports whether the statistics have slices.
func (c *validate) sliced() bool { return len(c.source.Statistics.GetDatasets()) > 1 }

// noteSlices says that slices are not checked, if that was not asked for.
func (c *validate) noteSlices() {
	if c.sliced() && c.compat.TFDV() && !c.checksSlices() {
		c.env.Console.Print("the statistics have " + cli.Plural(int64(len(c.source.Statistics.GetDatasets())-1), "slice") + ", which --compat tfdv checks with --check-slices only")
	}
}

// findAnomalies compares the statistics with the schema, and so each slice of them.
func (c *validate) findAnomalies() (*pb.Anomalies, error) {
	c.opts.Slices = c.checksSlices() && c.sliced()
	if c.opts.Slices && !c.compat.TFDV() {
		for i, other := range c.controls[:2] {
			if other.Statistics != nil && len(other.Statistics.GetDatasets()) < 2 {
				c.env.Console.Print([]string{"--previous", "--serving"}[i] + " has no slices: those of the statistics are compared with the schema alone")
			}
		}
	}
	return anomaly.Validate(c.source.Statistics, c.schema, &c.opts)
}

// sliceNames are the names of all slices, also of the data that they are compared with.
func (c *validate) sliceNames() map[string]bool {
	all := map[string]bool{}
	for _, s := range append(slices.Clone(c.controls[:]), c.source) {
		for _, d := range s.Statistics.GetDatasets() {
			all[d.GetName()] = true
		}
	}
	return all
}

// sliceOf takes the slice out of a path that anomaly.Validate has made, and returns the
// feature in the slice as text.
func sliceOf(path *pb.Path, known map[string]bool) (slice, feature string) {
	steps := slices.Clone(path.GetStep())
	if len(steps) > 0 {
		slice, steps[0] = anomaly.CutSlice(steps[0], known)
	}
	return slice, statsource.PathName(steps)
}

// A slicing is the flags that divide records into slices.
type slicing struct {
	values []string
	most   int
}

func (s *slicing) add(fs *pflag.FlagSet, usage string) {
	fs.StringArrayVar(&s.values, "slice", nil, usage)
	fs.IntVar(&s.most, "max-slices", 1000, "at most `N` slices of a --slice")
}

// fill checks the flags, and sets the options.
func (s *slicing) fill(o *stats.Options) error {
	if s.most < 1 {
		return cli.Usagef("--max-slices is at least 1")
	}
	o.MaxSlices = s.most
	for _, text := range s.values {
		one, err := statsource.ParseSlice(text, true)
		if err != nil {
			return cli.Usagef("--slice %s: %v", text, err)
		}
		o.Slices = append(o.Slices, one)
	}
	return nil
}
