package statsource

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/console"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/internal/jsonscan"
	"github.com/tfparse/tfparse/internal/namelist"
	"github.com/tfparse/tfparse/validate/stats"
)

// Caveats warns about approximate statistics, and about values that were not counted.
func Caveats(e *cli.Env, a *stats.Accumulator) {
	errs := a.Errors()
	var approximate []string
	for _, n := range []struct {
		err  float64
		text string
	}{
		{errs.Rank, "quantiles are off by up to %.2g%% in rank"},
		{errs.Count, "counts of frequent values are too large by up to %.2g%% of all values"},
		{errs.Unique, "numbers of different values are off by about %.2g%%"},
	} {
		if n.err > 0 {
			approximate = append(approximate, fmt.Sprintf(n.text, 100*n.err))
		}
	}
	if errs.Long {
		approximate = append(approximate, "some values are too long to be counted")
	}
	if len(approximate) > 0 {
		e.Console.Print("there are many different values: " + strings.Join(approximate, ", "))
	}
}

// Conflicts warns about features with values of several types. addresses are those of the described records. If
// reported is not nil, Conflicts skips the paths for which it returns true.
func Conflicts(e *cli.Env, a *stats.Accumulator, addresses *scan.Addresses, reported func(path []string) bool) {
	for _, f := range a.Conflicts() {
		if reported != nil && reported(f.Path) {
			continue
		}
		name := PathName(f.Path) // quotes steps with dots
		if len(f.Path) == 1 {
			name = string(jsonscan.AppendName(nil, []byte(f.Path[0])))
		}
		text := fmt.Sprintf("feature %s has values of several types:", name)
		for i, kind := range slices.Sorted(maps.Keys(f.Kinds)) {
			sep := ","
			if i == 0 {
				sep = ""
			}
			text += fmt.Sprintf("%s %s in %s, first in %s", sep, kind, cli.Plural(int64(f.Kinds[kind]), "record"), addresses.Of(int64(f.First[kind])))
		}
		e.Console.Print(console.OneLine(text + "; the most frequent one is described"))
		e.Raise(cli.ExitSkipped)
	}
}

// NoFeature returns the sentence that no record has the feature name, which a flag names. It suggests the most similar
// of the names in present.
func NoFeature(name, flag string, present map[string]bool) string {
	return missingFeature(&namelist.Item{Text: name}, flag, present)
}

// NoItem is NoFeature for a name or pattern of --select or --drop.
func NoItem(item *namelist.Item, present map[string]bool) string {
	return missingFeature(item, scan.FlagOf(item), present)
}

func missingFeature(item *namelist.Item, flag string, present map[string]bool) string {
	return fmt.Sprintf("no record has a feature %q, which %s names", item.Text, flag) + item.Question(slices.Collect(maps.Keys(present)))
}

// FeatureNames returns the names of the features in the records, without feature lists and features of examples.
func FeatureNames(made *stats.Accumulator) map[string]bool {
	names := map[string]bool{}
	for _, path := range made.Features() {
		if len(path) == 1 {
			names[path[0]] = true
		}
	}
	return names
}

// NoSlice says why no record is in a slice that a flag names. missing reports that no record has one of its features.
func NoSlice(made *stats.Accumulator, s stats.Slice, flag string) (text string, missing bool) {
	present := FeatureNames(made)
	for _, name := range slices.Sorted(maps.Keys(s)) {
		if !present[name] {
			return NoFeature(name, flag, present), true
		}
	}
	return "no record is in the slice" + SliceText([]stats.Slice{s}) + ", which " + flag + " names", false
}
