package filelist

import (
	"path"
	"slices"
	"strings"
)

// otherFormats are extensions of files that lie beside TFRecords and are none.
// Only what no writer of TFRecords uses is here: ".pb" is not, because statistics
// have it, and neither is any compression.
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

// OtherFormat reports whether the name of a file says that it is something else
// than a TFRecord.
func OtherFormat(name string) bool {
	return otherFormats[strings.ToLower(path.Ext(withoutCodec(name)))]
}

// companions are extensions of files that accompany TFRecords: indexes, locks, checksums, vocabularies and other texts for people.
var companions = []string{".tfindex", ".index", ".idx", ".lock", ".crc", ".md5", ".sha1", ".sha256", ".sha512", ".sig", ".asc", ".txt", ".text", ".md", ".rst"}

// companionNames are in the names of texts without an extension that accompany TFRecords, in lower case. Another text may be data,
// as CSV.
var companionNames = []string{"readme", "license", "notice", "changelog", "vocab", "label", "classes", "tokens"}

// IsCompanion reports whether a file that a directory is listed without accompanies TFRecords, so that nobody expects records of
// it: a mark of a job runner, an index, a lock, checksums, a README or a vocabulary.
func IsCompanion(name string) bool {
	base := strings.ToLower(path.Base(strings.ReplaceAll(name, `\`, "/")))
	return strings.HasPrefix(base, "_") || slices.Contains(companions, path.Ext(withoutCodec(base))) ||
		!OtherFormat(base) && slices.ContainsFunc(companionNames, func(part string) bool { return strings.Contains(base, part) })
}

// IsCSV reports whether the name of a file says that it is CSV, with commas or tabs, which may be compressed.
func IsCSV(name string) bool {
	ext := strings.ToLower(path.Ext(withoutCodec(name)))
	return ext == ".csv" || ext == ".tsv"
}

// indexExtension is what the name of an index has behind that of its file.
const indexExtension = ".tfindex"

// isIndex reports whether what a glob has found is the index of a file. It is no input, unless the
// glob is for indexes.
func isIndex(pattern, name string) bool {
	return strings.HasSuffix(name, indexExtension) && !strings.HasSuffix(pattern, indexExtension)
}
