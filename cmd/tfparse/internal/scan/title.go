package scan

import (
	"path/filepath"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/console"
)

// A FileSet is what a page says of the files of a data set.
type FileSet struct {
	First string // the name of the first file; "" if there is none
	Files int    // how many there are
	Bytes int64  // in all of them, as they are stored; 0 if that is not known
}

// FileSetOf returns what a page says of inputs.
func FileSetOf(in []Input) FileSet {
	s := FileSet{Files: len(in), Bytes: TotalSize(in)}
	if len(in) > 0 {
		s.First = in[0].Name
	}
	return s
}

// Title names the data by its files.
func (s FileSet) Title() string {
	if s.Files == 0 {
		return "nothing"
	}
	name := filepath.Base(s.First)
	if s.First == Stdin {
		name = "standard input"
	}
	if s.Files > 1 {
		name += " and " + cli.Plural(int64(s.Files-1), "more file")
	}
	return name
}

// SizeText is the size of the files together; "" if it is not known.
func (s FileSet) SizeText() string {
	if s.Bytes > 0 {
		return console.Amount(float64(s.Bytes), float64(s.Bytes))
	}
	return ""
}
