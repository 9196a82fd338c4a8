package files

import (
	"fmt"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/console"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
)

// unknownType is the type of records that hold none of the messages known here, in reports.
const unknownType = "unknown"

// unknownFiles are the files whose records hold none of the messages known here. They are
// no faults for verbs that ask about files, and a warning, one for all of them.
type unknownFiles struct {
	n     int
	first string
	looks string
}

func (u *unknownFiles) add(file, looks string) {
	if u.n++; u.n == 1 {
		u.first, u.looks = file, looks
	}
}

// warn prints the warning, if there is something to warn of. format says it of one file, by
// its name and what it looks like in brackets.
func (u *unknownFiles) warn(c *console.Console, format string) {
	if u.n == 0 {
		return
	}
	text := fmt.Sprintf(format, u.first, scan.InBrackets(u.looks))
	if u.n > 1 {
		text += fmt.Sprintf(" (and so for %s)", cli.Plural(int64(u.n-1), "more file"))
	}
	c.Print(text)
}
