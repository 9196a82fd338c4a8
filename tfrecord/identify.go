package tfrecord

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"io"
	"strings"
	"unicode/utf8"
)

// maxSniffSize is the number of bytes of a stream that suffice to detect its codec.
const maxSniffSize = 64 << 10

// sniffCodec detects the codec of a stream from its first bytes b: uncompressed records by the checksum of the
// first length, compressed streams by magic numbers and by the bytes that they decode to. It returns Auto if it
// detects no codec; more reports whether further bytes could change that. final: b is the whole stream or
// maxSniffSize bytes of it.
//
// The order matters: uncompressed streams whose first record has 559,903 bytes begin like gzip, and
// streams whose first record has 376 bytes like zlib.
func sniffCodec(b []byte, final bool) (c Compression, more bool) {
	if len(b) >= HeaderSize && validHeader(b) {
		return None, false
	}
	more = !final
	switch {
	case len(b) >= 3 && b[0] == 0x1f && b[1] == 0x8b && b[2] == 8:
		if len(b) >= HeaderSize && nearlyValidHeader(b) && !decodesToHeader(b, GZIP) {
			return Auto, more // an uncompressed stream with a damaged header
		}
		return GZIP, false
	case len(b) >= 4 && binary.LittleEndian.Uint32(b) == 0xfd2fb528,
		len(b) >= 4 && binary.LittleEndian.Uint32(b)&^0xf == 0x184d2a50:
		return ZSTD, false
	case len(b) >= 2 && zlibMagic(b[0], b[1]):
		var h [HeaderSize]byte
		n, err := decodePrefix(h[:], b, ZLIB)
		switch {
		case n == HeaderSize && validHeader(h[:]):
			return ZLIB, false
		case err != nil && err != io.ErrUnexpectedEOF && err != io.EOF:
		case len(b) >= HeaderSize && nearlyValidHeader(b):
		case !more:
			// Too short to show a header, or the content is something else;
			// but two bytes are a weak sign, so the rest must inflate.
			if inflatesCleanly(b) {
				return ZLIB, false
			}
		default:
			return Auto, true
		}
	}
	if ok, undecided := sniffSnappy(b); ok {
		return SNAPPY, false
	} else if !undecided && len(b) >= HeaderSize {
		more = false
	}
	return Auto, more
}

// sniffSnappy looks for a valid record header in the first blocks. undecided: b is too short to
// tell.
func sniffSnappy(b []byte) (ok, undecided bool) {
	var h [HeaderSize]byte
	n := 0
	for n < HeaderSize {
		if len(b) < 5 {
			return false, true
		}
		c := uint64(binary.BigEndian.Uint32(b))
		if c == 0 {
			return false, false
		}
		block := b[4:]
		if uint64(len(block)) > c {
			block = block[:c]
		}
		u, i := binary.Uvarint(block[:min(len(block), binary.MaxVarintLen32)])
		if i == 0 && uint64(len(block)) < c && len(block) < binary.MaxVarintLen32 {
			return false, true
		}
		if i <= 0 || checkSnappySizes(c, u, 1<<31-1) != nil {
			return false, false
		}
		k, sound := decodeSnappyPrefix(h[n:], block)
		if !sound {
			return false, false
		}
		if n += k; n < HeaderSize && uint64(len(b)-4) <= c {
			return false, true
		}
		b = b[4+len(block):]
	}
	return validHeader(h[:]), false
}

// decodesToHeader reports whether b, decoded, begins with a valid header.
func decodesToHeader(b []byte, c Compression) bool {
	var h [HeaderSize]byte
	n, _ := decodePrefix(h[:], b, c)
	return n == HeaderSize && validHeader(h[:])
}

// decodePrefix decodes the beginning of b into dst.
func decodePrefix(dst, b []byte, c Compression) (int, error) {
	var z deflateReader
	z.reset(bufio.NewReader(bytes.NewReader(b)), c)
	return io.ReadFull(&z, dst)
}

// inflatesCleanly reports whether b is an undamaged zlib stream, which may be truncated.
func inflatesCleanly(b []byte) bool {
	var z deflateReader
	z.reset(bufio.NewReader(bytes.NewReader(b)), ZLIB)
	_, err := io.Copy(io.Discard, &z)
	return err == nil || err == io.ErrUnexpectedEOF
}

// magicNumbers are the formats that the first bytes identify.
var magicNumbers = []struct{ magic, token string }{
	{"version https://git-lfs", "git-lfs"},
	{"PAR1", "parquet"},
	{indexMagic, "tfindex"},
	{"\x83\xaf\x70\xd1\x0d\x88\x4a\x3f", "riegeli"},
	{"PK\x03\x04", "zip"},
	{"PK\x05\x06", "zip"},
	{"PK\x07\x08", "zip"},
	{"\x89PNG\r\n\x1a\n", "png"},
	{"\xff\xd8\xff", "jpeg"},
	{"GIF8", "gif"},
	{"%PDF-", "pdf"},
	{"\xfd7zXZ\x00", "xz"},
	{"\x04\x22\x4d\x18", "lz4"},
	{"\xff\x06\x00\x00sNaPpY", "snappy-framed"},
	{"ARROW1", "arrow"},
	{"Obj\x01", "avro"},
	{"ORC", "orc"},
	{"\x89HDF\r\n\x1a\n", "hdf5"},
	{"\x93NUMPY", "numpy"},
	{"SQLite format 3\x00", "sqlite"},
}

// formatNames has the words of Identify, and those for foreign checksums, as they appear in error
// messages.
var formatNames = map[string]string{
	"uncompressed":  "an uncompressed TFRecord",
	"gzip":          "gzip",
	"zlib":          "zlib",
	"snappy":        "TensorFlow's snappy blocks",
	"zstd":          "zstd",
	"html":          "an HTML or XML page",
	"json":          "JSON",
	"text":          "text",
	"git-lfs":       "a Git LFS pointer: the data itself was not fetched",
	"parquet":       "Parquet",
	"tfindex":       "an index of records, as tfparse index writes it",
	"riegeli":       "Riegeli or ArrayRecord",
	"zip":           "a zip archive",
	"tar":           "a tar archive",
	"png":           "a PNG image",
	"jpeg":          "a JPEG image",
	"gif":           "a GIF image",
	"pdf":           "PDF",
	"xz":            "xz",
	"bzip2":         "bzip2",
	"lz4":           "lz4",
	"snappy-framed": "the snappy framing format",
	"hadoop-snappy": "Hadoop's snappy blocks",
	"arrow":         "Arrow",
	"avro":          "Avro",
	"orc":           "ORC",
	"hdf5":          "HDF5",
	"numpy":         "a NumPy array",
	"sqlite":        "SQLite",
	"zeros":         "zeros only, as after an interrupted copy or on a full disk",
	"crc-zero":      "records whose checksums are zero",
	"crc-unmasked":  "records whose checksums lack TensorFlow's mask",
	"crc-32":        "records with checksums of CRC-32, not CRC-32C",
	"utf8-mangled":  "binary data that was decoded as UTF-8 and written again, with EF BF BD for lost bytes",
}

// Identify returns a word for the format of a stream that is not of the expected format, given its first few
// hundred bytes:
//
//	uncompressed                                  records, not compressed
//	gzip zlib snappy zstd                         compressions that a Reader supports
//	xz bzip2 lz4 snappy-framed hadoop-snappy      other compressions
//	html json text git-lfs                        results of a failed download
//	zip tar parquet riegeli arrow avro orc        other containers
//	hdf5 numpy sqlite png jpeg gif pdf
//	tfindex                                       an index of records
//	zeros utf8-mangled                            data that a program has destroyed
//
// It returns "" for unknown formats.
func Identify(prefix []byte) string {
	switch c, _ := sniffCodec(prefix, true); c {
	case None:
		return "uncompressed"
	case Auto:
	default:
		return c.String()
	}
	for _, m := range magicNumbers {
		if len(prefix) >= len(m.magic) && string(prefix[:len(m.magic)]) == m.magic {
			return m.token
		}
	}
	switch {
	case len(prefix) >= 10 && string(prefix[:3]) == "BZh" && '1' <= prefix[3] && prefix[3] <= '9' &&
		(string(prefix[4:10]) == "1AY&SY" || string(prefix[4:10]) == "\x17\x72\x45\x38\x50\x90"):
		return "bzip2"
	case len(prefix) >= 262 && string(prefix[257:262]) == "ustar":
		return "tar"
	case isHadoopSnappy(prefix):
		return "hadoop-snappy"
	case len(prefix) >= 16 && allZero(prefix):
		return "zeros"
	case isMangledUTF8(prefix):
		return "utf8-mangled"
	}
	return textKind(prefix)
}

// isHadoopSnappy recognizes Hadoop's block stream: the uncompressed size as a big-endian uint32,
// then a block with its compressed size as in TensorFlow's framing.
func isHadoopSnappy(b []byte) bool {
	if len(b) < 10 {
		return false
	}
	total := uint64(binary.BigEndian.Uint32(b))
	c := uint64(binary.BigEndian.Uint32(b[4:]))
	u, n := binary.Uvarint(b[8:])
	if n <= 0 || u == 0 || u > total || checkSnappySizes(c, u, 1<<31-1) != nil {
		return false
	}
	var h [HeaderSize]byte
	block := b[8:]
	if uint64(len(block)) > c {
		block = block[:c]
	}
	got, ok := decodeSnappyPrefix(h[:], block)
	return ok && (u == total || got == HeaderSize && validHeader(h[:]))
}

// isMangledUTF8 recognizes binary data in which every byte that is not UTF-8 was replaced by
// U+FFFD: all of it is UTF-8 then, with control characters that no text has.
func isMangledUTF8(b []byte) bool {
	b = b[:min(len(b), prefixSize)]
	for cut := 0; cut < utf8.UTFMax && len(b) > 0 && !utf8.Valid(b); cut++ {
		b = b[:len(b)-1] // the prefix may end inside a character
	}
	return bytes.Contains(b, []byte("\ufffd")) && bytes.ContainsAny(b, "\x00\x01\x02\x03\x04\x05\x06\x07") && utf8.Valid(b)
}

// textKind returns "html", "json" or "text" for text, and "" for binary data.
func textKind(b []byte) string {
	s := strings.TrimPrefix(string(b[:min(len(b), prefixSize)]), "\ufeff")
	if strings.HasPrefix(s, "\xff\xfe") || strings.HasPrefix(s, "\xfe\xff") {
		if len(s) >= 4 && (s[2] == 0) != (s[3] == 0) {
			return "text" // UTF-16
		}
		return ""
	}
	if len(s) < 3 { // a cut length can look like one or two letters
		return ""
	}
	for i, r := range s {
		if r < ' ' && !strings.ContainsRune("\t\n\v\f\r\x1b", r) || r == 0x7f {
			return ""
		}
		if r == utf8.RuneError && s[i:min(len(s), i+3)] != "\ufffd" {
			if i+utf8.UTFMax > len(s) && i > 0 && !utf8.FullRuneInString(s[i:]) {
				break // a character cut by the end of the prefix
			}
			return ""
		}
	}
	t := strings.TrimLeft(s, " \t\r\n")
	switch {
	case strings.HasPrefix(t, "<"):
		if len(t) > 1 && (t[1] == '!' || t[1] == '?' || 'a' <= t[1]|0x20 && t[1]|0x20 <= 'z') {
			return "html"
		}
	case strings.HasPrefix(t, "{"):
		if u := strings.TrimLeft(t[1:], " \t\r\n"); u == "" || u[0] == '"' || u[0] == '}' {
			return "json"
		}
	case strings.HasPrefix(t, "["):
		if u := strings.TrimLeft(t[1:], " \t\r\n"); u == "" || strings.ContainsRune("\"{[]-0123456789tfn", rune(u[0])) {
			return "json"
		}
	}
	return "text"
}
