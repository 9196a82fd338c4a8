package cli

import (
	"path/filepath"
	"regexp"
	"slices"
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

// notWritten are extensions of codecs and formats that no verb writes records or text in, beside those of [filelist.OtherFormat].
var notWritten = map[string]bool{".bz2": true, ".xz": true, ".lz4": true, ".lzma": true, ".br": true, ".pb": true}

// Endings of the names of outputs that are text.
var (
	JSONEndings = []string{".jsonl", ".json", ".ndjson", ".txt", ".text", ".log"}
	TextEndings = []string{".txt", ".text", ".log"}
)

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

// IsRecords reports whether the name of an output asks for records: by the extension of TFRecords or of a codec, or as a set of shards.
func IsRecords(name string) bool {
	ext := LowerExt(name)
	if _, codec := codecOf[ext]; codec && slices.Contains(JSONEndings, LowerExt(name[:len(name)-len(ext)])) {
		return false
	}
	return IsFile(name) && (RecordExt(name) || filelist.IsSharded(filepath.ToSlash(name)))
}

// CheckSharded refuses the name of a set of shards: there is one output.
func CheckSharded(name string) error {
	if IsFile(name) && filelist.IsSharded(filepath.ToSlash(name)) {
		return Usagef("-o %s is the name of a set of shards, and one file is written: leave out the @", name)
	}
	return nil
}

// shardNumber is what the name of a shard has behind, or inside, that of its set.
var shardNumber = regexp.MustCompile(`-\d+-of-\d+(\.|$)`)

// CheckRecordsName refuses the name of an output that contradicts the records that would
// be written.
func CheckRecordsName(name string, c tfrecord.Compression) error {
	if !IsFile(name) {
		return nil
	}
	ofSet := shardNumber.ReplaceAllString(name, "$1")
	ext := LowerExt(ofSet)
	codec, named := codecOf[ext]
	switch {
	case named && codec != c:
		written := "as " + c.String()
		if c == tfrecord.None {
			written = "without compression"
		}
		return Usagef("-o %s: records would be written %s; --to %v writes what the name says", name, written, codec)
	case filelist.OtherFormat(ofSet) || notWritten[ext]:
		return Usagef("-o %s: the name says that it is no TFRecord, and records would be written; tfparse cat prints records as JSON lines", name)
	}
	return nil
}

// CheckName refuses the name of an output whose extension is that of another format. what is the text that would be written,
// endings are the extensions that it may have, the usual one first, and instead is what else can be done. A name without an extension, or with an unknown
// one, promises nothing.
func CheckName(name, what string, endings []string, instead string) error {
	ext := LowerExt(name)
	_, codec := codecOf[ext]
	switch {
	case !IsFile(name) || slices.Contains(endings, ext):
		return nil
	case codec:
		return Usagef("-o %s: %s would be written without compression; -o - writes into a pipe, as | gzip > %[1]s", name, what)
	case recordNames[ext] || notWritten[ext] || filelist.OtherFormat(name):
		return Usagef("-o %s: %s would be written, whose name ends in %s; %s", name, what, endings[0], instead)
	}
	return nil
}
