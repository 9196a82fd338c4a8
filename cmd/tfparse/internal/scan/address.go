package scan

import (
	"fmt"
	"sort"

	"github.com/tfparse/tfparse/tfrecord"
)

// Address names a record as FILE#5. Whatever prints a record for people or programs prints this, and every verb that takes records
// by number reads it.
func Address(file string, record int64) string { return fmt.Sprintf("%s#%d", file, record) }

// PlaceOf is the place of a record in messages: its address, then what the coordinates mean.
func PlaceOf(pos tfrecord.Position) string {
	return fmt.Sprintf("%s: record %d (offset %#x)", Address(pos.Name, pos.Record), pos.Record, pos.Offset)
}

// Addresses finds the address of a record by its ordinal among all records that were added: reports that are made of sums know
// nothing else of it. The zero value has no records.
type Addresses struct {
	Records int64        `json:"records"`        // that were added
	Runs    []addressRun `json:"runs,omitempty"` // in the order of their ordinals, at most mostRuns
	Known   int64        `json:"known"`          // records that the runs cover, the first ones
}

// An addressRun is records of one file without a gap between them.
type addressRun struct {
	First  int64  `json:"first"`  // ordinal of the first record
	File   []byte `json:"file"`   // its file; JSON has no strings but UTF-8
	Record int64  `json:"record"` // its number there
}

// mostRuns limits the memory: a file takes one run, and one more for each gap that damage leaves.
const mostRuns = 1 << 16

// Add adds the next record.
func (a *Addresses) Add(pos tfrecord.Position) {
	ordinal := a.Records
	a.Records++
	if n := len(a.Runs); n > 0 {
		last := &a.Runs[n-1]
		if a.Known == ordinal && pos.Record-last.Record == ordinal-last.First && string(last.File) == pos.Name {
			a.Known++
			return
		}
	}
	a.addRun(addressRun{ordinal, []byte(pos.Name), pos.Record}, 1)
}

// addRun adds a run of n records, if those before it are known and there is room.
func (a *Addresses) addRun(run addressRun, n int64) {
	if a.Known == run.First && len(a.Runs) < mostRuns {
		a.Runs = append(a.Runs, run)
		a.Known += n
	}
}

// Merge adds the records of o after those of a.
func (a *Addresses) Merge(o *Addresses) {
	for i, run := range o.Runs {
		end := o.Known
		if i+1 < len(o.Runs) {
			end = o.Runs[i+1].First
		}
		n := end - run.First
		run.First += a.Records
		if last := len(a.Runs) - 1; last >= 0 && a.Known == run.First && string(a.Runs[last].File) == string(run.File) && run.Record-a.Runs[last].Record == run.First-a.Runs[last].First {
			a.Known += n
			continue
		}
		a.addRun(run, n)
	}
	a.Records += o.Records
}

// Of returns the address of a record, or how many come before it if that is all that is known.
func (a *Addresses) Of(ordinal int64) string {
	i := sort.Search(len(a.Runs), func(i int) bool { return a.Runs[i].First > ordinal }) - 1
	if i < 0 || ordinal >= a.Known {
		return fmt.Sprintf("record %d of all", ordinal)
	}
	run := &a.Runs[i]
	return Address(string(run.File), run.Record+ordinal-run.First)
}
