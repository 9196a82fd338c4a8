package compare

import (
	"fmt"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/recordscan"
)

// unknownFault is the fault of a file whose records hold none of the messages known here.
func unknownFault(u *recordscan.Unknown) *recordscan.Fault {
	return &recordscan.Fault{
		File: u.File, Class: recordscan.ClassMessage, Record: -1, Offset: -1, Compressed: -1, LooksLike: u.LooksLike, Records: u.Records,
		Err: fmt.Errorf("%s of %w%s; --type raw takes their bytes", cli.Plural(u.Records, "record"), recordscan.ErrUnknown, recordscan.InBrackets(u.LooksLike)),
	}
}
