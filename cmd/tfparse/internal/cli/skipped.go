package cli

import (
	"fmt"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/console"
	"github.com/tfparse/tfparse/tfrecord"
)

// FaultSums sums up faults: skipped ranges of damage, and records that do not fit. Parts have it as JSON.
type FaultSums struct {
	Misfits int64 `json:"misfits"`             // intact records that were left out
	Unfit   int   `json:"unfit"`               // faults about misfits; one fault can cover several
	Ranges  int   `json:"ranges"`              // skipped ranges of bytes
	Records int64 `json:"records"`             // in the ranges, as far as known
	Bytes   int64 `json:"bytes"`               // in the ranges, as far as known
	NoEnd   bool  `json:"no_end,omitempty"`    // a range has no known end
	Uncount bool  `json:"uncounted,omitempty"` // a range holds an unknown number of records
}

// AddRange adds a skipped range.
func (s *FaultSums) AddRange(skipped *tfrecord.SkippedRange) {
	s.Ranges++
	if skipped.Records >= 0 {
		s.Records += skipped.Records
	} else {
		s.Uncount = true
	}
	if skipped.End >= 0 {
		s.Bytes += skipped.End - skipped.Begin
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

// skipped sums up what a run has skipped.
type skipped struct {
	FaultSums
	Files  int // that could not be read, or not to their end
	Shards int // of sets, that are missing

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
