package scan

import (
	"fmt"
	"sort"

	"github.com/tfparse/tfparse/tfrecord"
)

// Address returns the address of a record, such as FILE#5. Reports print it, and verbs that take records by ordinal
// accept it.
func Address(file string, record int64) string { return fmt.Sprintf("%s#%d", file, record) }

// PlaceOf returns the position of a record for messages: its address, ordinal and offset.
func PlaceOf(pos tfrecord.Position) string {
	return Address(pos.Name, pos.Record) + ": " + placeInFile(pos.Record, pos.Offset)
}

// placeInFile returns the ordinal and the offset of a record for messages. The offset is -1 for rows of Parquet and Arrow.
func placeInFile(record, offset int64) string {
	if offset < 0 {
		return fmt.Sprintf("record %d", record)
	}
	return fmt.Sprintf("record %d (offset %#x)", record, offset)
}

// Addresses maps ordinals among all added records to addresses. Merged results, such as statistics, have only ordinals.
// The zero value is empty.
type Addresses struct {
	Records int64        `json:"records"`        // number of added records
	Runs    []addressRun `json:"runs,omitempty"` // in the order of their ordinals, at most maxRuns
	Known   int64        `json:"known"`          // number of records that runs cover; they are the first ones
}

// An addressRun is consecutive records of one file.
type addressRun struct {
	First  int64  `json:"first"`  // ordinal of the first record
	File   []byte `json:"file"`   // name of the file; bytes, since JSON strings are UTF-8
	Record int64  `json:"record"` // ordinal of the first record in the file
}

// maxRuns limits the memory. A file takes one run, and another one for each skipped range.
const maxRuns = 1 << 16

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
	a.appendRun(addressRun{ordinal, []byte(pos.Name), pos.Record}, 1)
}

// appendRun adds a run of n records, unless an earlier run was left out or there are maxRuns.
func (a *Addresses) appendRun(run addressRun, n int64) {
	if a.Known == run.First && len(a.Runs) < maxRuns {
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
		a.appendRun(run, n)
	}
	a.Records += o.Records
}

// Of returns the address of a record, or its ordinal if no run covers it.
func (a *Addresses) Of(ordinal int64) string {
	i := sort.Search(len(a.Runs), func(i int) bool { return a.Runs[i].First > ordinal }) - 1
	if i < 0 || ordinal >= a.Known {
		return fmt.Sprintf("record %d of all", ordinal)
	}
	run := &a.Runs[i]
	return Address(string(run.File), run.Record+ordinal-run.First)
}
