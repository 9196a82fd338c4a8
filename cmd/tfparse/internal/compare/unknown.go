package compare

import (
	"fmt"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
)

// unknownFault is the fault of a file whose records hold none of the messages known here.
func unknownFault(u *scan.Unknown) *scan.Fault {
	return &scan.Fault{
		File: u.File, Class: scan.ClassMessage, Record: -1, Offset: -1, Compressed: -1, LooksLike: u.LooksLike, Records: u.Records,
		Err: fmt.Errorf("%s of %w%s; --type raw takes their bytes", cli.Plural(u.Records, "record"), scan.ErrUnknown, scan.InBrackets(u.LooksLike)),
	}
}
