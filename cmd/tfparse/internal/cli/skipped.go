package cli

import (
	"fmt"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/console"
	"github.com/tfparse/tfparse/tfrecord"
)

// FaultSums counts skipped ranges and intact records that were left out. The files of --partial store it as JSON.
type FaultSums struct {
	Misfits int64 `json:"misfits"`             // number of intact records that were left out
	Unfit   int   `json:"unfit"`               // number of faults about misfits; a fault can cover several records
	Ranges  int   `json:"ranges"`              // number of skipped ranges
	Records int64 `json:"records"`             // known number of records in the ranges
	Bytes   int64 `json:"bytes"`               // known size of the ranges
	NoEnd   bool  `json:"no_end,omitempty"`    // the end of a range is not known
	Uncount bool  `json:"uncounted,omitempty"` // the number of records in a range is not known
}

// AddRange adds a skipped range.
func (s *FaultSums) AddRange(skipSummary *tfrecord.SkippedRange) {
	s.Ranges++
	if skipSummary.Records >= 0 {
		s.Records += skipSummary.Records
	} else {
		s.Uncount = true
	}
	if skipSummary.End >= 0 {
		s.Bytes += skipSummary.End - skipSummary.Begin
	} else {
		s.NoEnd = true
	}
}

// AddMisfits adds a fault about n records that do not fit.
func (s *FaultSums) AddMisfits(n int64) {
	s.Unfit++
	s.Misfits += n
}

// AddSums adds the sums of other faults.
func (s *FaultSums) AddSums(o *FaultSums) {
	s.Misfits += o.Misfits
	s.Unfit += o.Unfit
	s.Ranges += o.Ranges
	s.Records += o.Records
	s.Bytes += o.Bytes
	s.NoEnd = s.NoEnd || o.NoEnd
	s.Uncount = s.Uncount || o.Uncount
}

// skipSummary sums up what a run has skipped.
type skipSummary struct {
	FaultSums
	Files  int // number of files that could not be read to their end
	Shards int // number of missing shards

	// Numbers of ranges and misfits without a message.
	UnprintedRanges, UnprintedMisfits int64
}

// Any reports whether anything was skipped.
func (l *skipSummary) Any() bool { return *l != skipSummary{} }

// summary prints the sums.
func (l *skipSummary) summary(c *console.Console) {
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
	helpText := "skipped"
	sep := " "
	part := func(format string, args ...any) {
		helpText += sep + fmt.Sprintf(format, args...)
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
	c.Print(helpText)
}

// atLeast is Plural for a number that may be too low.
func atLeast(n int64, noun string, open bool) string {
	switch {
	case !open:
		return Plural(n, noun)
	case n == 0:
		return "an unknown number of " + noun + "s"
	}
	return "at least " + Plural(n, noun)
}

// Plural returns a number with its noun: 1 record, 2 records.
func Plural(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
