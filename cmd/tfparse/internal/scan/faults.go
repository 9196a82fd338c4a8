package scan

import (
	"encoding/json"
	"errors"
	"io/fs"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/internal/filelist"
	"github.com/tfparse/tfparse/tfrecord"
)

// Faults collects the faults of files that another process or goroutine reads, for a report later. It keeps the first
// ones, and sums up the others, so that its memory is bounded.
type Faults struct {
	Most int // number of faults to keep of each kind: about messages, and about skipped ranges

	Kept []*Fault      // the kept faults, in order
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
	f.Kept = append(f.Kept, fault)
}

// Merge adds the faults of later files.
func (f *Faults) Merge(o *Faults) {
	for _, fault := range o.Kept {
		f.Add(fault)
	}
	f.More.AddSums(&o.More)
}

// wireFaults is the JSON form of Faults. Names and texts are bytes, since JSON strings are UTF-8.
type wireFaults struct {
	Most int           `json:"most"`
	Kept []wireFault   `json:"kept,omitempty"`
	More cli.FaultSums `json:"more"`
}

// wireFault is the JSON form of a Fault.
type wireFault struct {
	File       []byte     `json:"file"`
	Class      string     `json:"class,omitempty"`
	Record     int64      `json:"record"`
	Offset     int64      `json:"offset"`
	Compressed int64      `json:"compressed"`
	LooksLike  string     `json:"looks_like,omitempty"`
	Records    int64      `json:"records,omitempty"`
	Skipped    *wireRange `json:"skipped,omitempty"`
	Text       []byte     `json:"text"`
	Missing    bool       `json:"missing,omitempty"`
}

// wireRange is the JSON form of a [tfrecord.SkippedRange].
type wireRange struct {
	Begin   int64 `json:"begin"`
	End     int64 `json:"end"`
	Records int64 `json:"records"`
}

// MarshalJSON implements [json.Marshaler]. It keeps the text of an error, and whether the error is about a missing
// file.
func (f Faults) MarshalJSON() ([]byte, error) {
	w := wireFaults{Most: f.Most, More: f.More}
	for _, fault := range f.Kept {
		w.Kept = append(w.Kept, fault.wire())
	}
	return json.Marshal(w)
}

// UnmarshalJSON implements [json.Unmarshaler].
func (f *Faults) UnmarshalJSON(b []byte) error {
	var w wireFaults
	if err := json.Unmarshal(b, &w); err != nil {
		return err
	}
	*f = Faults{Most: w.Most}
	for _, fault := range w.Kept {
		f.Add(fault.fault())
	}
	f.More = w.More
	return nil
}

// wire returns the JSON form.
func (f *Fault) wire() wireFault {
	w := wireFault{
		File: []byte(f.File), Class: f.Class, Record: f.Record, Offset: f.Offset, Compressed: f.Compressed, LooksLike: f.LooksLike, Records: f.Records, Text: []byte(f.Detail()), Missing: Missing(f.Err),
	}
	if s := f.Skipped; s != nil {
		w.Skipped = &wireRange{s.Begin, s.End, s.Records}
	}
	return w
}

// fault returns the Fault of the JSON form.
func (w *wireFault) fault() *Fault {
	f := &Fault{
		File: string(w.File), Class: w.Class, Record: w.Record, Offset: w.Offset, Compressed: w.Compressed, LooksLike: w.LooksLike, Records: w.Records, Err: textError(string(w.Text), w.Missing),
	}
	if s := w.Skipped; s != nil {
		f.Skipped = &tfrecord.SkippedRange{Begin: s.Begin, End: s.End, Records: s.Records}
	}
	return f
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
