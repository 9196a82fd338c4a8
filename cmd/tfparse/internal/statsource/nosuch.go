package statsource

import (
	"fmt"
	"maps"
	"slices"

	"github.com/tfparse/tfparse/validate/stats"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/internal/namelist"
)

// NoFeature says that no record has a feature that a flag names, and which name of those in the records is the nearest.
func NoFeature(name, flag string, there map[string]bool) string {
	return noFeature(&namelist.Item{Text: name}, flag, there)
}

// NoItem is NoFeature for a name or pattern of --select and --drop.
func NoItem(item *namelist.Item, there map[string]bool) string {
	return noFeature(item, scan.FlagOf(item), there)
}

func noFeature(item *namelist.Item, flag string, there map[string]bool) string {
	return fmt.Sprintf("no record has a feature %q, which %s names", item.Text, flag) + item.Question(slices.Collect(maps.Keys(there)))
}

// General returns the names of the features that the records have, but those of lists.
func General(made *stats.Accumulator) map[string]bool {
	names := map[string]bool{}
	for _, path := range made.Features() {
		if len(path) == 1 {
			names[path[0]] = true
		}
	}
	return names
}

// NoSlice says why no record is in a slice that a flag names. missing means that no record has a feature of it.
func NoSlice(made *stats.Accumulator, s stats.Slice, flag string) (text string, missing bool) {
	there := General(made)
	for _, name := range slices.Sorted(maps.Keys(s)) {
		if !there[name] {
			return NoFeature(name, flag, there), true
		}
	}
	return "no record is in the slice" + sliceText([]stats.Slice{s}) + ", which " + flag + " names", false
}
