package quality

import (
	"errors"
	"fmt"
	"strings"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/statsource"
	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/stats"
)

// hint warns about features that flags name and no record has, and about slices without
// records. If some features were left out for lack of memory, it cannot know and says nothing.
func (c *statistics) hint() {
	if c.result.LeftOut() > 0 || c.result.Examples() == 0 {
		return
	}
	o := c.result.Options() // those of the parts, if there are any
	all := map[string]bool{}
	for _, path := range c.result.Features() {
		for _, step := range path {
			all[step] = true
		}
	}
	for _, name := range o.FeatureAllowlist {
		c.missing(name, "--features", all)
	}
	hintSlices(c.env, c.result)
}

// hintSlices warns about each --slice that no record is in, and reports whether there is one.
func hintSlices(e *cli.Env, made *stats.Accumulator) bool {
	if made == nil || made.Examples() == 0 {
		return false
	}
	none := made.EmptySlices()
	for _, s := range none {
		e.Console.Print(nothing(made, statsource.NoSlice(made, s, "--slice")))
	}
	return len(none) > 0
}

// belowZero warns about weights below 0, which are a mistake in most data. TensorFlow Data
// Validation says nothing of them.
func (c *statistics) belowZero(list *pb.DatasetFeatureStatisticsList) {
	o := c.result.Options()
	if o.WeightFeature == "" || o.TFDV {
		return
	}
	for _, f := range list.GetDatasets()[0].GetFeatures() {
		if path := f.GetPath().GetStep(); len(path) != 1 || path[0] != o.WeightFeature || f.GetNumStats().GetMin() >= 0 {
			continue
		}
		c.env.Console.Print(fmt.Sprintf("feature %q has weights below 0, down to %g: they are added up as they are, and left out of quantiles",
			o.WeightFeature, f.GetNumStats().GetMin()))
	}
}

// missing warns about a feature that flags name and no record has.
func (c *statistics) missing(name, flag string, there map[string]bool) {
	if !there[name] {
		c.env.Console.Print(nothing(c.result, statsource.NoFeature(name, flag, there)))
	}
}

// nothing is a text that begins with "no record", for what was described.
func nothing(made *stats.Accumulator, text string) string {
	const all = "no record"
	if made.Skipped() > 0 {
		return all + " of the sample" + strings.TrimPrefix(text, all)
	}
	return text
}

// noRecords says why no record could be described, as far as the first of them show it.
func (c *statistics) noRecords() error {
	const text = "no records to describe"
	weight := c.opts.WeightFeature
	if weight == "" || c.first.Counted == nil || c.first.Counted.Examples() == 0 {
		return errors.New(text)
	}
	general := statsource.General(c.first.Counted)
	if general[weight] {
		return errors.New(text)
	}
	return fmt.Errorf("%s: %s", text, statsource.NoFeature(weight, "--weight", general))
}
