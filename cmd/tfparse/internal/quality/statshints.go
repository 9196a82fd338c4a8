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

// missing handles features that flags name and no record has, and warns about empty slices.
func (c *statistics) missing() error {
	if c.result.Examples() == 0 {
		return nil
	}
	o := c.result.Options() // the parts may have other options
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
		texts = append(texts, sampleText(c.result, statsource.NoItem(item, all)))
	}
	for _, name := range slices.Sorted(maps.Keys(o.WeightOf)) {
		if !all[name] {
			texts = append(texts, sampleText(c.result, statsource.NoFeature(name, "--weight-of", all)))
		}
	}
	flag := "--slice"
	if c.tuning.slicingConfig != "" {
		flag += " or --slicing-config"
	}
	none, _ := emptySlices(c.env, c.result, flag)
	return c.reading.MissingFeatures(c.env, !cli.IsFile(c.output), append(texts, none...))
}

// emptySlices warns about slices that no record is in. For slices by a feature that no record has, it returns messages
// instead. flag is the flag that names the slices.
func emptySlices(e *cli.Env, acc *stats.Accumulator, flag string) (missing []string, warned bool) {
	if acc == nil || acc.Examples() == 0 {
		return nil, false
	}
	for _, s := range acc.EmptySlices() {
		text, noFeature := statsource.NoSlice(acc, s, flag)
		if text = sampleText(acc, text); noFeature {
			missing = append(missing, text)
		} else {
			e.Console.Print(text)
			warned = true
		}
	}
	return missing, warned
}

// warnNegativeWeights warns about negative weights, which are a mistake in most data. TensorFlow Data Validation
// accepts them silently.
func (c *statistics) warnNegativeWeights(list *pb.DatasetFeatureStatisticsList) {
	o := c.result.Options()
	if o.Weight == "" {
		return
	}
	for _, f := range list.GetDatasets()[0].GetFeatures() {
		if path := f.GetPath().GetStep(); len(path) != 1 || path[0] != o.Weight || f.GetNumStats().GetMin() >= 0 {
			continue
		}
		c.env.Console.Print(fmt.Sprintf("feature %q has negative weights, down to %g; quantiles leave them out",
			o.Weight, f.GetNumStats().GetMin()))
	}
}

// noRecords returns the error of a run that described no record. It names weights that the first records do not have.
func (c *statistics) noRecords() error {
	var texts []string
	if c.first.Counted != nil && c.first.Counted.Examples() > 0 {
		present := statsource.FeatureNames(c.first.Counted)
		for _, w := range c.weights() {
			if !present[w.name] {
				texts = append(texts, statsource.NoFeature(w.name, w.flag, present))
			}
		}
	}
	if len(texts) > 0 && !c.reading.MissingFeaturesAllowed() {
		return cli.UsageErrors(texts)
	}
	return errors.New(strings.Join(append([]string{"no records to describe"}, texts...), ": "))
}

// A weight is a feature that every record must have, and the flag that names it.
type weight struct{ flag, name string }

// weights returns the weights that flags name.
func (c *statistics) weights() (all []weight) {
	if c.opts.Weight != "" {
		all = append(all, weight{"--weight", c.opts.Weight})
	}
	for _, name := range slices.Sorted(maps.Values(c.opts.WeightOf)) {
		all = append(all, weight{"--weight-of", name})
	}
	return all
}

// sampleText turns a message that begins with "no record" into one about the sample, if records were sampled.
func sampleText(acc *stats.Accumulator, text string) string {
	const all = "no record"
	if acc.Skipped() > 0 {
		return all + " of the sample" + strings.TrimPrefix(text, all)
	}
	return text
}
