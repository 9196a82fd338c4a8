package filelist

import (
	"io"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/tfparse/tfparse/tfrecord"
)

// otherFormats are extensions of files that lie beside TFRecords and are not TFRecords themselves. It lacks
// extensions that a writer of TFRecords uses, such as ".pb" of statistics and those of codecs.
var otherFormats = map[string]bool{}

func init() {
	for _, ext := range strings.Fields(`
		.json .jsonl .ndjson .geojson .txt .text .md .rst .csv .tsv .yaml .yml .toml .ini .cfg .xml .html .htm .log
		.pbtxt .prototxt .textproto .proto .py .pyc .ipynb .sh .go .sql
		.crc .md5 .sha1 .sha256 .sha512 .sig .asc
		.parquet .avro .orc .arrow .feather .array_record .riegeli .npy .npz .h5 .hdf5 .sqlite .db .pkl .pickle .mat .safetensors .xls .xlsx .ods
		.tfindex .index .idx .lock .zip .tar .tgz .7z .rar .pdf .png .jpg .jpeg .gif .svg .webp .bmp .wav .mp3 .mp4`) {
		otherFormats[ext] = true
	}
}

// codecs are the extensions of compressed files.
var codecs = []string{".gz", ".gzip", ".zlib", ".zz", ".snappy", ".sz", ".zst", ".zstd", ".bz2", ".xz"}

// withoutCodec returns a name without the extension of a codec.
func withoutCodec(name string) string {
	if ext := path.Ext(name); slices.Contains(codecs, strings.ToLower(ext)) {
		return name[:len(name)-len(ext)]
	}
	return name
}

// OtherFormat reports whether the name of a file is that of another format than TFRecord.
func OtherFormat(name string) bool {
	return otherFormats[strings.ToLower(path.Ext(withoutCodec(name)))]
}

// companions are extensions of files that accompany TFRecords: indexes, locks, checksums, vocabularies and other
// texts.
var companions = []string{".tfindex", ".index", ".idx", ".lock", ".crc", ".md5", ".sha1", ".sha256", ".sha512", ".sig", ".asc", ".txt", ".text", ".md", ".rst"}

// companionNames are parts of the names of texts without an extension that accompany TFRecords, in lower case.
// Other texts may be data, such as CSV.
var companionNames = []string{"readme", "license", "notice", "changelog", "vocab", "label", "classes", "tokens"}

// IsCompanion reports whether a file that was left out of a directory accompanies TFRecords, and has no records: a
// mark of a job runner, an index, a lock, checksums, a README or a vocabulary.
func IsCompanion(name string) bool {
	base := strings.ToLower(path.Base(strings.ReplaceAll(name, `\`, "/")))
	return strings.HasPrefix(base, "_") || slices.Contains(companions, path.Ext(withoutCodec(base))) ||
		!OtherFormat(base) && slices.ContainsFunc(companionNames, func(part string) bool { return strings.Contains(base, part) })
}

// IsCSV reports whether the name of a file is that of CSV with commas or tabs, which may be compressed.
func IsCSV(name string) bool {
	ext := strings.ToLower(path.Ext(withoutCodec(name)))
	return ext == ".csv" || ext == ".tsv"
}

// indexExtension is appended to the name of a file for its index.
const indexExtension = ".tfindex"

// isIndexMatch reports whether a match of a glob is the index of a file. An index is not an input, unless the glob
// ends with the extension of indexes.
func isIndexMatch(pattern, name string) bool {
	return strings.HasSuffix(name, indexExtension) && !strings.HasSuffix(pattern, indexExtension)
}

// maxTextChecks is the maximum number of files of one directory that are opened to inspect their content.
const maxTextChecks = 16

var digits = regexp.MustCompile("[0-9]+")

// findTexts returns the files of a directory that contain text, such as README and vocabularies. A file that was
// meant to be a TFRecord, and is the error message of a download instead, must remain an error. So a file is not
// inspected if its name is that of a shard or of a compressed file, contains "tfr", or differs from another name of
// the directory only in digits.
func (e *expansion) findTexts(names []string) (text []string) {
	alike := map[string]int{}
	for _, n := range names {
		alike[digits.ReplaceAllString(n, "0")]++
	}
	looks := 0
	for _, n := range names {
		_, base := e.splitName(n)
		if _, shard := e.ParseShard(n); shard || strings.Contains(strings.ToLower(base), "tfr") || withoutCodec(base) != base || alike[digits.ReplaceAllString(n, "0")] > 1 {
			continue
		}
		if looks++; looks > maxTextChecks {
			return nil // texts are few, so these are other files
		}
		if e.beginsWithText(n) {
			text = append(text, n)
		}
	}
	return text
}

// beginsWithText reports whether a file begins with text. Errors are left to the reader.
func (l *Lister) beginsWithText(name string) bool {
	f, err := l.open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	var b [512]byte
	n, err := io.ReadFull(f, b[:])
	return (err == nil || err == io.ErrUnexpectedEOF) && tfrecord.Identify(b[:n]) == "text"
}
