package cli

import (
	"fmt"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/console"
)

// skipped sums up what was skipped.
type skipped struct {
	Ranges  int   // of bytes
	Bytes   int64 // in them, as far as known
	Records int64 // in them, as far as known
	NoEnd   bool  // a range has no known end
	Uncount bool  // a range holds an unknown number of records
	Misfits int64 // intact records that were left out
	Files   int   // that could not be read, or not to their end
	Shards  int   // of sets, that are missing
	Unfit   int   // faults about misfits; one fault can cover several

	// Ranges and misfits that were counted without a message.
	UnprintedRanges, UnprintedMisfits int64
}

func (l *skipped) Any() bool { return *l != skipped{} }

// summary prints what was skipped in all.
func (l *skipped) summary(c *console.Console) {
	if !l.Any() {
		return
	}
	for _, unprinted := range []struct {
		n    int64
		what string
	}{{l.UnprintedRanges, "range"}, {l.UnprintedMisfits, "record"}} {
		if unprinted.n > 0 {
			c.Print(fmt.Sprintf("and %s; --max-messages prints them", Plural(unprinted.n, "more "+unprinted.what)))
		}
	}
	text := "skipped"
	sep := " "
	part := func(format string, args ...any) {
		text += sep + fmt.Sprintf(format, args...)
		sep = ", "
	}
	if l.Ranges > 0 {
		part("%s of damage (%s, %s)", Plural(int64(l.Ranges), "range"),
			atLeast(l.Bytes, "byte", l.NoEnd), atLeast(l.Records, "record", l.Uncount))
	}
	if l.Misfits > 0 {
		part("%s that did not fit", Plural(l.Misfits, "record"))
	}
	if l.Files > 0 {
		part("%s that could not be read", Plural(int64(l.Files), "input"))
	}
	if l.Shards > 0 {
		part("%s", Plural(int64(l.Shards), "missing shard"))
	}
	c.Print(text)
}

// atLeast is plural for a number that may not be all.
func atLeast(n int64, noun string, open bool) string {
	switch {
	case !open:
		return Plural(n, noun)
	case n == 0:
		return "an unknown number of " + noun + "s"
	}
	return "at least " + Plural(n, noun)
}

// Plural is a number with its noun: 1 record, 2 records.
func Plural(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
