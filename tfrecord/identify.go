package tfrecord

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"io"
	"strings"
	"unicode/utf8"
)

// sniffMax is how far into a stream its kind is looked for.
const sniffMax = 64 << 10

// sniff finds the codec of a stream from its first bytes: records by the
// checksum of the first length, then compressions by their magic and by what
// they decode to. It returns Auto when it finds none; more says that further
// bytes could change that. final says that b is all there is to look at.
//
// The order matters: the length 559,903 makes a plain stream begin like gzip,
// and 376 makes one begin like zlib.
func sniff(b []byte, final bool) (c Compression, more bool) {
	if len(b) >= HeaderSize && soundHeader(b) {
		return None, false
	}
	more = !final
	switch {
	case len(b) >= 3 && b[0] == 0x1f && b[1] == 0x8b && b[2] == 8:
		if len(b) >= HeaderSize && nearHeader(b) && !leadsToHeader(b, GZIP) {
			return Auto, more // a damaged header of that length
		}
		return GZIP, false
	case len(b) >= 4 && binary.LittleEndian.Uint32(b) == 0xfd2fb528,
		len(b) >= 4 && binary.LittleEndian.Uint32(b)&^0xf == 0x184d2a50:
		return ZSTD, false
	case len(b) >= 2 && zlibMagic(b[0], b[1]):
		var h [HeaderSize]byte
		n, err := decodeStart(h[:], b, ZLIB)
		switch {
		case n == HeaderSize && soundHeader(h[:]):
			return ZLIB, false
		case err != nil && err != io.ErrUnexpectedEOF && err != io.EOF:
		case len(b) >= HeaderSize && nearHeader(b):
		case !more:
			// Too short to show a header, or the content is something else;
			// but two bytes are a weak sign, so the rest must inflate.
			if zlibWhole(b) {
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

// sniffSnappy looks for a sound record header at the start of the first
// blocks. undecided: they are not yet long enough to tell.
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
		if i <= 0 || snappySizes(c, u, 1<<31-1) != nil {
			return false, false
		}
		k, sound := snappyStart(h[n:], block)
		if !sound {
			return false, false
		}
		if n += k; n < HeaderSize && uint64(len(b)-4) <= c {
			return false, true
		}
		b = b[4+len(block):]
	}
	return soundHeader(h[:]), false
}

// leadsToHeader reports whether b, decoded, begins with a sound header.
func leadsToHeader(b []byte, c Compression) bool {
	var h [HeaderSize]byte
	n, _ := decodeStart(h[:], b, c)
	return n == HeaderSize && soundHeader(h[:])
}

// decodeStart decodes the start of b into dst.
func decodeStart(dst, b []byte, c Compression) (int, error) {
	var z deflateReader
	z.reset(bufio.NewReader(bytes.NewReader(b)), c)
	return io.ReadFull(&z, dst)
}

// zlibWhole reports whether all of b inflates without damage, its end aside.
func zlibWhole(b []byte) bool {
	var z deflateReader
	z.reset(bufio.NewReader(bytes.NewReader(b)), ZLIB)
	_, err := io.Copy(io.Discard, &z)
	return err == nil || err == io.ErrUnexpectedEOF
}

// magics are the formats that are recognized by their first bytes.
var magics = []struct{ magic, token string }{
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

// lookNames puts the words of Identify as an error says them.
var lookNames = map[string]string{
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
	"zeros":         "zeros only, as a copy leaves that has not ended, or a disk that was full",
	"crc-zero":      "records whose checksums are zero",
	"crc-unmasked":  "records whose checksums lack TensorFlow's mask",
	"crc-32":        "records with checksums of CRC-32, not CRC-32C",
	"utf8-mangled":  "binary data that was decoded as UTF-8 and written again (EF BF BD stands for each byte that was lost): fetch the original",
}

// Identify says what bytes look like that are not what a reader took them
// for, given the first few hundred of them. It returns a short word:
//
//	uncompressed                                  records, not compressed
//	gzip zlib snappy zstd                         a compression that a Reader knows
//	xz bzip2 lz4 snappy-framed hadoop-snappy      one that it does not
//	html json text git-lfs                        things a download leaves behind
//	zip tar parquet riegeli arrow avro orc        other containers
//	hdf5 numpy sqlite png jpeg gif pdf
//	tfindex                                       an index of records
//	zeros utf8-mangled                            data that something has destroyed
//
// or "" when it does not recognize them.
func Identify(prefix []byte) string {
	switch c, _ := sniff(prefix, true); c {
	case None:
		return "uncompressed"
	case Auto:
	default:
		return c.String()
	}
	for _, m := range magics {
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
	case hadoopSnappy(prefix):
		return "hadoop-snappy"
	case len(prefix) >= 16 && isZero(prefix):
		return "zeros"
	case mangled(prefix):
		return "utf8-mangled"
	}
	return textKind(prefix)
}

// hadoopSnappy knows Hadoop's block stream: uncompressed size, uint32 big
// endian, then a block with its compressed size as TensorFlow has it.
func hadoopSnappy(b []byte) bool {
	if len(b) < 10 {
		return false
	}
	total := uint64(binary.BigEndian.Uint32(b))
	c := uint64(binary.BigEndian.Uint32(b[4:]))
	u, n := binary.Uvarint(b[8:])
	if n <= 0 || u == 0 || u > total || snappySizes(c, u, 1<<31-1) != nil {
		return false
	}
	var h [HeaderSize]byte
	block := b[8:]
	if uint64(len(block)) > c {
		block = block[:c]
	}
	got, ok := snappyStart(h[:], block)
	return ok && (u == total || got == HeaderSize && soundHeader(h[:]))
}

// mangled knows binary data in which every byte that is no UTF-8 was replaced: all of it is
// UTF-8 then, with control characters that no text has.
func mangled(b []byte) bool {
	b = b[:min(len(b), headSize)]
	for cut := 0; cut < utf8.UTFMax && len(b) > 0 && !utf8.Valid(b); cut++ {
		b = b[:len(b)-1] // the prefix may end inside a character
	}
	return bytes.Contains(b, []byte("\ufffd")) && bytes.ContainsAny(b, "\x00\x01\x02\x03\x04\x05\x06\x07") && utf8.Valid(b)
}

// textKind names the kind of a text; "" is for what is not text.
func textKind(b []byte) string {
	s := strings.TrimPrefix(string(b[:min(len(b), headSize)]), "\ufeff")
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
