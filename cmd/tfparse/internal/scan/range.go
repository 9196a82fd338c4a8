package scan

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/tfparse/tfparse/internal/storage"
)

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
