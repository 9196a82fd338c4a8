package quality

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	pb "github.com/tfparse/tfparse/proto/metadatapb"
)

// hint warns about features that flags name and no record has, and about slices without
// records. If some features were left out for lack of memory, it cannot know and says nothing.
func (c *statistics) hint(list *pb.DatasetFeatureStatisticsList) {
	if c.result.LeftOut() > 0 || c.result.Examples() == 0 {
		return
	}
	o := c.result.Options() // those of the parts, if there are any
	general, all := map[string]bool{}, map[string]bool{}
	for _, path := range c.result.Features() {
		for _, step := range path {
			all[step] = true
		}
		if len(path) == 1 {
			general[path[0]] = true
		}
	}
	for _, name := range o.FeatureAllowlist {
		c.missing(name, "--features", all)
	}
	for _, s := range o.Slices {
		for _, name := range slices.Sorted(maps.Keys(s)) {
			c.missing(name, "--slice", general)
		}
	}
	if len(o.Slices) > 0 && len(list.GetDatasets()) == 1 && len(c.result.LostSlices()) == 0 {
		c.env.Console.Print(c.nothing("no record is in a slice of those that --slice names"))
	}
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
		c.env.Console.Print(c.nothing(noFeature(name, flag, there)))
	}
}

// nothing is a text that begins with "no record", for what was described.
func (c *statistics) nothing(text string) string {
	const all = "no record"
	if c.result.Skipped() > 0 {
		return all + " of the sample" + strings.TrimPrefix(text, all)
	}
	return text
}

func noFeature(name, flag string, there map[string]bool) string {
	return fmt.Sprintf("no record has a feature %q, which %s names", name, flag) + cli.Suggest(name, slices.Collect(maps.Keys(there)))
}

// noRecords says why no record could be described, as far as the first of them show it.
func (c *statistics) noRecords() error {
	const text = "no records to describe"
	weight := c.opts.WeightFeature
	if weight == "" || c.first.Counted == nil || c.first.Counted.Examples() == 0 {
		return errors.New(text)
	}
	general := map[string]bool{}
	for _, path := range c.first.Counted.Features() {
		if len(path) == 1 {
			general[path[0]] = true
		}
	}
	if general[weight] {
		return errors.New(text)
	}
	return fmt.Errorf("%s: %s", text, noFeature(weight, "--weight", general))
}
