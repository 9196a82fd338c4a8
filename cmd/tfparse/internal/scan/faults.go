package scan

import (
	"encoding/json"
	"errors"
	"io/fs"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/internal/filelist"
	"github.com/tfparse/tfparse/internal/jsonscan"
	"github.com/tfparse/tfparse/tfrecord"
)

// Faults collects the faults of files that another process or goroutine reads, for a report later. It keeps the first
// ones, and sums up the others, so that its memory is bounded.
type Faults struct {
	Most int // number of faults to keep of each kind: about messages, and about skipped ranges

	Kept []Fault       // the kept faults, in order
	More cli.FaultSums // sums of the other faults

	misfits, ranges int // number of kept faults of each kind
}

// Add adds a fault.
func (f *Faults) Add(fault *Fault) {
	switch {
	case fault.Class == ClassMessage || fault.Class == ClassSpec:
		if f.misfits++; f.misfits > f.Most {
			f.More.AddMisfits(max(fault.Records, 1))
			return
		}
	case fault.Skipped != nil:
		if f.ranges++; f.ranges > f.Most {
			f.More.AddRange(fault.Skipped)
			return
		}
	}
	f.Kept = append(f.Kept, *fault)
}

// Merge adds the faults of later files.
func (f *Faults) Merge(o *Faults) {
	for i := range o.Kept {
		f.Add(&o.Kept[i])
	}
	f.More.AddSums(&o.More)
}

// faultJSON is the JSON form of a Fault.
type faultJSON struct {
	faultFields
	File    jsonscan.Name // instead of the File of faultFields: names may not be UTF-8
	Text    jsonscan.Name // text of the error
	Missing bool          // the error is about a missing file
}

// faultFields has the fields of a Fault without its methods, so that MarshalJSON does not call itself.
type faultFields Fault

// MarshalJSON implements [json.Marshaler]. It keeps the text of the error, and whether the error is about a missing file.
func (f *Fault) MarshalJSON() ([]byte, error) {
	w := faultJSON{faultFields(*f), jsonscan.Name(f.File), jsonscan.Name(f.Detail()), Missing(f.Err)}
	if s := f.Skipped; s != nil {
		w.Skipped = &tfrecord.SkippedRange{Begin: s.Begin, End: s.End, Records: s.Records}
	}
	return json.Marshal(w)
}

// UnmarshalJSON implements [json.Unmarshaler].
func (f *Fault) UnmarshalJSON(b []byte) error {
	var w faultJSON
	err := json.Unmarshal(b, &w)
	*f = Fault(w.faultFields)
	f.File, f.Err = string(w.File), textError(string(w.Text), w.Missing)
	return err
}

// Missing reports whether an error is about a missing file, or a pattern that matches no file.
func Missing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, filelist.ErrNoMatch)
}

// textError returns an error with a text. Missing reports missing for it.
func textError(text string, missing bool) error {
	if missing {
		return missingError(text)
	}
	return errors.New(text)
}

// A missingError is an error about a missing file, from the JSON form.
type missingError string

func (e missingError) Error() string        { return string(e) }
func (e missingError) Is(target error) bool { return target == fs.ErrNotExist }
