package cli

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/tfparse/tfparse/internal/filelist"
	"github.com/tfparse/tfparse/internal/storage"
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

// shardNumber is what the name of a shard has after, or inside, the name of its set.
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

// remote finds the scheme of an address, as "gs". A letter alone is a drive of Windows.
var remote = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9+.-]+)://`)

// schemeOf is the scheme of an argument that is the address of something that is neither in
// the file system nor in a registered store, or "".
func schemeOf(arg string) string {
	m := remote.FindStringSubmatch(arg)
	if m == nil {
		return ""
	}
	if storage.Remote(arg) || storage.Exists(arg) {
		return ""
	}
	return strings.ToLower(m[1])
}

// inStores reports whether the command of the nested module store opens addresses of a scheme.
func inStores(scheme string) bool {
	return scheme == "gs" || scheme == "s3" || scheme == "http" || scheme == "https"
}

// ElsewhereAdvice says what to do about the address of something that is not in the file system; "" for others.
func ElsewhereAdvice(arg string) string {
	switch scheme := schemeOf(arg); {
	case scheme == "":
		return ""
	case scheme == "file":
		return "name the path alone, without file://"
	case inStores(scheme):
		return "not a file: the tfparse of store/cmd/tfparse opens it; or use a pipe"
	}
	return "not a file: copy it, or use a pipe"
}

// Elsewhere returns an error if an argument is an address that this build cannot open. The message has flag, such as
// "-o ", before the address. The error is one of input or output, not of usage: another build opens the address.
func Elsewhere(flag, arg string) error {
	advice := ElsewhereAdvice(arg)
	if advice == "" {
		return nil
	}
	err := fmt.Errorf("%s%s: %s", flag, arg, advice)
	if inStores(schemeOf(arg)) {
		return err
	}
	return Usage(err)
}

// publicArgs returns the arguments with public names in place of addresses of stores, which may have credentials in
// them: names are in messages, reports and records.
func publicArgs(args []string) []string {
	args = slices.Clone(args)
	for i, arg := range args {
		flag := ""
		if strings.HasPrefix(arg, "-") {
			name, value, ok := strings.Cut(arg, "=")
			if !ok {
				continue
			}
			flag, arg = name+"=", value
		}
		end := len(arg) // of the name: records or a slice may follow
		if at := strings.LastIndexByte(arg, '#'); at >= 0 {
			end = at
		}
		if at := strings.Index(arg[:end], "?slice="); at >= 0 {
			end = at
		}
		args[i] = flag + storage.Public(arg[:end]) + arg[end:]
	}
	return args
}
