package cli

import (
	"path/filepath"
	"strings"

	"github.com/tfparse/tfparse/internal/filelist"
	"github.com/tfparse/tfparse/tfrecord"
)

// codecOf are extensions that name a codec. When reading they count for nothing; as names
// of an output they are a promise.
var codecOf = map[string]tfrecord.Compression{
	".gz": tfrecord.GZIP, ".gzip": tfrecord.GZIP, ".zlib": tfrecord.ZLIB, ".zz": tfrecord.ZLIB,
	".snappy": tfrecord.SNAPPY, ".sz": tfrecord.SNAPPY, ".zst": tfrecord.ZSTD, ".zstd": tfrecord.ZSTD,
}

var recordNames = map[string]bool{".tfrecord": true, ".tfrecords": true, ".tfrec": true}

// LowerExt is the extension of a name in lower case.
func LowerExt(name string) string { return strings.ToLower(filepath.Ext(name)) }

// IsPage reports whether the name of an output asks for a page to look at.
func IsPage(name string) bool { return filepath.Ext(name) == ".html" }

// CheckPage refuses an output that is neither a page nor standard output, of a verb that prints a report besides.
func CheckPage(name string) error {
	if IsFile(name) && !IsPage(name) {
		return Usagef("-o %s: a page to look at is .html, and - is standard output", name)
	}
	return nil
}

// RecordExt reports whether a name ends in an extension of TFRecords or of a codec.
func RecordExt(name string) bool {
	ext := LowerExt(name)
	_, codec := codecOf[ext]
	return codec || recordNames[ext]
}

// CheckSharded refuses the name of a set of shards: there is one output.
func CheckSharded(name string) error {
	if IsFile(name) && filelist.IsSharded(filepath.ToSlash(name)) {
		return Usagef("-o %s is the name of a set of shards, and one file is written: leave out the @", name)
	}
	return nil
}

// CheckRecordsName refuses the name of an output that contradicts the records that would
// be written.
func CheckRecordsName(name string, c tfrecord.Compression) error {
	if !IsFile(name) {
		return nil
	}
	codec, named := codecOf[LowerExt(name)]
	switch {
	case named && codec != c:
		written := "as " + c.String()
		if c == tfrecord.None {
			written = "without compression"
		}
		return Usagef("-o %s: records would be written %s; --compression %v writes what the name says", name, written, codec)
	case filelist.OtherFormat(name):
		return Usagef("-o %s: the name says that it is no TFRecord, and records would be written; tfparse cat prints records as JSON lines", name)
	}
	return nil
}

// CheckTextName refuses the name of an output that contradicts the text that would be
// written. instead is a command that writes records.
func CheckTextName(name, what, instead string) error {
	if !IsFile(name) {
		return nil
	}
	ext := LowerExt(name)
	switch _, codec := codecOf[ext]; {
	case codec:
		return Usagef("-o %s: %s would be written without compression; -o - writes into a pipe, as | gzip > %[1]s", name, what)
	case recordNames[ext]:
		return Usagef("-o %s: %s would be written, not records; %s", name, what, instead)
	}
	return nil
}
