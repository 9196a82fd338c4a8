package result

import "fmt"

// A Failure is a part of a file that was skipped, or a file that could not be read.
type Failure struct {
	File    string
	Record  int64  // ordinal of the record; -1 where there is none
	Offset  int64  // in the uncompressed stream; -1 where there is none
	End     int64  // behind what was skipped; -1 where that is the rest of the file, or a record that is intact
	Records int64  // that were skipped; -1 where this is unknown
	Class   string // as "payload_crc"; "message" for a record that is intact; empty for a file that could not be read
	Error   string // one line, with the file, the record and the offset
}

// Failures returns what was skipped, in the order of the files. Where there is more than was kept, the last one counts
// the rest.
func (r *Result) Failures() (all []Failure) {
	for _, f := range r.Faults.Kept {
		one := Failure{File: f.File, Record: f.Record, Offset: f.Offset, End: -1, Records: -1, Class: f.Class, Error: f.Error()}
		if s := f.Skipped; s != nil {
			one.End, one.Records = s.End, s.Records
		} else if f.Record >= 0 {
			one.Records = max(f.Records, 1)
		}
		all = append(all, one)
	}
	if n := int64(r.Faults.More.Unfit) + int64(r.Faults.More.Ranges); n > 0 {
		rest := Failure{Record: -1, Offset: -1, End: -1, Records: r.Faults.More.Misfits + r.Faults.More.Records, Error: fmt.Sprintf("and %d more failures", n)}
		if r.Faults.More.Uncount {
			rest.Records = -1
		}
		all = append(all, rest)
	}
	return all
}
