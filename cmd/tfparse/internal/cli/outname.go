package cli

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/tfparse/tfparse/internal/columnfile"
	"github.com/tfparse/tfparse/internal/filelist"
	"github.com/tfparse/tfparse/internal/storage"
	"github.com/tfparse/tfparse/tfrecord"
)

// codecOf maps extensions to codecs. Readers detect the codec by the content; the name of an output must agree with the
// codec.
var codecOf = map[string]tfrecord.Compression{
	".gz": tfrecord.GZIP, ".gzip": tfrecord.GZIP, ".zlib": tfrecord.ZLIB, ".zz": tfrecord.ZLIB,
	".snappy": tfrecord.SNAPPY, ".sz": tfrecord.SNAPPY, ".zst": tfrecord.ZSTD, ".zstd": tfrecord.ZSTD,
}

// recordNames are the extensions of TFRecords.
var recordNames = map[string]bool{".tfrecord": true, ".tfrecords": true, ".tfrec": true}

// unsupportedExts are the extensions of codecs and formats that no verb writes records or text in, besides those of
// [filelist.OtherFormat].
var unsupportedExts = map[string]bool{".bz2": true, ".xz": true, ".lz4": true, ".lzma": true, ".br": true, ".pb": true}

// Extensions of text outputs.
var (
	JSONEndings = []string{".jsonl", ".json", ".ndjson", ".txt", ".text", ".log"}
	TextEndings = []string{".txt", ".text", ".log"}
)

// LowerExt returns the extension of a name in lower case.
func LowerExt(name string) string { return strings.ToLower(filepath.Ext(name)) }

// IsPage reports whether the name of an output is that of an HTML report.
func IsPage(name string) bool { return filepath.Ext(name) == ".html" }

// CheckPage returns an error if -o of a verb that prints a report is neither an HTML file nor standard output.
func CheckPage(name string) error {
	if IsFile(name) && !IsPage(name) {
		return Usagef("-o %s: want a name ending in .html, or - for standard output", name)
	}
	return nil
}

// RecordExt reports whether the extension of a name is that of TFRecords or of a codec.
func RecordExt(name string) bool {
	ext := LowerExt(name)
	_, codec := codecOf[ext]
	return codec || recordNames[ext]
}

// IsRecords reports whether the name of an output is that of records: by the extension of TFRecords or a codec, or as a
// set of shards.
func IsRecords(name string) bool {
	ext := LowerExt(name)
	if _, codec := codecOf[ext]; codec && slices.Contains(JSONEndings, LowerExt(name[:len(name)-len(ext)])) {
		return false
	}
	return IsFile(name) && (RecordExt(name) || filelist.IsSharded(filepath.ToSlash(name)))
}

// CheckSharded returns an error if the name of a single output is that of a set of shards.
func CheckSharded(name string) error {
	if IsFile(name) && filelist.IsSharded(filepath.ToSlash(name)) {
		return Usagef("-o %s: one file is written; leave out the @ of shards", name)
	}
	return nil
}

// shardSuffix matches the part of the name of a shard that the name of the set lacks.
var shardSuffix = regexp.MustCompile(`-\d+-of-\d+(\.|$)`)

// WithoutShard returns the name of a set of shards, or of one of its shards, without the part that numbers shards: the extension
// of the rest is the format.
func WithoutShard(name string) string {
	if names, err := filelist.ShardNames(filepath.ToSlash(name)); err == nil {
		name = names[0]
	}
	return shardSuffix.ReplaceAllString(name, "$1")
}

// ColumnName returns the name of the format with columns that a file has by its extension; "" for other files.
func ColumnName(file string) string {
	ext := strings.TrimPrefix(LowerExt(WithoutShard(file)), ".")
	if !slices.Contains(columnfile.Names, ext) {
		return ""
	}
	return ext
}

// ColumnFormat returns the format with columns of a file. It is an error if this build does not have it. flag, such as "-o ", is
// printed before the name of the file.
func ColumnFormat(flag, name, format string) (columnfile.Format, error) {
	f, ok := columnfile.Find(format)
	if !ok {
		return f, fmt.Errorf("%s%s: this build has no %s: the tfparse of full/cmd/tfparse has it", flag, name, format)
	}
	return f, nil
}

// CheckRecordsName returns an error if the extension of an output contradicts the codec, or is that of another format
// than TFRecord.
func CheckRecordsName(name string, c tfrecord.Compression) error {
	if !IsFile(name) {
		return nil
	}
	ofSet := shardSuffix.ReplaceAllString(name, "$1")
	ext := LowerExt(ofSet)
	codec, named := codecOf[ext]
	switch {
	case named && codec != c:
		written := "as " + c.String()
		if c == tfrecord.None {
			written = "without compression"
		}
		return Usagef("-o %s: records would be written %s; --to %v writes what the name says", name, written, codec)
	case filelist.OtherFormat(ofSet) || unsupportedExts[ext]:
		return Usagef("-o %s: not a name of a TFRecord; tfparse cat prints JSON lines", name)
	}
	return nil
}

// CheckName returns an error if the extension of an output is that of another format. what is the kind of the output
// for the message, endings are the allowed extensions with the usual one first, and instead is advice. An unknown
// extension, or none, is allowed.
func CheckName(name, what string, endings []string, instead string) error {
	ext := LowerExt(name)
	_, codec := codecOf[ext]
	switch {
	case !IsFile(name) || slices.Contains(endings, ext):
		return nil
	case codec:
		return Usagef("-o %s: %s is not compressed; use -o - | gzip > %[1]s", name, what)
	case recordNames[ext] || unsupportedExts[ext] || filelist.OtherFormat(name):
		return Usagef("-o %s: want a name ending in %s for %s; %s", name, endings[0], what, instead)
	}
	return nil
}

// schemePattern matches the scheme of an address, such as gs://. A single letter is a drive of Windows.
var schemePattern = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9+.-]+)://`)

// schemeOf returns the scheme of an address that is neither a file nor in a registered object store; "" for other
// arguments.
func schemeOf(arg string) string {
	m := schemePattern.FindStringSubmatch(arg)
	if m == nil {
		return ""
	}
	if storage.Remote(arg) || storage.Exists(arg) {
		return ""
	}
	return strings.ToLower(m[1])
}

// inStores reports whether the full build opens addresses of a scheme.
func inStores(scheme string) bool {
	return scheme == "gs" || scheme == "s3" || scheme == "http" || scheme == "https"
}

// ElsewhereAdvice returns advice for an address that this build cannot open; "" for other arguments.
func ElsewhereAdvice(arg string) string {
	switch scheme := schemeOf(arg); {
	case scheme == "":
		return ""
	case scheme == "file":
		return "name the path alone, without file://"
	case inStores(scheme):
		return "not a file: the tfparse of full/cmd/tfparse opens it; or use a pipe"
	}
	return "not a file: copy it, or use a pipe"
}

// Elsewhere returns an error if an argument is an address that this build cannot open. flag, such as "-o ", is printed
// before the address. It is a usage error unless the build with object stores opens the address.
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

// publicArgs removes credentials from addresses of object stores in the arguments, since messages, reports and records
// contain names.
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
		end := len(arg) // end of the name; a range of records or a slice may follow
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
