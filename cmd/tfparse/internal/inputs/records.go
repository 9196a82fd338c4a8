package inputs

import (
	"os"
	"regexp"
	"strconv"
	"strings"
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

// remote finds the scheme of an address, as "gs". A letter alone is a drive of Windows.
var remote = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9+.-]+)://`)

// schemeOf is the scheme of an argument that is the address of something that is not in
// the file system, or "".
func schemeOf(arg string) string {
	m := remote.FindStringSubmatch(arg)
	if m == nil {
		return ""
	}
	if _, err := os.Lstat(arg); err == nil {
		return ""
	}
	return strings.ToLower(m[1])
}

// pathAlone is what to do about file:///x.
const pathAlone = "name the path alone, without file://"

// Elsewhere says what to do about an argument that is the address of something that is
// not in the file system, or "".
func Elsewhere(arg string) string {
	const only = "only files are read, and standard input: "
	scheme := schemeOf(arg)
	switch scheme {
	case "":
		return ""
	case "file":
		return pathAlone
	}
	copying := map[string]string{
		"gs": "gcloud storage cat " + arg, "s3": "aws s3 cp " + arg + " -",
		"http": "curl -fsSL " + arg, "https": "curl -fsSL " + arg, "hdfs": "hdfs dfs -cat " + arg,
	}[scheme]
	if copying == "" {
		return only + "copy it here, or pipe it into tfparse COMMAND"
	}
	return only + copying + " | tfparse COMMAND"
}

// ElsewhereFile is Elsewhere for a file that a flag names, which no pipe can take the place of.
func ElsewhereFile(arg string) string {
	switch schemeOf(arg) {
	case "":
		return ""
	case "file":
		return pathAlone
	}
	return "only files are read: copy it here"
}

// ElsewhereOutput is Elsewhere for the name of an output.
func ElsewhereOutput(arg string) string {
	const only = "only files are written, and standard output: "
	scheme := schemeOf(arg)
	switch scheme {
	case "":
		return ""
	case "file":
		return pathAlone
	}
	copying := map[string]string{
		"gs": "gcloud storage cp - " + arg, "s3": "aws s3 cp - " + arg, "hdfs": "hdfs dfs -put - " + arg,
	}[scheme]
	if copying == "" {
		return only + "write a file, and copy it there"
	}
	return only + "tfparse COMMAND -o - | " + copying
}
