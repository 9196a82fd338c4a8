package reading

import (
	"path/filepath"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/console"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/recordscan"
)

// Title names data by its files, for people.
func Title(in []recordscan.Input) string {
	if len(in) == 0 {
		return "nothing"
	}
	name := filepath.Base(in[0].Name)
	if in[0].Name == recordscan.Stdin {
		name = "standard input"
	}
	if len(in) > 1 {
		name += " and " + cli.Plural(int64(len(in)-1), "more file")
	}
	return name
}

// SizeText is the size of files together, for people; "" if it is not known.
func SizeText(in []recordscan.Input) string {
	if n := recordscan.TotalSize(in); n > 0 {
		return console.Amount(float64(n), float64(n))
	}
	return ""
}
