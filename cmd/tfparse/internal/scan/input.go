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

// An Input is one file to read, or an argument that names none.
type Input struct {
	Name string // what to open, and what errors and positions say
	Err  error  // why there is nothing to open; nil for a file, which may still fail to open

	Records *Range // which of its records are wanted; nil: all
	Table   *Table // what it belongs to if it is CSV; nil: it is a TFRecord

	// Stream, if not nil, is read instead, once: the file, or standard input, is open because its
	// beginning was looked at.
	Stream *Stream
}

// A Stream is an input that is open. The first scan reads it; another one opens the file again.
type Stream struct {
	io.ReadCloser
	taken atomic.Bool // by a scan
}

// NewStream returns the stream that begins with what was looked at and goes on with the rest of a file.
func NewStream(head io.Reader, rest io.ReadCloser) *Stream {
	return &Stream{ReadCloser: struct {
		io.Reader
		io.Closer
	}{io.MultiReader(head, rest), rest}}
}

// take reports whether the stream is to be read now.
func (s *Stream) take() bool { return s != nil && s.taken.CompareAndSwap(false, true) }

// Regular reports whether the input is a regular file: not standard input, a
// pipe or a device.
func (i Input) Regular() bool { _, ok := i.size(); return ok }

func (i Input) size() (int64, bool) {
	if i.Name == Stdin {
		return 0, false
	}
	info, err := storage.Stat(i.Name)
	if err != nil || !info.Mode().IsRegular() {
		return 0, false
	}
	return info.Size(), true
}

// TotalSize returns the bytes in the inputs, or 0 if that is not known of all
// of them.
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

// A Range is the records of a file from First up to, but without, End. They count from 0, and
// negative numbers from the end: -1 is the last record.
type Range struct {
	First, End int64
	Named      bool // First was written: a file that ends before it is an error
}

var rangeNotation = regexp.MustCompile(`^(.+)#(-?\d+|)(:?)(-?\d+|)$`)

// SplitRange takes the records from the end of an argument: "FILE#5" is record 5,
// "FILE#5:9" records 5 to 8, and either number of the latter may be left out. The Range is
// nil if there is none. A file whose name has a "#" in it wins, as it does over patterns.
func SplitRange(arg string) (file string, r *Range) {
	m := rangeNotation.FindStringSubmatch(arg)
	if m == nil || m[2]+m[3] == "" || m[3] == "" && m[4] != "" {
		return arg, nil
	}
	if storage.Exists(arg) {
		return arg, nil
	}
	r = &Range{0, math.MaxInt64, m[2] != ""}
	// Numbers beyond an int64 are as good as the largest.
	if m[2] != "" {
		r.First, _ = strconv.ParseInt(m[2], 10, 64)
	}
	switch {
	case m[3] != "" && m[4] != "":
		r.End, _ = strconv.ParseInt(m[4], 10, 64)
		if r.End == 0 && strings.HasPrefix(m[4], "-") {
			r.End = math.MaxInt64 // -0 is where the file ends
		}
	case m[3] == "" && r.First != -1:
		r.End = max(r.First+1, r.First)
	}
	return m[1], r
}

// FromEnd reports whether the range needs the number of records to be known.
func (r Range) FromEnd() bool { return r.First < 0 || r.End < 0 }

// Of returns the range in a file of n records, counted from 0. What lies behind the last record is left
// out; an error says that there is no record First, if it was written.
func (r Range) Of(n int64) (Range, error) {
	first, end := r.First, r.End
	if first < 0 {
		first += n
	}
	if end < 0 {
		end += n
	}
	if r.Named && (first < 0 || first >= n) {
		return r, fmt.Errorf("there is no record %d: it has %d", r.First, n)
	}
	end = min(end, n)
	return Range{first, max(first, end), r.Named}, nil
}

// Beside returns the path of a file in a directory, and whether dir is one and has it.
func Beside(dir, file string) (name string, ok bool) {
	if info, err := storage.Stat(dir); err != nil || !info.IsDir() {
		return "", false
	}
	name = storage.Join(dir, file)
	info, err := storage.Stat(name)
	return name, err == nil && info.Mode().IsRegular()
}

// A FileSet is what a page says of the files of a data set.
type FileSet struct {
	First string // the name of the first file; "" if there is none
	Files int    // how many there are
	Bytes int64  // in all of them, as they are stored; 0 if that is not known
}

// FileSetOf returns what a page says of inputs.
func FileSetOf(in []Input) FileSet {
	s := FileSet{Files: len(in), Bytes: TotalSize(in)}
	if len(in) > 0 {
		s.First = in[0].Name
	}
	return s
}

// Title names the data by its files.
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

// SizeText is the size of the files together; "" if it is not known.
func (s FileSet) SizeText() string {
	if s.Bytes > 0 {
		return console.Amount(float64(s.Bytes), float64(s.Bytes))
	}
	return ""
}
