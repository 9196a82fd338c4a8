package command

import (
	"slices"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/dataset"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/detect"
	"github.com/tfparse/tfparse/internal/jsonscan"
)

// completedRecords is how many records completion reads: a shell waits for it.
const completedRecords = 16

// features returns the names of the features of the files among the words of a command line that is being
// completed, as cat prints them. What cannot be read has none: there is nowhere to say why.
func features(e *cli.Env, words []string) (names []string) {
	var patterns []string
	for _, word := range words {
		if file, _ := scan.SplitRange(word); file != cli.Stdin {
			patterns = append(patterns, file)
		}
	}
	var records [][]byte
	for _, pattern := range patterns {
		for rec, err := range dataset.NewFiles([]string{pattern}, nil).Records(e.Ctx).All() {
			if err != nil || len(records) == completedRecords {
				break
			}
			records = append(records, slices.Clone(rec))
		}
	}
	t, _ := detect.Detect(records)
	for _, rec := range records {
		entries, _ := t.Collect(nil, rec)
		for _, entry := range entries {
			names = append(names, printedName(entry.Name))
		}
		if t == example.TypeSequence {
			lists, _ := example.CollectFeatureLists(nil, rec)
			for _, list := range lists {
				names = append(names, printedName(list.Name))
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// printedName is a name as cat prints it, without the quotes.
func printedName(name []byte) string {
	quoted := jsonscan.AppendName(nil, name)
	return string(quoted[1 : len(quoted)-1])
}
