package main

import (
	"fmt"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/console"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/walk"
)

// losses sums up what was stepped over.
type losses struct {
	ranges  int   // of bytes
	bytes   int64 // in them, as far as known
	records int64 // in them, as far as known
	noEnd   bool  // a range has no known end
	uncount bool  // a range holds an unknown number of records
	misfits int64 // intact records that were left out
	files   int   // that could not be read, or not to their end
	shards  int   // of sets, that are missing
	unfit   int   // faults about misfits, of which one may be about many

	// Of the ranges and misfits those that were only counted.
	untoldRanges, untoldMisfits int64
}

func (l *losses) any() bool { return *l != losses{} }

// fault deals with a fault as the flag --on-error says: it returns it, or
// reports it and counts what is lost. After --max-messages about records it only counts.
func (e *env) fault(f *walk.Fault, r *reading) error {
	if r.onError == stop {
		return f
	}
	message := f.Error()
	l := &e.losses
	switch loss := f.Loss; {
	case f.Class == walk.ClassMessage:
		n := max(f.Records, 1)
		l.misfits += n
		if l.unfit++; l.unfit > int(r.messages) {
			l.untoldMisfits += n
			return nil
		}
	case loss == nil:
		l.files++
	default:
		l.ranges++
		if loss.Records >= 0 {
			l.records += loss.Records
		} else {
			l.uncount = true
		}
		if loss.End >= 0 {
			l.bytes += loss.End - loss.Begin
			message += fmt.Sprintf("; lost bytes %#x to %#x", loss.Begin, loss.End)
		} else {
			l.noEnd = true
			message += fmt.Sprintf("; lost everything from byte %#x", loss.Begin)
		}
		if l.ranges > int(r.messages) {
			l.untoldRanges++
			return nil
		}
	}
	e.console.Print(message)
	return nil
}

// summary says what was lost in all.
func (l *losses) summary(c *console.Console) {
	if !l.any() {
		return
	}
	for _, untold := range []struct {
		n    int64
		what string
	}{{l.untoldRanges, "range"}, {l.untoldMisfits, "record"}} {
		if untold.n > 0 {
			c.Print(fmt.Sprintf("and %s; --max-messages prints them", plural(untold.n, "more "+untold.what)))
		}
	}
	text := "skipped"
	sep := " "
	part := func(format string, args ...any) {
		text += sep + fmt.Sprintf(format, args...)
		sep = ", "
	}
	if l.ranges > 0 {
		part("%s of damage (%s, %s)", plural(int64(l.ranges), "range"),
			atLeast(l.bytes, "byte", l.noEnd), atLeast(l.records, "record", l.uncount))
	}
	if l.misfits > 0 {
		part("%s that did not fit", plural(l.misfits, "record"))
	}
	if l.files > 0 {
		part("%s that could not be read", plural(int64(l.files), "input"))
	}
	if l.shards > 0 {
		part("%s", plural(int64(l.shards), "missing shard"))
	}
	c.Print(text)
}

// atLeast is plural for a number that may not be all.
func atLeast(n int64, noun string, open bool) string {
	switch {
	case !open:
		return plural(n, noun)
	case n == 0:
		return "an unknown number of " + noun + "s"
	}
	return "at least " + plural(n, noun)
}

func plural(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
