package scan

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/tfparse/tfparse/dataset"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/example/recordcsv"
	"github.com/tfparse/tfparse/internal/filelist"
	"github.com/tfparse/tfparse/tfrecord"
)

// Classes of faults beside those of [tfrecord.Class].
const (
	ClassMessage = "message"      // a record that is intact and holds no such message
	ClassSpec    = "spec"         // a record that does not fit a spec
	ClassShards  = "shards"       // a set of shards that is not whole
	ClassInfo    = "dataset_info" // files that are not what dataset_info.json says
	ClassCSV     = "csv"          // a row, or a file, that is no CSV with the columns of the others
)

// A Fault is what is wrong with an input, at one place if there is one.
type Fault struct {
	File       string
	Class      string                 // "" if the input could not be read at all
	Record     int64                  // number of the record, from 0; -1 unknown
	Offset     int64                  // of its header in the uncompressed stream; -1 unknown
	Compressed int64                  // byte in compressed input near it; -1 unknown or not compressed
	LooksLike  string                 // what the input looks like instead; "" unknown
	Records    int64                  // that it is about, one behind the other; 0 for one or an unknown number
	Skipped    *tfrecord.SkippedRange // the range, where damage was skipped; else nil
	Err        error
}

// Address is that of the record, "" if the fault is not about one.
func (f *Fault) Address() string {
	if f.Record < 0 || f.Class == tfrecord.NotTFRecord.String() {
		return ""
	}
	return Address(f.File, f.Record)
}

// Error gives one line: the file or the address of the record, and what is wrong.
func (f *Fault) Error() string { return cmp.Or(f.Address(), f.File) + ": " + f.InFile() }

// InFile is Error without the name of the file.
func (f *Fault) InFile() string {
	var b strings.Builder
	if f.Record >= 0 {
		fmt.Fprintf(&b, "record %d (offset %#x)", f.Record, f.Offset)
	} else if f.Offset >= 0 {
		fmt.Fprintf(&b, "offset %#x", f.Offset)
	}
	if f.Compressed >= 0 {
		fmt.Fprintf(&b, ", near compressed byte %#x", f.Compressed)
	}
	if b.Len() > 0 {
		b.WriteString(": ")
	}
	b.WriteString(f.Detail())
	return b.String()
}

// Detail gives what is wrong, without the coordinates that the other fields hold.
func (f *Fault) Detail() string {
	s := f.Err.Error()
	for _, prefix := range []string{"tfrecord: ", "example: ", "recordjson: ", "infer: ", "stats: "} {
		s = strings.TrimPrefix(s, prefix)
	}
	// Without a place in the bytes the message decodes, but does not fit what is asked of it, such as an expression.
	if e, ok := f.Err.(*example.Error); ok && e.Byte >= 0 {
		s = "message does not decode: " + s
	}
	remedy := ""
	switch {
	case strings.HasPrefix(f.LooksLike, "crc-"):
		remedy = "; convert --no-crc reads them"
	case f.Class == tfrecord.NotTFRecord.String() && filelist.IsCSV(f.File):
		remedy = "; if it is CSV, tfparse encode makes records of it"
	}
	return strings.TrimSuffix(s, remedy) + remedy // a fault from another machine has it already
}

// Unwrap returns f.Err.
func (f *Fault) Unwrap() error { return f.Err }

// Unreadable is the Fault of a file that cannot be opened, or that fails while
// it is read.
func Unreadable(file string, err error) *Fault {
	// The Fault says the name already.
	if fe, ok := errors.AsType[*dataset.FileError](err); ok {
		err = fe.Err
	}
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		err = pe.Err
	}
	return &Fault{File: file, Record: -1, Offset: -1, Compressed: -1, Err: err}
}

// Misfit is the Fault of a record that does not hold the message it should.
func Misfit(pos tfrecord.Position, err error) *Fault {
	return &Fault{File: pos.Name, Class: ClassMessage, Record: pos.Record, Offset: pos.Offset, Compressed: -1, Err: err}
}

// FaultOf turns an error of package tfrecord into a Fault.
func FaultOf(file string, err error, skipped *tfrecord.SkippedRange) *Fault {
	if f, ok := errors.AsType[*Fault](err); ok {
		return f
	}
	if ce, ok := errors.AsType[*recordcsv.Error](err); ok {
		return &Fault{File: file, Class: ClassCSV, Record: ce.Row, Offset: ce.Offset, Compressed: -1, Skipped: skipped, Err: ce}
	}
	te, ok := errors.AsType[*tfrecord.Error](err)
	if !ok {
		return Unreadable(file, err)
	}
	f := &Fault{
		File:       file,
		Class:      te.Class.String(),
		Record:     te.Record,
		Offset:     te.Offset,
		Compressed: te.Compressed,
		LooksLike:  te.LooksLike,
		Skipped:    skipped,
		Err:        te.Err,
	}
	if te.Class == 0 {
		f.Compressed = -1
		if pe, ok := errors.AsType[*fs.PathError](te.Err); ok {
			f.Err = pe.Err
		}
	}
	return f
}
