package scan

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/dataset"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/example/recordcsv"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/internal/columnfile"
	"github.com/tfparse/tfparse/internal/filelist"
	"github.com/tfparse/tfparse/tfrecord"
)

// Classes of faults, besides those of [tfrecord.Class]. A record of another kind than its type or a feature requires
// has ClassMessage; a record that a verb with --spec cannot parse has ClassSpec.
const (
	ClassMessage = "message"      // an intact record of another message, or one that cannot be used
	ClassSpec    = "spec"         // a record that does not parse by a spec
	ClassShards  = "shards"       // an incomplete set of shards
	ClassInfo    = "dataset_info" // files that differ from dataset_info.json
	ClassCSV     = "csv"          // an invalid row or file, or one with other columns
)

// A Fault is an error in an input, and its position if it has one.
type Fault struct {
	File       string                 // name of the input, shard set or dataset_info.json
	Class      string                 // "" if the input cannot be read at all
	Record     int64                  // ordinal of the record; -1 unknown
	Offset     int64                  // offset of the frame in the uncompressed stream; -1 unknown
	Compressed int64                  // nearby offset in the compressed input; -1 unknown or not compressed
	LooksLike  string                 // detected format of other content; "" unknown
	Records    int64                  // number of consecutive records; 0 for one or an unknown number
	Skipped    *tfrecord.SkippedRange // skipped range; nil if reading ends here
	Err        error                  `json:"-"` // the reason
}

// Address returns the address of the record; "" if the fault is not about a record.
func (f *Fault) Address() string {
	if f.Record < 0 || f.Class == tfrecord.NotTFRecord.String() {
		return ""
	}
	return Address(f.File, f.Record)
}

// Error returns one line: the file or the address of the record, and the reason.
func (f *Fault) Error() string { return cmp.Or(f.Address(), f.File) + ": " + f.InFile() }

// InFile returns the line of Error without the name of the file.
func (f *Fault) InFile() string {
	var b strings.Builder
	if f.Record >= 0 {
		b.WriteString(placeInFile(f.Record, f.Offset))
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

// Detail returns the reason without the position.
func (f *Fault) Detail() string {
	s := f.Err.Error()
	for _, prefix := range []string{"tfrecord: ", "example: ", "recordjson: ", "infer: ", "stats: "} {
		s = strings.TrimPrefix(s, prefix)
	}
	// Byte is -1 if the message decodes but cannot be used, for example by an expression.
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
	return strings.TrimSuffix(s, remedy) + remedy // a fault from a part has the remedy
}

// Place returns where the fault is.
func (f *Fault) Place() cli.Place {
	p := cli.Place{File: f.File, Class: f.Class}
	if f.Record >= 0 && f.Class != tfrecord.NotTFRecord.String() {
		p.Record = &f.Record
	}
	if f.Offset >= 0 {
		p.Offset = &f.Offset
	}
	if e, ok := errors.AsType[*feature.Error](f.Err); ok {
		p.Feature = e.Feature
	} else if e, ok := errors.AsType[*example.Error](f.Err); ok {
		p.Feature = e.Feature
	} else if e, ok := errors.AsType[*columnfile.RowError](f.Err); ok {
		p.Feature = e.Column
	}
	return p
}

// Unwrap returns f.Err.
func (f *Fault) Unwrap() error { return f.Err }

// Unreadable returns the Fault of a file that cannot be opened, or whose reading fails.
func Unreadable(file string, err error) *Fault {
	// The Fault has the name.
	if fe, ok := errors.AsType[*dataset.FileError](err); ok {
		err = fe.Err
	}
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		err = pe.Err
	}
	return &Fault{File: file, Record: -1, Offset: -1, Compressed: -1, Err: err}
}

// Misfit returns the Fault of an intact record that holds another message, or that a verb cannot use.
func Misfit(pos tfrecord.Position, err error) *Fault {
	return &Fault{File: pos.Name, Class: ClassMessage, Record: pos.Record, Offset: pos.Offset, Compressed: -1, Err: err}
}

// FaultOf turns an error of reading into a Fault.
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
