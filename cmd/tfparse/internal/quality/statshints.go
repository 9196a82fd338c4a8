package quality

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/statsource"
	"github.com/tfparse/tfparse/internal/namelist"
	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/stats"
)

// missing deals with features that flags name and no record has, and warns about slices without
// records.
func (c *statistics) missing() error {
	if c.result.Examples() == 0 {
		return nil
	}
	o := c.result.Options() // those of the parts, if there are any
	all := map[string]bool{}
	for _, path := range c.result.Features() {
		for _, step := range path {
			all[step] = true
		}
	}
	var texts []string
	listed, err := namelist.Parse(o.Features)
	if err != nil {
		return err
	}
	for _, item := range listed.Unmatched(all) {
		texts = append(texts, nothing(c.result, statsource.NoItem(item, all)))
	}
	for _, name := range slices.Sorted(maps.Keys(o.WeightOf)) {
		if !all[name] {
			texts = append(texts, nothing(c.result, statsource.NoFeature(name, "--weight-of", all)))
		}
	}
	flag := "--slice"
	if c.tuning.slicingConfig != "" {
		flag += " or --slicing-config"
	}
	none, _ := emptySlices(c.env, c.result, flag)
	return c.reading.MissingFeatures(c.env, !cli.IsFile(c.output), append(texts, none...))
}

// emptySlices returns a sentence for each feature of a slice that no record has, and warns about each other slice that
// no record is in. The flag names the slices.
func emptySlices(e *cli.Env, made *stats.Accumulator, flag string) (missing []string, warned bool) {
	if made == nil || made.Examples() == 0 {
		return nil, false
	}
	for _, s := range made.EmptySlices() {
		text, noFeature := statsource.NoSlice(made, s, flag)
		if text = nothing(made, text); noFeature {
			missing = append(missing, text)
		} else {
			e.Console.Print(text)
			warned = true
		}
	}
	return missing, warned
}

// belowZero warns about weights below 0, which are a mistake in most data. TensorFlow Data
// Validation says nothing of them.
func (c *statistics) belowZero(list *pb.DatasetFeatureStatisticsList) {
	o := c.result.Options()
	if o.Weight == "" {
		return
	}
	for _, f := range list.GetDatasets()[0].GetFeatures() {
		if path := f.GetPath().GetStep(); len(path) != 1 || path[0] != o.Weight || f.GetNumStats().GetMin() >= 0 {
			continue
		}
		c.env.Console.Print(fmt.Sprintf("feature %q has weights below 0, down to %g: they are added up as they are, and left out of quantiles",
			o.Weight, f.GetNumStats().GetMin()))
	}
}

// noRecords says why no record could be described, as far as the first of them show it.
func (c *statistics) noRecords() error {
	var texts []string
	if c.first.Counted != nil && c.first.Counted.Examples() > 0 {
		general := statsource.FeatureNames(c.first.Counted)
		for _, w := range c.weights() {
			if !general[w.name] {
				texts = append(texts, statsource.NoFeature(w.name, w.flag, general))
			}
		}
	}
	if len(texts) > 0 && !c.reading.MissingFeaturesAllowed() {
		return cli.UsageErrors(texts)
	}
	return errors.New(strings.Join(append([]string{"no records to describe"}, texts...), ": "))
}

// A weight is a feature that each record must have, and the flag that names it.
type weight struct{ flag, name string }

// weights are those that flags name.
func (c *statistics) weights() (all []weight) {
	if c.opts.Weight != "" {
		all = append(all, weight{"--weight", c.opts.Weight})
	}
	for _, name := range slices.Sorted(maps.Values(c.opts.WeightOf)) {
		all = append(all, weight{"--weight-of", name})
	}
	return all
}

// nothing is a text that begins with "no record", for what was described.
func nothing(made *stats.Accumulator, text string) string {
	const all = "no record"
	if made.Skipped() > 0 {
		return all + " of the sample" + strings.TrimPrefix(text, all)
	}
	return text
}
