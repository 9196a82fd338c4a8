package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/console"
	"github.com/tfparse/tfparse/validate/stats"
)

// caveats says what whoever uses statistics should know of them: what is not described, or
// not exactly.
func (e *env) caveats(a *stats.Accumulator) {
	e.leftOut(a)
	if most, size := a.Options().Memory, a.Size(); size > most+most/4+1<<20 {
		e.console.Print(fmt.Sprintf("the statistics take %s, and cannot be cut to the %s that --memory leaves them: there are many features", megabytes(size), megabytes(most)))
	}
	near := "frequent values are near, not exact"
	switch off := a.RankError(); {
	case off > 0:
		e.console.Print(fmt.Sprintf("not all of it fits into --memory: quantiles are off by up to %.2g%% in rank, and %s", 100*off, near))
	case !a.Exact() && a.LeftOut() == 0:
		e.console.Print("not all of it fits into --memory: " + near)
	}
}

// conflicts tells of features with values of several types, but of those that told says
// it is told of. It may be nil.
func (e *env) conflicts(a *stats.Accumulator, told func(path []string) bool) {
	for _, f := range a.Conflicts() {
		if told != nil && told(f.Path) {
			continue
		}
		text := fmt.Sprintf("feature %q has values of several types:", strings.Join(f.Path, "/"))
		for i, kind := range slices.Sorted(maps.Keys(f.Kinds)) {
			sep := ","
			if i == 0 {
				sep = ""
			}
			text += fmt.Sprintf("%s %s in %s, first in record %d", sep, kind, plural(int64(f.Kinds[kind]), "record"), f.First[kind])
		}
		e.console.Print(console.OneLine(text + "; the most frequent one is described"))
		e.raise(exitLost)
	}
}

// leftOut tells of features and slices that there was no memory for.
func (e *env) leftOut(a *stats.Accumulator) {
	if a.LeftOut() == 0 {
		return
	}
	e.console.Print("there was no memory for all features and slices: what is not described may be in the records all the same; --memory says how much there is")
	e.raise(exitLost)
}

// megabytes is a size for people.
func megabytes(size int64) string { return fmt.Sprintf("%.1f MB", float64(size)/1e6) }
