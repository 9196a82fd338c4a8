package quality

import (
	"slices"
	"strings"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/statsource"
	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/anomaly"
)

// allExamples is the name of the data set of all slices together.
const allExamples = "All Examples"

// addSlices adds to anomalies of all examples those of each slice, under the names that
// anomaly.ValidateSlices gives them. Slices are compared with those of control data that has
// slices itself.
func (c *validate) addSlices(a *pb.Anomalies) error {
	var names []string
	for _, d := range c.source.Statistics.GetDatasets() {
		names = append(names, d.GetName())
	}
	if len(names) < 2 {
		return nil
	}
	if c.compat.TFDV() {
		c.env.Console.Print("the statistics have " + cli.Plural(int64(len(names)-1), "slice") + ", which --compat tfdv does not check")
		return nil
	}
	opts := c.opts
	for _, list := range []**pb.DatasetFeatureStatisticsList{&opts.Previous, &opts.Serving} {
		if *list == nil {
			continue
		}
		same := &pb.DatasetFeatureStatisticsList{}
		for _, d := range (*list).GetDatasets() {
			if slices.Contains(names, d.GetName()) {
				same.Datasets = append(same.Datasets, d)
			}
		}
		if *list = same; len(same.Datasets) < 2 {
			*list = nil
		}
	}
	c.findings.sliced = true
	each, err := anomaly.ValidateSlices(c.source.Statistics, c.schema, &opts)
	if err != nil {
		return err
	}
	for _, e := range each.GetAnomalyInfo() {
		if slice, _ := sliceOf(e.GetValue().GetPath()); slice != allExamples {
			a.AnomalyInfo = append(a.AnomalyInfo, e)
		}
	}
	for _, d := range each.GetDriftSkewInfo() {
		if slice, _ := sliceOf(d.GetPath()); slice != allExamples {
			a.DriftSkewInfo = append(a.DriftSkewInfo, d)
		}
	}
	a.AnomalyNameFormat = each.AnomalyNameFormat
	return nil
}

// sliceOf takes the slice out of a path that anomaly.ValidateSlices has made, and returns the
// feature in the slice as text.
func sliceOf(path *pb.Path) (slice, feature string) {
	steps := slices.Clone(path.GetStep())
	if len(steps) > 0 {
		if rest, ok := strings.CutPrefix(steps[0], "slice("); ok {
			if i := strings.Index(rest, ")::"); i >= 0 {
				slice, steps[0] = rest[:i], rest[i+len(")::"):]
			}
		}
	}
	return slice, statsource.PathName(steps)
}
