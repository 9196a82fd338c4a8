package statsource

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/console"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/validate/stats"
)

// Caveats warns about features and values that are left out of statistics or are not exact.
func Caveats(e *cli.Env, a *stats.Accumulator) {
	off := a.Errors()
	var near []string
	for _, n := range []struct {
		off  float64
		text string
	}{
		{off.Rank, "quantiles are off by up to %.2g%% in rank"},
		{off.Count, "counts of frequent values are too large by up to %.2g%% of all values"},
		{off.Unique, "numbers of different values are off by about %.2g%%"},
	} {
		if n.off > 0 {
			near = append(near, fmt.Sprintf(n.text, 100*n.off))
		}
	}
	if off.Long {
		near = append(near, "some values are too long to be counted")
	}
	if len(near) > 0 {
		e.Console.Print("there are many different values: " + strings.Join(near, ", "))
	}
}

// Conflicts warns of features with values of several types, with the addresses of the records that were described, except those for which
// reported, if not nil, returns true.
func Conflicts(e *cli.Env, a *stats.Accumulator, at *scan.Addresses, reported func(path []string) bool) {
	for _, f := range a.Conflicts() {
		if reported != nil && reported(f.Path) {
			continue
		}
		text := fmt.Sprintf("feature %q has values of several types:", PathName(f.Path))
		for i, kind := range slices.Sorted(maps.Keys(f.Kinds)) {
			sep := ","
			if i == 0 {
				sep = ""
			}
			text += fmt.Sprintf("%s %s in %s, first in %s", sep, kind, cli.Plural(int64(f.Kinds[kind]), "record"), at.Of(int64(f.First[kind])))
		}
		e.Console.Print(console.OneLine(text + "; the most frequent one is described"))
		e.Raise(cli.ExitSkipped)
	}
}
