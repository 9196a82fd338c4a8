package main

import (
	"path/filepath"
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

func lowerExt(name string) string { return strings.ToLower(filepath.Ext(name)) }

// checkSharded refuses the name of a set of shards: there is one output.
func checkSharded(name string) error {
	if isFile(name) && filelist.IsSharded(filepath.ToSlash(name)) {
		return usagef("-o %s is the name of a set of shards, and one file is written: leave out the @", name)
	}
	return nil
}

// checkRecordsName refuses the name of an output that contradicts the records that would
// be written.
func checkRecordsName(name string, c tfrecord.Compression) error {
	if !isFile(name) {
		return nil
	}
	codec, named := codecOf[lowerExt(name)]
	switch {
	case named && codec != c:
		written := "as " + c.String()
		if c == tfrecord.None {
			written = "without compression"
		}
		return usagef("-o %s: records would be written %s; --compression %v writes what the name says", name, written, codec)
	case filelist.OtherFormat(name):
		return usagef("-o %s: the name says that it is no TFRecord, and records would be written; tfparse cat prints records as JSON lines", name)
	}
	return nil
}

// writtenAs are the languages of specs, by the extensions that name them.
var writtenAs = map[string][]emission{
	".json": {emitJSON}, ".py": {emitPython}, ".go": {emitGo}, ".pb": nil,
	".pbtxt": {emitTFMD}, ".textproto": {emitTFMD}, ".prototxt": {emitTFMD}, ".txt": {emitTFMD},
}

// checkSpecName refuses the name of an output that contradicts the language of the spec, or
// of the schema, that would be written.
func checkSpecName(name string, language emission) error {
	named, ok := writtenAs[lowerExt(name)]
	if !isFile(name) || !ok || slices.Contains(named, language) {
		return nil
	}
	what := [...]string{"a spec in JSON", "a spec in Python", "the text of a schema", "a spec in Go"}[language]
	end := [...]string{".json", ".py", ".pbtxt", ".go"}[language]
	return usagef("-o %s: %s would be written, whose name ends in %s; --emit chooses the language", name, what, end)
}

// checkTextName refuses the name of an output that contradicts the text that would be
// written. instead is a command that writes records.
func checkTextName(name, what, instead string) error {
	if !isFile(name) {
		return nil
	}
	ext := lowerExt(name)
	switch _, codec := codecOf[ext]; {
	case codec:
		return usagef("-o %s: %s would be written without compression; -o - writes into a pipe, as | gzip > %[1]s", name, what)
	case recordNames[ext]:
		return usagef("-o %s: %s would be written, not records; %s", name, what, instead)
	}
	return nil
}
