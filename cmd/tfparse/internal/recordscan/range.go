package recordscan

import (
	"os"
	"regexp"
	"strconv"
)

// A Range is the records of a file from First up to, but without, End. They count from 0.
type Range struct {
	First, End int64
	Named      bool // First was written: a file that ends before it is an error
}

var rangeNotation = regexp.MustCompile(`^(.+)#(\d*)(:?)(\d*)$`)

// SplitRange takes the records from the end of an argument: "FILE#5" is record 5,
// "FILE#5:9" records 5 to 8, and either number of the latter may be left out. The Range is
// nil if there is none. A file whose name has a "#" in it wins, as it does over patterns.
func SplitRange(arg string) (file string, r *Range) {
	m := rangeNotation.FindStringSubmatch(arg)
	if m == nil || m[2]+m[3] == "" {
		return arg, nil
	}
	if _, err := os.Lstat(arg); err == nil {
		return arg, nil
	}
	const all = 1<<63 - 1
	r = &Range{0, all, m[2] != ""}
	// Numbers beyond an int64 are as good as the largest.
	if m[2] != "" {
		r.First, _ = strconv.ParseInt(m[2], 10, 64)
	}
	switch {
	case m[3] == "":
		r.End = max(r.First+1, r.First)
	case m[4] != "":
		r.End, _ = strconv.ParseInt(m[4], 10, 64)
	}
	return m[1], r
}
