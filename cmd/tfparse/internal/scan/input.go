package scan

import (
	"fmt"
	"io"
	"math"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/console"
	"github.com/tfparse/tfparse/internal/filelist"
	"github.com/tfparse/tfparse/internal/storage"
)

// Stdin is the name of standard input among the arguments and in positions.
const Stdin = filelist.Stdin

// An Input is a file to read, or an argument that names no file.
type Input struct {
	Name string // name of the file, for opening and for messages
	Err  error  // why the argument names no file; nil for a file, which may still fail to open

	Records *Range // records to read; nil: all
	Slice   bool   // the input is from a slice DIR#SLICE: verbs count only the records in Records, as if the file had no others
	Table   *Table // the data set of a CSV file; nil: a TFRecord

	// Stream, if not nil, is the open file, since its beginning was inspected. The first scan reads it instead of
	// opening the file.
	Stream *Stream
}

// A Stream is an open input. The first scan reads it; later ones open the file again.
type Stream struct {
	io.ReadCloser
	taken atomic.Bool // a scan reads it
}

// NewStream returns the stream of head, the inspected beginning, and rest, the open file.
func NewStream(head io.Reader, rest io.ReadCloser) *Stream {
	return &Stream{ReadCloser: struct {
		io.Reader
		io.Closer
	}{io.MultiReader(head, rest), rest}}
}

// take reports whether the caller is the first to read the stream.
func (s *Stream) take() bool { return s != nil && s.taken.CompareAndSwap(false, true) }

// Regular reports whether the input is a regular file, not standard input, a pipe or a device.
func (i Input) Regular() bool { _, ok := i.size(); return ok }

// size returns the size of a regular file; ok is false for other inputs.
func (i Input) size() (size int64, ok bool) {
	if i.Name == Stdin {
		return 0, false
	}
	info, err := storage.Stat(i.Name)
	if err != nil || !info.Mode().IsRegular() {
		return 0, false
	}
	return info.Size(), true
}

// TotalSize returns the size of the inputs; 0 if one of them is not a regular file.
func TotalSize(in []Input) int64 {
	var total int64
	for _, i := range in {
		size, ok := i.size()
		if !ok {
			return 0
		}
		total += size
	}
	return total
}

// A Range is the records [First, End) of a file. Negative numbers count from the end: -1 is the last record.
type Range struct {
	First, End int64
	Named      bool // First was given: it is an error if the file has no such record
}

// rangeNotation matches FILE#5, FILE#5:9, FILE#5: and FILE#:9.
var rangeNotation = regexp.MustCompile(`^(.+)#(-?\d+|)(:?)(-?\d+|)$`)

// SplitRange splits an argument into the file and the range of records: "FILE#5" is record 5, "FILE#5:9" are records 5
// to 8, and either number of a range may be left out. It returns a nil Range for an argument without one, and for the
// name of an existing file.
func SplitRange(arg string) (file string, r *Range) {
	m := rangeNotation.FindStringSubmatch(arg)
	if m == nil || m[2]+m[3] == "" || m[3] == "" && m[4] != "" {
		return arg, nil
	}
	if storage.Exists(arg) {
		return arg, nil
	}
	r = &Range{0, math.MaxInt64, m[2] != ""}
	// ParseInt returns the largest int64 for larger numbers.
	if m[2] != "" {
		r.First, _ = strconv.ParseInt(m[2], 10, 64)
	}
	switch {
	case m[3] != "" && m[4] != "":
		r.End, _ = strconv.ParseInt(m[4], 10, 64)
		if r.End == 0 && strings.HasPrefix(m[4], "-") {
			r.End = math.MaxInt64 // -0 is the end of the file
		}
	case m[3] == "" && r.First != -1:
		r.End = max(r.First+1, r.First)
	}
	return m[1], r
}

// FromEnd reports whether the range counts from the end.
func (r Range) FromEnd() bool { return r.First < 0 || r.End < 0 }

// Of returns the range in a file of n records, without negative numbers and records after the last one. It returns an
// error if First was given and the file has no such record.
func (r Range) Of(n int64) (Range, error) {
	first, end := r.First, r.End
	if first < 0 {
		first += n
	}
	if end < 0 {
		end += n
	}
	if r.Named && (first < 0 || first >= n) {
		return r, fmt.Errorf("no record %d: the file has %d", r.First, n)
	}
	end = min(end, n)
	return Range{first, max(first, end), r.Named}, nil
}

// Beside returns the path of a file in a directory. ok is false if dir is not a directory, or has no such regular file.
func Beside(dir, file string) (name string, ok bool) {
	if info, err := storage.Stat(dir); err != nil || !info.IsDir() {
		return "", false
	}
	name = storage.Join(dir, file)
	info, err := storage.Stat(name)
	return name, err == nil && info.Mode().IsRegular()
}

// A FileSet describes the files of a data set for HTML reports.
type FileSet struct {
	First string // name of the first file; "" without files
	Files int    // number of files
	Bytes int64  // stored size of all files in bytes; 0 if it is not known
}

// FileSetOf returns the description of inputs.
func FileSetOf(in []Input) FileSet {
	s := FileSet{Files: len(in), Bytes: TotalSize(in)}
	if len(in) > 0 {
		s.First = in[0].Name
	}
	return s
}

// Title returns a title for the data.
func (s FileSet) Title() string {
	if s.Files == 0 {
		return "nothing"
	}
	name := filepath.Base(s.First)
	if s.First == Stdin {
		name = "standard input"
	}
	if s.Files > 1 {
		name += " and " + cli.Plural(int64(s.Files-1), "more file")
	}
	return name
}

// SizeText returns the size of all files for people; "" if it is not known.
func (s FileSet) SizeText() string {
	if s.Bytes > 0 {
		return console.Amount(float64(s.Bytes), float64(s.Bytes))
	}
	return ""
}
